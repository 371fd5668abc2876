/* The engine's decisions in a world of virtual time: the real scheduler, job table and budget, a fake prover, clients that submit, repeat,
 * cancel and come back, a journal that can fail, and crashes after which only what was journalled is left. One seed, one history.
 *
 * A file that includes engine/scheduler.c too can break its rules. */
#ifndef CUZK_TESTS_ENGINE_SIMULATOR_H
#define CUZK_TESTS_ENGINE_SIMULATOR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/scheduler.h"

enum { SIM_INPUTS = 24, SIM_CIRCUITS = 4, SIM_FLIGHTS = 64, SIM_RECORDS = 256, SIM_STEPS = 220 };

/* Something under way that ends at a moment. */
struct sim_flight {
    int active;
    uint64_t ends_ms;
    struct sched_action action;
};

/* What the journal holds of a job. */
struct sim_record {
    int exists;
    uint64_t seq;
    unsigned input;
    enum cuzk_priority priority;
    uint64_t submitted_ms, deadline_ms, ended_ms;
    enum cuzk_job_state state;
    uint64_t proven; /* bits */
    char base[16];
    unsigned n;
};

/* An input that clients may send, and what may be said of it over all lives of the engine. */
struct sim_input {
    enum cuzk_kind kind;
    unsigned circuit, partitions;
    uint64_t bytes;
    int fails; /* partition that fails, or -1 */
};

struct sim {
    uint64_t random, now_ms;
    struct sched s;
    struct sched_config config;
    struct sim_input input[SIM_INPUTS];
    struct sim_record record[SIM_RECORDS];
    struct sim_flight flight[SIM_FLIGHTS];
    uint64_t last_seq;
    unsigned completed, failed, cancelled, crashes, refused, attached, evictions;
    int no_faults;
    const char *violation; /* the first rule that was broken */
};

/* Notes the first broken rule. */
#define SIM_RULE(sim, holds, rule)                                                                 \
    do {                                                                                           \
        if (!(holds) && !(sim)->violation)                                                         \
            (sim)->violation = rule;                                                               \
    } while (0)

static inline uint64_t sim_draw(struct sim *sim, uint64_t below) /* splitmix64 */
{
    uint64_t z = sim->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

static inline int sim_chance(struct sim *sim, unsigned percent)
{
    return sim_draw(sim, 100) < percent;
}

static inline void sim_hash(uint8_t out[JOB_HASH_BYTES], unsigned input)
{
    memset(out, 0, JOB_HASH_BYTES);
    out[0] = (uint8_t)input;
}

static inline unsigned sim_input_of(const struct job *job)
{
    return job->hash[0];
}

/* ---- The journal ---- */

static inline struct sim_record *sim_record_of(struct sim *sim, uint64_t seq)
{
    for (unsigned i = 0; i < SIM_RECORDS; i++)
        if (sim->record[i].exists && sim->record[i].seq == seq)
            return &sim->record[i];
    return NULL;
}

static inline int sim_journal_fails(struct sim *sim)
{
    return !sim->no_faults && sim_chance(sim, 2);
}

static inline int sim_journal_job(struct sim *sim, const struct job *job,
                                  const struct job_name *name)
{
    if (sim_journal_fails(sim))
        return -1;
    for (unsigned i = 0; i < SIM_RECORDS; i++) {
        struct sim_record *r = &sim->record[i];
        if (r->exists)
            continue;
        *r = (struct sim_record){.exists = 1,
                                 .seq = job->seq,
                                 .input = sim_input_of(job),
                                 .priority = job->priority,
                                 .submitted_ms = job->submitted_ms,
                                 .deadline_ms = job->deadline_ms,
                                 .state = CUZK_QUEUED,
                                 .n = name->n};
        snprintf(r->base, sizeof r->base, "%.15s", name->base);
        return 0;
    }
    return -1;
}

/* ---- Rules that hold at every step ---- */

static inline uint64_t sim_leased(const struct sim *sim)
{
    uint64_t sum = 0;
    for (const struct job *job = sim->s.jobs.first; job; job = job->next)
        sum += job->input_bytes;
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        sum += sim->s.worker[i].exists ? sim->s.worker[i].bytes : 0;
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++)
        if (sim->s.circuit[c].residency != SCHED_ABSENT)
            sum += sim->s.circuit[c].keys_bytes;
    return sum;
}

