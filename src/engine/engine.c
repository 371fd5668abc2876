/* The public calls. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/limits.h"
#include "base/rand.h"
#include "base/thread.h"
#include "engine/state.h"
#include "field/field.h"

#define MIB (UINT64_C(1) << 20)

void cuzk_config_init(struct cuzk_config *config)
{
    *config = (struct cuzk_config){
        .param_dir = "/var/tmp/filecoin-proof-parameters",
        .memory_safety_margin = UINT64_C(5) << 30,
        .eviction_min_idle_ms = 300000,
        .max_batch_size = 1,
        .max_batch_wait_ms = 10000,
        .queue_limit = 256,
        .keep_results_ms = UINT64_C(86400000),
    };
}

/* ---- Errors, time, events ---- */

static enum cuzk_status status_of(const struct error *err)
{
    switch (err->code) {
    case ERR_DATA:
    case ERR_USAGE:
        return CUZK_INVALID_ARGUMENT;
    case ERR_NO_INPUT:
    case ERR_NO_PERM:
    case ERR_CONFIG:
    case ERR_IO:
        return CUZK_FAILED_PRECONDITION;
    case ERR_TEMP_FAIL:
        return CUZK_RESOURCE_EXHAUSTED;
    case ERR_UNAVAILABLE:
        return strcmp(err->cause, "draining") == 0 ? CUZK_UNAVAILABLE : CUZK_UNIMPLEMENTED;
    case ERR_OS:
        return strcmp(err->cause, "can-never-fit") == 0 ? CUZK_RESOURCE_EXHAUSTED : CUZK_INTERNAL;
    default:
        return CUZK_INTERNAL;
    }
}

int engine_error(struct cuzk_error *out, const struct error *err)
{
    enum { RETRY_MS = 5000 };
    *out = (struct cuzk_error){.status = status_of(err), .cause = err->cause};
    out->retry_after_ms = err->code == ERR_TEMP_FAIL ? RETRY_MS : 0;
    snprintf(out->message, sizeof out->message, "%s", err->text);
    return (int)out->status;
}

int engine_refuse(struct cuzk_error *out, enum cuzk_status status, const char *cause,
                  const char *fmt, ...)
{
    va_list args;
    *out = (struct cuzk_error){.status = status, .cause = cause};
    va_start(args, fmt);
    vsnprintf(out->message, sizeof out->message, fmt, args);
    va_end(args);
    return (int)status;
}

static int accept(struct cuzk_error *out)
{
    *out = (struct cuzk_error){.status = CUZK_OK, .cause = ""};
    return CUZK_OK;
}

uint64_t engine_now_ms(const struct cuzk_engine *e)
{
    return e->began_ms + (clock_monotonic_ns() - e->began_ns) / 1000000;
}

void engine_event(struct cuzk_engine *e, const char *event, const char *job_id, const char *detail)
{
    if (e->timeline)
        e->timeline(e->timeline_ctx, engine_now_ms(e), event, job_id ? job_id : "",
                    detail ? detail : "");
}

/* ---- Opening and closing ---- */

static uint64_t memory_total(const struct cuzk_config *config)
{
    if (config->memory_total)
        return config->memory_total;
    uint64_t limit = limits_memory_bytes();
    uint64_t least = limit / 8 > 256 * MIB ? limit / 8 : 256 * MIB;
    uint64_t margin = config->memory_safety_margin < least ? config->memory_safety_margin : least;
    return limit > margin ? limit - margin : 0;
}

/* What one WinningPoSt of the largest usual size takes, as far as that is a small part of all. */
static uint64_t reserve(const struct backend *backend, unsigned threads, uint64_t total)
{
    struct backend_bill bill;
    struct error err;
    for (unsigned c = 0; c < backend->circuits; c++)
        if (strcmp(backend->circuit_id(c), "winning-32g") == 0 &&
            backend->bill(&bill, c, threads, &err) == 0) {
            uint64_t bytes = bill.keys_bytes + bill.assignment_bytes + bill.transform_bytes +
                             bill.msm_bytes + bill.input_bytes;
            return bytes < total / 8 ? bytes : total / 8;
        }
    return 0;
}

