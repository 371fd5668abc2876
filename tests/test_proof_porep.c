/* ctest: needs=params_2k timeout=1800 */
/* The sealed sectors of the reference, proven and verified: eight sums, every (r, s) variant from one set of sums, mutations. */
#include "proof_checks.h"

#include "ntt/ntt.h"

static struct proof_rig rig;

static int set_up(void **state)
{
    (void)state;
    rig_open(&rig, CIRCUIT_POREP, SECTOR_2K);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

/* H's coefficients against the reference's digest (of the m - 1 that count). */
static void test_h(void **state)
{
    struct error err;
    struct ntt_domain d;
    struct buffer h, tmp;
    struct proof_case c;
    unsigned log2 = circuit_names(rig.keys.circuit)->log2_domain;
    (void)state;
    case_porep(&c, "porep-2kib-v1_1-s1");
    rig_synthesize(&rig, &c, 0);
    assert_ok(ntt_domain_init(&d, log2, rig.pool, &err), &err);
    assert_ok(buffer_init(&h, sizeof(struct fr) << log2, "h", &err), &err);
    assert_ok(buffer_init(&tmp, sizeof(struct fr) << log2, "tmp", &err), &err);
    assert_ok(
        ntt_quotient(h.data, tmp.data, &d, &rig.w.a, &rig.w.b, &rig.w.c, rig.pool, NULL, &err),
        &err);
    assert_true(fr_is_zero((struct fr *)h.data + d.n - 1));
    struct tvec none = {0};
    assert_tvec(&none, h.data, d.n - 1, json_at(json_get(c.fixture, "prover_traces"), 0),
                "sha256_h_coeffs");
    buffer_clean_up(&tmp);
    buffer_clean_up(&h);
    ntt_domain_clean_up(&d);
    case_free(&c);
}

static void check_sector(const char *name)
{
    struct proof_case c;
    case_porep(&c, name);
    check_proofs(&rig, &c, 0, json_at(json_get(c.fixture, "prover_traces"), 0));
    case_free(&c);
}

static void test_v1_1(void **state)
{
    (void)state;
    check_sector("porep-2kib-v1_1-s1");
    check_sector("porep-2kib-v1_1-s2");
}

static void test_v1(void **state)
{
    (void)state;
    check_sector("porep-2kib-v1-s5");
}

static void test_synthetic(void **state)
{
    (void)state;
    check_sector("porep-2kib-synth-s6");
}

static void test_non_interactive(void **state)
{
    (void)state;
    check_sector("porep-2kib-ni-s7");
}

static void test_miner_1000(void **state)
{
    (void)state;
    check_sector("porep-2kib-m1000-s11");
    check_sector("porep-2kib-m1000-s12");
}

/* A witness that satisfies no proof is found by H, not by the verifier at the other end. */
static void test_unsatisfied(void **state)
{
    struct error err;
    struct proof_case c;
    struct groth16_sums sums;
    struct groth16_timings timings = {0};
    (void)state;
    case_porep(&c, "porep-2kib-m1000-s11");
    rig_synthesize(&rig, &c, 0);
    rig.w.c.small[1000] ^= 1;
    assert_int_equal(prover_sums(&sums, &timings, rig.prover, &rig.w, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "witness-unsatisfied");
    case_free(&c);
}

/* All 1,536 bits of one proof, every seventh of the others. */
static void test_mutations(void **state)
{
    static const char *const names[] = {"porep-2kib-m1000-s11", "porep-2kib-v1_1-s1",
                                        "porep-2kib-v1_1-s2",   "porep-2kib-v1-s5",
                                        "porep-2kib-synth-s6",  "porep-2kib-m1000-s12"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct proof_case c;
        case_porep(&c, names[k]);
        check_mutations(&rig, &c, "c2_proof", 0, k == 0 ? 1 : 7);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_h),
        cmocka_unit_test(test_v1_1),
        cmocka_unit_test(test_v1),
        cmocka_unit_test(test_synthetic),
        cmocka_unit_test(test_non_interactive),
        cmocka_unit_test(test_miner_1000),
        cmocka_unit_test(test_unsatisfied),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
