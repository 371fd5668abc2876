/* The cuzk proving engine in your own process: many jobs, one budget of memory, one pool of threads.
 *
 * Thread safe except where it says so. Strings are NUL-terminated UTF-8; what a call returns in a struct is the caller's to free with
 * that struct's _clean_up. Nothing here throws, aborts or exits on bad input. */
#ifndef CUZK_ENGINE_H
#define CUZK_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cuzk_engine;

enum cuzk_kind {
    CUZK_POREP = 1,
    CUZK_SNAP = 2,
    CUZK_WINDOW_POST = 3,
    CUZK_WINNING_POST = 4
}; /* as on the wire */
enum cuzk_priority {
    CUZK_BY_KIND = 0,
    CUZK_LOW = 1,
    CUZK_NORMAL = 2,
    CUZK_HIGH = 3,
    CUZK_CRITICAL = 4
};

/* What a call answers. Everything after admission is a job's own state, not one of these. */
enum cuzk_status {
    CUZK_OK = 0,
    CUZK_INVALID_ARGUMENT,    /* malformed request or vanilla proof: the message names the field */
    CUZK_NOT_FOUND,           /* no such job or circuit */
    CUZK_FAILED_PRECONDITION, /* parameters absent or unusable */
    CUZK_RESOURCE_EXHAUSTED, /* queue full (retry_after_ms is set), or the job can never fit (with the figures) */
    CUZK_UNAVAILABLE,       /* draining */
    CUZK_UNIMPLEMENTED,     /* this build does not prove the kind */
    CUZK_DEADLINE_EXCEEDED, /* of an await; the job goes on */
    CUZK_INTERNAL,
};

struct cuzk_error {
    enum cuzk_status status;
    const char *cause; /* static, kebab-case, without numbers */
    uint64_t retry_after_ms;
    char message[600];
};

/* Sizes in bytes, times in milliseconds. cuzk_config_init fills in the defaults. */
struct cuzk_config {
    const char *param_dir;
    const char *journal_path; /* SQLite file; NULL: jobs live in memory only */
    uint64_t
        memory_total; /* 0 = auto: L - min(safety margin, max(256 MiB, L / 8)), L the least of MemTotal and every cgroup's limit */
    uint64_t memory_safety_margin; /* used with auto */
    uint64_t eviction_min_idle_ms; /* parameters idle for less are not evicted for others */
    unsigned threads;              /* 0 = all that the process may use */
    unsigned max_batch_size;       /* 1 = no batching; PoRep and Snap only */
    uint64_t max_batch_wait_ms;
    unsigned queue_limit;     /* jobs waiting or running; more are refused with a retry hint */
    uint64_t keep_results_ms; /* finished jobs are forgotten after that */
    const char *
        capsule_dir; /* where inputs of proofs that failed verification are kept, with the command for a replay; NULL: nowhere */
    const char *const *preload; /* circuit ids; array ends with NULL; may be NULL */
    /* ms: of the wall clock when the engine was opened, and since then of the monotonic one. Called from any thread, not inside a call
     * of the engine's own lock. Events: submitted, attached, synthesis, ntt, msm, verify, partition-done, partition-failed,
     * self-check-fault (a proof was wrong, whether the second attempt was right or not), completed, failed, cancelled, srs-load, srs-loaded, srs-failed, srs-unloaded, capsule, capsule-failed, journal-failed,
     * interrupted (a job back from the journal: the process died while it was worked on; in cuzk_engine_open). */
    void (*timeline)(void *ctx, uint64_t ms, const char *event, const char *job_id,
                     const char *detail); /* may be NULL */
    void *timeline_ctx;
};
void cuzk_config_init(struct cuzk_config *config);

int cuzk_engine_open(struct cuzk_engine **out, const struct cuzk_config *config,
                     struct cuzk_error *err);
/* New limits and idle times for what comes next; threads and paths stay. CUZK_RESOURCE_EXHAUSTED, with the figures, for a memory budget
 * that a waiting or running job does not fit: all limits stay as they were. */
int cuzk_engine_reconfigure(struct cuzk_engine *engine, const struct cuzk_config *config,
                            struct cuzk_error *err);
/* Refuses new jobs, finishes what is running and waiting (or, after cuzk_engine_stop, only journals it), then returns. */
void cuzk_engine_drain(struct cuzk_engine *engine);
void cuzk_engine_stop(struct cuzk_engine *engine); /* makes a drain return soon; from any thread */
/* Stops, waits for calls that are inside, ends; NULL is harmless. Jobs in the journal go on in the next engine; who waits through
 * cuzk_on_done for one that has not ended is called with the state that it was in. */
void cuzk_engine_close(struct cuzk_engine *engine);

struct cuzk_bytes {
    const uint8_t *data;
    size_t n;
};

struct cuzk_request {
    const char *request_id; /* "" or NULL: the engine draws a UUIDv4 */
    enum cuzk_kind kind;
    enum cuzk_priority priority;
    uint64_t deadline_ms; /* from now; 0 = none */
    uint64_t registered_proof;
    struct cuzk_bytes vanilla_proof;         /* PoRep: C1 JSON */
    const struct cuzk_bytes *vanilla_proofs; /* PoSt: one per sector, Snap: one per partition */
    size_t vanilla_proofs_n;
    uint64_t sector_number, miner_id;
    int has_miner; /* PoRep: replica_id must follow from miner_id and sector_number */
    struct cuzk_bytes randomness;
    uint32_t partition_index;
    struct cuzk_bytes comm_r_old, comm_r_new, comm_d_new;
};