static void schedule_config(struct sched_config *out, const struct cuzk_engine *e,
                            const struct cuzk_config *config)
{
    unsigned threads = pool_threads(e->pool);
    *out = (struct sched_config){
        .memory_total = memory_total(config),
        .queue_limit = config->queue_limit,
        .max_in_flight = 2 + threads / 32,
        .max_batch = config->max_batch_size,
        .max_batch_wait_ms = config->max_batch_wait_ms,
        .keep_results_ms = config->keep_results_ms,
        .eviction_min_idle_ms = config->eviction_min_idle_ms,
    };
    out->reserve = reserve(e->backend, threads, out->memory_total);
}

static int copy_path(char **out, const char *path, struct error *err)
{
    *out = path ? strdup(path) : NULL;
    return !path || *out ? 0 : error_set(err, ERR_OS, "out-of-memory", "no memory for a path");
}

static int bill_circuits(struct cuzk_engine *e, struct error *err)
{
    assert(e->backend->circuits <= SCHED_CIRCUITS);
    for (unsigned c = 0; c < e->backend->circuits; c++) {
        struct backend_bill bill;
        if (e->backend->bill(&bill, c, pool_threads(e->pool), err) != 0)
            return err->code;
        e->sched.circuit[c].keys_bytes = bill.keys_bytes;
        e->sched.circuit[c].worker_bytes =
            bill.assignment_bytes + bill.transform_bytes + bill.msm_bytes;
        e->mapped_bytes[c] = bill.mapped_bytes;
    }
    return 0;
}

static int find_circuit(unsigned *out, const struct backend *backend, const char *id,
                        struct cuzk_error *err)
{
    for (unsigned c = 0; c < backend->circuits; c++)
        if (strcmp(backend->circuit_id(c), id) == 0) {
            *out = c;
            return CUZK_OK;
        }
    return engine_refuse(err, CUZK_NOT_FOUND, "circuit-unknown", "unknown circuit ID: %.60s", id);
}

static int want_preloads(struct cuzk_engine *e, const struct cuzk_config *config,
                         struct cuzk_error *err)
{
    for (const char *const *id = config->preload; id && *id; id++) {
        unsigned c;
        if (find_circuit(&c, e->backend, *id, err) != CUZK_OK)
            return (int)err->status;
        e->sched.circuit[c].wanted++;
    }
    return CUZK_OK;
}

/* Every priority may have its partitions in flight at once, and someone has to be left for what is short. */
static int start_runners(struct cuzk_engine *e, struct error *err)
{
    unsigned wanted = 4 * e->sched.config.max_in_flight + SCHED_LOADS + 2;
    if (wanted > ENGINE_RUNNERS_MAX)
        wanted = ENGINE_RUNNERS_MAX;
    for (; e->runners < wanted; e->runners++)
        if (thread_start(&e->runner[e->runners], engine_runner, e) != 0)
            return error_set(err, ERR_OS, "no-threads", "the system gave %u of %u threads",
                             e->runners, wanted);
    return 0;
}

static struct cuzk_engine *new_engine(const struct backend *backend)
{
    struct timespec wall;
    pthread_condattr_t attr;
    struct cuzk_engine *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    clock_gettime(CLOCK_REALTIME, &wall);
    e->began_ns = clock_monotonic_ns();
    e->began_ms = (uint64_t)wall.tv_sec * 1000 + (uint64_t)wall.tv_nsec / 1000000;
    e->backend = backend;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->work, &attr);
    pthread_cond_init(&e->changed, &attr);
    pthread_condattr_destroy(&attr);
    return e;
}

