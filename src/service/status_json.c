#include <stdlib.h>

#include "service/json_text.h"
#include "service/metrics.h"
#include "service/wire.h"

enum { PIPELINE_KEPT_MS = 30000 };

static const char *const states[] = {"queued", "running", "completed", "failed", "cancelled"};
static const char *const priorities[] = {"by-kind", "low", "normal", "high", "critical"};
static const char *const stages[] = {"pending", "synthesis", "synthesised", "ntt",
                                     "msm",     "verify",    "done",        "failed"};
/* What the reference calls the same stages. */
static const char *const reference_stages[] = {"pending", "synthesizing", "synth_done", "gpu",
                                               "gpu",     "gpu",          "done",       "failed"};

static double seconds(uint64_t ms)
{
    return (double)ms / 1000;
}

static void put_ms_or_null(FILE *f, const char *key, uint64_t ms)
{
    if (ms > 0)
        fprintf(f, ",\"%s\":%llu", key, (unsigned long long)ms);
    else
        fprintf(f, ",\"%s\":null", key);
}

static size_t partitions_in(const struct cuzk_job_view *job, enum cuzk_partition_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < job->partitions_n; i++)
        n += job->partitions[i].state == state;
    return n;
}

static size_t partitions_running(const struct cuzk_view *view, enum cuzk_partition_state first,
                                 enum cuzk_partition_state last)
{
    size_t n = 0;
    for (size_t i = 0; i < view->jobs_n; i++) {
        if (view->jobs[i].state != CUZK_RUNNING)
            continue;
        for (enum cuzk_partition_state s = first; s <= last; s++)
            n += partitions_in(&view->jobs[i], s);
    }
    return n;
}

static void put_partitions(FILE *f, const struct cuzk_job_view *job, const char *state_key,
                           const char *const *names)
{
    fputs(",\"partitions\":[", f);
    for (size_t i = 0; i < job->partitions_n; i++) {
        const struct cuzk_partition_view *p = &job->partitions[i];
        fprintf(f, "%s{\"index\":%zu,\"%s\":\"%s\"", i > 0 ? "," : "", i, state_key,
                names[p->state]);
        put_ms_or_null(f, "synth_ms", p->synthesis_ms);
        put_ms_or_null(f, "gpu_ms", p->compute_ms);
        fputc('}', f);
    }
    fputc(']', f);
}

static void put_pipelines(FILE *f, const struct cuzk_view *view)
{
    const char *separator = "";
    fputs(",\"pipelines\":[", f);
    for (size_t i = 0; i < view->jobs_n; i++) {
        const struct cuzk_job_view *job = &view->jobs[i];
        int partitioned = job->kind == CUZK_POREP || job->kind == CUZK_SNAP;
        int ended = job->state != CUZK_RUNNING;
        if (!partitioned || job->state == CUZK_QUEUED ||
            (ended && job->ended_ms_ago > PIPELINE_KEPT_MS))
            continue;
        fprintf(f, "%s{\"job_id\":", separator);
        json_put_string(f, job->id);
        fprintf(f,
                ",\"proof_kind\":\"%s\",\"started_secs_ago\":%.3f,\"total_partitions\":%zu,"
                "\"partitions_done\":%zu",
                wire_kind_names[job->kind], seconds(job->started_ms_ago), job->partitions_n,
                partitions_in(job, CUZK_P_DONE));
        put_partitions(f, job, "state", reference_stages);
        fputc('}', f);
        separator = ",";
    }
    fputc(']', f);
}

static void put_allocations(FILE *f, const struct cuzk_view *view)
{
    fputs(",\"gpu_workers\":[],\"allocations\":{\"srs\":[", f);
    for (size_t i = 0; i < view->srs_n; i++) {
        const struct cuzk_srs_view *srs = &view->srs[i];
        fprintf(f,
                "%s{\"circuit_id\":\"%s\",\"bytes\":%llu,\"last_used_secs_ago\":%.3f,"
                "\"evictable\":%s,\"users\":%u}",
                i > 0 ? "," : "", srs->circuit_id, (unsigned long long)srs->bytes,
                seconds(srs->idle_ms), srs->evictable ? "true" : "false", srs->users);
    }
    fputs("],\"pce\":[]}", f);
}

