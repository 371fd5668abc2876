#include "engine/scheduler.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint64_t cuzk_duration_bounds_ms[CUZK_DURATION_BUCKETS] = {
    10,    25,    50,    100,    250,    500,    1000,    2500,   5000,
    10000, 30000, 60000, 120000, 300000, 600000, 1200000, 3600000};

static void configure(struct sched *s, const struct sched_config *config)
{
    s->config = *config;
    s->budget.total = config->memory_total;
    s->budget.reserve = config->reserve;
}

void sched_init(struct sched *s, const struct sched_config *config)
{
    *s = (struct sched){0};
    jobs_init(&s->jobs);
    configure(s, config);
}

void sched_clean_up(struct sched *s)
{
    jobs_clean_up(&s->jobs);
    free(s->order);
    s->order = NULL;
}

/* ---- Admission ---- */

enum budget_claim sched_claim(enum cuzk_kind kind, enum cuzk_priority priority)
{
    return kind == CUZK_WINNING_POST && priority == CUZK_CRITICAL ? BUDGET_URGENT : BUDGET_ORDINARY;
}

static enum budget_claim claim_of(const struct job *job)
{
    return sched_claim(job->kind, job->priority);
}

uint64_t sched_bill(const struct sched *s, unsigned circuit, uint64_t input_bytes)
{
    return input_bytes + s->circuit[circuit].keys_bytes + s->circuit[circuit].worker_bytes;
}

/* Whether each job could still run alone, were `more` bytes of inputs added to those that wait with it: else they would hold each other
 * up for ever. */
static int all_could_run(const struct sched *s, uint64_t more)
{
    uint64_t inputs = s->input_bytes + more;
    for (const struct job *job = s->jobs.first; job; job = job->next)
        if (!job_state_ended(job->state) &&
            !budget_could_fit(&s->budget, sched_bill(s, job->circuit, inputs), claim_of(job)))
            return 0;
    return 1;
}

static int no_memory_now(const struct sched *s, uint64_t bytes, struct error *err)
{
    return error_set(err, ERR_TEMP_FAIL, "no-memory-now",
                     "the input takes %" PRIu64 " bytes; of the memory budget of %" PRIu64
                     " bytes %" PRIu64 " are in use, %" PRIu64 " by inputs",
                     bytes, s->budget.total, s->budget.used, s->input_bytes);
}

int sched_reserve(struct sched *s, uint64_t bytes, enum budget_claim claim, struct error *err)
{
    if (s->draining)
        return error_set(err, ERR_UNAVAILABLE, "draining", "the engine takes no more jobs");
    if (!budget_could_fit(&s->budget, bytes, claim))
        return error_set(err, ERR_OS, "can-never-fit",
                         "the input takes %" PRIu64 " bytes, the memory budget is %" PRIu64
                         " with a reserve of %" PRIu64,
                         bytes, s->budget.total, s->budget.reserve);
    if (s->jobs.alive + s->admitting >= s->config.queue_limit)
        return error_set(err, ERR_TEMP_FAIL, "queue-full",
                         "%zu jobs are waiting or running, of at most %u",
                         s->jobs.alive + s->admitting, s->config.queue_limit);
    if (!budget_fits(&s->budget, bytes, 0, claim) || !all_could_run(s, bytes))
        return no_memory_now(s, bytes, err);
    s->input_bytes += bytes;
    budget_lease(&s->budget, bytes, claim);
    s->admitting++;
    return 0;
}

void sched_unreserve(struct sched *s, uint64_t bytes)
{
    assert(s->admitting > 0);
    s->admitting--;
    s->input_bytes -= bytes;
    budget_release(&s->budget, bytes);
}

int sched_attach(const struct job_name **out, int *changed, struct sched *s,
                 const struct sched_request *r, struct error *err)
{
    struct job *job = jobs_same_input(&s->jobs, r->hash);
    *out = NULL;
    if (!job)
        return 0;
    int rc = jobs_name(out, changed, &s->jobs, job, r->request_id, err);
    if (rc != 0 || job_state_ended(job->state))
        return rc;
    if (r->priority > job->priority) {
        job->priority = r->priority;
        *changed = 1;
    }
    if (r->deadline_ms)
        *changed |= sched_hasten(job, r->deadline_ms);
    return 0;
}