static int open_parts(struct cuzk_engine *e, const struct cuzk_config *config, struct error *err)
{
    struct sched_config sched;
    int rc = cpu_init(err);
    if (rc == 0) {
        field_init();
        rc = pool_new(&e->pool, config->threads, err);
    }
    if (rc != 0)
        return rc;
    schedule_config(&sched, e, config);
    sched_init(&e->sched, &sched);
    e->timeline = config->timeline;
    e->timeline_ctx = config->timeline_ctx;
    if ((rc = copy_path(&e->param_dir, config->param_dir, err)) != 0 ||
        (rc = copy_path(&e->capsule_dir, config->capsule_dir, err)) != 0 ||
        (rc = bill_circuits(e, err)) != 0)
        return rc;
    if (config->journal_path) {
        rc = journal_open(&e->journal, config->journal_path, err);
        if (rc == 0)
            rc = engine_restore(e, err);
    }
    return rc;
}

int engine_open_with(struct cuzk_engine **out, const struct cuzk_config *config,
                     const struct backend *backend, struct cuzk_error *cuzk_err)
{
    struct error err = {0};
    *out = NULL;
    struct cuzk_engine *e = new_engine(backend);
    if (!e)
        return engine_refuse(cuzk_err, CUZK_INTERNAL, "out-of-memory", "no memory for an engine");
    int rc = open_parts(e, config, &err);
    if (rc == 0 && want_preloads(e, config, cuzk_err) != CUZK_OK) {
        cuzk_engine_close(e);
        return (int)cuzk_err->status;
    }
    if (rc == 0)
        rc = start_runners(e, &err);
    if (rc != 0) {
        cuzk_engine_close(e);
        return engine_error(cuzk_err, &err);
    }
    *out = e;
    return accept(cuzk_err);
}

int cuzk_engine_open(struct cuzk_engine **out, const struct cuzk_config *config,
                     struct cuzk_error *err)
{
    return engine_open_with(out, config, &backend_cpu, err);
}

int cuzk_engine_reconfigure(struct cuzk_engine *e, const struct cuzk_config *config,
                            struct cuzk_error *cuzk_err)
{
    struct sched_config sched;
    struct error err;
    pthread_mutex_lock(&e->lock);
    schedule_config(&sched, e, config);
    int rc = sched_configure(&e->sched, &sched, &err);
    pthread_cond_broadcast(&e->work);
    pthread_mutex_unlock(&e->lock);
    return rc == 0 ? accept(cuzk_err) : engine_error(cuzk_err, &err);
}

static int is_quiet(const struct cuzk_engine *e)
{
    for (const struct job *job = e->sched.jobs.first; job; job = job->next) {
        int ended = job_state_ended(job->state);
        if (job->in_flight || (ended && !job->settled) || (!ended && !e->sched.stopping))
            return 0;
    }
    return e->sched.admitting == 0;
}

/* With the lock held, which it gives up meanwhile. */
static void begin_end(struct cuzk_engine *e)
{
    struct error err;
    int first = !e->sched.draining;
    e->sched.draining = 1;
    pthread_cond_broadcast(&e->work);
    pthread_cond_broadcast(&e->changed);
    if (!first || !e->journal)
        return;
    e->inside++;
    pthread_mutex_unlock(&e->lock);
    if (journal_count_no_more(e->journal, &err) != 0)
        engine_event(e, "journal-failed", NULL, err.text);
    pthread_mutex_lock(&e->lock);
    e->inside--;
    pthread_cond_broadcast(&e->changed);
}

