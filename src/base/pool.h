/* A pool of threads that runs loops of independent tasks. The calling thread works too, so a pool of 1 has no thread. */
#ifndef CUZK_BASE_POOL_H
#define CUZK_BASE_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pool;

/* threads = 0: as many as the process may run on (affinity mask and cgroup quota). At most POOL_MAX_THREADS, more are
 * cut. ERR_OS when the system refuses memory or a thread. */
enum { POOL_MAX_THREADS = 1024 };
int pool_new(struct pool **out, unsigned threads, struct error *err);
void pool_destroy(struct pool *pool); /* NULL is harmless */

unsigned pool_threads(const struct pool *pool); /* 1 for NULL */

/* Calls fn(ctx, i) for every i in [0, n), each exactly once, in any order, on any thread; returns when all have returned.
 * Tasks are handed out one by one from 0 up. A task may itself call pool_run on the same pool. pool == NULL runs them here.
 * Several threads may call pool_run on one pool at once. */
void pool_run(struct pool *pool, size_t n, void (*fn)(void *ctx, size_t i), void *ctx);

/* Index in [0, pool_threads) of the thread that runs the current task; 0 outside a pool. No two tasks of one pool_run run with
 * the same index at once, and while a task waits in a nested pool_run its thread takes tasks of that nested loop (and of loops
 * within it) only: so memory made for one pool_run and indexed by this is the task's own. */
unsigned pool_worker(void);

/* ---- Urgent first ----
 *
 * A thread that runs jobs on a shared pool enters it: from then until it leaves, it and its loops have a class (higher first) and, within
 * that, an order (lower first). No more threads run than the pool has, those that entered included: who enters waits for its turn,
 * and at each task's end a thread looks whether something of a higher class wants it. So no task of a lower class starts while one
 * of a higher class waits. Between pool_runs a thread keeps its turn. Threads that never enter take part as before, as class 0. */
void pool_enter(struct pool *pool, unsigned class, uint64_t order);
/* The same with a rank that may change while the thread is inside: at once if it waits for its turn, else with its next loop. The rank
 * outlives the stay, and only pool_rank writes to it from then on. */
struct pool_rank {
    atomic_uint class;
    atomic_uint_fast64_t order;
};
void pool_enter_at(struct pool *pool, struct pool_rank *rank);
void pool_rank(struct pool *pool, struct pool_rank *rank, unsigned class, uint64_t order);
void pool_leave(struct pool *pool);
/* Threads that run tasks or have entered and have their turn. */
unsigned pool_busy(struct pool *pool);

/* ---- Watching ----
 *
 * What the threads do, for who draws or checks it. A watcher is called on the thread concerned, often, and not inside a pool_run of its
 * own. POOL_ASK, POOL_TURN and POOL_BUSY come one at a time. */
enum pool_event {
    POOL_LOOP, /* n tasks of a class may be begun from now on */
    POOL_BEGIN,
    POOL_END,  /* of one task of a class */
    POOL_ASK,  /* a thread of a class wants its turn */
    POOL_TURN, /* and has it */
    POOL_BUSY, /* n threads have a turn from now on */
};
struct pool_watcher {
    void (*event)(void *ctx, enum pool_event event, unsigned class, size_t n);
    void *ctx;
};
/* While nothing runs. The watcher outlives the pool; NULL: none. */
void pool_watch(struct pool *pool, const struct pool_watcher *watcher);

#endif