static inline void sim_check_job(struct sim *sim, const struct job *job)
{
    unsigned in_flight = 0, done = 0;
    for (unsigned i = 0; i < job->partitions_n; i++) {
        in_flight += job->partitions[i].in_flight != 0;
        done += job->partitions[i].state == CUZK_P_DONE;
    }
    SIM_RULE(sim, in_flight == job->in_flight, "what is in flight is counted"); /* H4 */
    SIM_RULE(sim, done == job->done, "what is proven is counted");
    SIM_RULE(sim, job->state != CUZK_COMPLETED || done == job->partitions_n,
             "a completed job has all its proofs");
    SIM_RULE(sim, !job_state_ended(job->state) || job->ended_ms, "an ended job has ended once");
    for (const struct job *other = job->next; other; other = other->next)
        SIM_RULE(sim,
                 job_state_ended(job->state) || job_state_ended(other->state) ||
                     memcmp(job->hash, other->hash, JOB_HASH_BYTES) != 0,
                 "one input is one job at a time"); /* R40 */
}

static inline void sim_check(struct sim *sim)
{
    struct sched *s = &sim->s;
    size_t alive = 0;
    SIM_RULE(sim, s->budget.used <= s->budget.total, "leases stay within the budget");
    SIM_RULE(sim, sim_leased(sim) == s->budget.used, "leases are exactly what lives"); /* H5 */
    for (const struct job *job = s->jobs.first; job; job = job->next) {
        alive += !job_state_ended(job->state);
        sim_check_job(sim, job);
    }
    SIM_RULE(sim, alive == s->jobs.alive, "who is alive is counted");
    SIM_RULE(sim, alive <= sim->config.queue_limit || sim->crashes,
             "the queue limit holds"); /* H6 */
    unsigned workers[SCHED_CIRCUITS] = {0};
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        workers[s->worker[i].circuit] += s->worker[i].exists != 0;
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++) {
        SIM_RULE(sim, workers[c] == s->circuit[c].workers, "workers are counted");
        SIM_RULE(sim, workers[c] == 0 || s->circuit[c].residency == SCHED_LOADED,
                 "keys outlive who refers to them");
    }
}

/* A partition begins: nobody who comes before it could have begun instead. */
static inline void sim_check_start(struct sim *sim, const struct sched_action *a)
{
    struct sched *s = &sim->s;
    unsigned in_flight = 0;
    SIM_RULE(sim, s->circuit[a->circuit].residency == SCHED_LOADED, "partitions have their keys");
    SIM_RULE(sim, !job_state_ended(a->job->state), "an ended job starts nothing");
    SIM_RULE(sim, a->job->admitted, "a job starts when the journal has it");
    for (const struct job *job = s->jobs.first; job; job = job->next) {
        if (job->priority >= a->job->priority)
            in_flight += job->in_flight;
        if (job == a->job || job_state_ended(job->state) || !job->admitted ||
            (job->batch && job->batch == s->batch_open))
            continue;
        int waits = 0;
        for (unsigned i = 0; i < job->partitions_n; i++)
            waits |= job->partitions[i].state == CUZK_P_PENDING;
        const struct sched_circuit *k = &s->circuit[job->circuit];
        uint64_t x = job->deadline_ms ? job->deadline_ms : UINT64_MAX,
                 y = a->job->deadline_ms ? a->job->deadline_ms : UINT64_MAX;
        int first = job->priority != a->job->priority ? job->priority > a->job->priority
                    : x != y                          ? x < y
                                                      : job->seq < a->job->seq;
        SIM_RULE(sim, !(waits && first && k->residency == SCHED_LOADED && !k->stale && !k->evict),
                 "nobody waits for who comes after"); /* H7 */
    }
    SIM_RULE(sim, in_flight <= sim->config.max_in_flight, "the limit in flight holds");
    for (unsigned i = 0; i < a->partition; i++)
        SIM_RULE(sim, a->job->partitions[i].state != CUZK_P_PENDING, "partitions go in order");
    for (unsigned i = 0; i < SIM_FLIGHTS; i++)
        SIM_RULE(sim,
                 !sim->flight[i].active || sim->flight[i].action.kind != SCHED_PROVE ||
                     sim->flight[i].action.worker != a->worker,
                 "a worker proves one partition at a time"); /* H3 */
}

