/* Nodes and Merkle paths of vanilla proofs as variables of a circuit. */
#ifndef CUZK_CIRCUIT_NODE_H
#define CUZK_CIRCUIT_NODE_H

#include "filecoin/merkle_path.h"
#include "gadget/merkle.h"

struct num circuit_alloc_node(struct cs *cs, const struct node *n);

/* merkle_path_gadget with the path's indexes and siblings; its leaf and root are leaf and root here, whatever path has. */
void circuit_open_path(struct cs *cs, enum merkle_hash hash, const struct merkle_path *path,
                       const struct num *leaf, const struct num *root);
/* The same for each of a group (cs_repeat_together), with merkle_path_gadgets. */
void circuit_open_paths(struct cs *const cs[], size_t n, enum merkle_hash hash,
                        const struct merkle_path *const path[], const struct num *leaf,
                        const struct num *root);

/* The path of a circuit without a proof: zeros. arity NULL: binary. zeros outlives the path. */
void circuit_blank_path(struct merkle_path *path, unsigned levels, const uint8_t *arity,
                        struct node zeros[7]);

#endif
