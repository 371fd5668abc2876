/* What the engine's files share. */
#ifndef CUZK_ENGINE_STATE_H
#define CUZK_ENGINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/crash.h"
#include "base/pool.h"
#include "engine/backend.h"
#include "engine/journal.h"
#include "engine/request.h"
#include "engine/scheduler.h"

enum { ENGINE_RUNNERS_MAX = 64, CIRCUIT_ID_MAX = 16 };

/* Who is called when a job has ended. */
struct watch {
    struct watch *next;
    struct job *job;
    void (*done)(void *ctx, const struct cuzk_result *result);
    void *ctx;
};

/* One partition's way through the stages, seen through its progress. */
struct flight {
    struct flight *next;
    struct cuzk_engine *e;
    struct job *job; /* stays while it is in flight */
    unsigned partition;
    struct pool_rank rank; /* in the pool, as the scheduler's: priority; deadline, then age */
    char id[JOB_NAME_MAX];
    enum cuzk_stage stage;
    uint64_t stage_since_ns, stage_ns[CUZK_STAGES];
    struct crash_note note;
};

/* What the engine keeps of a job besides its place in the table. */
struct job_extra {
    struct request_bytes payload; /* for a capsule, where no journal has it */
};

struct cuzk_engine {
    const struct backend *backend;
    struct pool *pool;
    struct journal *journal; /* NULL: none */
    char *param_dir, *capsule_dir;
    void (*timeline)(void *ctx, uint64_t ms, const char *event, const char *job_id,
                     const char *detail);
    void *timeline_ctx;
    uint64_t began_ns, began_ms; /* the same moment on both clocks */

    pthread_mutex_t lock;         /* of everything below */
    pthread_cond_t work, changed; /* for runners; for who waits for an end */
    struct sched sched;
    void *keys[SCHED_CIRCUITS];
    uint64_t mapped_bytes[SCHED_CIRCUITS];
    char load_failure[SCHED_CIRCUITS][JOB_MESSAGE_MAX];
    struct watch *watches;
    struct flight *flights;
    unsigned inside; /* calls that wait */
    int closing;
    unsigned runners;
    pthread_t runner[ENGINE_RUNNERS_MAX];
};

/* The wall clock when the engine was opened, and since then the monotonic one: goes on evenly, and means the same after a restart. */
uint64_t engine_now_ms(const struct cuzk_engine *e);

/* Without the lock held. job_id and detail may be NULL. */
void engine_event(struct cuzk_engine *e, const char *event, const char *job_id, const char *detail);

int engine_error(struct cuzk_error *out, const struct error *err); /* returns out->status */
int engine_refuse(struct cuzk_error *out, enum cuzk_status status, const char *cause,
                  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* In the pool: of a priority's partitions. Admission goes one above: it is short, and who submits waits for it. */
static inline unsigned engine_class(enum cuzk_priority priority)
{
    return 2 * (unsigned)priority;
}

static inline uint64_t engine_order(const struct job *job)
{
    return job->deadline_ms ? job->deadline_ms : (UINT64_C(1) << 63) + job->seq;
}
/* With the lock held: the job's priority or deadline has changed, and its partitions in flight go by that too. */
void engine_rank(struct cuzk_engine *e, const struct job *job);

void *engine_runner(void *engine);
/* What ended says, as a copy. A job that has not ended: where the engine closes. ERR_OS. */
int engine_result(struct cuzk_result *out, const struct job *job, struct error *err);
/* Jobs back from the journal, before any runner starts. */
int engine_restore(struct cuzk_engine *e, struct error *err);
void engine_journal_job(struct journal_job *out, const struct cuzk_engine *e,
                        const struct job *job);

#endif
