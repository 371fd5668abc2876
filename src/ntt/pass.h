/* A transform as passes over memory, each tile of a pass an independent task. */
#ifndef CUZK_NTT_PASS_H
#define CUZK_NTT_PASS_H

#include "base/pool.h"
#include "base/progress.h"
#include "ntt/kernel.h"
#include "ntt/ntt.h"

enum { PASS_MAX = 2 };

/* Levels [from[i], from[i+1]) make strided pass i; what is below from[count] is left to contiguous blocks of 2^block_log2. */
struct pass_plan {
    unsigned count, from[PASS_MAX + 1], block_log2;
    size_t blocks;
};
struct pass_plan pass_plan_of(const struct ntt_domain *d);

/* Pass i over x; steps: enum tile_step. add_to, unless NULL: there the results are added, and x keeps its old values. progress may be
 * NULL. */
void pass_strided(const struct ntt_domain *d, unsigned i, unsigned steps, struct fr *x,
                  struct fr *add_to, struct pool *pool, struct progress *progress);

#endif
