/* The FallbackPoSt circuit of WinningPoSt and WindowPoSt (spec: circuits §8), written once for all modes. */
#ifndef CUZK_CIRCUIT_POST_H
#define CUZK_CIRCUIT_POST_H

#include "filecoin/post.h"
#include "r1cs/cs.h"

/* Synthesises one partition: its sectors, each with the hash of its commitments and its paths. 313 rows a sector, and a path's
 * rows for each challenge. */
void post_synthesize(struct cs *cs, const struct post_vanilla *v, unsigned partition);

/* What native synthesis of a partition takes at least, in multiplications of Fr, with the matrices as they are: a hash of width t
 * with P partial rounds has 3 (8 t - 1 + P) of its S-boxes (the first element of the first round is a constant), 7 t^2 of the full
 * rounds' matrices (the first round's constant term and the last round's other elements left out) and (2 t - 1) P of the partial
 * rounds': 1,920 for 8 children, 572 for 2. Nodes and packed indexes take one each to come into Montgomery form. */
uint64_t post_multiplications(const struct registered_post *post);

/* The same circuit without a proof: dummy values of the right shape, for shape mode. ERR_OS when memory is out. */
int post_synthesize_blank(struct cs *cs, const struct sector_shape *shape, unsigned sectors,
                          unsigned challenges, struct error *err);
/* With sectors and challenges as published. */
int winning_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err);
int window_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err);

#endif
