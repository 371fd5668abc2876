/* Parameter generation for TESTS: whoever knows the trapdoor can forge proofs. */
#ifndef CUZK_GROTH16_SETUP_H
#define CUZK_GROTH16_SETUP_H

#include "base/pool.h"
#include "base/progress.h"
#include "curve/g1.h"
#include "curve/g2.h"
#include "r1cs/cs.h"

struct trapdoor {
    struct g1_affine g1;
    struct g2_affine g2;
    struct fr alpha, beta, gamma, delta, tau;
};
/* Random scalars and the standard generators; wipe after use. */
int trapdoor_random(struct trapdoor *t, struct error *err);

/* The circuit as a callback, so that setup knows none: streams all rows through cs. */
struct setup_circuit {
    int (*synthesize)(void *ctx, struct cs *cs, struct error *err);
    void *ctx;
};
/* Writes PREFIX.vk and PREFIX.meta ({"sector_size":N}), then PREFIX.params: temporary files beside them, fsync, rename. An existing
 * file is never replaced (ERR_CANT_CREATE "params-exist"); a .vk and .meta without .params, as a killed process leaves them, are completed
 * if they are what would be written. One process at a time, by PREFIX.lock (ERR_TEMP_FAIL "params-in-the-making"). After a failure no
 * file of ours is left. */
int setup_write(const char *prefix, uint64_t sector_size, const struct setup_circuit *circuit,
                const struct trapdoor *t, struct pool *pool, const struct progress_sink *sink,
                struct error *err);

#endif