int sched_hasten(struct job *job, uint64_t deadline_ms)
{
    if (job->deadline_ms && job->deadline_ms <= deadline_ms)
        return 0;
    job->deadline_ms = deadline_ms;
    return 1;
}

static int grow_order(struct sched *s, struct error *err)
{
    if (s->jobs.alive < s->order_cap)
        return 0;
    size_t cap = 2 * s->jobs.alive + 16;
    struct job **order = realloc(s->order, cap * sizeof(struct job *));
    if (!order)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a job");
    s->order = order;
    s->order_cap = cap;
    return 0;
}

struct job *sched_add(struct sched *s, unsigned partitions_n, struct error *err)
{
    if (grow_order(s, err) != 0)
        return NULL;
    struct job *job = jobs_add(&s->jobs, partitions_n);
    if (!job)
        error_set(err, ERR_OS, "out-of-memory", "no memory for a job");
    return job;
}

static void close_batch(struct sched *s)
{
    s->batch_open = 0;
}

/* A full batch, another circuit, or a job that is never batched sends off what was collected. */
static void collect(struct sched *s, uint64_t now_ms, struct job *job)
{
    if (s->config.max_batch <= 1)
        return;
    int batchable = job->kind == CUZK_POREP || job->kind == CUZK_SNAP;
    if (!batchable || (s->batch_open && s->batch_circuit != job->circuit))
        close_batch(s);
    if (!batchable)
        return;
    if (!s->batch_open) {
        s->batch_open = ++s->batch_last;
        s->batch_since_ms = now_ms;
        s->batch_n = 0;
        s->batch_circuit = job->circuit;
    }
    job->batch = s->batch_open;
    if (++s->batch_n >= s->config.max_batch)
        close_batch(s);
}

int sched_could_fit(const struct sched *s, unsigned circuit, uint64_t input_bytes,
                    enum budget_claim claim, struct error *err)
{
    uint64_t bill = sched_bill(s, circuit, input_bytes);
    if (budget_could_fit(&s->budget, bill, claim))
        return 0;
    return error_set(err, ERR_OS, "can-never-fit",
                     "the job takes %" PRIu64 " bytes at least (input %" PRIu64 ", keys %" PRIu64
                     ", one partition %" PRIu64 "), the memory budget is %" PRIu64
                     " with a reserve of %" PRIu64,
                     bill, input_bytes, s->circuit[circuit].keys_bytes,
                     s->circuit[circuit].worker_bytes, s->budget.total, s->budget.reserve);
}

int sched_submit(const struct job_name **out, struct sched *s, uint64_t now_ms,
                 const struct sched_request *r, void *input, struct error *err)
{
    int fresh;
    enum budget_claim claim = sched_claim(r->kind, r->priority);
    if (s->draining)
        return error_set(err, ERR_UNAVAILABLE, "draining", "the engine takes no more jobs");
    if (sched_could_fit(s, r->circuit, r->input_bytes, claim, err) != 0)
        return err->code;
    if (!budget_could_fit(&s->budget, sched_bill(s, r->circuit, s->input_bytes), claim))
        return no_memory_now(s, r->input_bytes, err);
    struct job *job = sched_add(s, r->partitions_n, err);
    if (!job)
        return err->code;
    memcpy(job->hash, r->hash, sizeof job->hash);
    int rc = jobs_name(out, &fresh, &s->jobs, job, r->request_id, err);
    if (rc != 0) {
        jobs_remove(&s->jobs, job);
        return rc;
    }
    job->kind = r->kind;
    job->priority = r->priority;
    job->deadline_ms = r->deadline_ms;
    job->circuit = r->circuit;
    job->first = r->first;
    job->input_bytes = r->input_bytes;
    job->input = input;
    job->bill_bytes = sched_bill(s, r->circuit, r->input_bytes);
    job->submitted_ms = now_ms;
    s->admitting--;
    collect(s, now_ms, job);
    return 0;
}

