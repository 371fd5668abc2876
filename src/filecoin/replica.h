/* A sector's labels, columns and trees: all of them when it is sealed, or those of some nodes that
 * a proof can be opened from. Built in this order: replica_init, replica_keep, labels of nodes
 * that aren't derived, replica_derive, replica_finish, replica_open. */
#ifndef CUZK_FILECOIN_REPLICA_H
#define CUZK_FILECOIN_REPLICA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "filecoin/graph.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/sparse_tree.h"

/* What the owner of a sector and the chain choose. */
struct porep_sector {
    const struct registered_seal *seal;
    uint8_t prover_id[32], ticket[32], seed[32];
    uint64_t number;
};

struct replica {
    struct porep_sector sector;
    struct graph graph;
    struct node replica_id, comm_d, comm_c, comm_r_last, comm_r;
    size_t len;                            /* nodes kept */
    uint32_t *nodes;                       /* [len], ascending */
    struct node *labels[POREP_MAX_LAYERS]; /* [layers][len] */
    struct sparse_tree tree_d, tree_c, tree_r;
    struct arena *arena;
};

/* Tree D, comm_d and replica_id. data: [sector nodes], or NULL: all zero. ERR_OS, or ERR_DATA for
 * data not below the modulus. */
int replica_init(struct replica *r, const struct porep_sector *sector, const struct node *data,
                 struct pool *pool, struct error *err);
void replica_clean_up(struct replica *r);

/* Makes room for the labels of n nodes (ascending, no two equal; copied; NULL: the first n).
 * ERR_OS. */
int replica_keep(struct replica *r, const uint32_t *nodes, size_t n, struct error *err);
size_t replica_slot(const struct replica *r, uint32_t node); /* of a node that is kept */

/* The labels of n nodes (ascending, kept, their parents too), layer by layer. ERR_OS. */
int replica_derive(struct replica *r, const uint32_t *nodes, size_t n, struct pool *pool,
                   const struct progress_sink *sink, struct error *err);

/* Columns and encoded data of the nodes kept, trees C and R, comm_r. The fillers give what isn't
 * kept. ERR_OS. */
int replica_finish(struct replica *r, struct tree_filler tree_c, struct tree_filler tree_r,
                   struct pool *pool, const struct progress_sink *sink, struct error *err);

/* The proofs of all challenges, in Curio's wrapper; challenged nodes and their parents are kept.
 * ERR_OS. */
int replica_open(struct porep_vanilla *out, const struct replica *r, struct error *err);

#endif
