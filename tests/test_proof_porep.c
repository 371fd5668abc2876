/* ctest: needs=params_2k timeout=1800 */
/* The sealed sectors of the reference, proven and verified: eight sums, every (r, s) variant from one set of sums, mutations. */
#include "porep_checks.h"

#include "base/cpu.h"

#include "groth16/prove.h"
#include "groth16/verify.h"
#include "ntt/ntt.h"
#include "proof/params.h"

static struct {
    struct pool *pool;
    const struct circuit *circuit;
    struct shape_stats stats;
    struct params_file params;
    struct prepared_vk *pvk;
    struct prover *prover;
    struct assignment w;
} g;

static int set_up(void **state)
{
    struct error err;
    (void)state;
    assert_ok(cpu_init(&err), &err);
    field_init();
    assert_ok(pool_new(&g.pool, 0, &err), &err);
    g.circuit = circuit_of(CIRCUIT_POREP, SECTOR_2K);
    assert_ok(circuit_stats(&g.stats, g.circuit, &err), &err);
    assert_ok(circuit_params_open(&g.params, g.circuit, CUZK_TEST_PARAMS, &err), &err);
    assert_ok(circuit_params_check(&g.params, g.circuit, &g.stats, CUZK_TEST_PARAMS, &err), &err);
    assert_ok(prepared_vk_new(&g.pvk, &g.params.vk, &err), &err);
    assert_ok(prover_new(&g.prover, &g.params, &g.stats.density,
                         circuit_names(g.circuit)->log2_domain, g.pool, &err),
              &err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assignment_clean_up(&g.w);
    prover_destroy(g.prover);
    prepared_vk_destroy(g.pvk);
    params_close(&g.params);
    shape_stats_clean_up(&g.stats);
    pool_destroy(g.pool);
    return 0;
}

static void assert_g1(const struct g1_affine *p, yajl_val trace, const char *key)
{
    uint8_t bytes[G1_COMPRESSED_BYTES];
    g1_to_compressed(bytes, p);
    assert_hex(bytes, sizeof bytes, json_string(json_get(trace, key)), key);
}

static void assert_g2(const struct g2_affine *p, yajl_val trace, const char *key)
{
    uint8_t bytes[G2_COMPRESSED_BYTES];
    g2_to_compressed(bytes, p);
    assert_hex(bytes, sizeof bytes, json_string(json_get(trace, key)), key);
}

static void assert_sums(const struct groth16_sums *s, yajl_val trace)
{
    assert_g1(&s->h, trace, "msm_h");
    assert_g1(&s->l, trace, "msm_l");
    assert_g1(&s->a_inputs, trace, "msm_a_inputs");
    assert_g1(&s->a_aux, trace, "msm_a_aux");
    assert_g1(&s->b_g1_inputs, trace, "msm_b_g1_inputs");
    assert_g1(&s->b_g1_aux, trace, "msm_b_g1_aux");
    assert_g2(&s->b_g2_inputs, trace, "msm_b_g2_inputs");
    assert_g2(&s->b_g2_aux, trace, "msm_b_g2_aux");
}

/* H's coefficients against the reference's digest (of the m - 1 that count). */
static void assert_h(yajl_val trace)
{
    struct error err;
    struct ntt_domain d;
    struct buffer h, tmp;
    unsigned log2 = circuit_names(g.circuit)->log2_domain;
    assert_ok(ntt_domain_init(&d, log2, g.pool, &err), &err);
    assert_ok(buffer_init(&h, sizeof(struct fr) << log2, "h", &err), &err);
    assert_ok(buffer_init(&tmp, sizeof(struct fr) << log2, "tmp", &err), &err);
    assert_ok(ntt_quotient(h.data, tmp.data, &d, &g.w.a, &g.w.b, &g.w.c, g.pool, NULL, &err), &err);
    assert_true(fr_is_zero((struct fr *)h.data + d.n - 1));
    struct tvec none = {0};
    assert_tvec(&none, h.data, d.n - 1, trace, "sha256_h_coeffs");
    buffer_clean_up(&tmp);
    buffer_clean_up(&h);
    ntt_domain_clean_up(&d);
}

static void le_scalar(struct fr *out, yajl_val list, unsigned partition)
{
    uint8_t bytes[32];
    json_hex(bytes, 32, json_at(list, partition));
    assert_int_equal(fr_from_bytes(out, bytes), 0);
}

static void assert_variants(const struct groth16_sums *sums, const struct sealed *s,
                            const struct fr *inputs, size_t n)
{
    struct error err;
    yajl_val variants = json_get(s->fixture, "fixed_rs_proofs");
    assert_true(json_len(variants) >= 1);
    for (size_t i = 0; i < json_len(variants); i++) {
        yajl_val v = json_at(variants, i);
        struct fr r, t;
        struct proof proof;
        uint8_t bytes[PROOF_BYTES];
        char want[2 * PROOF_BYTES + 1];
        le_scalar(&r, json_get(v, "r_le"), s->partition);
        le_scalar(&t, json_get(v, "s_le"), s->partition);
        groth16_assemble(&proof, sums, &g.params.vk, &r, &t);
        proof_to_bytes(bytes, &proof);
        snprintf(want, sizeof want, "%.*s", 2 * PROOF_BYTES,
                 json_string(json_get(v, "proof")) + (size_t)s->partition * 2 * PROOF_BYTES);
        assert_hex(bytes, sizeof bytes, want, json_string(json_get(v, "variant")));
        assert_ok(proof_from_bytes(&proof, bytes, &err), &err);
        assert_ok(groth16_verify(g.pvk, &proof, inputs, n, &err), &err);
    }
}

/* Partition 0 of a sealed sector, whole. with_h: also the digest of H by itself. */
static void check_sector(const char *name, int with_h)
{
    struct error err;
    struct sealed s;
    struct groth16_sums sums;
    struct groth16_timings timings = {0};
    sealed_load(&s, name);
    check_partition(&g.w, &s, 0, g.pool, 0);
    yajl_val trace = json_at(json_get(s.fixture, "prover_traces"), 0);
    if (with_h)
        assert_h(trace);
    assert_ok(prover_sums(&sums, &timings, g.prover, &g.w, NULL, &err), &err);
    assert_sums(&sums, trace);
    assert_variants(&sums, &s, g.w.inputs + 1, g.w.num_inputs - 1);
    sealed_free(&s);
}

static void test_v1_1_s1(void **state)
{
    (void)state;
    check_sector("porep-2kib-v1_1-s1", 1);
}
static void test_v1_1_s2(void **state)
{
    (void)state;
    check_sector("porep-2kib-v1_1-s2", 0);
}
static void test_v1_s5(void **state)
{
    (void)state;
    check_sector("porep-2kib-v1-s5", 0);
}
static void test_synthetic_s6(void **state)
{
    (void)state;
    check_sector("porep-2kib-synth-s6", 0);
}
static void test_non_interactive_s7(void **state)
{
    (void)state;
    check_sector("porep-2kib-ni-s7", 0);
}
static void test_m1000_s11(void **state)
{
    (void)state;
    check_sector("porep-2kib-m1000-s11", 0);
}
static void test_m1000_s12(void **state)
{
    (void)state;
    check_sector("porep-2kib-m1000-s12", 0);
}

/* A witness that satisfies no proof is found by H, not by the verifier at the other end. */
static void test_unsatisfied(void **state)
{
    struct error err;
    struct sealed s;
    struct groth16_sums sums;
    struct groth16_timings timings = {0};
    (void)state;
    sealed_load(&s, "porep-2kib-m1000-s11");
    check_partition(&g.w, &s, 0, g.pool, 0);
    g.w.c.small[1000] ^= 1;
    assert_int_equal(prover_sums(&sums, &timings, g.prover, &g.w, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "witness-unsatisfied");
    sealed_free(&s);
}

static void assert_refused(const uint8_t bytes[PROOF_BYTES], const struct fr *inputs, size_t n)
{
    struct error err;
    struct proof proof;
    int rc = proof_from_bytes(&proof, bytes, &err);
    if (rc == 0)
        rc = groth16_verify(g.pvk, &proof, inputs, n, &err);
    assert_int_equal(rc, ERR_INVALID_PROOF);
}

/* Every reference proof verifies; after any flipped bit or changed input it does not. All 1,536 bits of one proof, every seventh of
 * the others. */
static void test_mutations(void **state)
{
    static const char *const names[] = {"porep-2kib-m1000-s11", "porep-2kib-v1_1-s1",
                                        "porep-2kib-v1_1-s2",   "porep-2kib-v1-s5",
                                        "porep-2kib-synth-s6",  "porep-2kib-m1000-s12"};
    struct error err;
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct sealed s;
        struct fr inputs[64];
        struct proof proof;
        uint8_t bytes[PROOF_BYTES];
        sealed_load(&s, names[k]);
        struct porep_statement statement = {s.v.seal, s.v.replica_id, s.v.comm_d, s.v.comm_r, {0}};
        memcpy(statement.seed, s.v.seed, 32);
        size_t n = porep_public_inputs_len(s.v.seal);
        assert_true(n <= 64);
        assert_ok(porep_public_inputs(inputs, &statement, 0, &err), &err);
        json_hex(bytes, sizeof bytes, json_get(s.fixture, "c2_proof"));
        assert_ok(proof_from_bytes(&proof, bytes, &err), &err);
        assert_ok(groth16_verify(g.pvk, &proof, inputs, n, &err), &err);
        for (size_t bit = 0; bit < 8 * PROOF_BYTES; bit += k == 0 ? 1 : 7) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_refused(bytes, inputs, n);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (size_t i = 0; i < n; i++) {
            struct fr kept = inputs[i];
            fr_add(&inputs[i], &inputs[i], &FR_ONE);
            assert_refused(bytes, inputs, n);
            inputs[i] = kept;
        }
        assert_int_not_equal(groth16_verify(g.pvk, &proof, inputs, n - 1, &err), 0);
        sealed_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v1_1_s1),
        cmocka_unit_test(test_v1_1_s2),
        cmocka_unit_test(test_v1_s5),
        cmocka_unit_test(test_synthetic_s6),
        cmocka_unit_test(test_non_interactive_s7),
        cmocka_unit_test(test_m1000_s11),
        cmocka_unit_test(test_m1000_s12),
        cmocka_unit_test(test_unsatisfied),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