unsigned sched_position(const struct sched *s, const struct job *job)
{
    unsigned n = 0;
    for (const struct job *j = s->jobs.first; j; j = j->next)
        n += j != job && !job_state_ended(j->state) && job_before(j, job);
    return n;
}

/* ---- What to do next ---- */

static void wake_at(struct sched_action *out, uint64_t ms)
{
    if (!out->wake_ms || ms < out->wake_ms)
        out->wake_ms = ms;
}

/* What ended jobs leave behind. */
static int tidy(struct sched_action *out, struct sched *s, uint64_t now_ms)
{
    for (struct job *job = s->jobs.first; job; job = job->next) {
        if (!job_state_ended(job->state) || job->caller_busy || !job->admitted)
            continue;
        out->job = job;
        if (!job->settled) {
            out->kind = SCHED_SETTLE;
        } else if (job->in_flight) {
            continue;
        } else if (job->input_bytes) {
            out->kind = SCHED_FREE_INPUT;
        } else if (job->holds == 0 && (now_ms - job->ended_ms >= s->config.keep_results_ms ||
                                       *jobs_name_of(&s->jobs, job) == 0)) {
            out->kind = SCHED_FORGET;
            job->forgetting = 1;
        } else {
            wake_at(out, job->ended_ms + s->config.keep_results_ms);
            continue;
        }
        job->caller_busy = 1;
        return 1;
    }
    return 0;
}

static int drop_worker(struct sched_action *out, struct sched *s, unsigned i)
{
    s->worker[i].dropping = 1;
    *out = (struct sched_action){.kind = SCHED_DROP, .worker = i, .circuit = s->worker[i].circuit};
    return 1;
}

static int unload(struct sched_action *out, struct sched *s, unsigned c)
{
    s->circuit[c].residency = SCHED_UNLOADING;
    *out = (struct sched_action){.kind = SCHED_UNLOAD, .circuit = c};
    return 1;
}

static int is_idle(const struct sched_worker *w)
{
    return w->exists && !w->busy && !w->dropping;
}

/* What is to go, whatever the memory: workers that nobody has used for long, keys that were asked for or whose file is at fault. */
static int retire(struct sched_action *out, struct sched *s, uint64_t now_ms)
{
    for (unsigned i = 0; i < SCHED_WORKERS; i++) {
        if (!is_idle(&s->worker[i]))
            continue;
        uint64_t until_ms = s->worker[i].idle_since_ms + SCHED_WORKER_IDLE_MS;
        if (now_ms >= until_ms)
            return drop_worker(out, s, i);
        wake_at(out, until_ms);
    }
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++) {
        struct sched_circuit *k = &s->circuit[c];
        if (k->residency != SCHED_LOADED || (!k->evict && !k->stale))
            continue;
        for (unsigned i = 0; i < SCHED_WORKERS; i++)
            if (is_idle(&s->worker[i]) && s->worker[i].circuit == c)
                return drop_worker(out, s, i);
        if (k->workers == 0)
            return unload(out, s, c);
    }
    return 0;
}

static int is_wanted(const struct sched *s, unsigned c)
{
    if (s->circuit[c].wanted)
        return 1;
    for (const struct job *job = s->jobs.first; job; job = job->next)
        if (!job_state_ended(job->state) && job->circuit == c)
            return 1;
    return 0;
}

/* Something idle, least recently used first, whose going makes room: workers, then keys that were idle long enough and that no job
 * waits for. keep: a circuit whose keys are needed now. */
