/* ctest: needs=params_snap timeout=1800 */
/* The EmptySectorUpdate proof of the reference: sums, every (r, s) variant, mutations. */
#include "proof_checks.h"

static struct proof_rig rig;

static int set_up(void **state)
{
    (void)state;
    rig_open(&rig, CIRCUIT_SNAP, SECTOR_2K);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static void test_proofs(void **state)
{
    struct proof_case c;
    struct error err;
    (void)state;
    case_snap(&c, "update-2kib-1");
    assert_ok(proof_input_check(&c.in, rig.pool, NULL, &err), &err);
    check_proofs(&rig, &c, 0, json_at(json_get(c.fixture, "prover_traces"), 0));
    case_free(&c);
}

static void test_mutations(void **state)
{
    struct proof_case c;
    (void)state;
    case_snap(&c, "update-2kib-1");
    check_mutations(&rig, &c, "proof", 0, 3);
    case_free(&c);
}

/* The statement is the three commitments: with any other the proof is refused. */
static void test_commitments(void **state)
{
    struct proof_case c;
    struct error err;
    uint8_t proof[PROOF_BYTES];
    (void)state;
    case_snap(&c, "update-2kib-1");
    uint8_t *commitments[] = {c.request.comm_r_old, c.request.comm_r_new, c.request.comm_d_new};
    partition_bytes(proof, json_get(c.fixture, "proof"), 0);
    assert_ok(
        proof_verify(&snap_kind, &c.request, CUZK_TEST_PARAMS, NULL, proof, sizeof proof, &err),
        &err);
    for (size_t i = 0; i < 3; i++) {
        commitments[i][0] ^= 1;
        assert_int_equal(
            proof_verify(&snap_kind, &c.request, CUZK_TEST_PARAMS, NULL, proof, sizeof proof, &err),
            ERR_INVALID_PROOF);
        commitments[i][0] ^= 1;
    }
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proofs),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_commitments),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
