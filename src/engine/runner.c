/* The threads that carry out what the scheduler decides. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "engine/capsule.h"
#include "engine/state.h"

/* ---- The end of jobs ---- */

int engine_result(struct cuzk_result *out, const struct job *job, struct error *err)
{
    *out = (struct cuzk_result){.state = job->state};
    snprintf(out->message, sizeof out->message, "%s", job->message);
    out->srs_load_ms = job->srs_load_ms;
    if (job->started_ms)
        out->queue_wait_ms = job->started_ms - job->submitted_ms;
    if (job->ended_ms)
        out->total_ms = job->ended_ms - job->submitted_ms;
    for (unsigned i = 0; i < job->partitions_n; i++) {
        out->synthesis_ms += job->partitions[i].synthesis_ms;
        out->compute_ms += job->partitions[i].compute_ms;
    }
    if (job->state != CUZK_COMPLETED)
        return 0;
    out->proof_n = (size_t)job->partitions_n * PROOF_BYTES;
    out->proof = malloc(out->proof_n);
    if (!out->proof)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a proof");
    for (unsigned i = 0; i < job->partitions_n; i++)
        memcpy(out->proof + (size_t)i * PROOF_BYTES, job->partitions[i].proof, PROOF_BYTES);
    return 0;
}

static struct watch *take_watches(struct cuzk_engine *e, const struct job *job)
{
    struct watch *taken = NULL;
    for (struct watch **link = &e->watches; *link;) {
        struct watch *w = *link;
        if (w->job == job) {
            *link = w->next;
            w->next = taken;
            taken = w;
        } else {
            link = &w->next;
        }
    }
    return taken;
}

static const char *end_event(enum cuzk_job_state state)
{
    return state == CUZK_COMPLETED ? "completed" : state == CUZK_FAILED ? "failed" : "cancelled";
}

/* Journal first, then show. The job stays: a watch holds it, and the scheduler waits for sched_settled. */
static void settle(struct cuzk_engine *e, struct job *job)
{
    struct error err = {0};
    char id[JOB_NAME_MAX], message[JOB_MESSAGE_MAX];
    uint64_t seq = job->seq, ended = job->ended_ms;
    enum cuzk_job_state state = job->state;
    snprintf(id, sizeof id, "%s", jobs_name_of(&e->sched.jobs, job));
    snprintf(message, sizeof message, "%s", job->message);
    pthread_mutex_unlock(&e->lock);
    if (e->journal && journal_set_state(e->journal, seq, state, ended, message, &err) != 0)
        engine_event(e, "journal-failed", id, err.text);
    engine_event(e, end_event(state), id, message);
    pthread_mutex_lock(&e->lock);
    struct watch *watches = take_watches(e, job);
    sched_settled(&e->sched, job);
    pthread_cond_broadcast(&e->changed);
    while (watches) {
        struct watch *w = watches;
        struct cuzk_result result;
        int rc = engine_result(&result, job, &err);
        if (rc != 0)
            snprintf(result.message, sizeof result.message, "%s", err.text);
        watches = w->next;
        pthread_mutex_unlock(&e->lock);
        w->done(w->ctx, &result);
        cuzk_result_clean_up(&result);
        free(w);
        pthread_mutex_lock(&e->lock);
        job->holds--;
    }
}

static void free_input(struct cuzk_engine *e, struct job *job)
{
    struct job_extra *extra = job->caller;
    void *input = job->input;
    job->caller = NULL;
    pthread_mutex_unlock(&e->lock);
    if (input)
        e->backend->input_free(input);
    if (extra)
        free(extra->payload.data);
    free(extra);
    pthread_mutex_lock(&e->lock);
    sched_input_freed(&e->sched, job);
}

static void forget(struct cuzk_engine *e, struct job *job)
{
    struct error err = {0};
    uint64_t seq = job->seq;
    pthread_mutex_unlock(&e->lock);
    if (e->journal && journal_forget(e->journal, seq, &err) != 0)
        engine_event(e, "journal-failed", NULL, err.text);
    pthread_mutex_lock(&e->lock);
    sched_forgotten(&e->sched, job);
}

/* ---- Keys ---- */