static int make_room(struct sched_action *out, struct sched *s, unsigned keep, uint64_t now_ms)
{
    struct sched_worker *oldest = NULL;
    for (struct sched_worker *w = s->worker; w < s->worker + SCHED_WORKERS; w++)
        if (is_idle(w) && (!oldest || w->idle_since_ms < oldest->idle_since_ms))
            oldest = w;
    if (oldest)
        return drop_worker(out, s, (unsigned)(oldest - s->worker));
    unsigned best = SCHED_CIRCUITS;
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++) {
        const struct sched_circuit *k = &s->circuit[c];
        if (c == keep || k->residency != SCHED_LOADED || k->workers || is_wanted(s, c))
            continue;
        uint64_t free_ms = k->idle_since_ms + s->config.eviction_min_idle_ms;
        if (now_ms < free_ms)
            wake_at(out, free_ms);
        else if (best == SCHED_CIRCUITS || k->idle_since_ms < s->circuit[best].idle_since_ms)
            best = c;
    }
    return best < SCHED_CIRCUITS && unload(out, s, best);
}

/* Memory that is being given back: worth waiting for instead of sending more away. */
static int is_leaving(const struct sched *s)
{
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        if (s->worker[i].dropping)
            return 1;
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++)
        if (s->circuit[c].residency == SCHED_UNLOADING)
            return 1;
    return 0;
}

enum step { STEP_ACT, STEP_BLOCKED /* nobody after it may go first */, STEP_NEXT };

static int is_busy(const struct sched *s)
{
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        if (s->worker[i].busy)
            return 1;
    return s->loading > 0;
}

/* When nothing runs and the first of all does not fit, keys that later ones want have to go, however young. */
static int make_room_at_last(struct sched_action *out, struct sched *s, unsigned keep)
{
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++)
        if (c != keep && s->circuit[c].residency == SCHED_LOADED && !s->circuit[c].workers)
            return unload(out, s, c);
    return 0;
}

static enum step need_room(struct sched_action *out, struct sched *s, unsigned circuit,
                           uint64_t now_ms)
{
    if (is_leaving(s))
        return STEP_BLOCKED;
    if (make_room(out, s, circuit, now_ms))
        return STEP_ACT;
    return !is_busy(s) && make_room_at_last(out, s, circuit) ? STEP_ACT : STEP_BLOCKED;
}

static enum step load(struct sched_action *out, struct sched *s, unsigned c,
                      enum budget_claim claim, uint64_t ahead, uint64_t now_ms)
{
    struct sched_circuit *k = &s->circuit[c];
    if (s->loading >= SCHED_LOADS)
        return STEP_NEXT;
    if (!budget_fits(&s->budget, k->keys_bytes, ahead, claim))
        return need_room(out, s, c, now_ms);
    budget_lease(&s->budget, k->keys_bytes, claim);
    s->loading++;
    k->residency = SCHED_LOADING;
    k->stale = k->evict = 0;
    k->loads++;
    *out = (struct sched_action){.kind = SCHED_LOAD, .circuit = c};
    return STEP_ACT;
}

static int find_worker(const struct sched *s, unsigned circuit)
{
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        if (is_idle(&s->worker[i]) && s->worker[i].circuit == circuit)
            return (int)i;
    return -1;
}

static int new_worker(struct sched *s, unsigned circuit, enum budget_claim claim)
{
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        if (!s->worker[i].exists) {
            uint64_t bytes = s->circuit[circuit].worker_bytes;
            budget_lease(&s->budget, bytes, claim);
            s->worker[i] = (struct sched_worker){.exists = 1, .circuit = circuit, .bytes = bytes};
            s->circuit[circuit].workers++;
            return (int)i;
        }
    return -1;
}

static int pending_partition(const struct job *job)
{
    for (unsigned i = 0; i < job->partitions_n; i++)
        if (job->partitions[i].state == CUZK_P_PENDING)
            return (int)i;
    return -1;
}

/* Partitions in flight that are as urgent, or more. Those of ended jobs give up soon, but still work. */
static unsigned in_flight_from(const struct sched *s, enum cuzk_priority priority)
{
    unsigned n = 0;
    for (const struct job *job = s->jobs.first; job; job = job->next)
        if (job->priority >= priority)
            n += job->in_flight;
    return n;
}

