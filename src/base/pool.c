#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

/* One pool_run, on its caller's stack. It is linked in pool->newest while it may have tasks left, and the caller leaves only
 * when it is unlinked and no helper is inside, so a pointer found in the list or in the chain of parents is alive. */
struct loop {
    void (*fn)(void *ctx, size_t i);
    void *ctx;
    size_t n;
    atomic_size_t next;  /* the next task to hand out; >= n: none left */
    unsigned helpers;    /* threads inside besides the caller */
    struct loop *parent; /* the loop whose task called this pool_run */
    struct loop *older;  /* list link */
    int caller_waits;
    pthread_cond_t woken; /* the caller waits here, for helpers == 0 or a loop nested in this one */
};

struct pool {
    unsigned threads; /* the caller included */
    unsigned started;
    int stopping;
    unsigned idle;
    struct loop *newest;
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_t thread[];
};

/* What this thread is doing. */
static _Thread_local struct {
    const struct pool *pool;
    struct loop *loop; /* whose task it runs */
    unsigned worker;
} here;

struct start {
    struct pool *pool;
    unsigned worker;
};

static void drain(struct loop *loop)
{
    struct loop *outer = here.loop;
    here.loop = loop;
    for (size_t i; (i = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed)) < loop->n;)
        loop->fn(loop->ctx, i);
    here.loop = outer;
}

static int is_inside(const struct loop *loop, const struct loop *outer)
{
    for (; loop; loop = loop->parent)
        if (loop == outer)
            return 1;
    return 0;
}

/* The newest loop with tasks left; with outer, only one nested in it: a caller that waits must not be kept by foreign work, and
 * its own task's per-thread scratch must not be entered twice. */
static struct loop *find_work(const struct pool *pool, const struct loop *outer)
{
    for (struct loop *loop = pool->newest; loop; loop = loop->older)
        if (atomic_load_explicit(&loop->next, memory_order_relaxed) < loop->n &&
            (!outer || is_inside(loop->parent, outer)))
            return loop;
    return NULL;
}

/* Called and returns with the lock held. */
static void help(struct pool *pool, struct loop *loop)
{
    loop->helpers++;
    pthread_mutex_unlock(&pool->lock);
    drain(loop);
    pthread_mutex_lock(&pool->lock);
    if (--loop->helpers == 0 && loop->caller_waits)
        pthread_cond_signal(&loop->woken);
}

static void *worker_main(void *arg)
{
    struct start start = *(struct start *)arg;
    free(arg);
    struct pool *pool = start.pool;
    here.pool = pool;
    here.worker = start.worker;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping) {
        struct loop *loop = find_work(pool, NULL);
        if (loop) {
            help(pool, loop);
        } else {
            pool->idle++;
            pthread_cond_wait(&pool->work, &pool->lock);
            pool->idle--;
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Signals sent to the process go to threads that the caller made, not to workers; faults stay with who caused them. */
static int start_workers(struct pool *pool)
{
    sigset_t block, before;
    sigfillset(&block);
    const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&block, faults[i]);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    int rc = 0;
    while (pool->started < pool->threads - 1) {
        struct start *start = malloc(sizeof *start);
        if (!start) {
            rc = -1;
            break;
        }
        *start = (struct start){pool, pool->started + 1};
        if (pthread_create(&pool->thread[pool->started], NULL, worker_main, start)) {
            free(start);
            rc = -1;
            break;
        }
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int pool_new(struct pool **out, unsigned threads, struct error *err)
{
    *out = NULL;
    if (threads == 0)
        threads = limits_cpus();
    if (threads > POOL_MAX_THREADS)
        threads = POOL_MAX_THREADS;
    struct pool *pool = calloc(1, sizeof *pool + threads * sizeof pool->thread[0]);
    if (!pool)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a pool of %u threads",
                         threads);
    pool->threads = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    if (start_workers(pool)) {
        unsigned started = pool->started;
        pool_destroy(pool);
        return error_set(err, ERR_OS, "no-threads", "the system gave %u of %u threads", started + 1,
                         threads);
    }
    *out = pool;
    return 0;
}

void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    assert(!pool->newest);
    pthread_mutex_lock(&pool->lock);
    pool->stopping = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

unsigned pool_threads(const struct pool *pool)
{
    return pool ? pool->threads : 1;
}

unsigned pool_worker(void)
{
    return here.worker;
}

static void link_loop(struct pool *pool, struct loop *loop)
{
    pthread_mutex_lock(&pool->lock);
    loop->older = pool->newest;
    pool->newest = loop;
    size_t wanted = loop->n - 1 < pool->idle ? loop->n - 1 : pool->idle;
    if (wanted == pool->idle)
        pthread_cond_broadcast(&pool->work);
    else
        while (wanted-- > 0)
            pthread_cond_signal(&pool->work);
    for (struct loop *outer = loop->parent; outer; outer = outer->parent)
        if (outer->caller_waits)
            pthread_cond_signal(&outer->woken);
    pthread_mutex_unlock(&pool->lock);
}

/* Takes the loop out of the list and waits until every helper has left it. */
static void finish_loop(struct pool *pool, struct loop *loop)
{
    pthread_mutex_lock(&pool->lock);
    struct loop **link = &pool->newest;
    while (*link != loop)
        link = &(*link)->older;
    *link = loop->older;
    while (loop->helpers > 0) {
        struct loop *nested = find_work(pool, loop);
        if (nested) {
            help(pool, nested);
        } else {
            loop->caller_waits = 1;
            pthread_cond_wait(&loop->woken, &pool->lock);
            loop->caller_waits = 0;
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

void pool_run(struct pool *pool, size_t n, void (*fn)(void *ctx, size_t i), void *ctx)
{
    const struct pool *outer_pool = here.pool;
    struct loop *outer_loop = here.loop;
    unsigned outer_worker = here.worker;
    if (outer_pool != pool ||
        !pool) { /* in a pool that it is no worker of, the caller is number 0 */
        here.pool = pool;
        here.loop = NULL;
        here.worker = 0;
    }
    if (!pool || pool->threads == 1 || n <= 1) {
        for (size_t i = 0; i < n; i++)
            fn(ctx, i);
    } else {
        struct loop loop = {.fn = fn, .ctx = ctx, .n = n, .parent = here.loop};
        pthread_cond_init(&loop.woken, NULL);
        link_loop(pool, &loop);
        drain(&loop);
        finish_loop(pool, &loop);
        pthread_cond_destroy(&loop.woken);
    }
    here.pool = outer_pool;
    here.loop = outer_loop;
    here.worker = outer_worker;
}
