#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/crash.h"
#include "base/limits.h"
#include "base/thread.h"

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
    unsigned class;      /* of its caller */
    uint64_t order;
    int caller_waits;
    pthread_cond_t woken; /* the caller waits here, for helpers == 0 or a loop nested in this one */
};

/* A thread that waits for its turn, on its stack. */
struct turn {
    const struct pool_rank *rank; /* NULL: fixed */
    unsigned class;
    uint64_t order;
    int given;
    struct turn *next;
    pthread_cond_t woken;
};

struct pool {
    unsigned threads; /* the caller included */
    unsigned started;
    int stopping;
    unsigned idle;
    unsigned running; /* threads that have a turn, at most threads */
    struct loop *newest;
    struct turn *waiting;
    const struct pool_watcher *watcher; /* may be NULL */
    atomic_uint wanted; /* the highest level that wants a thread; may be out of date upwards only */
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_t thread[];
};

/* What this thread is doing. */
static _Thread_local struct {
    const struct pool *pool;
    struct loop *loop; /* whose task it runs */
    unsigned worker;
    int has_turn; /* it counts in pool->running */
    unsigned class;
    uint64_t order;
    const struct pool_rank *rank; /* where it may have changed; NULL: fixed */
} here;

static void look_at_rank(void)
{
    if (here.rank) {
        here.class = atomic_load(&here.rank->class);
        here.order = atomic_load(&here.rank->order);
    }
}

struct start {
    struct pool *pool;
    unsigned worker;
};

static void tell(const struct pool *pool, enum pool_event event, unsigned class, size_t n)
{
    if (pool && pool->watcher)
        pool->watcher->event(pool->watcher->ctx, event, class, n);
}

/* With the lock held. */
static void set_running(struct pool *pool, unsigned n)
{
    pool->running = n;
    tell(pool, POOL_BUSY, 0, n);
}

static void run_task(const struct pool *pool, void (*fn)(void *ctx, size_t i), void *ctx, size_t i)
{
    unsigned class = here.class;
    tell(pool, POOL_BEGIN, class, 1);
    fn(ctx, i);
    tell(pool, POOL_END, class, 1);
}

/* A loop's tasks want threads at twice its class; a thread that waits for its turn comes before them, as it has more to do after. */
static unsigned level_of_loop(const struct loop *loop)
{
    return 2 * loop->class;
}

static unsigned level_of_turn(const struct turn *turn)
{
    return 2 * turn->class + 1;
}

static int has_tasks(const struct loop *loop)
{
    return atomic_load_explicit(&loop->next, memory_order_relaxed) < loop->n;
}

static unsigned highest_loop(const struct pool *pool)
{
    unsigned level = 0;
    for (const struct loop *loop = pool->newest; loop; loop = loop->older)
        if (level_of_loop(loop) > level && has_tasks(loop))
            level = level_of_loop(loop);
    return level;
}

static struct turn *first_turn(const struct pool *pool)
{
    struct turn *best = NULL;
    for (struct turn *t = pool->waiting; t; t = t->next)
        if (!best || t->class > best->class || (t->class == best->class && t->order < best->order))
            best = t;
    return best;
}

static int is_inside(const struct loop *loop, const struct loop *outer)
{
    for (; loop; loop = loop->parent)
        if (loop == outer)
            return 1;
    return 0;
}

/* The loop with tasks left of the highest class and lowest order, the newest of those; with outer, only one nested in it: a caller that
 * waits must not be kept by foreign work, and its own task's per-thread scratch must not be entered twice. */
static struct loop *find_work(const struct pool *pool, const struct loop *outer)
{
    struct loop *best = NULL;
    for (struct loop *loop = pool->newest; loop; loop = loop->older)
        if ((!best || loop->class > best->class ||
             (loop->class == best->class && loop->order < best->order)) &&
            has_tasks(loop) && (!outer || is_inside(loop->parent, outer)))
            best = loop;
    return best;
}