/* Whether one that was being proven when the process died is again, by a job that is as urgent, or more. */
static int suspect_in_flight(const struct sched *s, enum cuzk_priority priority)
{
    for (const struct job *job = s->jobs.first; job; job = job->next)
        for (unsigned i = 0; i < job->partitions_n && job->priority >= priority; i++)
            if (job->partitions[i].in_flight && job->partitions[i].deaths)
                return 1;
    return 0;
}

/* What the next partition of job needs; *ahead grows by what jobs before it still wait for. */
static enum step advance(struct sched_action *out, struct sched *s, struct job *job,
                         uint64_t *ahead, uint64_t now_ms)
{
    unsigned c = job->circuit;
    const struct sched_circuit *k = &s->circuit[c];
    enum budget_claim claim = claim_of(job);
    if (in_flight_from(s, job->priority) >= s->config.max_in_flight)
        return STEP_BLOCKED;
    if (k->residency == SCHED_ABSENT) {
        enum step step = load(out, s, c, claim, *ahead, now_ms);
        if (step != STEP_NEXT)
            return step;
        *ahead += k->keys_bytes;
    }
    unsigned i = (unsigned)pending_partition(job);
    /* Suspects go one after the other: should the process die again, it shows which of them it was. */
    int waits = job->partitions[i].deaths && suspect_in_flight(s, job->priority);
    if (k->residency != SCHED_LOADED || k->stale || k->evict || waits) {
        *ahead += k->worker_bytes;
        return STEP_NEXT;
    }
    int w = find_worker(s, c);
    if (w < 0 && !budget_fits(&s->budget, k->worker_bytes, *ahead, claim))
        return need_room(out, s, c, now_ms);
    if (w < 0)
        w = new_worker(s, c, claim);
    if (w < 0)
        return STEP_BLOCKED;
    *out = (struct sched_action){.kind = SCHED_PROVE,
                                 .job = job,
                                 .partition = i,
                                 .circuit = c,
                                 .worker = (unsigned)w,
                                 .first = job->state == CUZK_QUEUED};
    if (job->state == CUZK_QUEUED) {
        jobs_apply(&s->jobs, job, JOB_START);
        job->started_ms = now_ms;
        job->srs_load_ms = k->loads == 1 ? k->load_ms : 0;
    }
    job->in_flight++;
    job->partitions[i].state = CUZK_P_SYNTHESIS;
    job->partitions[i].in_flight = 1;
    s->worker[w].busy = 1;
    return STEP_ACT;
}

static int compare_jobs(const void *a, const void *b)
{
    const struct job *x = *(struct job *const *)a, *y = *(struct job *const *)b;
    return job_before(x, y) ? -1 : job_before(y, x);
}

static size_t runnable(struct sched *s)
{
    size_t n = 0;
    for (struct job *job = s->jobs.first; job; job = job->next)
        if (!job_state_ended(job->state) && job->admitted && pending_partition(job) >= 0 &&
            (!job->batch || job->batch != s->batch_open))
            s->order[n++] = job;
    if (n > 1)
        qsort(s->order, n, sizeof(struct job *), compare_jobs);
    return n;
}

static int preload(struct sched_action *out, struct sched *s, uint64_t ahead, uint64_t now_ms)
{
    for (unsigned c = 0; c < SCHED_CIRCUITS; c++)
        if (s->circuit[c].wanted && s->circuit[c].residency == SCHED_ABSENT &&
            load(out, s, c, BUDGET_ORDINARY, ahead, now_ms) == STEP_ACT)
            return 1;
    return 0;
}

void sched_next(struct sched_action *out, struct sched *s, uint64_t now_ms)
{
    *out = (struct sched_action){.kind = SCHED_WAIT};
    if (tidy(out, s, now_ms) || retire(out, s, now_ms))
        return;
    out->job = NULL;
    if (s->stopping)
        return;
    if (s->batch_open && (s->draining || now_ms - s->batch_since_ms >= s->config.max_batch_wait_ms))
        close_batch(s);
    if (s->batch_open)
        wake_at(out, s->batch_since_ms + s->config.max_batch_wait_ms);
    size_t n = runnable(s);
    uint64_t ahead = 0;
    for (size_t i = 0; i < n; i++) {
        enum step step = advance(out, s, s->order[i], &ahead, now_ms);
        if (step == STEP_ACT)
            return;
        if (step == STEP_BLOCKED)
            return;
    }
    preload(out, s, ahead, now_ms);
}

