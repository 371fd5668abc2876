/* The vanilla proof of a PoRep (SealCommitPhase1Output), decoded from C1 JSON (spec: inputs §3). */
#ifndef CUZK_FILECOIN_POREP_VANILLA_H
#define CUZK_FILECOIN_POREP_VANILLA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "field/fr.h"
#include "filecoin/merkle_path.h"
#include "filecoin/registered.h"

enum {
    POREP_DRG_PARENTS = 6,
    POREP_EXP_PARENTS = 8,
    POREP_PARENTS = 14,
    POREP_LABEL_PARENTS = 37,
    POREP_MAX_LAYERS = 11
};

struct porep_column {
    uint32_t index;                     /* node */
    struct node rows[POREP_MAX_LAYERS]; /* labels of layers 1..L */
    struct merkle_path inclusion;       /* in tree C */
};

struct porep_labeling {
    struct node parents[POREP_LABEL_PARENTS];
    uint32_t layer_index;
    uint64_t node;
};

struct porep_challenge_proof {
    struct merkle_path comm_d;      /* binary SHA-256 tree over the data */
    struct merkle_path comm_r_last; /* Poseidon tree over the replica */
    struct porep_column c_x, drg_parents[POREP_DRG_PARENTS], exp_parents[POREP_EXP_PARENTS];
    struct porep_labeling labeling[POREP_MAX_LAYERS], encoding;
};

struct porep_vanilla {
    const struct registered_seal *seal; /* sizes, layers, partitions, feature */
    struct node comm_r, comm_d, replica_id;
    uint8_t seed[32], ticket[32];
    size_t partitions, challenges;         /* as registered: checked */
    struct porep_challenge_proof **proofs; /* [partition][challenge] */
    uint64_t sector_number, sector_size; /* of the wrapper; 0 when the bare inner object was read */
    int has_wrapper;
    const char *path;    /* the file it was read from, for messages; or NULL */
    struct arena *arena; /* owns everything */
};

/* Reads FILE, which may be a pipe, and "-" is standard input: Curio's wrapper {SectorNum, Phase1Out (base64), SectorSize} or the bare inner object; the first key
 * that one of them has decides. Keys as serde takes them: any order, unknown ones skipped, none missing, none twice. Every length,
 * count, path shape and field element is checked (ERR_DATA, cause "c1-..."); the message names place and byte, e.g. "c1.json:
 * Phase1Out: vanilla_proofs[0][1].comm_r_last_proof.data.path.path[1].hashes: 6 items instead of 7 (byte 81234)". */
int porep_vanilla_read(struct porep_vanilla *out, const char *path, struct error *err);
int porep_vanilla_parse(struct porep_vanilla *out, const void *json, size_t n, struct error *err);
void porep_vanilla_clean_up(struct porep_vanilla *v);

/* Native check of everything the circuit asserts and more: challenges follow from replica_id/seed, parents from the graph, paths
 * hash to their roots, comm_r = H(comm_c, comm_r_last), labels, encoding, listed parents. Refuses zero comm_d/comm_r and (where the
 * seal's feature uses it) a zero seed. The first fault in (partition, challenge, field) order is reported. */
int porep_vanilla_check(const struct porep_vanilla *v, struct pool *pool,
                        const struct progress_sink *sink, struct error *err);

/* Public inputs of one partition without ONE (spec: inputs §3.6): 3 + 18 * challenges elements. Follows from ids, commitments,
 * seed and graph alone (no proof needed), as the verifier computes them. */
struct porep_statement {
    const struct registered_seal *seal;
    struct node replica_id, comm_d, comm_r;
    uint8_t seed[32];
};
size_t porep_public_inputs_len(const struct registered_seal *seal);
int porep_public_inputs(struct fr *out, const struct porep_statement *s, unsigned partition,
                        struct error *err);

/* SHA-256(prover_id || BE64 sector_number || ticket || comm_d || porep_id), top two bits cleared. */
void porep_replica_id(struct node *out, const struct registered_seal *seal,
                      const uint8_t prover_id[32], uint64_t sector_number, const uint8_t ticket[32],
                      const struct node *comm_d);
void prover_id_of_miner(uint8_t out[32], uint64_t miner_id);

#endif