/* ---- Actions: begun at once, ended later ---- */

static inline uint64_t sim_duration(struct sim *sim, const struct sched_action *a)
{
    static const uint64_t most[] = {
        [SCHED_SETTLE] = 20, [SCHED_FREE_INPUT] = 3, [SCHED_FORGET] = 20, [SCHED_LOAD] = 800,
        [SCHED_UNLOAD] = 10, [SCHED_DROP] = 10,      [SCHED_PROVE] = 3000};
    return 1 + sim_draw(sim, most[a->kind]);
}

static inline void sim_begin(struct sim *sim, const struct sched_action *a)
{
    if (a->kind == SCHED_PROVE)
        sim_check_start(sim, a);
    sim->evictions += a->kind == SCHED_UNLOAD;
    for (unsigned i = 0; i < SIM_FLIGHTS; i++)
        if (!sim->flight[i].active) {
            sim->flight[i] = (struct sim_flight){1, sim->now_ms + sim_duration(sim, a), *a};
            return;
        }
    SIM_RULE(sim, 0, "few things are under way at once");
}

static inline void sim_end_prove(struct sim *sim, const struct sched_action *a)
{
    uint8_t proof[PROOF_BYTES] = {(uint8_t)sim_input_of(a->job), (uint8_t)a->partition};
    struct sim_input *in = &sim->input[sim_input_of(a->job)];
    struct sched_report report = {.outcome = SCHED_PROVEN, .proof = proof};
    if (sched_abandons(&sim->s, a->job))
        report.outcome = SCHED_ABANDONED;
    else if (in->fails == (int)a->partition)
        report = (struct sched_report){.outcome = SCHED_FAILED, .message = "wrong", .stale = 1};
    else if (!sim->no_faults && sim_chance(sim, 2))
        report = (struct sched_report){.outcome = SCHED_ABANDONED, .stale = 1};
    struct sim_record *r = sim_record_of(sim, a->job->seq);
    if (report.outcome == SCHED_PROVEN) {
        SIM_RULE(sim, !r || !(r->proven >> a->partition & 1), "nothing is proven twice");
        if (r && !sim_journal_fails(sim))
            r->proven |= UINT64_C(1) << a->partition;
    }
    sched_proved(&sim->s, sim->now_ms, a->job, a->partition, a->worker, &report);
}

static inline void sim_end_settle(struct sim *sim, struct job *job)
{
    struct sim_record *r = sim_record_of(sim, job->seq);
    SIM_RULE(sim, !r || !job_state_ended(r->state), "a job ends once");
    if (r && !sim_journal_fails(sim)) {
        r->state = job->state;
        r->ended_ms = job->ended_ms;
    }
    sim->completed += job->state == CUZK_COMPLETED;
    sim->failed += job->state == CUZK_FAILED;
    sim->cancelled += job->state == CUZK_CANCELLED;
    for (unsigned i = 0; i < job->partitions_n && job->state == CUZK_COMPLETED; i++)
        SIM_RULE(sim,
                 job->partitions[i].proof[0] == sim_input_of(job) &&
                     job->partitions[i].proof[1] == i,
                 "a completed job gives out its own proofs, in order");
    sched_settled(&sim->s, job);
}

