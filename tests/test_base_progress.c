/* ctest: quick tsan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/progress.h"

struct record {
    atomic_int begins, steps, ends;
    atomic_uint_fast64_t last;
};

static void record_event(void *ctx, struct progress *p, enum progress_event event, uint64_t done)
{
    struct record *r = ctx;
    assert_string_equal(p->what, "work");
    atomic_fetch_add(event == PROGRESS_BEGIN ? &r->begins
                     : event == PROGRESS_END ? &r->ends
                                             : &r->steps,
                     1);
    atomic_store(&r->last, done);
}

static void add_one(void *ctx, size_t i)
{
    (void)i;
    progress_add(ctx, 1);
}

static void many_additions_are_few_events(void **state)
{
    (void)state;
    struct error err;
    struct pool *pool;
    assert_int_equal(pool_new(&pool, 4, &err), 0);
    struct record r = {0};
    struct progress_sink sink = {.event = record_event, .ctx = &r};
    struct progress p;
    progress_begin(&p, &sink, "work", 100000);
    assert_int_equal(r.begins, 1);
    pool_run(pool, 100000, add_one, &p);
    progress_end(&p);
    assert_int_equal(r.steps, 1000);
    assert_int_equal(r.ends, 1);
    assert_int_equal(r.last, 100000);
    pool_destroy(pool);
}

static void small_and_empty_work_is_reported(void **state)
{
    (void)state;
    struct record r = {0};
    struct progress_sink sink = {.event = record_event, .ctx = &r};
    struct progress p;
    progress_begin(&p, &sink, "work", 3);
    progress_add(&p, 1);
    progress_add(&p, 0);
    assert_int_equal(r.steps, 1);
    progress_end(&p); /* given up */
    assert_int_equal(r.last, 1);
    progress_begin(&p, &sink, "work", 0);
    assert_int_equal(p.total, 1);
    progress_end(&p);
    assert_int_equal(r.ends, 2);
    progress_add(NULL, 5);
    progress_begin(&p, NULL, "silent", 5);
    progress_add(&p, 5);
    progress_end(&p);
}

/* Runs the stderr sink for work that began so many nanoseconds ago; text receives what it printed to a file. */
static void run_stderr_sink(char *text, size_t size, uint64_t age_ns, uint64_t add)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    struct progress p;
    progress_begin(&p, &progress_stderr, "making H", 100);
    p.began_ns -= age_ns;
    for (uint64_t i = 0; i < add; i++)
        progress_add(&p, 1);
    progress_end(&p);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    size_t n = fread(text, 1, size - 1, file);
    text[n] = 0;
    fclose(file);
}

static void plain_lines_for_long_work_only(void **state)
{
    (void)state;
    char text[1000];
    run_stderr_sink(text, sizeof text, 0, 100);
    assert_string_equal(text, "");
    run_stderr_sink(text, sizeof text, 99 * UINT64_C(1000000000), 100);
    assert_string_equal(text,
                        "making H: 1 %, about 2 h 43 min left\nmaking H: done after 1 min 39 s\n");
    run_stderr_sink(text, sizeof text, 30 * UINT64_C(1000000000), 0);
    assert_string_equal(text, "making H: given up after 30 s\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_additions_are_few_events),
        cmocka_unit_test(small_and_empty_work_is_reported),
        cmocka_unit_test(plain_lines_for_long_work_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
