#include "groth16/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/rand.h"
#include "curve/pairing.h"
#include "msm/msm.h"

struct prepared_vk {
    struct fp12 alpha_beta; /* e(alpha, beta) */
    struct g2_prepared minus_gamma, minus_delta;
    struct g1_affine *ic;
    size_t ic_len;
};

int prepared_vk_new(struct prepared_vk **out, const struct verifying_key *vk, struct error *err)
{
    struct g2_affine minus;
    if (g2_affine_is_infinity(&vk->gamma_g2) || g2_affine_is_infinity(&vk->delta_g2))
        return error_set(err, ERR_CONFIG, "point-at-infinity",
                         "verifying key: gamma or delta is infinity");
    struct prepared_vk *pvk = calloc(1, sizeof *pvk);
    struct g1_affine *ic = calloc(vk->ic_len, sizeof *ic);
    if (pvk == NULL || ic == NULL) {
        free(pvk);
        free(ic);
        return error_set(err, ERR_OS, "out-of-memory",
                         "no memory for a verifying key of %zu points", vk->ic_len);
    }
    memcpy(ic, vk->ic, vk->ic_len * sizeof *ic);
    pvk->ic = ic;
    pvk->ic_len = vk->ic_len;
    pairing(&pvk->alpha_beta, &vk->alpha_g1, &vk->beta_g2);
    g2_affine_neg(&minus, &vk->gamma_g2);
    g2_prepare(&pvk->minus_gamma, &minus);
    g2_affine_neg(&minus, &vk->delta_g2);
    g2_prepare(&pvk->minus_delta, &minus);
    *out = pvk;
    return 0;
}

void prepared_vk_destroy(struct prepared_vk *pvk)
{
    if (pvk == NULL)
        return;
    free(pvk->ic);
    free(pvk);
}

static int check_input_count(const struct prepared_vk *pvk, size_t n, struct error *err)
{
    if (n + 1 == pvk->ic_len)
        return 0;
    return error_set(err, ERR_CONFIG, "vk-input-count",
                     "verifying key: made for %zu public inputs, got %zu", pvk->ic_len - 1, n);
}

/* r = sum of k[i] * IC_i, ONE's factor first */
static int sum_ic(struct g1_affine *r, const struct prepared_vk *pvk, const struct fr *k,
                  struct error *err)
{
    struct msm_g1 *m;
    struct g1 sum;
    uint64_t(*scalars)[4] = calloc(pvk->ic_len, sizeof *scalars);
    if (scalars == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %zu public inputs",
                         pvk->ic_len);
    for (size_t i = 0; i < pvk->ic_len; i++)
        fr_to_limbs(scalars[i], &k[i]);
    int rc = msm_g1_new(&m, pvk->ic_len, NULL, err);
    if (rc == 0) {
        msm_g1_add(m, pvk->ic, scalars, pvk->ic_len);
        msm_g1_finish(m, &sum);
        msm_g1_destroy(m);
        g1_to_affine(r, &sum);
    }
    free(scalars);
    return rc;
}

static int verdict(int valid, const char *what, struct error *err)
{
    if (valid)
        return 0;
    return error_set(err, ERR_INVALID_PROOF, "proof-invalid",
                     "%s: the pairing equation does not hold", what);
}

int groth16_verify(const struct prepared_vk *pvk, const struct proof *proof,
                   const struct fr *inputs, size_t n, struct error *err)
{
    if (check_input_count(pvk, n, err) != 0)
        return err->code;
    struct fr *k = malloc(pvk->ic_len * sizeof *k);
    struct g2_prepared *b = malloc(sizeof *b);
    int rc = k == NULL || b == NULL
                 ? error_set(err, ERR_OS, "out-of-memory", "no memory to verify a proof")
                 : 0;
    struct g1_affine p[3];
    if (rc == 0) {
        k[0] = FR_ONE;
        for (size_t i = 0; i < n; i++)
            k[i + 1] = inputs[i];
        rc = sum_ic(&p[1], pvk, k, err);
    }
    if (rc == 0) {
        struct fp12 f;
        const struct g2_prepared *q[3] = {b, &pvk->minus_gamma, &pvk->minus_delta};
        p[0] = proof->a;
        p[2] = proof->c;
        g2_prepare(b, &proof->b);
        miller_loop(&f, p, q, 3);
        final_exponentiation(&f, &f);
        rc = verdict(fp12_equal(&f, &pvk->alpha_beta), "proof", err);
    }
    free(k);
    free(b);
    return rc;
}

