/* add_pairs of batch_add_template.h with AVX-512 IFMA: eight pairs at once, for CPU_IFMA. */
#ifndef CUZK_MSM_X86_64_BATCH_ADD_IFMA_H
#define CUZK_MSM_X86_64_BATCH_ADD_IFMA_H

#include "msm/batch.h"

enum {
    IFMA_LANES = 8,
    IFMA_MIN_PAIRS = 24, /* fewer are as fast one by one */
    IFMA_PAIR_WORDS =
        6 *
        8, /* kept between the ways forward and back: six coordinates of eight limbs, twice that in G2 */
};

struct g1_ifma_scratch {
    _Alignas(64) uint64_t word[BATCH * IFMA_PAIR_WORDS];
};

struct g2_ifma_scratch {
    _Alignas(64) uint64_t word[2 * BATCH * IFMA_PAIR_WORDS];
};

/* Adds the pairs; pair[n .. n rounded up to 8) are overwritten. 0 < n <= BATCH. */
void g1_batch_add_ifma(struct g1_pair *pair, size_t n, struct g1_ifma_scratch *scratch);
void g2_batch_add_ifma(struct g2_pair *pair, size_t n, struct g2_ifma_scratch *scratch);

#endif
