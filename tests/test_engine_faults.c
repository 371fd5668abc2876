/* ctest: needs=params_post timeout=900 */
/* A bit that flips while a real proof is made: in what a butterfly of H's transforms leaves, or in a bucket. The check finds it, the proof is
 * made again, and both are reported; where it flips each time, the job fails and no proof is given out.
 *
 * The files that hold butterflies and buckets are compiled into this program, with a fault between two loops of tasks. */
#include "engine_proofs.h"

#include <dirent.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/pool.h"

static void after_loop(const char *loop, void *ctx);
#define pool_run(pool, n, fn, ctx) ((pool_run)(pool, n, fn, ctx), after_loop(#fn, ctx))
#include "ntt/pass.c"

#include "msm/g1.c"
#undef pool_run

enum site { NOWHERE, BUTTERFLY, BUCKET };
static enum site site;
enum { ALWAYS = 1000000 };
static unsigned left; /* faults to come */

static void after_loop(const char *loop, void *ctx)
{
    if (left == 0)
        return;
    if (site == BUTTERFLY && strcmp(loop, "strided_task") == 0) {
        const struct strided_pass *p = ctx;
        p->x[p->d->n / 3].l[1] ^= 1 << 20;
        left--;
    } else if (site == BUCKET && strcmp(loop, "sum_task") == 0) {
        struct msm_g1 *m = ctx;
        m->buckets[m->win.half / 2].x.l[2] ^= 1 << 7;
        left--;
    }
}

/* ---- What is reported ---- */

static char reports[8][160];
static atomic_uint reports_n;

static void on_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                     const char *detail)
{
    (void)ctx;
    (void)ms;
    (void)job_id;
    if (strcmp(event, "self-check-fault") == 0 || strcmp(event, "capsule") == 0)
        snprintf(reports[reports_n++ % 8], sizeof reports[0], "%s %s", event, detail);
}

static struct cuzk_engine *open_engine(const char *capsules)
{
    struct cuzk_config config = proofs_config(CUZK_TEST_PARAMS);
    config.timeline = on_event;
    config.capsule_dir = capsules;
    reports_n = 0;
    return engine_with(&config);
}

/* Another job of the same proof: PoSt has no sector number, but it is a part of the input. */
static void ask_again(struct asked *a)
{
    a->request.sector_number++;
}

static void one_fault_is_repaired(void **state)
{
    struct cuzk_engine *e = open_engine(NULL);
    struct asked a;
    (void)state;
    ask(&a, "winning-2kib-1", &winning_kind, 0);
    for (site = BUTTERFLY; site <= BUCKET; site++) {
        left = 1;
        ask_again(&a);
        expect_proof(e, &a);
        assert_int_equal(left, 0);
        assert_int_equal(reports_n, site);
        assert_string_equal(reports[site - 1],
                            "self-check-fault partition 0: 1 of 2 proofs did not verify");
    }
    cuzk_engine_close(e);
    ask_free(&a);
}

static void remove_capsule(const char *dir)
{
    struct dirent *entry;
    char path[600];
    unsigned n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    while ((entry = readdir(d)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        n += *entry->d_name != '.' && unlink(path) == 0;
    }
    closedir(d);
    assert_int_equal(n, 2); /* the request and what happened */
}

static void a_wrong_proof_is_kept_back(void **state)
{
    char dir[] = "/tmp/cuzk-faults-XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct cuzk_engine *e = open_engine(dir);
    struct asked a;
    (void)state;
    ask(&a, "winning-2kib-1", &winning_kind, 0);
    for (site = BUTTERFLY; site <= BUCKET; site++) {
        left = ALWAYS;
        reports_n = 0;
        ask_again(&a);
        expect_failure(e, &a, "partition 0: the proof does not verify, in 2 attempts");
        assert_true(left < ALWAYS - 1);
        assert_int_equal(reports_n, 2);
        assert_string_equal(reports[0],
                            "self-check-fault partition 0: 2 of 2 proofs did not verify");
        assert_memory_equal(reports[1], "capsule ", 8);
        remove_capsule(dir);
    }
    left = 0;
    expect_proof(e, &a); /* the machine is well again: the same job is taken anew */
    cuzk_engine_close(e);
    ask_free(&a);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fault_is_repaired),
        cmocka_unit_test(a_wrong_proof_is_kept_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