void cuzk_engine_drain(struct cuzk_engine *e)
{
    pthread_mutex_lock(&e->lock);
    begin_end(e);
    e->inside++;
    while (!is_quiet(e))
        pthread_cond_wait(&e->changed, &e->lock);
    e->inside--;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

void cuzk_engine_stop(struct cuzk_engine *e)
{
    pthread_mutex_lock(&e->lock);
    begin_end(e); /* first, lest what gives up takes counted deaths with it */
    e->sched.stopping = 1;
    pthread_cond_broadcast(&e->work);
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

static void free_everything(struct cuzk_engine *e)
{
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        if (e->sched.worker[i].caller)
            e->backend->worker_destroy(e->sched.worker[i].caller);
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++)
        if (e->keys[c])
            e->backend->keys_close(e->keys[c]);
    for (struct job *job = e->sched.jobs.first; job; job = job->next) {
        struct job_extra *extra = job->caller;
        if (job->input)
            e->backend->input_free(job->input);
        if (extra)
            free(extra->payload.data);
        free(extra);
    }
    if (e->sched.jobs.last)
        sched_clean_up(&e->sched);
    journal_close(e->journal);
    pool_destroy(e->pool);
    free(e->param_dir);
    free(e->capsule_dir);
    pthread_cond_destroy(&e->work);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

/* Those whose jobs will not end in this engine are told so. */
static void dismiss_watches(struct cuzk_engine *e)
{
    while (e->watches) {
        struct watch *w = e->watches;
        struct cuzk_result result = {.state = w->job->state};
        snprintf(result.message, sizeof result.message, "the engine was closed");
        e->watches = w->next;
        w->done(w->ctx, &result);
        free(w);
    }
}

void cuzk_engine_close(struct cuzk_engine *e)
{
    if (!e)
        return;
    cuzk_engine_stop(e);
    pthread_mutex_lock(&e->lock);
    e->closing = 1;
    pthread_cond_broadcast(&e->work);
    pthread_cond_broadcast(&e->changed);
    while (e->inside)
        pthread_cond_wait(&e->changed, &e->lock);
    pthread_mutex_unlock(&e->lock);
    for (unsigned i = 0; i < e->runners; i++)
        pthread_join(e->runner[i], NULL);
    dismiss_watches(e);
    free_everything(e);
}

/* ---- Submitting ---- */

static int check_request(const struct cuzk_request *r, struct cuzk_error *err)
{
    if (r->kind < CUZK_POREP || r->kind > CUZK_WINNING_POST)
        return engine_refuse(err, CUZK_INVALID_ARGUMENT, "kind-unknown", "invalid proof_kind: %d",
                             (int)r->kind);
    if (r->request_id && strlen(r->request_id) >= JOB_NAME_MAX)
        return engine_refuse(err, CUZK_INVALID_ARGUMENT, "request-id-too-long",
                             "request_id: %zu bytes, at most %d are allowed", strlen(r->request_id),
                             JOB_NAME_MAX - 1);
    return CUZK_OK;
}

/* A UUID of version 4. */
static int draw_id(char out[JOB_NAME_MAX], struct error *err)
{
    uint8_t b[16];
    if (rand_fill(b, sizeof b) != 0)
        return error_set(err, ERR_OS, "no-randomness", "getrandom failed");
    b[6] = (uint8_t)(0x40 | (b[6] & 0xf));
    b[8] = (uint8_t)(0x80 | (b[8] & 0x3f));
    snprintf(out, JOB_NAME_MAX,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
    return 0;
}

/* One submission on its way. */
struct submission {
    struct cuzk_engine *e;
    const struct cuzk_request *request;
    struct request_bytes bytes;
    uint8_t hash[JOB_HASH_BYTES];
    char request_id[JOB_NAME_MAX];
    struct sched_request ask;
    struct backend_input input;
    char *job_id;
    uint32_t *position;
};

/* With the lock held; 1: attached, and the name is journalled. */
static int attach(struct submission *sub, struct error *err)
{
    struct cuzk_engine *e = sub->e;
    const struct job_name *name;
    int changed = 0;
    int rc = sched_attach(&name, &changed, &e->sched, &sub->ask, err);
    if (rc != 0 || !name)
        return rc;
    struct job *job = name->job;
    char base[JOB_NAME_MAX];
    unsigned n = name->n;
    uint64_t seq = job->seq, deadline = job->deadline_ms;
    enum cuzk_priority priority = job->priority;
    memcpy(base, name->base, sizeof base);
    memcpy(sub->job_id, name->text, JOB_NAME_MAX);
    *sub->position = job->state == CUZK_QUEUED ? sched_position(&e->sched, job) : 0;
    if (changed)
        engine_rank(e, job);
    job->holds++;
    pthread_cond_broadcast(&e->work); /* it may have become more urgent */
    pthread_mutex_unlock(&e->lock);
    if (changed && e->journal)
        rc = journal_add_name(e->journal, seq, base, n, priority, deadline, err);
    engine_event(e, "attached", sub->job_id, NULL);
    pthread_mutex_lock(&e->lock);
    job->holds--;
    pthread_cond_broadcast(&e->work);
    return rc ? rc : 1;
}

/* With the lock held: the job is in the table, and starts when the journal has it. */
static int admit(struct submission *sub, struct error *err)
{
    struct cuzk_engine *e = sub->e;
    const struct job_name *name;
    struct error journal_err = {0};
    struct journal_job record;
    int rc = sched_submit(&name, &e->sched, engine_now_ms(e), &sub->ask, sub->input.input, err);
    if (rc != 0)
        return rc;
    struct job *job = name->job;
    char base[JOB_NAME_MAX];
    unsigned n = name->n;
    memcpy(base, name->base, sizeof base);
    memcpy(sub->job_id, name->text, JOB_NAME_MAX);
    *sub->position = sched_position(&e->sched, job);
    sub->input.input = NULL;
    if (e->capsule_dir && !e->journal) {
        struct job_extra *extra = calloc(1, sizeof *extra);
        if (extra) {
            extra->payload = sub->bytes;
            sub->bytes = (struct request_bytes){0};
        }
        job->caller = extra;
    }
    engine_journal_job(&record, e, job);
    job->holds++;
    pthread_mutex_unlock(&e->lock);
    if (e->journal)
        rc = journal_add_job(e->journal, &record, sub->bytes.data, sub->bytes.n, base, n,
                             &journal_err);
    engine_event(e, "submitted", sub->job_id, e->backend->circuit_id(sub->ask.circuit));
    pthread_mutex_lock(&e->lock);
    job->holds--;
    job->admitted = 1;
    if (rc != 0)
        sched_fail(&e->sched, engine_now_ms(e), job, journal_err.text);
    pthread_cond_broadcast(&e->work);
    pthread_cond_broadcast(&e->changed);
    return 0;
}

/* Without the lock: bytes to an input that has been checked, and parameters that are there. */
static int decode(struct submission *sub, struct error *err)
{
    struct cuzk_engine *e = sub->e;
    pool_enter(e->pool, engine_class(sub->ask.priority) + 1, 0);
    int rc = e->backend->decode(&sub->input, sub->request, e->pool, err);
    pool_leave(e->pool);
    if (rc == 0)
        rc = e->backend->available(sub->input.circuit, e->param_dir, err);
    sub->ask.circuit = sub->input.circuit;
    sub->ask.first = sub->input.first;
    sub->ask.partitions_n = sub->input.partitions;
    return rc;
}

/* With the lock held when it begins and ends. */
static int submit(struct submission *sub, struct error *err)
{
    struct cuzk_engine *e = sub->e;
    uint64_t bytes = sub->ask.input_bytes;
    int rc = e->sched.draining ? 0 : attach(sub, err);
    if (rc == 0)
        rc = sched_reserve(&e->sched, bytes, sched_claim(sub->ask.kind, sub->ask.priority), err);
    if (rc != 0)
        return rc;
    pthread_mutex_unlock(&e->lock);
    rc = decode(sub, err);
    pthread_mutex_lock(&e->lock);
    if (rc == 0)
        rc = attach(sub, err);
    if (rc == 0 && (rc = admit(sub, err)) == 0)
        return 0;
    void *input = sub->input.input;
    pthread_mutex_unlock(&e->lock);
    if (input)
        e->backend->input_free(input);
    pthread_mutex_lock(&e->lock);
    sched_unreserve(&e->sched, bytes);
    return rc;
}

int cuzk_submit(struct cuzk_engine *e, char job_id[160], uint32_t *queue_position,
                const struct cuzk_request *request, struct cuzk_error *cuzk_err)
{
    struct error err = {0};
    struct submission sub = {
        .e = e, .request = request, .job_id = job_id, .position = queue_position};
    *job_id = 0;
    *queue_position = 0;
    if (check_request(request, cuzk_err) != CUZK_OK)
        return (int)cuzk_err->status;
    int rc = 0;
    if (request->request_id && *request->request_id)
        snprintf(sub.request_id, sizeof sub.request_id, "%s", request->request_id);
    else
        rc = draw_id(sub.request_id, &err);
    if (rc == 0)
        rc = request_encode(&sub.bytes, request, &err);
    if (rc == 0) {
        request_hash(sub.hash, &sub.bytes);
        sub.ask = (struct sched_request){
            .request_id = sub.request_id,
            .hash = sub.hash,
            .kind = request->kind,
            .priority = request_priority(request),
            .deadline_ms = request->deadline_ms ? engine_now_ms(e) + request->deadline_ms : 0,
            .input_bytes = request_input_bytes(&sub.bytes),
        };
        pthread_mutex_lock(&e->lock);
        e->inside++;
        rc = submit(&sub, &err);
        e->inside--;
        pthread_cond_broadcast(&e->work);
        pthread_cond_broadcast(&e->changed);
        pthread_mutex_unlock(&e->lock);
    }
    free(sub.bytes.data);
    return rc < 0 ? engine_error(cuzk_err, &err) : accept(cuzk_err);
}

/* ---- Waiting ---- */

/* With the lock held. */
static struct job *find(struct cuzk_engine *e, const char *job_id, struct cuzk_error *err)
{
    struct job *job = jobs_find(&e->sched.jobs, job_id);
    if (!job)
        engine_refuse(err, CUZK_NOT_FOUND, "job-unknown", "job not found: %.150s", job_id);
    return job;
}

static struct timespec moment(uint64_t timeout_ms)
{
    const uint64_t most_ms = UINT64_C(1) << 40;
    uint64_t ns = clock_monotonic_ns() + (timeout_ms < most_ms ? timeout_ms : most_ms) * 1000000;
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* With the lock held. */
static int wait_settled(struct cuzk_engine *e, struct job *job, uint64_t timeout_ms,
                        struct cuzk_error *err)
{
    struct timespec until = moment(timeout_ms);
    int timed_out = 0;
    job->holds++;
    e->inside++;
    while (!job->settled && !e->closing && !timed_out) {
        if (timeout_ms == 0)
            pthread_cond_wait(&e->changed, &e->lock);
        else
            timed_out = pthread_cond_timedwait(&e->changed, &e->lock, &until) != 0;
    }
    job->holds--;
    e->inside--;
    pthread_cond_broadcast(&e->work);
    if (e->closing)
        pthread_cond_broadcast(&e->changed);
    if (job->settled)
        return accept(err);
    if (e->closing)
        return engine_refuse(err, CUZK_UNAVAILABLE, "closing", "the engine was closed");
    return engine_refuse(err, CUZK_DEADLINE_EXCEEDED, "await-timeout",
                         "the job has not ended after %" PRIu64 " ms; it goes on", timeout_ms);
}

void cuzk_result_clean_up(struct cuzk_result *result)
{
    free(result->proof);
    *result = (struct cuzk_result){0};
}

int cuzk_await(struct cuzk_engine *e, struct cuzk_result *out, const char *job_id,
               uint64_t timeout_ms, struct cuzk_error *cuzk_err)
{
    struct error err = {0};
    int status;
    *out = (struct cuzk_result){0};
    pthread_mutex_lock(&e->lock);
    struct job *job = find(e, job_id, cuzk_err);
    status = job ? wait_settled(e, job, timeout_ms, cuzk_err) : (int)cuzk_err->status;
    if (status == CUZK_OK && engine_result(out, job, &err) != 0)
        status = engine_error(cuzk_err, &err);
    else if (status != CUZK_OK && job)
        out->state = job->state;
    pthread_mutex_unlock(&e->lock);
    return status;
}

int cuzk_on_done(struct cuzk_engine *e, const char *job_id,
                 void (*done)(void *ctx, const struct cuzk_result *result), void *ctx,
                 struct cuzk_error *cuzk_err)
{
    struct error err = {0};
    struct cuzk_result result;
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        return engine_refuse(cuzk_err, CUZK_INTERNAL, "out-of-memory", "no memory to wait");
    pthread_mutex_lock(&e->lock);
    struct job *job = find(e, job_id, cuzk_err);
    int ended = job && job->settled, rc = ended ? engine_result(&result, job, &err) : 0;
    if (job && !ended) {
        *w = (struct watch){e->watches, job, done, ctx};
        e->watches = w;
        job->holds++;
    } else {
        free(w);
    }
    pthread_mutex_unlock(&e->lock);
    if (!job)
        return (int)cuzk_err->status;
    if (rc != 0)
        return engine_error(cuzk_err, &err);
    if (ended) {
        done(ctx, &result);
        cuzk_result_clean_up(&result);
    }
    return accept(cuzk_err);
}

int cuzk_hasten(struct cuzk_engine *e, const char *job_id, uint64_t deadline_ms,
                struct cuzk_error *err)
{
    pthread_mutex_lock(&e->lock);
    struct job *job = find(e, job_id, err);
    if (job && sched_hasten(job, engine_now_ms(e) + deadline_ms))
        engine_rank(e, job);
    pthread_mutex_unlock(&e->lock);
    return job ? accept(err) : (int)err->status;
}

int cuzk_cancel(struct cuzk_engine *e, int *was_running, const char *job_id, struct cuzk_error *err)
{
    *was_running = 0;
    pthread_mutex_lock(&e->lock);
    struct job *job = find(e, job_id, err);
    int status = job ? CUZK_OK : (int)err->status;
    if (job) {
        *was_running = sched_cancel(&e->sched, engine_now_ms(e), job);
        pthread_cond_broadcast(&e->work);
        status = wait_settled(e, job, 0, err);
    }
    pthread_mutex_unlock(&e->lock);
    return status;
}

/* ---- Parameters ---- */

/* With the lock held, until a load that is wanted has ended. */
static int wait_loaded(struct cuzk_engine *e, unsigned c, struct cuzk_error *err)
{
    struct sched_circuit *k = &e->sched.circuit[c];
    e->inside++;
    while (k->wanted && !e->sched.stopping)
        pthread_cond_wait(&e->changed, &e->lock);
    e->inside--;
    if (e->closing)
        pthread_cond_broadcast(&e->changed);
    if (k->wanted)
        return engine_refuse(err, CUZK_UNAVAILABLE, "closing", "the engine is stopping");
    if (*e->load_failure[c])
        return engine_refuse(err, CUZK_FAILED_PRECONDITION, "params-unusable", "%s",
                             e->load_failure[c]);
    return accept(err);
}

int cuzk_preload(struct cuzk_engine *e, int *already_loaded, uint64_t *load_ms,
                 const char *circuit_id, struct cuzk_error *cuzk_err)
{
    struct error err = {0};
    unsigned c;
    *already_loaded = 0;
    *load_ms = 0;
    if (find_circuit(&c, e->backend, circuit_id, cuzk_err) != CUZK_OK)
        return (int)cuzk_err->status;
    if (e->backend->available(c, e->param_dir, &err) != 0)
        return engine_error(cuzk_err, &err);
    pthread_mutex_lock(&e->lock);
    struct sched_circuit *k = &e->sched.circuit[c];
    int status;
    if (k->residency == SCHED_LOADED && !k->stale && !k->evict) {
        *already_loaded = 1;
        k->idle_since_ms = engine_now_ms(e);
        status = accept(cuzk_err);
    } else if (!budget_could_fit(&e->sched.budget, k->keys_bytes, BUDGET_ORDINARY)) {
        status = engine_refuse(cuzk_err, CUZK_RESOURCE_EXHAUSTED, "can-never-fit",
                               "%s takes %" PRIu64 " bytes, the memory budget is %" PRIu64,
                               circuit_id, k->keys_bytes, e->sched.budget.total);
    } else {
        k->wanted++;
        pthread_cond_broadcast(&e->work);
        status = wait_loaded(e, c, cuzk_err);
        *load_ms = status == CUZK_OK ? k->load_ms : 0;
    }
    pthread_mutex_unlock(&e->lock);
    return status;
}

int cuzk_evict(struct cuzk_engine *e, int *was_loaded, uint64_t *freed_bytes,
               const char *circuit_id, struct cuzk_error *cuzk_err)
{
    struct error err = {0};
    unsigned c;
    *was_loaded = 0;
    *freed_bytes = 0;
    if (find_circuit(&c, e->backend, circuit_id, cuzk_err) != CUZK_OK)
        return (int)cuzk_err->status;
    pthread_mutex_lock(&e->lock);
    int rc = sched_evict(&e->sched, c, &err);
    if (rc == 1) {
        struct sched_circuit *k = &e->sched.circuit[c];
        unsigned loads = k->loads;
        *was_loaded = 1;
        *freed_bytes = e->mapped_bytes[c];
        pthread_cond_broadcast(&e->work);
        e->inside++;
        while (k->loads == loads && k->residency != SCHED_ABSENT && !e->closing)
            pthread_cond_wait(&e->changed, &e->lock);
        e->inside--;
        if (e->closing)
            pthread_cond_broadcast(&e->changed);
    }
    pthread_mutex_unlock(&e->lock);
    if (rc < 0)
        return engine_refuse(cuzk_err, CUZK_FAILED_PRECONDITION, err.cause, "%s: %s", circuit_id,
                             err.text);
    return accept(cuzk_err);
}

int cuzk_plan(struct cuzk_bill *out, const char *circuit_id, unsigned threads,
              struct cuzk_error *cuzk_err)
{
    struct error err = {0};
    struct backend_bill bill;
    unsigned c;
    *out = (struct cuzk_bill){0};
    if (find_circuit(&c, &backend_cpu, circuit_id, cuzk_err) != CUZK_OK)
        return (int)cuzk_err->status;
    if (backend_cpu.bill(&bill, c, threads ? threads : limits_cpus(), &err) != 0)
        return engine_error(cuzk_err, &err);
    *out = (struct cuzk_bill){
        .parameters_mapped_bytes = bill.mapped_bytes,
        .input_bytes = bill.input_bytes,
        .assignment_bytes = bill.assignment_bytes,
        .transform_bytes = bill.transform_bytes,
        .msm_bytes = bill.msm_bytes,
        .total_bytes = bill.keys_bytes + bill.input_bytes + bill.assignment_bytes +
                       bill.transform_bytes + bill.msm_bytes,
        .partitions = bill.partitions,
    };
    return accept(cuzk_err);
}

int cuzk_could_fit(struct cuzk_engine *e, const char *circuit_id, enum cuzk_kind kind,
                   struct cuzk_error *cuzk_err)
{
    const struct cuzk_request request = {.kind = kind};
    struct error err = {0};
    struct backend_bill bill;
    unsigned c;
    if (find_circuit(&c, e->backend, circuit_id, cuzk_err) != CUZK_OK)
        return (int)cuzk_err->status;
    int rc = e->backend->bill(&bill, c, pool_threads(e->pool), &err);
    pthread_mutex_lock(&e->lock);
    if (rc == 0)
        rc = sched_could_fit(&e->sched, c, bill.input_bytes,
                             sched_claim(kind, request_priority(&request)), &err);
    pthread_mutex_unlock(&e->lock);
    return rc == 0 ? accept(cuzk_err) : engine_error(cuzk_err, &err);
}