/* ---- How it ended ---- */

static void count(struct cuzk_histogram *h, uint64_t ms)
{
    h->count++;
    h->ms_sum += ms;
    for (unsigned i = 0; i < CUZK_DURATION_BUCKETS; i++)
        h->bucket[i] += ms <= cuzk_duration_bounds_ms[i];
}

static void end_job(struct sched *s, uint64_t now_ms, struct job *job, enum job_event event)
{
    jobs_apply(&s->jobs, job, event);
    job->ended_ms = now_ms;
    struct cuzk_kind_view *k = &s->kind[job->kind];
    k->completed += job->state == CUZK_COMPLETED;
    k->failed += job->state == CUZK_FAILED;
    k->cancelled += job->state == CUZK_CANCELLED;
    if (job->state == CUZK_COMPLETED)
        count(&k->duration, now_ms - job->submitted_ms);
}

void sched_fail(struct sched *s, uint64_t now_ms, struct job *job, const char *message)
{
    if (job_state_ended(job->state))
        return;
    snprintf(job->message, sizeof job->message, "%s", message);
    end_job(s, now_ms, job, JOB_FAIL);
}

int sched_cancel(struct sched *s, uint64_t now_ms, struct job *job)
{
    if (job_state_ended(job->state))
        return 0;
    end_job(s, now_ms, job, JOB_CANCEL);
    return 1;
}

void sched_settled(struct sched *s, struct job *job)
{
    (void)s;
    assert(job->caller_busy && job_state_ended(job->state) && !job->settled);
    job->caller_busy = 0;
    job->settled = 1;
}

void sched_input_freed(struct sched *s, struct job *job)
{
    assert(job->caller_busy && job->in_flight == 0);
    job->caller_busy = 0;
    job->input = NULL;
    s->input_bytes -= job->input_bytes;
    budget_release(&s->budget, job->input_bytes);
    job->input_bytes = 0;
}

void sched_forgotten(struct sched *s, struct job *job)
{
    assert(job->forgetting && job->settled && job->in_flight == 0 && job->input_bytes == 0);
    assert(job->holds == 0);
    jobs_remove(&s->jobs, job);
}

void sched_loaded(struct sched *s, uint64_t now_ms, unsigned circuit, uint64_t load_ms,
                  const char *failure)
{
    struct sched_circuit *k = &s->circuit[circuit];
    assert(k->residency == SCHED_LOADING && s->loading > 0);
    s->loading--;
    k->idle_since_ms = now_ms;
    k->load_ms = load_ms;
    k->wanted = 0;
    if (!failure) {
        k->residency = SCHED_LOADED;
        return;
    }
    k->residency = SCHED_ABSENT;
    budget_release(&s->budget, k->keys_bytes);
    for (struct job *job = s->jobs.first; job; job = job->next)
        if (job->circuit == circuit)
            sched_fail(s, now_ms, job, failure);
}

void sched_unloaded(struct sched *s, unsigned circuit)
{
    struct sched_circuit *k = &s->circuit[circuit];
    assert(k->residency == SCHED_UNLOADING && k->workers == 0);
    k->residency = SCHED_ABSENT;
    k->stale = k->evict = 0;
    budget_release(&s->budget, k->keys_bytes);
}

void sched_dropped(struct sched *s, unsigned worker)
{
    struct sched_worker *w = &s->worker[worker];
    assert(w->exists && w->dropping && !w->busy);
    s->circuit[w->circuit].workers--;
    budget_release(&s->budget, w->bytes);
    *w = (struct sched_worker){0};
}