static void put_by_kind(FILE *f, const char *key, const struct cuzk_view *view, size_t offset)
{
    const char *separator = "";
    fprintf(f, ",\"%s\":{", key);
    for (int k = 1; k < CUZK_KINDS; k++) {
        uint64_t n = *(const uint64_t *)((const char *)&view->kind[k] + offset);
        if (n == 0)
            continue;
        fprintf(f, "%s\"%s\":%llu", separator, wire_kind_names[k], (unsigned long long)n);
        separator = ",";
    }
    fputc('}', f);
}

static void put_counters(FILE *f, const struct cuzk_view *view)
{
    uint64_t completed = 0, failed = 0, cancelled = 0;
    unsigned long long pending = 0;
    for (int k = 1; k < CUZK_KINDS; k++) {
        completed += view->kind[k].completed;
        failed += view->kind[k].failed;
        cancelled += view->kind[k].cancelled;
        pending += view->kind[k].pending;
    }
    fprintf(f, ",\"counters\":{\"total_completed\":%llu,\"total_failed\":%llu,\"queue_depth\":%llu",
            (unsigned long long)completed, (unsigned long long)failed, pending);
    put_by_kind(f, "completed_by_kind", view, offsetof(struct cuzk_kind_view, completed));
    put_by_kind(f, "failed_by_kind", view, offsetof(struct cuzk_kind_view, failed));
    put_by_kind(f, "cancelled_by_kind", view, offsetof(struct cuzk_kind_view, cancelled));
    fprintf(f, ",\"total_cancelled\":%llu}", (unsigned long long)cancelled);
}

static void put_jobs(FILE *f, const struct cuzk_view *view)
{
    fputs(",\"jobs\":[", f);
    for (size_t i = 0; i < view->jobs_n; i++) {
        const struct cuzk_job_view *job = &view->jobs[i];
        fprintf(f, "%s{\"job_id\":", i > 0 ? ",\n" : "\n");
        json_put_string(f, job->id);
        fprintf(f,
                ",\"proof_kind\":\"%s\",\"priority\":\"%s\",\"state\":\"%s\",\"age_ms\":%llu,"
                "\"bill_bytes\":%llu",
                wire_kind_names[job->kind], priorities[job->priority], states[job->state],
                (unsigned long long)job->age_ms, (unsigned long long)job->bill_bytes);
        put_ms_or_null(f, "started_ms_ago", job->started_ms_ago);
        put_ms_or_null(f, "ended_ms_ago", job->ended_ms_ago);
        put_partitions(f, job, "stage", stages);
        fputs(",\"message\":", f);
        json_put_string(f, job->message);
        fputc('}', f);
    }
    fputc(']', f);
}

static void put_queues(FILE *f, const struct cuzk_view *view)
{
    fputs(",\"queues\":[", f);
    for (int k = 1; k < CUZK_KINDS; k++)
        fprintf(f, "%s{\"proof_kind\":\"%s\",\"pending\":%u,\"in_progress\":%u}", k > 1 ? "," : "",
                wire_kind_names[k], view->kind[k].pending, view->kind[k].running);
    fputc(']', f);
}

void status_json_write(FILE *f, const struct cuzk_view *view)
{
    uint64_t used = view->memory_used, total = view->memory_total;
    size_t synthesising = partitions_running(view, CUZK_P_SYNTHESIS, CUZK_P_SYNTHESIS);
    size_t proving = partitions_running(view, CUZK_P_NTT, CUZK_P_VERIFY);
    fprintf(f,
            "{\"uptime_secs\":%.3f,\"memory\":{\"total_bytes\":%llu,\"used_bytes\":%llu,"
            "\"available_bytes\":%llu,\"peak_bytes\":%llu}",
            seconds(view->uptime_ms), (unsigned long long)total, (unsigned long long)used,
            (unsigned long long)(used < total ? total - used : 0),
            (unsigned long long)view->memory_peak);
    fprintf(f, ",\"synthesis\":{\"max_concurrent\":%u,\"active\":%zu}", view->threads,
            synthesising);
    put_pipelines(f, view);
    put_allocations(f, view);
    put_counters(f, view);
    fprintf(f,
            ",\"buffers\":{\"synth_in_flight\":%zu,\"provers_in_flight\":%zu,\"aux_in_flight\":0,"
            "\"shells_in_flight\":0,\"pending_handles\":0}",
            synthesising, proving);
    fprintf(f, ",\"version\":\"%s\",\"draining\":%s,\"threads\":%u,\"threads_busy\":%u",
            CUZK_VERSION, view->draining ? "true" : "false", view->threads, view->threads_busy);
    put_queues(f, view);
    put_jobs(f, view);
    fputs("}\n", f);
}
