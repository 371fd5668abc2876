/* All decisions of the engine: who is admitted, what runs next, what must leave memory for it. No threads, no clock, no files: the
 * caller says what time it is, carries out one action after the other and reports each one's end. The simulator does that with a
 * virtual clock, the engine with threads under one lock. */
#ifndef CUZK_ENGINE_SCHEDULER_H
#define CUZK_ENGINE_SCHEDULER_H

#include "engine/budget.h"
#include "engine/jobs.h"

enum {
    SCHED_CIRCUITS = 32,
    SCHED_WORKERS = 256,
    SCHED_LOADS = 2,              /* at once */
    SCHED_WORKER_IDLE_MS = 60000, /* then a worker's memory is given back, wanted or not */
};

struct sched_config {
    uint64_t memory_total, reserve;
    unsigned queue_limit, max_in_flight; /* partitions of one priority and those above it */
    unsigned max_batch;                  /* 1: no batching */
    uint64_t max_batch_wait_ms, keep_results_ms, eviction_min_idle_ms;
};

enum sched_residency { SCHED_ABSENT, SCHED_LOADING, SCHED_LOADED, SCHED_UNLOADING };

/* A circuit's keys. */
struct sched_circuit {
    uint64_t keys_bytes, worker_bytes; /* what open keys take besides mapped files; one worker */
    enum sched_residency residency;
    unsigned workers; /* that exist: they refer to the keys */
    unsigned wanted;  /* preloads that wait */
    int evict;        /* by request, idle time notwithstanding */
    int stale;        /* the file has changed or failed: not for another partition */
    uint64_t idle_since_ms, load_ms;
    unsigned loads; /* since the start, failed ones too */
};

/* The memory that proves one partition at a time of one circuit, kept for the next. */
struct sched_worker {
    int exists, busy, dropping;
    unsigned circuit;
    uint64_t bytes, idle_since_ms;
    void *caller; /* the caller's */
};

struct sched {
    struct sched_config config;
    struct jobs jobs;
    struct budget budget;
    struct sched_circuit circuit[SCHED_CIRCUITS];
    struct sched_worker worker[SCHED_WORKERS];
    struct job **order; /* scratch */
    size_t order_cap;
    unsigned admitting, loading;
    uint64_t input_bytes; /* leased for inputs, of who is being admitted too */
    int draining, stopping;
    uint64_t batch_open, batch_last, batch_since_ms; /* open: 0 if none */
    unsigned batch_n, batch_circuit;
    struct cuzk_kind_view kind[CUZK_KINDS]; /* all but pending and running */
};

void sched_init(struct sched *s, const struct sched_config *config);
/* ERR_OS "can-never-fit" with the figures for a budget that a job that has not ended could not run in; nothing changes then. */
int sched_configure(struct sched *s, const struct sched_config *config, struct error *err);
void sched_clean_up(struct sched *s); /* inputs, workers' memory and keys are the caller's */

/* ---- Admission ---- */

struct sched_request {
    const char *request_id;
    const uint8_t *hash;
    enum cuzk_kind kind;
    enum cuzk_priority priority; /* never CUZK_BY_KIND */
    uint64_t deadline_ms;        /* a moment, 0: none */
    unsigned circuit, first, partitions_n;
    uint64_t input_bytes; /* leased by sched_reserve */
};

/* Room for an input that is about to be decoded, and a place in the queue; sched_submit or sched_unreserve takes it over.
 * ERR_TEMP_FAIL: queue full or no memory now; ERR_UNAVAILABLE: draining; ERR_OS "can-never-fit". */
int sched_reserve(struct sched *s, uint64_t bytes, enum budget_claim claim, struct error *err);
void sched_unreserve(struct sched *s, uint64_t bytes);

/* The job of that input if there is one to attach to (under request_id from now on, with the higher of both priorities and the earlier
 * of both deadlines), else NULL. *changed: a name, priority or deadline is new. */
int sched_attach(const struct job_name **out, int *changed, struct sched *s,
                 const struct sched_request *r, struct error *err);