/* Gives free turns to who waits for one, unless a loop of a higher class has tasks left, and keeps what is wanted up to date. */
static void give_turns(struct pool *pool)
{
    unsigned level = highest_loop(pool);
    struct turn *turn;
    while ((turn = first_turn(pool)) && pool->running < pool->threads &&
           level_of_turn(turn) > level) {
        struct turn **link = &pool->waiting;
        while (*link != turn)
            link = &(*link)->next;
        *link = turn->next;
        turn->given = 1;
        set_running(pool, pool->running + 1);
        tell(pool, POOL_TURN, turn->class, 1);
        pthread_cond_signal(&turn->woken);
    }
    if (turn && level_of_turn(turn) > level)
        level = level_of_turn(turn);
    atomic_store_explicit(&pool->wanted, level, memory_order_release);
    if (pool->idle > 0 && pool->running < pool->threads && find_work(pool, NULL))
        pthread_cond_signal(&pool->work);
}

static void release_turn(struct pool *pool)
{
    here.has_turn = 0;
    set_running(pool, pool->running - 1);
    give_turns(pool);
}

/* Called and returns with the lock held. */
static void take_turn(struct pool *pool)
{
    look_at_rank();
    struct turn turn = {here.rank, here.class, here.order, .next = pool->waiting};
    pthread_cond_init(&turn.woken, NULL);
    pool->waiting = &turn;
    tell(pool, POOL_ASK, turn.class, 1);
    give_turns(pool);
    while (!turn.given)
        pthread_cond_wait(&turn.woken, &pool->lock);
    pthread_cond_destroy(&turn.woken);
    here.has_turn = 1;
}

static int is_wanted_elsewhere(struct pool *pool, unsigned level)
{
    return atomic_load_explicit(&pool->wanted, memory_order_acquire) > level;
}