/* As urgent as the most urgent job that waits for it, and before that class's partitions. */
static unsigned load_class(const struct cuzk_engine *e, unsigned c)
{
    enum cuzk_priority most = CUZK_NORMAL;
    for (const struct job *job = e->sched.jobs.first; job; job = job->next)
        if (job->circuit == c && !job_state_ended(job->state) && job->priority > most)
            most = job->priority;
    return engine_class(most) + 1;
}

static void load(struct cuzk_engine *e, unsigned c)
{
    unsigned class = load_class(e, c);
    struct error err = {0};
    void *keys = NULL;
    const char *id = e->backend->circuit_id(c);
    pthread_mutex_unlock(&e->lock);
    engine_event(e, "srs-load", NULL, id);
    uint64_t since = clock_monotonic_ns();
    pool_enter(e->pool, class, 0);
    int rc = e->backend->keys_open(&keys, c, e->param_dir, e->pool, &err);
    pool_leave(e->pool);
    uint64_t took = (clock_monotonic_ns() - since) / 1000000;
    engine_event(e, rc == 0 ? "srs-loaded" : "srs-failed", NULL, rc == 0 ? id : err.text);
    pthread_mutex_lock(&e->lock);
    e->keys[c] = keys;
    snprintf(e->load_failure[c], sizeof e->load_failure[c], "%s", rc == 0 ? "" : err.text);
    sched_loaded(&e->sched, engine_now_ms(e), c, took, rc == 0 ? NULL : err.text);
    pthread_cond_broadcast(&e->changed);
}

static void unload(struct cuzk_engine *e, unsigned c)
{
    void *keys = e->keys[c];
    e->keys[c] = NULL;
    pthread_mutex_unlock(&e->lock);
    e->backend->keys_close(keys);
    engine_event(e, "srs-unloaded", NULL, e->backend->circuit_id(c));
    pthread_mutex_lock(&e->lock);
    sched_unloaded(&e->sched, c);
    pthread_cond_broadcast(&e->changed);
}

static void drop(struct cuzk_engine *e, unsigned worker)
{
    void *memory = e->sched.worker[worker].caller;
    e->sched.worker[worker].caller = NULL;
    pthread_mutex_unlock(&e->lock);
    e->backend->worker_destroy(memory);
    pthread_mutex_lock(&e->lock);
    sched_dropped(&e->sched, worker);
}

/* ---- Proving ---- */

static void take_off(struct flight *f, const struct job *job)
{
    struct cuzk_engine *e = f->e;
    atomic_init(&f->rank.class, engine_class(job->priority));
    atomic_init(&f->rank.order, engine_order(job));
    snprintf(f->id, sizeof f->id, "%s", jobs_name_of(&e->sched.jobs, job));
    f->next = e->flights;
    e->flights = f;
}

static void land(struct flight *f)
{
    struct flight **link = &f->e->flights;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
}

void engine_rank(struct cuzk_engine *e, const struct job *job)
{
    for (struct flight *f = e->flights; f; f = f->next)
        if (f->job == job)
            pool_rank(e->pool, &f->rank, engine_class(job->priority), engine_order(job));
}

static void end_stage(struct flight *f)
{
    uint64_t now = clock_monotonic_ns();
    f->stage_ns[f->stage] += now - f->stage_since_ns; /* a proof that is made again counts twice */
    f->stage_since_ns = now;
}

static void show_stage(struct flight *f, enum cuzk_stage stage)
{
    static const struct {
        enum cuzk_partition_state state;
        const char *event;
    } shown[] = {[CUZK_S_SYNTHESIS] = {CUZK_P_SYNTHESIS, "synthesis"},
                 [CUZK_S_NTT] = {CUZK_P_NTT, "ntt"},
                 [CUZK_S_MSM] = {CUZK_P_MSM, "msm"},
                 [CUZK_S_VERIFY] = {CUZK_P_VERIFY, "verify"}};
    char detail[32];
    f->stage = stage;
    f->note.stage = shown[stage].event;
    pthread_mutex_lock(&f->e->lock);
    f->job->partitions[f->partition].state = shown[stage].state;
    pthread_mutex_unlock(&f->e->lock);
    snprintf(detail, sizeof detail, "partition %u", f->partition);
    engine_event(f->e, shown[stage].event, f->id, detail);
}

static void show_end(const struct flight *f, int rc, const struct error *err)
{
    char detail[sizeof err->text + 32];
    snprintf(detail, sizeof detail, rc == 0 ? "partition %u" : "partition %u: %s", f->partition,
             err->text);
    engine_event(f->e, rc == 0 ? "partition-done" : "partition-failed", f->id, detail);
}