/* It is needed by then, a moment. 1 if it was not before. */
int sched_hasten(struct job *job, uint64_t deadline_ms);
/* A new job, which takes the reservation over. ERR_OS "can-never-fit" with the figures; the reservation is then still the caller's. */
int sched_submit(const struct job_name **out, struct sched *s, uint64_t now_ms,
                 const struct sched_request *r, void *input, struct error *err);
/* Takes the lease for a restored job's input. ERR_OS "no-memory" if the job does not fit any more. */
int sched_restore_input(struct sched *s, struct job *job, uint64_t bytes, struct error *err);
/* An empty job for who restores one. */
struct job *sched_add(struct sched *s, unsigned partitions_n, struct error *err);
/* Bytes that one partition of the circuit takes while nothing else runs, input included. */
uint64_t sched_bill(const struct sched *s, unsigned circuit, uint64_t input_bytes);
enum budget_claim sched_claim(enum cuzk_kind kind, enum cuzk_priority priority);
/* ERR_OS "can-never-fit" with the figures for a job that the whole budget is too small for. */
int sched_could_fit(const struct sched *s, unsigned circuit, uint64_t input_bytes,
                    enum budget_claim claim, struct error *err);
/* Jobs that come before it. */
unsigned sched_position(const struct sched *s, const struct job *job);

/* ---- What to do next ---- */

enum sched_action_kind {
    SCHED_WAIT,       /* nothing, until something ends or is asked, or wake_ms (0: none) comes */
    SCHED_SETTLE,     /* journal how job ended, then sched_settled */
    SCHED_FREE_INPUT, /* free job->input, then sched_input_freed */
    SCHED_FORGET,     /* journal that job is forgotten, then sched_forgotten; it may be freed */
    SCHED_LOAD,       /* open circuit's keys, then sched_loaded */
    SCHED_UNLOAD,     /* close circuit's keys, then sched_unloaded */
    SCHED_DROP,       /* free worker's memory, then sched_dropped */
    SCHED_PROVE, /* partition of job, with worker (whose caller is NULL while it is new), then sched_proved */
};
struct sched_action {
    enum sched_action_kind kind;
    struct job *job;
    unsigned partition; /* index into job->partitions */
    unsigned circuit, worker;
    int first; /* the job's first partition */
    uint64_t wake_ms;
};
void sched_next(struct sched_action *out, struct sched *s, uint64_t now_ms);

void sched_settled(struct sched *s, struct job *job);
void sched_input_freed(struct sched *s, struct job *job);
void sched_forgotten(struct sched *s, struct job *job);
void sched_loaded(struct sched *s, uint64_t now_ms, unsigned circuit, uint64_t load_ms,
                  const char *failure /* NULL: loaded */);
void sched_unloaded(struct sched *s, unsigned circuit);
void sched_dropped(struct sched *s, unsigned worker);

enum sched_outcome { SCHED_PROVEN, SCHED_FAILED, SCHED_ABANDONED /* cancelled or stopping */ };
struct sched_report {
    enum sched_outcome outcome;
    const uint8_t *proof; /* proven: verified */
    uint64_t synthesis_ms, compute_ms;
    uint64_t stage_ms[CUZK_STAGES];
    const char *message; /* failed */
    int stale;           /* the keys' file is at fault */
};
void sched_proved(struct sched *s, uint64_t now_ms, struct job *job, unsigned partition,
                  unsigned worker, const struct sched_report *report);

/* ---- Asked for ---- */

/* 1 if it had not ended. */
int sched_cancel(struct sched *s, uint64_t now_ms, struct job *job);
void sched_fail(struct sched *s, uint64_t now_ms, struct job *job, const char *message);
/* A job from a journal that had not ended, once all jobs are in the table; what is proven is DONE already. It may end by this: proven as
 * a whole, or a newer job has the same input, which shows that it had ended. */
void sched_restored(struct sched *s, uint64_t now_ms, struct job *job);
/* 1 if it will be unloaded, 0 if it is not loaded; ERR_TEMP_FAIL if it is in use. */
int sched_evict(struct sched *s, unsigned circuit, struct error *err);
/* Whether a partition in flight should give up. */
int sched_abandons(const struct sched *s, const struct job *job);

#endif
