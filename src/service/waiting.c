#include "service/waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "service/wire.h"

struct waiter {
    struct waiter *next, **at; /* in the room's list while unclaimed; at NULL: claimed */
    int is_gone;
    struct waiting_room *room;
    struct rpc_call *call;
    waiting_answer *answer;
    uint64_t until_ns; /* 0: for ever */
    atomic_int refs;   /* the engine's, the call's and the claimant's */
    char job_id[160];
};

struct waiting_room {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t timer;
    struct waiter *first;
    int closing, abandoned;
};

static void release(struct waiter *w)
{
    if (atomic_fetch_sub(&w->refs, 1) == 1)
        free(w);
}

/* With the lock. Whoever claims a waiter answers its call and releases it. */
static int claim_locked(struct waiter *w)
{
    if (w->at == NULL)
        return 0;
    *w->at = w->next;
    if (w->next != NULL)
        w->next->at = w->at;
    w->at = NULL;
    return 1;
}

static int claim(struct waiter *w)
{
    pthread_mutex_lock(&w->room->lock);
    int mine = claim_locked(w);
    pthread_mutex_unlock(&w->room->lock);
    return mine;
}

static void on_done(void *ctx, const struct cuzk_result *result)
{
    struct waiter *w = ctx;
    if (claim(w)) {
        w->answer(w->call, w->job_id, result);
        release(w);
    }
    release(w);
}

static void on_gone(void *ctx)
{
    struct waiter *w = ctx;
    pthread_mutex_lock(&w->room->lock);
    w->is_gone = 1;
    int mine = claim_locked(w);
    pthread_mutex_unlock(&w->room->lock);
    if (mine) {
        rpc_fail(w->call, GRPC_STATUS_CANCELLED, "the client has gone; the job goes on", 0);
        release(w);
    }
    release(w);
}

/* Claims one whose time is over; else NULL with the time to look again (0: never). */
static struct waiter *next_late(struct waiting_room *room, uint64_t *wake_ns)
{
    uint64_t now = clock_monotonic_ns();
    *wake_ns = 0;
    for (struct waiter *w = room->first; w != NULL; w = w->next) {
        if (w->until_ns != 0 && w->until_ns <= now) {
            claim_locked(w);
            return w;
        }
        if (w->until_ns != 0 && (*wake_ns == 0 || w->until_ns < *wake_ns))
            *wake_ns = w->until_ns;
    }
    return NULL;
}

static void *keep_time(void *arg)
{
    struct waiting_room *room = arg;
    pthread_mutex_lock(&room->lock);
    while (!room->closing) {
        uint64_t wake;
        struct waiter *late = next_late(room, &wake);
        if (late != NULL) {
            pthread_mutex_unlock(&room->lock);
            late->answer(late->call, late->job_id, NULL);
            release(late);
            pthread_mutex_lock(&room->lock);
        } else if (wake == 0) {
            pthread_cond_wait(&room->changed, &room->lock);
        } else {
            struct timespec until = {(time_t)(wake / 1000000000), (long)(wake % 1000000000)};
            pthread_cond_timedwait(&room->changed, &room->lock, &until);
        }
    }
    pthread_mutex_unlock(&room->lock);
    return NULL;
}

int waiting_room_new(struct waiting_room **out, struct error *err)
{
    struct waiting_room *room = calloc(1, sizeof *room);
    if (room == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for waiting calls");
    pthread_mutex_init(&room->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&room->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&room->timer, NULL, keep_time, room) != 0) {
        pthread_cond_destroy(&room->changed);
        pthread_mutex_destroy(&room->lock);
        free(room);
        return error_set(err, ERR_OS, "thread", "cannot start a thread");
    }
    *out = room;
    return 0;
}

static void abandon(struct waiter *w)
{
    char text[240];
    snprintf(text, sizeof text, "the daemon stops; job %s is not finished", w->job_id);
    rpc_fail(w->call, GRPC_STATUS_UNAVAILABLE, text, 1000);
    release(w);
}

void waiting_room_abandon(struct waiting_room *room)
{
    pthread_mutex_lock(&room->lock);
    room->abandoned = 1;
    while (room->first != NULL) {
        struct waiter *w = room->first;
        claim_locked(w);
        pthread_mutex_unlock(&room->lock);
        abandon(w);
        pthread_mutex_lock(&room->lock);
    }
    pthread_mutex_unlock(&room->lock);
}

void waiting_room_destroy(struct waiting_room *room)
{
    if (room == NULL)
        return;
    pthread_mutex_lock(&room->lock);
    room->closing = 1;
    pthread_cond_signal(&room->changed);
    pthread_mutex_unlock(&room->lock);
    pthread_join(room->timer, NULL);
    pthread_cond_destroy(&room->changed);
    pthread_mutex_destroy(&room->lock);
    free(room);
}

/* Into the list, unless the client has gone or the room is closed meanwhile. */
static int enlist(struct waiter *w)
{
    struct waiting_room *room = w->room;
    pthread_mutex_lock(&room->lock);
    int enlisted = !w->is_gone && !room->abandoned;
    if (enlisted) {
        w->next = room->first;
        if (w->next != NULL)
            w->next->at = &w->next;
        w->at = &room->first;
        room->first = w;
        pthread_cond_signal(&room->changed);
    }
    pthread_mutex_unlock(&room->lock);
    return enlisted;
}

int waiting_room_enter(struct waiting_room *room, struct cuzk_engine *engine, struct rpc_call *call,
                       const char *job_id, uint64_t timeout_ms, waiting_answer *answer,
                       struct cuzk_error *err)
{
    struct waiter *w = calloc(1, sizeof *w);
    if (w == NULL)
        return wire_fail(err, CUZK_INTERNAL, "out-of-memory", "no memory for a waiting call");
    w->room = room;
    w->call = call;
    w->answer = answer;
    snprintf(w->job_id, sizeof w->job_id, "%s", job_id);
    if (timeout_ms != 0 && timeout_ms < UINT64_MAX / 2000000)
        w->until_ns = clock_monotonic_ns() + timeout_ms * 1000000;
    atomic_init(&w->refs, 4); /* and this function's */
    rpc_on_gone(call, on_gone, w);
    if (!enlist(w)) {
        abandon(w);
        release(w); /* the engine never hears of it */
    } else if (cuzk_on_done(engine, job_id, on_done, w, err) != 0) {
        int mine = claim(w); /* else it was answered already */
        release(w);
        if (mine)
            release(w);
        release(w);
        return mine ? -1 : 0;
    }
    release(w);
    return 0;
}
