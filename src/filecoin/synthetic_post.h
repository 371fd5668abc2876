/* PoSt vanilla proofs of sectors of any size that don't exist, for tests and measurements: they
 * satisfy the circuit and every native check. Challenges don't depend on the roots: what the opened
 * leaves don't determine of tree R is drawn. */
#ifndef CUZK_FILECOIN_SYNTHETIC_POST_H
#define CUZK_FILECOIN_SYNTHETIC_POST_H

#include "filecoin/post.h"

struct post_synthetic {
    const struct registered_post *post;
    uint8_t randomness[32]; /* as the chain gives it; the top two bits are cleared */
    uint64_t miner_id, seed;
    uint64_t first_sector; /* the sectors' numbers follow one another */
    size_t sectors;        /* winning: 1; window: what a partition holds at most */
};

/* Randomness drawn from miner and seed. */
void post_synthetic_randomness(uint8_t out[32], uint64_t miner_id, uint64_t seed);

/* The sectors' proofs; the caller cleans out up. The same numbers give the same bytes. ERR_USAGE
 * where sectors is 0 or too many; ERR_OS. */
int post_synthetic(struct vanilla_list *out, const struct post_synthetic *request,
                   struct pool *pool, const struct progress_sink *sink, struct error *err);

#endif
