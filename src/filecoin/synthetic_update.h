/* EmptySectorUpdate vanilla proofs of sectors of any size that don't exist, for tests and
 * measurements: they satisfy the circuit and every native check.
 *
 * Challenges follow from the new tree's root, so that every node must be known before: the trees
 * are structured. A node has one of eight types, an element of GF(8) = GF(2)[x] / (x^3 + x + 1); the
 * root's is 0, and the half on side b of a node of type t has type x t + b. Three halvings make the
 * eight children of a tree of octets, whose types x^3 t + j all differ, and so do the values of a
 * level's eight types. In the new tree R this holds below each of the 2^h values of rho. */
#ifndef CUZK_FILECOIN_SYNTHETIC_UPDATE_H
#define CUZK_FILECOIN_SYNTHETIC_UPDATE_H

#include "filecoin/update.h"

/* All partitions' proofs, for the caller to clean up, and the request's commitments: of request
 * only update is read. The same seed gives the same bytes. phi: NULL, or one in place of the
 * rule's, which makes the new labels wrong and nothing else. ERR_OS. */
int update_synthetic(struct vanilla_list *out, struct update_request *request, uint64_t seed,
                     const struct fr *phi, struct pool *pool, struct error *err);

#endif
