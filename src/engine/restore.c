/* Jobs back from the journal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

enum { DEATHS_MOST = 3 }; /* of the process in one piece of work; then its job fails */

void engine_journal_job(struct journal_job *out, const struct cuzk_engine *e, const struct job *job)
{
    *out = (struct journal_job){
        .seq = job->seq,
        .kind = job->kind,
        .priority = job->priority,
        .first = job->first,
        .partitions_n = job->partitions_n,
        .state = CUZK_QUEUED,
        .submitted_ms = job->submitted_ms,
        .deadline_ms = job->deadline_ms,
    };
    memcpy(out->hash, job->hash, sizeof out->hash);
    snprintf(out->circuit, sizeof out->circuit, "%s", e->backend->circuit_id(job->circuit));
}

static int circuit_of_id(unsigned *out, const struct cuzk_engine *e, const char *id)
{
    for (unsigned c = 0; c < e->backend->circuits; c++)
        if (strcmp(e->backend->circuit_id(c), id) == 0) {
            *out = c;
            return 0;
        }
    return -1;
}

static struct job *by_seq(const struct cuzk_engine *e, uint64_t seq)
{
    struct job *job = e->sched.jobs.first;
    while (job && job->seq != seq)
        job = job->next;
    return job;
}

/* What the journal says was later than now was before: the clock has been set back. */
static uint64_t not_after(uint64_t ms, uint64_t now)
{
    return ms < now ? ms : now;
}

static int take_job(void *ctx, const struct journal_job *from, struct error *err)
{
    struct cuzk_engine *e = ctx;
    struct sched *s = &e->sched;
    unsigned circuit = 0;
    int known = circuit_of_id(&circuit, e, from->circuit) == 0;
    if (from->seq < s->jobs.next_seq)
        return error_set(err, ERR_DATA, "journal-damaged", "the journal is damaged: job numbers");
    s->jobs.next_seq = from->seq;
    struct job *job = sched_add(s, from->partitions_n, err);
    if (!job)
        return err->code;
    memcpy(job->hash, from->hash, sizeof job->hash);
    job->kind = from->kind;
    job->priority = from->priority;
    job->circuit = circuit;
    job->first = from->first;
    job->submitted_ms = not_after(from->submitted_ms, engine_now_ms(e));
    job->deadline_ms = from->deadline_ms;
    job->admitted = 1;
    snprintf(job->message, sizeof job->message, "%s", from->message);
    job->settled = job_state_ended(from->state);
    job->ended_ms = not_after(from->ended_ms, engine_now_ms(e));
    if (from->state == CUZK_FAILED || from->state == CUZK_CANCELLED)
        jobs_apply(&s->jobs, job, from->state == CUZK_FAILED ? JOB_FAIL : JOB_CANCEL);
    else if (!known)
        sched_fail(s, engine_now_ms(e), job, "this program does not know the job's circuit");
    return 0;
}

static int take_partition(void *ctx, uint64_t seq, unsigned i, const struct job_partition *p,
                          struct error *err)
{
    struct cuzk_engine *e = ctx;
    struct job *job = by_seq(e, seq);
    if (!job || i >= job->partitions_n)
        return error_set(err, ERR_DATA, "journal-damaged",
                         "the journal is damaged: a partition of no job");
    if (p)
        job->partitions[i] = *p;
    else
        job->partitions[i].state = CUZK_P_FAILED; /* until take_damage */
    return 0;
}

static int take_attempt(void *ctx, uint64_t seq, unsigned i, unsigned deaths, struct error *err)
{
    struct job *job = by_seq(ctx, seq);
    if (!job || i > job->partitions_n)
        return error_set(err, ERR_DATA, "journal-damaged",
                         "the journal is damaged: an attempt of no job");
    *(i == job->partitions_n ? &job->input_deaths : &job->partitions[i].deaths) = deaths;
    return 0;
}

static int take_name(void *ctx, uint64_t seq, const char *base, unsigned n, struct error *err)
{
    struct cuzk_engine *e = ctx;
    struct job *job = by_seq(e, seq);
    if (seq == 0) {
        engine_event(e, "journal-damage", base, "the name was damaged in the journal and is gone");
        return 0;
    }
    if (!job)
        return error_set(err, ERR_DATA, "journal-damaged",
                         "the journal is damaged: a name of no job");
    return jobs_restore_name(&e->sched.jobs, job, base, n, err);
}

/* What of a job the process died in most often. 0 if it did not. */
static unsigned count_deaths(char *what, size_t size, const struct job *job)
{
    unsigned most = job->input_deaths;
    snprintf(what, size, "reading its input");
    for (unsigned i = 0; i < job->partitions_n; i++)
        if (job->partitions[i].state == CUZK_P_PENDING && job->partitions[i].deaths > most) {
            most = job->partitions[i].deaths;
            snprintf(what, size, "proving it (partition %u)", i);
        }
    return most;
}

