/* ctest: needs=params_post timeout=900 asan */
/* The engine over real circuits: WinningPoSt and WindowPoSt of 2 KiB sectors through the public calls, verified again here; what is wrong
 * with an input is said at once; parameters that vanish, change or are cut under the engine. */
#include "engine_proofs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/meminfo.h"

enum { WINDOW_3 = 10 };

static uint64_t worker_bytes(const struct cuzk_bill *bill)
{
    return bill->assignment_bytes + bill->transform_bytes + bill->msm_bytes;
}

/* When all jobs have ended, leased are keys and workers: one of winning's, and of window's one or, as two partitions may have been in
 * flight, two. Inputs are given back by a thread of the engine, soon. */
static void expect_only_warm_memory(struct cuzk_engine *e)
{
    struct cuzk_bill winning, window;
    struct cuzk_error err;
    uint64_t used = 0;
    assert_int_equal(cuzk_plan(&winning, "winning-2k", 0, &err), CUZK_OK);
    assert_int_equal(cuzk_plan(&window, "wpost-2k", 0, &err), CUZK_OK);
    uint64_t one =
        winning.total_bytes - winning.input_bytes + window.total_bytes - window.input_bytes;
    for (unsigned i = 0; i < 10000; i++) {
        struct cuzk_view v;
        assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
        used = v.memory_used;
        cuzk_view_clean_up(&v);
        if (used == one || used == one + worker_bytes(&window))
            return;
        usleep(1000);
    }
    fail_msg("%" PRIu64 " bytes are leased, %" PRIu64 " of keys and workers", used, one);
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
    expect_only_warm_memory(e);
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

/* R21 */
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
