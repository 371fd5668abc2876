/* A consistent picture of everything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"

enum { ENDED_SHOWN = 200 };

static uint64_t since(uint64_t now, uint64_t ms)
{
    uint64_t d = now > ms ? now - ms : 0;
    return ms == 0 ? 0 : d ? d : 1;
}

static int copy_partitions(struct cuzk_job_view *v, const struct job *job)
{
    v->partitions = calloc(job->partitions_n, sizeof *v->partitions);
    if (!v->partitions)
        return -1;
    v->partitions_n = job->partitions_n;
    for (unsigned i = 0; i < job->partitions_n; i++)
        v->partitions[i] =
            (struct cuzk_partition_view){.state = job->partitions[i].state,
                                         .synthesis_ms = job->partitions[i].synthesis_ms,
                                         .compute_ms = job->partitions[i].compute_ms};
    return 0;
}

static int copy_job(struct cuzk_job_view *v, const struct cuzk_engine *e, const struct job *job,
                    uint64_t now)
{
    *v = (struct cuzk_job_view){
        .kind = job->kind,
        .priority = job->priority,
        .state = job->state,
        .age_ms = since(now, job->submitted_ms),
        .started_ms_ago = since(now, job->started_ms),
        .ended_ms_ago = since(now, job->ended_ms),
        .bill_bytes = job->bill_bytes,
    };
    snprintf(v->id, sizeof v->id, "%s", jobs_name_of(&e->sched.jobs, job));
    snprintf(v->message, sizeof v->message, "%s", job->message);
    return copy_partitions(v, job);
}

static int copy_jobs(struct cuzk_view *out, const struct cuzk_engine *e, uint64_t now)
{
    const struct jobs *jobs = &e->sched.jobs;
    size_t all = 0, skip = 0;
    for (const struct job *job = jobs->first; job; job = job->next)
        all++;
    if (all - jobs->alive > ENDED_SHOWN)
        skip = all - jobs->alive - ENDED_SHOWN;
    out->jobs = calloc(all - skip + 1, sizeof *out->jobs);
    if (!out->jobs)
        return -1;
    for (const struct job *job = jobs->first; job; job = job->next) {
        int ended = job_state_ended(job->state);
        if (ended && skip > 0) {
            skip--;
            continue;
        }
        out->kind[job->kind].pending += job->state == CUZK_QUEUED;
        out->kind[job->kind].running += job->state == CUZK_RUNNING;
        if (copy_job(&out->jobs[out->jobs_n++], e, job, now) != 0)
            return -1;
    }
    return 0;
}

static int copy_srs(struct cuzk_view *out, const struct cuzk_engine *e, uint64_t now)
{
    out->srs = calloc(SCHED_CIRCUITS, sizeof *out->srs);
    if (!out->srs)
        return -1;
    for (unsigned c = 0; c < e->backend->circuits; c++) {
        const struct sched_circuit *k = &e->sched.circuit[c];
        if (k->residency != SCHED_LOADED)
            continue;
        struct cuzk_srs_view *v = &out->srs[out->srs_n++];
        snprintf(v->circuit_id, sizeof v->circuit_id, "%s", e->backend->circuit_id(c));
        v->bytes = e->mapped_bytes[c];
        for (const struct job *job = e->sched.jobs.first; job; job = job->next)
            v->users += job->circuit == c && !job_state_ended(job->state);
        v->idle_ms = v->users ? 0 : since(now, k->idle_since_ms);
        v->evictable = v->users == 0 && v->idle_ms >= e->sched.config.eviction_min_idle_ms;
    }
    return 0;
}

int cuzk_view_take(struct cuzk_engine *e, struct cuzk_view *out, struct cuzk_error *err)
{
    pthread_mutex_lock(&e->lock);
    uint64_t now = engine_now_ms(e);
    *out = (struct cuzk_view){
        .uptime_ms = now - e->began_ms,
        .memory_total = e->sched.budget.total,
        .memory_used = e->sched.budget.used,
        .memory_peak = e->sched.budget.peak,
        .threads = pool_threads(e->pool),
        .draining = e->sched.draining,
    };
    memcpy(out->kind, e->sched.kind, sizeof out->kind);
    int rc = copy_jobs(out, e, now);
    if (rc == 0)
        rc = copy_srs(out, e, now);
    pthread_mutex_unlock(&e->lock);
    out->threads_busy = pool_busy(e->pool);
    if (rc != 0) {
        cuzk_view_clean_up(out);
        return engine_refuse(err, CUZK_INTERNAL, "out-of-memory", "no memory for a view");
    }
    *err = (struct cuzk_error){.status = CUZK_OK, .cause = ""};
    return CUZK_OK;
}

void cuzk_view_clean_up(struct cuzk_view *view)
{
    for (size_t i = 0; i < view->jobs_n; i++)
        free(view->jobs[i].partitions);
    free(view->jobs);
    free(view->srs);
    *view = (struct cuzk_view){0};
}