/* Lets what is more urgent go first. A thread in the middle of a task may wait here too: it holds nothing that the others want. */
static void yield_turn(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    give_turns(pool);
    if (is_wanted_elsewhere(pool, 2 * here.class + 1)) {
        release_turn(pool);
        take_turn(pool);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Runs tasks until none are left. A thread that came to help leaves for what is more urgent, the caller lets it pass. */
static void drain(struct pool *pool, struct loop *loop, int is_caller)
{
    struct loop *outer = here.loop;
    unsigned level = level_of_loop(loop);
    here.loop = loop;
    for (;;) {
        if (here.has_turn && is_wanted_elsewhere(pool, is_caller ? level + 1 : level)) {
            if (!is_caller)
                break;
            yield_turn(pool);
        }
        size_t i = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (i >= loop->n)
            break;
        run_task(pool, loop->fn, loop->ctx, i);
    }
    here.loop = outer;
}

/* Called and returns with the lock held, by a thread that has its turn or needs none. */
static void help(struct pool *pool, struct loop *loop)
{
    unsigned class = here.class;
    uint64_t order = here.order;
    here.class = loop->class;
    here.order = loop->order;
    loop->helpers++;
    pthread_mutex_unlock(&pool->lock);
    drain(pool, loop, 0);
    pthread_mutex_lock(&pool->lock);
    if (--loop->helpers == 0 && loop->caller_waits)
        pthread_cond_signal(&loop->woken);
    here.class = class;
    here.order = order;
}

/* What a worker without a turn may do now. */
static struct loop *find_turn(const struct pool *pool)
{
    if (pool->running >= pool->threads)
        return NULL;
    struct loop *loop = find_work(pool, NULL);
    struct turn *turn = first_turn(pool);
    return loop && turn && level_of_turn(turn) > level_of_loop(loop) ? NULL : loop;
}

static void *worker_main(void *arg)
{
    struct start start = *(struct start *)arg;
    free(arg);
    struct pool *pool = start.pool;
    here.pool = pool;
    here.worker = start.worker;
    crash_thread();
    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping) {
        struct loop *loop = find_turn(pool);
        if (loop) {
            set_running(pool, pool->running + 1);
            here.has_turn = 1;
            help(pool, loop);
            release_turn(pool);
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
        if (thread_start(&pool->thread[pool->started], worker_main, start)) {
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
    if (level_of_loop(loop) > atomic_load_explicit(&pool->wanted, memory_order_relaxed))
        atomic_store_explicit(&pool->wanted, level_of_loop(loop), memory_order_release);
    tell(pool, POOL_LOOP, loop->class, loop->n);
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
    if (pool->waiting || atomic_load_explicit(&pool->wanted, memory_order_relaxed))
        give_turns(pool);
    int has_turn = here.has_turn;
    while (loop->helpers > 0) {
        struct loop *nested = find_work(pool, loop);
        if (nested && has_turn && !here.has_turn) {
            take_turn(pool);
        } else if (nested) {
            help(pool, nested);
        } else {
            if (here.has_turn)
                release_turn(pool);
            loop->caller_waits = 1;
            pthread_cond_wait(&loop->woken, &pool->lock);
            loop->caller_waits = 0;
        }
    }
    if (has_turn && !here.has_turn)
        take_turn(pool);
    pthread_mutex_unlock(&pool->lock);
}

void pool_run(struct pool *pool, size_t n, void (*fn)(void *ctx, size_t i), void *ctx)
{
    const struct pool *outer_pool = here.pool;
    struct loop *outer_loop = here.loop;
    unsigned outer_worker = here.worker;
    int outer_turn = here.has_turn;
    if (outer_pool != pool ||
        !pool) { /* in a pool that it is no worker of, the caller is number 0 */
        here.pool = pool;
        here.loop = NULL;
        here.worker = 0;
        here.has_turn = 0;
    }
    if (!here.loop)
        look_at_rank();
    if (!pool || pool->threads == 1 || n <= 1) {
        tell(pool, POOL_LOOP, here.class, n);
        for (size_t i = 0; i < n; i++) {
            if (pool && here.has_turn && is_wanted_elsewhere(pool, 2 * here.class + 1))
                yield_turn(pool);
            run_task(pool, fn, ctx, i);
        }
    } else {
        struct loop loop = {.fn = fn,
                            .ctx = ctx,
                            .n = n,
                            .parent = here.loop,
                            .class = here.class,
                            .order = here.order};
        pthread_cond_init(&loop.woken, NULL);
        link_loop(pool, &loop);
        drain(pool, &loop, 1);
        finish_loop(pool, &loop);
        pthread_cond_destroy(&loop.woken);
    }
    here.pool = outer_pool;
    here.loop = outer_loop;
    here.worker = outer_worker;
    here.has_turn = outer_turn;
}

void pool_enter(struct pool *pool, unsigned class, uint64_t order)
{
    assert(!here.has_turn && !here.loop);
    here.pool = pool;
    here.worker = 0;
    here.class = class;
    here.order = order;
    pthread_mutex_lock(&pool->lock);
    take_turn(pool);
    pthread_mutex_unlock(&pool->lock);
}

void pool_leave(struct pool *pool)
{
    assert(here.has_turn && !here.loop);
    pthread_mutex_lock(&pool->lock);
    release_turn(pool);
    pthread_mutex_unlock(&pool->lock);
    here.pool = NULL;
    here.class = 0;
    here.order = 0;
    here.rank = NULL;
}

void pool_enter_at(struct pool *pool, struct pool_rank *rank)
{
    here.rank = rank;
    pool_enter(pool, atomic_load(&rank->class), atomic_load(&rank->order));
}

void pool_rank(struct pool *pool, struct pool_rank *rank, unsigned class, uint64_t order)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store(&rank->class, class);
    atomic_store(&rank->order, order);
    for (struct turn *t = pool->waiting; t; t = t->next)
        if (t->rank == rank) {
            t->class = class;
            t->order = order;
        }
    give_turns(pool);
    pthread_mutex_unlock(&pool->lock);
}

void pool_watch(struct pool *pool, const struct pool_watcher *watcher)
{
    pool->watcher = watcher;
}

unsigned pool_busy(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    unsigned n = pool->running;
    pthread_mutex_unlock(&pool->lock);
    return n;
}