static inline void sim_end(struct sim *sim, struct sim_flight *f)
{
    struct sched_action a = f->action;
    f->active = 0;
    switch (a.kind) {
    case SCHED_SETTLE:
        sim_end_settle(sim, a.job);
        break;
    case SCHED_FREE_INPUT:
        sched_input_freed(&sim->s, a.job);
        break;
    case SCHED_FORGET: {
        struct sim_record *r = sim_record_of(sim, a.job->seq);
        if (r)
            r->exists = 0;
        sched_forgotten(&sim->s, a.job);
        break;
    }
    case SCHED_LOAD:
        sched_loaded(&sim->s, sim->now_ms, a.circuit, 1,
                     !sim->no_faults && sim_chance(sim, 5) ? "no parameters" : NULL);
        break;
    case SCHED_UNLOAD:
        sched_unloaded(&sim->s, a.circuit);
        break;
    case SCHED_DROP:
        sched_dropped(&sim->s, a.worker);
        break;
    case SCHED_PROVE:
        sim_end_prove(sim, &a);
        break;
    case SCHED_WAIT:
        break;
    }
}

/* All that can begin now; returns when something has to be looked at again (0: never). */
static inline uint64_t sim_dispatch(struct sim *sim)
{
    for (;;) {
        struct sched_action a;
        sched_next(&a, &sim->s, sim->now_ms);
        sim_check(sim);
        if (a.kind == SCHED_WAIT || sim->violation)
            return a.wake_ms;
        sim_begin(sim, &a);
    }
}

/* ---- Clients ---- */

static inline void sim_submit(struct sim *sim)
{
    unsigned input = (unsigned)sim_draw(sim, SIM_INPUTS);
    const struct sim_input *in = &sim->input[input];
    uint8_t hash[JOB_HASH_BYTES];
    char id[16];
    struct error err;
    const struct job_name *name;
    int changed;
    struct cuzk_request request = {.kind = in->kind,
                                   .priority = sim_chance(sim, 70)
                                                   ? CUZK_BY_KIND
                                                   : (enum cuzk_priority)(1 + sim_draw(sim, 4))};
    sim_hash(hash, input);
    snprintf(id, sizeof id, "r%u", (unsigned)sim_draw(sim, 8));
    static const enum cuzk_priority by_kind[] = {[CUZK_POREP] = CUZK_NORMAL,
                                                 [CUZK_SNAP] = CUZK_NORMAL,
                                                 [CUZK_WINDOW_POST] = CUZK_HIGH,
                                                 [CUZK_WINNING_POST] = CUZK_CRITICAL};
    struct sched_request ask = {
        .request_id = id,
        .hash = hash,
        .kind = in->kind,
        .priority = request.priority ? request.priority : by_kind[in->kind],
        .deadline_ms = sim_chance(sim, 30) ? sim->now_ms + 1 + sim_draw(sim, 20000) : 0,
        .circuit = in->circuit,
        .partitions_n = in->partitions,
        .input_bytes = in->bytes};
    int rc = sched_attach(&name, &changed, &sim->s, &ask, &err);
    if (rc == 0 && name) {
        struct sim_record *r = sim_record_of(sim, name->job->seq);
        SIM_RULE(sim, jobs_find(&sim->s.jobs, id) == name->job, "a plain id means the newest");
        if (changed && r && !sim_journal_fails(sim)) {
            r->priority = name->job->priority;
            r->deadline_ms = name->job->deadline_ms;
        }
        sim->attached++;
        return;
    }
    if (sched_reserve(&sim->s, in->bytes, sched_claim(in->kind, ask.priority), &err) != 0) {
        sim->refused++;
        return;
    }
    if (sched_submit(&name, &sim->s, sim->now_ms, &ask, NULL, &err) != 0) {
        sched_unreserve(&sim->s, in->bytes);
        sim->refused++;
        return;
    }
    struct job *job = name->job;
    SIM_RULE(sim, job->seq > sim->last_seq, "numbers ascend");
    SIM_RULE(sim, jobs_find(&sim->s.jobs, id) == job, "a plain id means the newest");
    sim->last_seq = job->seq;
    int journalled = sim_journal_job(sim, job, name) == 0;
    job->admitted = 1;
    if (!journalled)
        sched_fail(&sim->s, sim->now_ms, job, "disk full");
}