/* A job that the process dies of each time must not keep it from all others. */
static int outlived(struct cuzk_engine *e, const struct job *job, struct error *err)
{
    char what[48];
    unsigned n = count_deaths(what, sizeof what, job);
    if (n == 0)
        return 0;
    int rc = n < DEATHS_MOST ? 0 : ERR_SOFTWARE;
    error_set(err, rc, "died-in-job", "the daemon died %u time%s while %s%s", n, n == 1 ? "" : "s",
              what, rc == 0 ? "" : "; it is not tried again");
    engine_event(e, "interrupted", jobs_name_of(&e->sched.jobs, job), err->text);
    return rc;
}

/* The input of a job that has to go on. What is wrong with it is the job's own failure. */
static int decode_input(struct cuzk_engine *e, struct job *job, struct error *err)
{
    struct backend_input input = {0};
    struct cuzk_request request = {0};
    struct request_bytes bytes = {0};
    uint8_t hash[JOB_HASH_BYTES];
    int rc = journal_payload(&bytes.data, &bytes.n, e->journal, job->seq, err);
    if (rc != 0)
        return rc;
    uint64_t takes = request_input_bytes(&bytes);
    request_hash(hash, &bytes);
    rc = memcmp(hash, job->hash, sizeof hash) == 0
             ? request_decode(&request, bytes.data, bytes.n, err)
             : error_set(err, ERR_DATA, "request-damaged", "a request in the journal is damaged");
    if (rc == 0)
        rc = sched_restore_input(&e->sched, job, takes, err);
    if (rc == 0)
        rc = e->backend->decode(&input, &request, e->pool, err);
    if (rc == 0 && (input.circuit != job->circuit || input.first != job->first ||
                    input.partitions != job->partitions_n)) {
        e->backend->input_free(input.input);
        rc = error_set(err, ERR_DATA, "request-damaged", "a request in the journal is damaged");
    }
    if (rc == 0)
        job->input = input.input;
    request_clean_up(&request);
    free(bytes.data);
    return rc;
}

/* Partitions whose proofs are not what was journalled: they are proven again, if there is an input. Their number. */
static unsigned take_damage(struct cuzk_engine *e, struct job *job)
{
    char detail[100];
    unsigned n = 0;
    for (unsigned i = 0; i < job->partitions_n; i++) {
        if (job->partitions[i].state != CUZK_P_FAILED)
            continue;
        n++;
        snprintf(detail, sizeof detail, "the proof of partition %u was damaged in the journal%s", i,
                 job->settled ? "" : " and is made again");
        engine_event(e, "journal-damage", jobs_name_of(&e->sched.jobs, job), detail);
        if (!job->settled)
            job->partitions[i].state = CUZK_P_PENDING;
    }
    return n;
}

/* What the journal says was completed. A partition that it could not be given when it was proven is lost. */
static void take_completed(struct cuzk_engine *e, struct job *job, unsigned damaged)
{
    unsigned done = 0;
    for (unsigned i = 0; i < job->partitions_n; i++)
        done += job->partitions[i].state == CUZK_P_DONE;
    job->done = done;
    if (done == job->partitions_n) {
        jobs_apply(&e->sched.jobs, job, JOB_ALL_PROVEN);
        return;
    }
    jobs_apply(&e->sched.jobs, job, JOB_FAIL);
    snprintf(job->message, sizeof job->message,
             damaged ? "the proof was damaged in the journal: submit the job again"
                     : "the proof is lost: the journal could not be written when it was made");
}

static int read_input(struct cuzk_engine *e, struct job *job, struct error *err)
{
    struct error journal_err;
    if (outlived(e, job, err) != 0)
        return err->code;
    if (journal_begin_attempt(e->journal, job->seq, job->partitions_n, &journal_err) != 0)
        engine_event(e, "journal-failed", NULL, journal_err.text);
    int rc = decode_input(e, job, err);
    if (journal_end_attempt(e->journal, job->seq, job->partitions_n, &journal_err) != 0)
        engine_event(e, "journal-failed", NULL, journal_err.text);
    return rc;
}

int engine_restore(struct cuzk_engine *e, struct error *err)
{
    struct journal_visitor v = {take_job, take_partition, take_attempt, take_name, e};
    int rc = journal_visit(e->journal, &v, err);
    if (rc != 0)
        return rc;
    for (struct job *job = e->sched.jobs.first; job; job = job->next) {
        struct error why = {0};
        unsigned damaged = job_state_ended(job->state) ? 0 : take_damage(e, job);
        if (job->settled && job->state == CUZK_QUEUED)
            take_completed(e, job, damaged);
        if (job_state_ended(job->state))
            continue;
        sched_restored(&e->sched, engine_now_ms(e), job);
        if (!job_state_ended(job->state) && read_input(e, job, &why) != 0)
            sched_fail(&e->sched, engine_now_ms(e), job, why.text);
    }
    return 0;
}
