/* ctest: needs=params_post timeout=900 asan */
/* The engine over real circuits: WinningPoSt and WindowPoSt of 2 KiB sectors through the public calls, verified again here; what is wrong
 * with an input is said at once; parameters that vanish, change or are cut under the engine. */
#include "proof_checks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/meminfo.h"
#include "cuzk/engine.h"

enum { WINDOW_3 = 10 };

static struct cuzk_engine *engine_of(const char *param_dir)
{
    struct cuzk_config config;
    struct cuzk_engine *e;
    struct cuzk_error err;
    cuzk_config_init(&config);
    config.param_dir = param_dir;
    config.memory_total = UINT64_C(2) << 30;
    if (cuzk_engine_open(&e, &config, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return e;
}

struct asked {
    struct proof_case c;
    struct cuzk_bytes *proofs;
    struct cuzk_request request;
};

static void ask(struct asked *a, const char *fixture, const struct proof_kind *kind,
                unsigned registered_proof)
{
    case_post(&a->c, fixture, kind, registered_proof);
    a->proofs = calloc(a->c.list.len, sizeof *a->proofs);
    for (size_t i = 0; i < a->c.list.len; i++)
        a->proofs[i] = (struct cuzk_bytes){a->c.list.proofs[i].data, a->c.list.proofs[i].len};
    a->request = (struct cuzk_request){
        .request_id = fixture,
        .kind = kind == &winning_kind ? CUZK_WINNING_POST : CUZK_WINDOW_POST,
        .registered_proof = registered_proof,
        .vanilla_proofs = a->proofs,
        .vanilla_proofs_n = a->c.list.len,
        .randomness = {a->c.request.randomness, 32},
    };
}

static void ask_free(struct asked *a)
{
    free(a->proofs);
    case_free(&a->c);
}

static void run(struct cuzk_result *out, struct cuzk_engine *e, const struct asked *a)
{
    struct cuzk_error err;
    char id[160];
    uint32_t position;
    if (cuzk_submit(e, id, &position, &a->request, &err) != CUZK_OK ||
        cuzk_await(e, out, id, 0, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

static void expect_proof(struct cuzk_engine *e, const struct asked *a)
{
    struct cuzk_result r;
    struct error err;
    run(&r, e, a);
    if (r.state != CUZK_COMPLETED)
        fail_msg("%s", r.message);
    assert_int_equal(r.proof_n, a->c.in.count * PROOF_BYTES);
    assert_ok(proof_verify(a->c.in.kind, &a->c.request, CUZK_TEST_PARAMS, r.proof, r.proof_n, &err),
              &err);
    cuzk_result_clean_up(&r);
}

static void proves_within_the_bill(void **state)
{
    struct cuzk_engine *e = engine_of(CUZK_TEST_PARAMS);
    struct asked winning, window;
    struct meminfo_sampler *sampler;
    struct cuzk_view v;
    struct cuzk_error cuzk_err;
    struct error err;
    (void)state;
    ask(&winning, "winning-2kib-1", &winning_kind, 0);
    ask(&window, "window-2kib-v1_2-3sectors", &window_kind, WINDOW_3);
    uint64_t before = meminfo_anon_bytes();
    assert_ok(meminfo_sampler_new(&sampler, &err), &err);
    expect_proof(e, &winning);
    expect_proof(e, &window);
    uint64_t peak = meminfo_sampler_peak_bytes(sampler);
    meminfo_sampler_destroy(sampler);
    assert_int_equal(cuzk_view_take(e, &v, &cuzk_err), CUZK_OK);
    print_message("leased %.1f MiB, taken %.1f MiB\n", (double)v.memory_peak / 1048576,
                  (double)(peak - before) / 1048576);
#if !defined(__SANITIZE_ADDRESS__)
    assert_true(peak - before <= v.memory_peak + (32 << 20));
#endif
    assert_int_equal(v.srs_n, 2);
    assert_int_equal(v.kind[CUZK_WINNING_POST].completed, 1);
    cuzk_view_clean_up(&v);
    cuzk_engine_close(e);
    ask_free(&winning);
    ask_free(&window);
}

static void expect_refused(struct cuzk_engine *e, const struct cuzk_request *r, const char *text)
{
    struct cuzk_error err;
    char id[160];
    uint32_t position;
    assert_int_equal(cuzk_submit(e, id, &position, r, &err), CUZK_INVALID_ARGUMENT);
    if (strstr(err.message, text) == NULL)
        fail_msg("\"%s\" says nothing of \"%s\"", err.message, text);
}

static void says_what_is_wrong(void **state)
{
    struct cuzk_engine *e = engine_of(CUZK_TEST_PARAMS);
    struct asked a;
    (void)state;
    ask(&a, "winning-2kib-1", &winning_kind, 0);
    struct cuzk_request r = a.request;
    r.randomness.n = 31;
    expect_refused(e, &r, "randomness: 31 bytes instead of 32");
    r = a.request;
    r.vanilla_proofs_n = 0;
    expect_refused(e, &r, "vanilla_proofs: absent");
    r = a.request;
    r.registered_proof = 5;
    expect_refused(e, &r, "is not one for winning");
    r = a.request;
    a.proofs[0].n -= 1;
    expect_refused(e, &r, "vanilla proof 0");
    r = a.request;
    r.kind = CUZK_POREP;
    expect_refused(e, &r, "vanilla_proof: absent");
    r.vanilla_proof = (struct cuzk_bytes){(const uint8_t *)"{}", 2};
    expect_refused(e, &r, "");
    cuzk_engine_close(e);
    ask_free(&a);
}

/* The three winning files in a directory of their own. */
static void copy_params(const char *dir, char params[600])
{
    static const char *const extensions[] = {"params", "vk"};
    const struct circuit *c = circuit_of(CIRCUIT_WINNING, SECTOR_2K);
    for (size_t i = 0; i < 2; i++) {
        char *from = circuit_file_path(c, CUZK_TEST_PARAMS, extensions[i]);
        char *to = circuit_file_path(c, dir, extensions[i]);
        uint8_t *data;
        size_t n;
        struct error err;
        assert_ok(file_read(&data, &n, from, 1 << 30, &err), &err);
        assert_ok(file_write(to, FILE_REPLACE, data, n, &err), &err);
        if (i == 0)
            snprintf(params, 600, "%s", to);
        free(data);
        free(from);
        free(to);
    }
}

static void expect_failure(struct cuzk_engine *e, struct asked *a, const char *text)
{
    struct cuzk_result r;
    run(&r, e, a);
    assert_int_equal(r.state, CUZK_FAILED);
    assert_null(r.proof);
    if (strstr(r.message, text) == NULL)
        fail_msg("\"%s\" says nothing of \"%s\"", r.message, text);
    cuzk_result_clean_up(&r);
}

static void parameters_change_under_it(void **state)
{
    char dir[] = "/tmp/cuzk-engine-XXXXXX", params[600], command[700];
    struct asked a;
    struct cuzk_error err;
    char id[160];
    uint32_t position;
    int flag;
    uint64_t number;
    (void)state;
    assert_non_null(mkdtemp(dir));
    ask(&a, "winning-2kib-1", &winning_kind, 0);
    struct cuzk_engine *e = engine_of(dir);
    assert_int_equal(cuzk_submit(e, id, &position, &a.request, &err), CUZK_FAILED_PRECONDITION);
    assert_string_equal(err.cause, "params-absent");
    copy_params(dir, params);
    assert_int_equal(cuzk_preload(e, &flag, &number, "winning-2k", &err), CUZK_OK);
    assert_int_equal(truncate(params, 20000000), 0); /* under the mapping */
    expect_failure(e, &a, params);
    expect_failure(e, &a, params); /* opened anew, refused */
    copy_params(dir, params);
    expect_proof(e, &a);
    cuzk_engine_close(e);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
    ask_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proves_within_the_bill),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(parameters_change_under_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
