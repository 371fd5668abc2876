/* ctest: quick asan tsan */
/* Who enters a pool: urgent tasks go first, no more threads run than the pool has, and everything still runs once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <pthread.h>
#include <time.h>
#include <cmocka.h>

#include "base/pool.h"

enum { THREADS = 3, CLASSES = 5, LOOPS = 6, TASKS = 40 };

struct scene {
    struct pool *pool;
    atomic_int running, most;
    atomic_int waiting[CLASSES]; /* tasks of that class that are runnable */
    atomic_int overtaken;        /* tasks that began while more urgent ones waited */
    atomic_int ran[CLASSES];
    atomic_int low_ready;
};

struct runner {
    struct scene *scene;
    unsigned class;
    uint64_t order;
    pthread_t thread;
    unsigned loops;
};

static void pause_us(long us)
{
    struct timespec t = {.tv_nsec = us * 1000};
    nanosleep(&t, NULL);
}

static void task(void *ctx, size_t i)
{
    struct runner *r = ctx;
    struct scene *s = r->scene;
    (void)i;
    int n = atomic_fetch_add(&s->running, 1) + 1, most = s->most;
    while (n > most && !atomic_compare_exchange_weak(&s->most, &most, n))
        ;
    for (unsigned c = r->class + 1; c < CLASSES; c++)
        if (s->waiting[c] > 0) {
            s->overtaken++;
            break;
        }
    s->waiting[r->class]--;
    if (r->class == 1)
        s->low_ready = 1;
    pause_us(500);
    s->ran[r->class]++;
    s->running--;
}

static void *run(void *arg)
{
    struct runner *r = arg;
    pool_enter(r->scene->pool, r->class, r->order);
    for (unsigned i = 0; i < r->loops; i++) {
        r->scene->waiting[r->class] += TASKS;
        pool_run(r->scene->pool, TASKS, task, r);
    }
    pool_leave(r->scene->pool);
    return NULL;
}

/* Two of a low class work already when an urgent one comes. What a thread had decided when the urgent loop was announced may still begin:
 * one task a thread and loop. */
static void urgent_tasks_go_first(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        struct error err;
        struct scene s = {0};
        assert_int_equal(pool_new(&s.pool, threads, &err), 0);
        struct runner r[] = {{&s, 1, 1, 0, LOOPS}, {&s, 1, 2, 0, LOOPS}, {&s, 4, 3, 0, 2}};
        for (size_t i = 0; i < 2; i++)
            pthread_create(&r[i].thread, NULL, run, &r[i]);
        while (!s.low_ready)
            pause_us(100);
        pthread_create(&r[2].thread, NULL, run, &r[2]);
        pthread_join(r[2].thread, NULL);
        int low = s.ran[1];
        assert_true(low < 2 * LOOPS * TASKS);
        for (size_t i = 0; i < 2; i++)
            pthread_join(r[i].thread, NULL);
        assert_int_equal(s.ran[1], 2 * LOOPS * TASKS);
        assert_int_equal(s.ran[4], 2 * TASKS);
        assert_true(s.most <= (int)threads);
        assert_true(s.overtaken <= (int)(2 * threads + 2));
        assert_int_equal(pool_busy(s.pool), 0);
        pool_destroy(s.pool);
    }
}

static void turns_are_kept(void **state)
{
    struct error err;
    struct scene s = {0};
    struct runner r[8];
    (void)state;
    assert_int_equal(pool_new(&s.pool, 2, &err), 0);
    for (unsigned i = 0; i < 8; i++) {
        r[i] = (struct runner){&s, i % CLASSES, i, 0, 3};
        pthread_create(&r[i].thread, NULL, run, &r[i]);
    }
    for (unsigned i = 0; i < 8; i++)
        pthread_join(r[i].thread, NULL);
    int sum = 0;
    for (unsigned c = 0; c < CLASSES; c++)
        sum += s.ran[c];
    assert_int_equal(sum, 8 * 3 * TASKS);
    assert_true(s.most <= 2);
    pool_destroy(s.pool);
}

/* Who comes first among equals, with one thread: the lower order. */
struct queue {
    struct pool *pool;
    uint64_t order;
    atomic_int *next;
    int place;
    atomic_int *asked;
};

static void *enter_once(void *arg)
{
    struct queue *q = arg;
    (*q->asked)++;
    pool_enter(q->pool, 2, q->order);
    q->place = (*q->next)++;
    pool_leave(q->pool);
    return NULL;
}

/* ---- A rank that changes ---- */

struct ranked {
    struct pool *pool;
    struct pool_rank rank;
    atomic_int *next;
    int place;
    pthread_t thread;
};

static void do_nothing(void *ctx, size_t i)
{
    (void)ctx;
    (void)i;
}

static void *enter_ranked(void *arg)
{
    struct ranked *r = arg;
    pool_enter_at(r->pool, &r->rank);
    r->place = (*r->next)++;
    pool_leave(r->pool);
    return NULL;
}

static atomic_uint last_loop;
static atomic_int asks;

static void see_loop(void *ctx, enum pool_event event, unsigned class, size_t n)
{
    (void)ctx;
    (void)n;
    if (event == POOL_LOOP)
        last_loop = class;
    asks += event == POOL_ASK;
}

/* Of two that wait the one that was raised has its turn first; and one that has its turn has the new class in its next loop. */
static void a_rank_may_rise(void **state)
{
    const struct pool_watcher watcher = {see_loop, NULL};
    struct pool_rank own = {.class = 3, .order = 0};
    atomic_int next = 0;
    struct ranked r[2];
    struct error err;
    struct pool *pool;
    (void)state;
    assert_int_equal(pool_new(&pool, 1, &err), 0);
    pool_watch(pool, &watcher);
    asks = 0;
    pool_enter_at(pool, &own);
    for (unsigned i = 0; i < 2; i++) {
        r[i] = (struct ranked){.pool = pool, .rank = {.class = 1 + i}, .next = &next};
        pthread_create(&r[i].thread, NULL, enter_ranked, &r[i]);
    }
    while (asks < 3) /* this thread's too */
        pause_us(100);
    pool_rank(pool, &r[0].rank, 2, 0);
    pool_rank(pool, &r[1].rank, 1, 0);
    pool_run(pool, 1, do_nothing, NULL);
    assert_int_equal(last_loop, 3);
    pool_rank(pool, &own, 4, 0);
    pool_run(pool, 1, do_nothing, NULL);
    assert_int_equal(last_loop, 4);
    pool_leave(pool);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(r[i].thread, NULL);
    assert_int_equal(r[0].place, 0);
    pool_destroy(pool);
}

static void older_goes_first(void **state)
{
    struct error err;
    struct pool *pool;
    pthread_t thread[4];
    struct queue q[4];
    atomic_int next = 0, asked = 0;
    (void)state;
    assert_int_equal(pool_new(&pool, 1, &err), 0);
    pool_enter(pool, 3, 0);
    for (unsigned i = 0; i < 4; i++) {
        q[i] = (struct queue){pool, 10 - i, &next, -1, &asked};
        pthread_create(&thread[i], NULL, enter_once, &q[i]);
    }
    while (asked < 4)
        pause_us(100);
    pause_us(50000);
    pool_leave(pool);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(q[i].place, 3 - i);
    pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urgent_tasks_go_first),
        cmocka_unit_test(turns_are_kept),
        cmocka_unit_test(older_goes_first),
        cmocka_unit_test(a_rank_may_rise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
