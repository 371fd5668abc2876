/* The Groth16 prover as bellperson's (spec: params §7.1-§7.3). */
#ifndef CUZK_GROTH16_PROVE_H
#define CUZK_GROTH16_PROVE_H

#include "base/pool.h"
#include "base/progress.h"
#include "groth16/params.h"
#include "r1cs/cs.h"

/* The eight sums of one assignment; independent of r and s. */
struct groth16_sums {
    struct g1_affine h, l, a_inputs, a_aux, b_g1_inputs, b_g1_aux;
    struct g2_affine b_g2_inputs, b_g2_aux;
};

struct groth16_timings {
    uint64_t ntt_ns, msm_ns; /* wall time */
};

/* Memory that proofs of one circuit reuse, sized at creation: H buffers, slices, buckets. */
struct prover;
int prover_new(struct prover **out, const struct params_file *params, const struct density *density,
               unsigned log2_domain, struct pool *pool, struct error *err);
void prover_destroy(struct prover *p);

/* assignment after cs_finish (final rows included). timings are added to. An assignment that does not satisfy the circuit is
 * found by H's last coefficient: ERR_DATA "witness-unsatisfied". A sink that says so ends it early: ERR_TEMP_FAIL "cancelled". */
int prover_sums(struct groth16_sums *out, struct groth16_timings *timings, struct prover *p,
                const struct assignment *w, const struct progress_sink *sink, struct error *err);

/* A, B, C from the sums. */
void groth16_assemble(struct proof *out, const struct groth16_sums *sums,
                      const struct verifying_key *vk, const struct fr *r, const struct fr *s);

#endif