/* Sums over the proofs with weights z: of A's Miller functions, of C, of the factors of IC, and of z itself. */
struct batch {
    struct fp12 miller;
    struct g1 c;
    struct fr *k, z_sum;
};

static int random_weight(uint64_t z[4], struct error *err)
{
    memset(z, 0, 4 * sizeof *z);
    if (rand_fill(z, 16) != 0)
        return error_set(err, ERR_OS, "no-randomness", "getrandom failed");
    return 0;
}

static void batch_add(struct batch *batch, const struct proof *proof, const struct fr *inputs,
                      size_t n, const uint64_t z[4], struct g2_prepared *scratch)
{
    struct g1 t;
    struct g1_affine a;
    struct fp12 f;
    struct fr weight, x;
    const struct g2_prepared *q = scratch;
    fr_from_limbs(&weight, z);
    fr_add(&batch->z_sum, &batch->z_sum, &weight);
    fr_add(&batch->k[0], &batch->k[0], &weight);
    for (size_t i = 0; i < n; i++) {
        fr_mul(&x, &weight, &inputs[i]);
        fr_add(&batch->k[i + 1], &batch->k[i + 1], &x);
    }
    g1_from_affine(&t, &proof->c);
    g1_mul(&t, &t, z);
    g1_add(&batch->c, &batch->c, &t);
    g1_from_affine(&t, &proof->a);
    g1_mul(&t, &t, z);
    g1_to_affine(&a, &t);
    g2_prepare(scratch, &proof->b);
    miller_loop(&f, &a, &q, 1);
    fp12_mul(&batch->miller, &batch->miller, &f);
}

/* prod e(z A, B) e(sum z IC, -gamma) e(sum z C, -delta) = e(alpha, beta)^(sum z) */
static int batch_finish(struct batch *batch, const struct prepared_vk *pvk, struct error *err)
{
    struct g1_affine p[2];
    const struct g2_prepared *q[2] = {&pvk->minus_gamma, &pvk->minus_delta};
    struct fp12 f, expected;
    uint64_t z[4];
    if (sum_ic(&p[0], pvk, batch->k, err) != 0)
        return err->code;
    g1_to_affine(&p[1], &batch->c);
    miller_loop(&f, p, q, 2);
    fp12_mul(&f, &f, &batch->miller);
    final_exponentiation(&f, &f);
    fr_to_limbs(z, &batch->z_sum);
    fp12_cyclotomic_pow(&expected, &pvk->alpha_beta, z, 4);
    return verdict(fp12_equal(&f, &expected), "batch of proofs", err);
}

int groth16_verify_batch(const struct prepared_vk *pvk, const struct proof *proofs,
                         const struct fr *const *inputs, size_t count, size_t n, struct error *err)
{
    if (count == 0)
        return 0;
    if (count == 1)
        return groth16_verify(pvk, proofs, inputs[0], n, err);
    if (check_input_count(pvk, n, err) != 0)
        return err->code;
    struct batch batch = {.miller = FP12_ONE, .z_sum = FR_ZERO};
    g1_set_infinity(&batch.c);
    struct g2_prepared *scratch = malloc(sizeof *scratch);
    batch.k = calloc(pvk->ic_len, sizeof *batch.k);
    int rc = scratch == NULL || batch.k == NULL
                 ? error_set(err, ERR_OS, "out-of-memory", "no memory to verify %zu proofs", count)
                 : 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        uint64_t z[4];
        rc = random_weight(z, err);
        if (rc == 0)
            batch_add(&batch, &proofs[i], inputs[i], n, z, scratch);
    }
    if (rc == 0)
        rc = batch_finish(&batch, pvk, err);
    free(batch.k);
    free(scratch);
    return rc;
}
