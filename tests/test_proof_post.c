/* ctest: needs=params_post timeout=1800 */
/* WinningPoSt and WindowPoSt of the reference, proven and verified: sums, bytes of bellperson's proofs, mutations, changed
 * statements. */
#include "proof_checks.h"

static struct proof_rig winning, window;

static int set_up(void **state)
{
    (void)state;
    rig_open(&winning, CIRCUIT_WINNING, SECTOR_2K);
    rig_open(&window, CIRCUIT_WPOST, SECTOR_2K);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rig_close(&winning);
    rig_close(&window);
    return 0;
}

static const struct {
    const char *name;
    unsigned registered_proof;
} windows[] = {
    {"window-2kib-v1-3sectors", 5},
    {"window-2kib-v1_2-1sector", 10},
    {"window-2kib-v1_2-3sectors", 10},
};
enum { WINDOWS = sizeof windows / sizeof *windows };

static void test_winning(void **state)
{
    struct proof_case c;
    struct error err;
    (void)state;
    case_post(&c, "winning-2kib-1", &winning_kind, 0);
    assert_ok(proof_input_check(&c.in, winning.pool, NULL, &err), &err);
    check_proofs(&winning, &c, 0, json_get(c.fixture, "prover_trace_partition0"));
    check_mutations(&winning, &c, "proof", 0, 11);
    case_free(&c);
}

/* The key is bellperson's own file, byte for byte: cli_params_generate_post compares the digests. */
static void test_window(void **state)
{
    (void)state;
    for (size_t k = 0; k < WINDOWS; k++) {
        struct proof_case c;
        struct error err;
        case_post(&c, windows[k].name, &window_kind, windows[k].registered_proof);
        assert_ok(proof_input_check(&c.in, window.pool, NULL, &err), &err);
        assert_int_equal(c.in.count, json_u64(json_get(c.fixture, "partitions")));
        for (unsigned p = 0; p < c.in.count; p++) {
            check_proofs(&window, &c, p, NULL);
            check_mutations(&window, &c, "proof", p, k == 0 && p == 0 ? 1 : 17);
        }
        case_free(&c);
    }
}

/* ---- What is verified: the statement in the request ---- */

/* All partitions of the fixture's proof under the case's request. */
static int verify_case(const struct proof_case *c, const char *key, struct error *err)
{
    uint8_t bytes[2 * PROOF_BYTES];
    size_t n = strlen(json_string(json_get(c->fixture, key))) / 2;
    assert_true(n <= sizeof bytes);
    json_hex(bytes, n, json_get(c->fixture, key));
    return proof_verify(c->in.kind, &c->request, CUZK_TEST_PARAMS, NULL, bytes, n, err);
}

static void test_statements(void **state)
{
    enum { AT_ID, AT_COMM_R = 8 }; /* in a vanilla proof */
    (void)state;
    for (size_t k = 0; k < WINDOWS; k++) {
        struct proof_case c;
        struct error err;
        case_post(&c, windows[k].name, &window_kind, windows[k].registered_proof);
        assert_ok(verify_case(&c, "proof", &err), &err);
        c.request.randomness[31] ^= 0xc0; /* masked away */
        assert_ok(verify_case(&c, "proof", &err), &err);
        c.request.randomness[7] ^= 1;
        assert_int_equal(verify_case(&c, "proof", &err), ERR_INVALID_PROOF);
        c.request.randomness[7] ^= 1;
        for (size_t i = 0; i < c.list.len; i++) {
            c.list.proofs[i].data[AT_ID] ^= 8;
            assert_int_equal(verify_case(&c, "proof", &err), ERR_INVALID_PROOF);
            c.list.proofs[i].data[AT_ID] ^= 8;
            c.list.proofs[i].data[AT_COMM_R] ^= 1;
            assert_int_equal(verify_case(&c, "proof", &err), ERR_INVALID_PROOF);
            c.list.proofs[i].data[AT_COMM_R] ^= 1;
        }
        case_free(&c);
    }
}

/* The challenges of API 1.0 count sectors over the whole proof, those of 1.2 do not. */
static void test_api_versions(void **state)
{
    struct proof_case c;
    struct error err;
    (void)state;
    case_post(&c, "window-2kib-v1_2-3sectors", &window_kind, 10);
    c.request.registered_proof = 5;
    assert_int_equal(verify_case(&c, "proof", &err), ERR_INVALID_PROOF);
    case_free(&c);
}

static void test_among_faulty(void **state)
{
    struct proof_case c;
    struct error err;
    (void)state;
    case_post(&c, "window-2kib-faulty", &window_kind, 10);
    assert_ok(verify_case(&c, "good_proof", &err), &err);
    c.list.proofs[1].data[8] ^= 1; /* comm_r of sector 22 */
    assert_int_equal(verify_case(&c, "good_proof", &err), ERR_INVALID_PROOF);
    assert_non_null(strstr(err.text, "partition 0"));
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winning),      cmocka_unit_test(test_window),
        cmocka_unit_test(test_statements),   cmocka_unit_test(test_api_versions),
        cmocka_unit_test(test_among_faulty),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