static void flight_event(void *ctx, struct progress *p, enum progress_event event, uint64_t done)
{
    struct flight *f = ctx;
    int sums = strcmp(p->what, "summing points") == 0;
    (void)done;
    if (event == PROGRESS_STEP || (!sums && strcmp(p->what, "making H") != 0))
        return;
    end_stage(f);
    if (event == PROGRESS_BEGIN)
        show_stage(f, sums ? CUZK_S_MSM : CUZK_S_NTT);
    else if (sums)
        show_stage(f, CUZK_S_VERIFY);
}

static int flight_cancelled(void *ctx)
{
    struct flight *f = ctx;
    pthread_mutex_lock(&f->e->lock);
    int yes = sched_abandons(&f->e->sched, f->job);
    pthread_mutex_unlock(&f->e->lock);
    return yes;
}

/* The job's request, as it was journalled or kept; data NULL: gone, or no memory. */
static void copy_payload(struct request_bytes *out, struct cuzk_engine *e, const struct flight *f,
                         uint64_t seq)
{
    struct error err;
    const struct job_extra *extra = f->job->caller;
    *out = (struct request_bytes){0};
    if (extra && extra->payload.data) {
        out->n = extra->payload.n;
        out->data = malloc(out->n);
        if (out->data)
            memcpy(out->data, extra->payload.data, out->n);
    } else if (e->journal) {
        journal_payload(&out->data, &out->n, e->journal, seq, &err);
    }
}

static void write_capsule(struct cuzk_engine *e, const struct flight *f, uint64_t seq,
                          const struct error *cause)
{
    struct error err = {0};
    struct request_bytes payload;
    char path[4096], report[2000], id[4 * sizeof f->id];
    if (!e->capsule_dir)
        return;
    snprintf(report, sizeof report,
             "cuzk %s\nbuild %s\njob %s\ncircuit %s\npartition %u\ncause %s\n%s\n", CUZK_VERSION,
             crash_build_id(), text_printable(id, sizeof id, f->id),
             e->backend->circuit_id(f->job->circuit), f->partition, cause->cause, cause->text);
    const struct capsule capsule = {
        e->capsule_dir, seq, f->partition, f->job->first + f->partition, report, e->param_dir};
    copy_payload(&payload, e, f, seq);
    int rc = payload.data ? capsule_write(path, &capsule, &payload, &err)
                          : error_set(&err, ERR_NO_INPUT, "request-gone", "no request is kept");
    free(payload.data);
    engine_event(e, rc == 0 ? "capsule" : "capsule-failed", f->id, rc == 0 ? path : err.text);
}

/* Even if the second attempt was right: a machine that computes wrongly needs its owner's attention. */
static void show_faults(const struct flight *f, unsigned faults)
{
    char detail[100];
    if (faults == 0)
        return;
    snprintf(detail, sizeof detail, "partition %u: %u of 2 proofs did not verify", f->partition,
             faults);
    engine_event(f->e, "self-check-fault", f->id, detail);
}

static int prove_partition(struct job_partition *out, struct flight *f, void **worker, void *keys,
                           struct error *err)
{
    struct cuzk_engine *e = f->e;
    struct progress_sink sink = {flight_event, f, flight_cancelled};
    struct backend_times times = {0};
    char what[JOB_NAME_MAX + 64];
    int rc = 0;
    if (!e->backend->keys_current(keys))
        return error_set(err, ERR_TEMP_FAIL, "params-replaced", "the parameter file has changed");
    snprintf(what, sizeof what, "job %s, partition %u of %s", f->id, f->partition,
             e->backend->circuit_id(f->job->circuit));
    crash_note_begin(&f->note, what);
    pool_enter_at(e->pool, &f->rank);
    f->stage_since_ns = clock_monotonic_ns();
    show_stage(f, CUZK_S_SYNTHESIS);
    if (!*worker)
        rc = e->backend->worker_new(worker, keys, e->pool, err);
    if (rc == 0)
        rc = e->backend->prove(out->proof, &times, *worker, f->job->input,
                               f->job->first + f->partition, &sink, err);
    end_stage(f);
    pool_leave(e->pool);
    show_faults(f, times.faults);
    crash_note_end(&f->note);
    out->state = CUZK_P_DONE;
    out->synthesis_ms = times.synthesis_ms;
    out->compute_ms = times.compute_ms;
    return rc;
}