/* Decodes and checks the input, bills it and admits it. The same kind and inputs while running or done attach to that job. job_id gets
 * the id under which clients know the job: request_id, or request_id#2, #3, ... when that is another input's. */
int cuzk_submit(struct cuzk_engine *engine, char job_id[160], uint32_t *queue_position,
                const struct cuzk_request *request, struct cuzk_error *err);

enum cuzk_job_state { CUZK_QUEUED, CUZK_RUNNING, CUZK_COMPLETED, CUZK_FAILED, CUZK_CANCELLED };

struct cuzk_result {
    enum cuzk_job_state state;
    uint8_t *proof; /* completed: 192 bytes a partition */
    size_t proof_n;
    char message[600]; /* failed: why */
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, compute_ms, total_ms;
};
void cuzk_result_clean_up(struct cuzk_result *result);

/* Waits until the job has ended (timeout_ms 0: for ever). A plain request_id means the newest job under it. */
int cuzk_await(struct cuzk_engine *engine, struct cuzk_result *out, const char *job_id,
               uint64_t timeout_ms, struct cuzk_error *err);
/* Calls done(ctx, result) once, from some thread, when the job that job_id means now has ended (at once if it has). The result lives
 * until done returns; asking for it by id then could meet a newer job under the same request_id. */
int cuzk_on_done(struct cuzk_engine *engine, const char *job_id,
                 void (*done)(void *ctx, const struct cuzk_result *result), void *ctx,
                 struct cuzk_error *err);
/* Somebody needs the job deadline_ms from now: that becomes its deadline unless it has an earlier one. Not
 * journalled: who waits asks again. */
int cuzk_hasten(struct cuzk_engine *engine, const char *job_id, uint64_t deadline_ms,
                struct cuzk_error *err);
/* was_running: it had not ended. Takes effect within one task (50 ms). */
int cuzk_cancel(struct cuzk_engine *engine, int *was_running, const char *job_id,
                struct cuzk_error *err);

int cuzk_preload(struct cuzk_engine *engine, int *already_loaded, uint64_t *load_ms,
                 const char *circuit_id, struct cuzk_error *err);
int cuzk_evict(struct cuzk_engine *engine, int *was_loaded, uint64_t *freed_bytes,
               const char *circuit_id, struct cuzk_error *err);

/* ---- a consistent picture of everything, for GetStatus, /status, /metrics and the page ---- */

enum cuzk_partition_state {
    CUZK_P_PENDING,
    CUZK_P_SYNTHESIS,
    CUZK_P_SYNTHESISED,
    CUZK_P_NTT,
    CUZK_P_MSM,
    CUZK_P_VERIFY,
    CUZK_P_DONE,
    CUZK_P_FAILED
};

struct cuzk_partition_view {
    enum cuzk_partition_state state;
    uint64_t synthesis_ms, compute_ms; /* 0 until known */
};
struct cuzk_job_view {
    char id[160];
    enum cuzk_kind kind;
    enum cuzk_priority priority;
    enum cuzk_job_state state;
    uint64_t age_ms, started_ms_ago, ended_ms_ago; /* 0: not yet */
    uint64_t bill_bytes;
    struct cuzk_partition_view *partitions;
    size_t partitions_n;
    char message[600];
};
struct cuzk_srs_view {
    char circuit_id[16];
    uint64_t bytes, idle_ms;
    unsigned users;
    int evictable;
};
enum { CUZK_KINDS = 5 /* index 0 unused */, CUZK_DURATION_BUCKETS = 17 };
struct cuzk_histogram {
    uint64_t count, ms_sum;
    uint64_t bucket[CUZK_DURATION_BUCKETS]; /* at most cuzk_duration_bounds_ms[i]; cumulative */
};
extern const uint64_t cuzk_duration_bounds_ms[CUZK_DURATION_BUCKETS];
enum cuzk_stage { CUZK_S_SYNTHESIS, CUZK_S_NTT, CUZK_S_MSM, CUZK_S_VERIFY, CUZK_STAGES };
struct cuzk_kind_view {
    uint32_t pending, running;
    uint64_t completed, failed, cancelled;
    struct cuzk_histogram duration;           /* of completed jobs, from submission to end */
    struct cuzk_histogram stage[CUZK_STAGES]; /* of proven partitions */
};
struct cuzk_view {
    uint64_t uptime_ms;
    uint64_t memory_total, memory_used, memory_peak;
    unsigned threads, threads_busy;
    int draining;
    struct cuzk_job_view
        *jobs; /* waiting, running, and ended within keep_results_ms (the last 200) */
    size_t jobs_n;
    struct cuzk_srs_view *srs;
    size_t srs_n;
    struct cuzk_kind_view kind[CUZK_KINDS];
};
int cuzk_view_take(struct cuzk_engine *engine, struct cuzk_view *out, struct cuzk_error *err);
void cuzk_view_clean_up(struct cuzk_view *view);

/* What a job would take, before it is submitted ("cuzk plan"). */
struct cuzk_bill {
    uint64_t parameters_mapped_bytes; /* page cache, not billed */
    uint64_t input_bytes, assignment_bytes, transform_bytes, msm_bytes, total_bytes;
    unsigned partitions;
};
int cuzk_plan(struct cuzk_bill *out, const char *circuit_id, unsigned threads,
              struct cuzk_error *err);

/* Whether a job of the circuit with an input of the usual size, at its kind's own priority, could run in this engine if nothing else did:
 * CUZK_RESOURCE_EXHAUSTED "can-never-fit" with the figures if not. */
int cuzk_could_fit(struct cuzk_engine *engine, const char *circuit_id, enum cuzk_kind kind,
                   struct cuzk_error *err);

#ifdef __cplusplus
}
#endif
#endif