static inline void sim_cancel(struct sim *sim)
{
    unsigned skip = (unsigned)sim_draw(sim, 12);
    for (struct job *job = sim->s.jobs.first; job; job = job->next)
        if (skip-- == 0) {
            int was = !job_state_ended(job->state);
            SIM_RULE(sim, sched_cancel(&sim->s, sim->now_ms, job) == was,
                     "what runs can be cancelled");
            return;
        }
}

/* ---- Lives ---- */

static inline void sim_open(struct sim *sim)
{
    sched_init(&sim->s, &sim->config);
    static const uint64_t worker[] = {100, 220, 40, 300};
    for (unsigned c = 0; c < SIM_CIRCUITS; c++) {
        sim->s.circuit[c].keys_bytes = 10 + 5 * c;
        sim->s.circuit[c].worker_bytes = worker[c];
    }
    memset(sim->flight, 0, sizeof sim->flight);
}

static inline void sim_restore_one(struct sim *sim, const struct sim_record *r)
{
    struct error err;
    const struct sim_input *in = &sim->input[r->input];
    sim->s.jobs.next_seq = r->seq;
    struct job *job = sched_add(&sim->s, in->partitions, &err);
    sim_hash(job->hash, r->input);
    job->kind = in->kind;
    job->priority = r->priority;
    job->circuit = in->circuit;
    job->submitted_ms = r->submitted_ms;
    job->deadline_ms = r->deadline_ms;
    job->ended_ms = r->ended_ms;
    job->admitted = 1;
    jobs_restore_name(&sim->s.jobs, job, r->base, r->n, &err);
    for (unsigned i = 0; i < in->partitions; i++)
        if (r->proven >> i & 1) {
            job->partitions[i].state = CUZK_P_DONE;
            job->partitions[i].proof[0] = (uint8_t)r->input;
            job->partitions[i].proof[1] = (uint8_t)i;
            job->done++;
        }
    if (job_state_ended(r->state)) {
        job->settled = 1;
        jobs_apply(&sim->s.jobs, job,
                   r->state == CUZK_COMPLETED && job->done == job->partitions_n ? JOB_ALL_PROVEN
                   : r->state == CUZK_CANCELLED                                 ? JOB_CANCEL
                                                                                : JOB_FAIL);
    }
}

static inline void sim_go_on(struct sim *sim, struct job *job)
{
    struct error err;
    if (job_state_ended(job->state))
        return;
    sched_restored(&sim->s, sim->now_ms, job);
    if (!job_state_ended(job->state) &&
        sched_restore_input(&sim->s, job, sim->input[sim_input_of(job)].bytes, &err) != 0)
        sched_fail(&sim->s, sim->now_ms, job, "no memory");
}

/* Killed: what was in flight never ended, what the journal has comes back. */
static inline void sim_crash(struct sim *sim)
{
    sched_clean_up(&sim->s);
    sim->crashes++;
    sim_open(sim);
    for (uint64_t seq = 1; seq <= sim->last_seq; seq++) {
        const struct sim_record *r = sim_record_of(sim, seq);
        if (r)
            sim_restore_one(sim, r);
    }
    for (struct job *job = sim->s.jobs.first; job; job = job->next)
        sim_go_on(sim, job);
    sim->s.jobs.next_seq = sim->last_seq + 1;
}