/* How an attempt ended; result NULL: without a proof. */
static int journal_attempt(struct journal *j, uint64_t seq, unsigned partition,
                           const struct job_partition *result, struct error *err)
{
    return result ? journal_add_partition(j, seq, partition, result, err)
                  : journal_end_attempt(j, seq, partition, err);
}

static void prove(struct cuzk_engine *e, const struct sched_action *a)
{
    struct error err = {0}, journal_err;
    struct job_partition result = {0};
    struct flight f = {.e = e, .job = a->job, .partition = a->partition};
    void *worker = e->sched.worker[a->worker].caller, *keys = e->keys[a->circuit];
    uint64_t seq = a->job->seq;
    take_off(&f, a->job);
    pthread_mutex_unlock(&e->lock);
    if (e->journal && journal_begin_attempt(e->journal, seq, a->partition, &journal_err) != 0)
        engine_event(e, "journal-failed", f.id, journal_err.text);
    int rc = prove_partition(&result, &f, &worker, keys, &err);
    if (e->journal &&
        journal_attempt(e->journal, seq, a->partition, rc == 0 ? &result : NULL, &journal_err) != 0)
        engine_event(e, "journal-failed", f.id, journal_err.text);
    if (rc == ERR_SOFTWARE)
        write_capsule(e, &f, seq, &err);
    show_end(&f, rc, &err);
    pthread_mutex_lock(&e->lock);
    land(&f);
    e->sched.worker[a->worker].caller = worker;
    struct sched_report report = {
        .outcome = rc == 0               ? SCHED_PROVEN
                   : rc == ERR_TEMP_FAIL ? SCHED_ABANDONED
                                         : SCHED_FAILED,
        .proof = result.proof,
        .synthesis_ms = result.synthesis_ms,
        .compute_ms = result.compute_ms,
        .message = err.text,
        .stale = rc != 0 && rc != ERR_OS && strcmp(err.cause, "cancelled") != 0,
    };
    for (unsigned i = 0; i < CUZK_STAGES; i++)
        report.stage_ms[i] = f.stage_ns[i] / 1000000;
    sched_proved(&e->sched, engine_now_ms(e), a->job, a->partition, a->worker, &report);
    pthread_cond_broadcast(&e->changed);
}

/* ---- The loop ---- */

static void perform(struct cuzk_engine *e, const struct sched_action *a)
{
    switch (a->kind) {
    case SCHED_SETTLE:
        settle(e, a->job);
        break;
    case SCHED_FREE_INPUT:
        free_input(e, a->job);
        break;
    case SCHED_FORGET:
        forget(e, a->job);
        break;
    case SCHED_LOAD:
        load(e, a->circuit);
        break;
    case SCHED_UNLOAD:
        unload(e, a->circuit);
        break;
    case SCHED_DROP:
        drop(e, a->worker);
        break;
    case SCHED_PROVE:
        prove(e, a);
        break;
    case SCHED_WAIT:
        break;
    }
    pthread_cond_broadcast(&e->work);
}

static void wait_for_work(struct cuzk_engine *e, uint64_t wake_ms)
{
    if (!wake_ms) {
        pthread_cond_wait(&e->work, &e->lock);
        return;
    }
    const uint64_t day_ms = 86400000;
    uint64_t in_ms = wake_ms > e->began_ms ? wake_ms - e->began_ms + 1 : 0,
             now_ms = engine_now_ms(e) - e->began_ms;
    if (in_ms > now_ms + day_ms)
        in_ms = now_ms + day_ms;
    uint64_t ns = e->began_ns + in_ms * 1000000;
    struct timespec until = {.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
    pthread_cond_timedwait(&e->work, &e->lock, &until);
}

void *engine_runner(void *engine)
{
    struct cuzk_engine *e = engine;
    crash_thread();
    pthread_mutex_lock(&e->lock);
    for (;;) {
        struct sched_action action;
        sched_next(&action, &e->sched, engine_now_ms(e));
        if (action.kind != SCHED_WAIT) {
            pthread_cond_signal(&e->work); /* there may be more to do */
            perform(e, &action);
        } else if (e->closing) {
            break;
        } else {
            wait_for_work(e, action.wake_ms);
        }
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}
