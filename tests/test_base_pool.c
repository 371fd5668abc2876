/* ctest: quick asan tsan */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <cmocka.h>

#include "base/limits.h"
#include "base/pool.h"

enum { THREADS = 4 };

static struct pool *new_pool(unsigned threads)
{
    struct error err;
    struct pool *pool;
    assert_int_equal(pool_new(&pool, threads, &err), 0);
    return pool;
}

struct counts {
    unsigned char
        seen[5000]; /* plain memory: a task that ran twice at once is a race that TSan sees */
    atomic_int busy[POOL_MAX_THREADS];
    atomic_int clashes;
};

static void count(void *ctx, size_t i)
{
    struct counts *c = ctx;
    if (atomic_fetch_add(&c->busy[pool_worker()], 1) != 0)
        atomic_fetch_add(&c->clashes, 1);
    c->seen[i]++;
    atomic_fetch_sub(&c->busy[pool_worker()], 1);
}

static void check_counts(struct pool *pool, size_t n)
{
    struct counts *c = calloc(1, sizeof *c);
    pool_run(pool, n, count, c);
    for (size_t i = 0; i < sizeof c->seen; i++)
        assert_int_equal(c->seen[i], i < n);
    assert_int_equal(c->clashes, 0);
    free(c);
}

static void every_task_runs_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads++) {
        struct pool *pool = new_pool(threads);
        assert_int_equal(pool_threads(pool), threads);
        for (size_t n = 0; n < 20; n++)
            check_counts(pool, n);
        check_counts(pool, 5000);
        pool_destroy(pool);
    }
    check_counts(NULL, 5000);
    assert_int_equal(pool_threads(NULL), 1);
    assert_int_equal(pool_worker(), 0);
}

struct nest {
    struct pool *pool;
    unsigned depth;
    atomic_size_t leaves;
    atomic_int in_task[THREADS]; /* tasks of the outermost loop that thread t is inside of */
    atomic_int clashes;
};

static void nest_task(void *ctx, size_t i);

static void nest_run(struct nest *nest, unsigned depth)
{
    struct nest inner = {.pool = nest->pool, .depth = depth};
    pool_run(nest->pool, 6, nest_task, &inner);
    atomic_fetch_add(&nest->leaves, inner.leaves);
    atomic_fetch_add(&nest->clashes, inner.clashes);
}

static void nest_task(void *ctx, size_t i)
{
    (void)i;
    struct nest *nest = ctx;
    unsigned worker = pool_worker();
    if (atomic_fetch_add(&nest->in_task[worker], 1) != 0)
        atomic_fetch_add(&nest->clashes, 1);
    if (nest->depth == 0)
        atomic_fetch_add(&nest->leaves, 1);
    else
        nest_run(nest, nest->depth - 1);
    if (pool_worker() != worker)
        atomic_fetch_add(&nest->clashes, 1);
    atomic_fetch_sub(&nest->in_task[worker], 1);
}

/* A thread that waits inside a task never enters another task of the same loop. */
static void nested_loops_end_and_keep_scratch_apart(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        struct nest nest = {.pool = new_pool(threads)};
        for (int round = 0; round < 20; round++) {
            nest.leaves = 0;
            nest_run(&nest, 3);
            assert_int_equal(nest.leaves, 6 * 6 * 6 * 6);
        }
        assert_int_equal(nest.clashes, 0);
        pool_destroy(nest.pool);
    }
}

static void *caller_main(void *arg)
{
    struct nest *nest = arg;
    for (int round = 0; round < 20; round++)
        nest_run(nest, 2);
    return NULL;
}

static void several_callers_share_a_pool(void **state)
{
    (void)state;
    struct pool *pool = new_pool(THREADS);
    struct nest nest[3];
    pthread_t thread[3];
    for (int i = 0; i < 3; i++) {
        memset(&nest[i], 0, sizeof nest[i]);
        nest[i].pool = pool;
        assert_int_equal(pthread_create(&thread[i], NULL, caller_main, &nest[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(nest[i].leaves, 20 * 6 * 6 * 6);
        assert_int_equal(nest[i].clashes, 0);
    }
    pool_destroy(pool);
}

struct two_pools {
    struct pool *inner;
    atomic_size_t ran;
    atomic_int wrong;
};

static void inner_task(void *ctx, size_t i)
{
    (void)i;
    struct two_pools *t = ctx;
    atomic_fetch_add(&t->ran, 1);
    if (pool_worker() >= 2)
        atomic_fetch_add(&t->wrong, 1);
}

static void outer_task(void *ctx, size_t i)
{
    (void)i;
    struct two_pools *t = ctx;
    unsigned worker = pool_worker();
    pool_run(t->inner, 10, inner_task, t);
    pool_run(NULL, 10, inner_task, t);
    if (pool_worker() != worker)
        atomic_fetch_add(&t->wrong, 1);
}

static void a_task_may_use_another_pool(void **state)
{
    (void)state;
    struct pool *outer = new_pool(THREADS);
    struct two_pools t = {.inner = new_pool(2)};
    pool_run(outer, 50, outer_task, &t);
    assert_int_equal(t.ran, 50 * 20);
    assert_int_equal(t.wrong, 0);
    pool_destroy(outer);
    pool_destroy(t.inner);
}

struct rendezvous {
    atomic_int arrived;
};

static void meet(void *ctx, size_t i)
{
    (void)i;
    struct rendezvous *r = ctx;
    atomic_fetch_add(&r->arrived, 1);
    while (atomic_load(&r->arrived) < THREADS)
        sched_yield();
}

/* Ends only if all threads are in tasks at the same time. */
static void tasks_run_side_by_side(void **state)
{
    (void)state;
    struct pool *pool = new_pool(THREADS);
    struct rendezvous r = {0};
    pool_run(pool, THREADS, meet, &r);
    assert_int_equal(r.arrived, THREADS);
    pool_destroy(pool);
}

static void sizes_itself(void **state)
{
    (void)state;
    assert_true(limits_cpus() >= 1);
    struct pool *pool = new_pool(0);
    assert_int_equal(pool_threads(pool),
                     limits_cpus() < POOL_MAX_THREADS ? limits_cpus() : POOL_MAX_THREADS);
    pool_destroy(pool);
    pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(nested_loops_end_and_keep_scratch_apart),
        cmocka_unit_test(several_callers_share_a_pool),
        cmocka_unit_test(a_task_may_use_another_pool),
        cmocka_unit_test(tasks_run_side_by_side),
        cmocka_unit_test(sizes_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