void sched_proved(struct sched *s, uint64_t now_ms, struct job *job, unsigned partition,
                  unsigned worker, const struct sched_report *report)
{
    struct job_partition *p = &job->partitions[partition];
    struct sched_worker *w = &s->worker[worker];
    assert(p->in_flight && w->busy && job->in_flight > 0);
    p->in_flight = 0;
    job->in_flight--;
    w->busy = 0;
    w->idle_since_ms = s->circuit[w->circuit].idle_since_ms = now_ms;
    if (report->stale)
        s->circuit[w->circuit].stale = 1;
    if (report->outcome == SCHED_PROVEN) {
        p->state = CUZK_P_DONE;
        p->synthesis_ms = report->synthesis_ms;
        p->compute_ms = report->compute_ms;
        memcpy(p->proof, report->proof, sizeof p->proof);
        for (unsigned i = 0; i < CUZK_STAGES; i++)
            count(&s->kind[job->kind].stage[i], report->stage_ms[i]);
        job->done++;
        if (job->done == job->partitions_n && !job_state_ended(job->state))
            end_job(s, now_ms, job, JOB_ALL_PROVEN);
    } else if (report->outcome == SCHED_FAILED) {
        p->state = CUZK_P_FAILED;
        sched_fail(s, now_ms, job, report->message);
    } else {
        p->state = CUZK_P_PENDING;
    }
}

/* ---- Asked for ---- */

int sched_configure(struct sched *s, const struct sched_config *config, struct error *err)
{
    const struct budget next = {.total = config->memory_total, .reserve = config->reserve};
    for (const struct job *job = s->jobs.first; job; job = job->next) {
        uint64_t bill = sched_bill(s, job->circuit, s->input_bytes);
        if (!job_state_ended(job->state) && !budget_could_fit(&next, bill, claim_of(job)))
            return error_set(err, ERR_OS, "can-never-fit",
                             "job %s takes %" PRIu64 " bytes (inputs %" PRIu64
                             "), the new memory budget is %" PRIu64 " with a reserve of %" PRIu64
                             "; the former limits stay, a budget of %" PRIu64,
                             jobs_name_of(&s->jobs, job), bill, s->input_bytes, next.total,
                             next.reserve, s->budget.total);
    }
    configure(s, config);
    return 0;
}

int sched_restore_input(struct sched *s, struct job *job, uint64_t bytes, struct error *err)
{
    enum budget_claim claim = claim_of(job);
    if (!budget_fits(&s->budget, bytes, 0, claim) || !all_could_run(s, bytes))
        return error_set(err, ERR_OS, "no-memory",
                         "the job does not fit the memory budget any more");
    budget_lease(&s->budget, bytes, claim);
    s->input_bytes += bytes;
    job->input_bytes = bytes;
    job->bill_bytes = sched_bill(s, job->circuit, bytes);
    return 0;
}

void sched_restored(struct sched *s, uint64_t now_ms, struct job *job)
{
    job->done = 0;
    for (unsigned i = 0; i < job->partitions_n; i++)
        job->done += job->partitions[i].state == CUZK_P_DONE;
    if (job_state_ended(job->state))
        return;
    if (jobs_same_input(&s->jobs, job->hash) != job)
        sched_fail(s, now_ms, job, "it had ended, but the journal could not be written");
    else if (job->done == job->partitions_n)
        end_job(s, now_ms, job, JOB_ALL_PROVEN);
}

int sched_evict(struct sched *s, unsigned circuit, struct error *err)
{
    struct sched_circuit *k = &s->circuit[circuit];
    if (k->residency == SCHED_ABSENT || k->residency == SCHED_UNLOADING)
        return 0;
    for (unsigned i = 0; i < SCHED_WORKERS; i++)
        if (s->worker[i].busy && s->worker[i].circuit == circuit)
            return error_set(err, ERR_TEMP_FAIL, "parameters-in-use",
                             "a partition is being proven with these parameters");
    if (k->residency == SCHED_LOADING || is_wanted(s, circuit))
        return error_set(err, ERR_TEMP_FAIL, "parameters-in-use",
                         "a job waits for these parameters");
    k->evict = 1;
    return 1;
}

int sched_abandons(const struct sched *s, const struct job *job)
{
    return s->stopping || job_state_ended(job->state);
}