static inline void sim_prepare(struct sim *sim, uint64_t seed)
{
    *sim = (struct sim){.random = seed, .now_ms = 1000000};
    sim->config = (struct sched_config){
        .memory_total = 420 + sim_draw(sim, 800),
        .reserve = 60,
        .queue_limit = 4 + (unsigned)sim_draw(sim, 20),
        .max_in_flight = 1 + (unsigned)sim_draw(sim, 4),
        .max_batch = 1 + (unsigned)sim_draw(sim, 3),
        .max_batch_wait_ms = sim_draw(sim, 3000),
        .keep_results_ms = 500 + sim_draw(sim, 20000),
        .eviction_min_idle_ms = sim_draw(sim, 2000),
    };
    for (unsigned i = 0; i < SIM_INPUTS; i++) {
        struct sim_input *in = &sim->input[i];
        in->kind = (enum cuzk_kind)(1 + sim_draw(sim, 4));
        in->circuit = in->kind == CUZK_WINNING_POST ? 2 : (unsigned)sim_draw(sim, SIM_CIRCUITS);
        in->partitions = in->kind >= CUZK_WINDOW_POST ? 1 : 1 + (unsigned)sim_draw(sim, 6);
        in->bytes = 1 + sim_draw(sim, 20);
        in->fails = sim_chance(sim, 10) ? (int)sim_draw(sim, in->partitions) : -1;
    }
    sim_open(sim);
}

static inline void sim_client(struct sim *sim)
{
    struct error err;
    unsigned what = (unsigned)sim_draw(sim, 100);
    if (what < 70)
        sim_submit(sim);
    else if (what < 85)
        sim_cancel(sim);
    else if (what < 90)
        sched_evict(&sim->s, (unsigned)sim_draw(sim, SIM_CIRCUITS), &err);
    else if (what < 94)
        sim->s.circuit[sim_draw(sim, SIM_CIRCUITS)].wanted++;
    else if (what < 96 && !sim->no_faults)
        sim_crash(sim);
}

/* On to the next end or moment; 0 when nothing is left. */
static inline int sim_advance(struct sim *sim, uint64_t wake_ms)
{
    struct sim_flight *next = NULL;
    for (struct sim_flight *f = sim->flight; f < sim->flight + SIM_FLIGHTS; f++)
        if (f->active && (!next || f->ends_ms < next->ends_ms))
            next = f;
    if (next && (!wake_ms || next->ends_ms <= wake_ms)) {
        sim->now_ms = next->ends_ms;
        sim_end(sim, next);
        return 1;
    }
    if (wake_ms > sim->now_ms)
        sim->now_ms = wake_ms;
    return wake_ms != 0;
}

/* Returns the rule that was broken, or NULL. In the end clients are gone, nothing fails any more, and all that was admitted ends. */
static inline const char *sim_run(struct sim *sim, uint64_t seed)
{
    sim_prepare(sim, seed);
    for (unsigned step = 0; step < SIM_STEPS && !sim->violation; step++) {
        uint64_t wake = sim_dispatch(sim);
        if (sim_chance(sim, 50))
            sim_client(sim);
        else
            sim_advance(sim, wake);
    }
    sim->no_faults = 1;
    for (unsigned step = 0; !sim->violation; step++) {
        uint64_t wake = sim_dispatch(sim);
        if (sim->s.jobs.first == NULL)
            break;
        SIM_RULE(sim, step < 100000, "everything ends");
        SIM_RULE(sim, sim_advance(sim, wake), "nothing waits for ever");
    }
    for (unsigned i = 0; i < SIM_RECORDS && !sim->violation; i++)
        SIM_RULE(sim, !sim->record[i].exists, "nothing is left in the journal");
    for (unsigned step = 0; step < 1000 && !sim->violation; step++)
        if (!sim_advance(sim, sim_dispatch(sim)))
            break;
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        SIM_RULE(sim, !sim->s.worker[i].exists, "memory that nobody uses is given back");
    sched_clean_up(&sim->s);
    return sim->violation;
}

#endif
