#include "service/metrics.h"

#include <stdlib.h>

#include "base/meminfo.h"
#include "service/wire.h"

static void family(FILE *f, const char *name, const char *type, const char *help)
{
    fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void single(FILE *f, const char *name, const char *type, const char *help, uint64_t value)
{
    family(f, name, type, help);
    fprintf(f, "%s %llu\n", name, (unsigned long long)value);
}

struct totals {
    uint64_t completed, failed, cancelled, pending, running, ended;
};

static struct totals add_up(const struct cuzk_view *view)
{
    struct totals t = {0};
    for (int k = 1; k < CUZK_KINDS; k++) {
        t.completed += view->kind[k].completed;
        t.failed += view->kind[k].failed;
        t.cancelled += view->kind[k].cancelled;
        t.pending += view->kind[k].pending;
        t.running += view->kind[k].running;
        t.ended += view->kind[k].duration.count;
    }
    return t;
}

/* Kinds without events have no line, as in the reference. */
static void per_kind(FILE *f, const char *name, const struct cuzk_view *view, size_t offset)
{
    for (int k = 1; k < CUZK_KINDS; k++) {
        uint64_t value = *(const uint64_t *)((const char *)&view->kind[k] + offset);
        if (value > 0)
            fprintf(f, "%s{proof_kind=\"%s\"} %llu\n", name, wire_kind_labels[k],
                    (unsigned long long)value);
    }
}

static void durations(FILE *f, const struct cuzk_view *view)
{
    family(f, "cuzk_proof_duration_seconds", "summary", "Proof duration");
    for (int k = 1; k < CUZK_KINDS; k++) {
        const struct cuzk_histogram *h = &view->kind[k].duration;
        if (h->count == 0)
            continue;
        fprintf(f, "cuzk_proof_duration_seconds_count{proof_kind=\"%s\"} %llu\n",
                wire_kind_labels[k], (unsigned long long)h->count);
        fprintf(f, "cuzk_proof_duration_seconds_sum{proof_kind=\"%s\"} %.3f\n", wire_kind_labels[k],
                (double)h->ms_sum / 1000);
    }
}

/* One set of labels' lines; labels without braces. */
static void histogram(FILE *f, const char *name, const char *labels, const struct cuzk_histogram *h)
{
    for (int b = 0; b < CUZK_DURATION_BUCKETS; b++)
        fprintf(f, "%s_bucket{%s,le=\"%g\"} %llu\n", name, labels,
                (double)cuzk_duration_bounds_ms[b] / 1000, (unsigned long long)h->bucket[b]);
    fprintf(f, "%s_bucket{%s,le=\"+Inf\"} %llu\n", name, labels, (unsigned long long)h->count);
    fprintf(f, "%s_sum{%s} %.3f\n", name, labels, (double)h->ms_sum / 1000);
    fprintf(f, "%s_count{%s} %llu\n", name, labels, (unsigned long long)h->count);
}

/* The reference's family of durations is a summary, so the histogram has a name of its own. */
static void histograms(FILE *f, const struct cuzk_view *view)
{
    static const char *const stages[CUZK_STAGES] = {"synthesis", "ntt", "msm", "verify"};
    char labels[64];
    family(f, "cuzk_job_seconds", "histogram", "From submission to the end of a completed job");
    for (int k = 1; k < CUZK_KINDS; k++) {
        snprintf(labels, sizeof labels, "proof_kind=\"%s\"", wire_kind_labels[k]);
        if (view->kind[k].duration.count > 0)
            histogram(f, "cuzk_job_seconds", labels, &view->kind[k].duration);
    }
    family(f, "cuzk_stage_seconds", "histogram", "Stages of proven partitions");
    for (int k = 1; k < CUZK_KINDS; k++)
        for (int i = 0; i < CUZK_STAGES && view->kind[k].stage[i].count > 0; i++) {
            snprintf(labels, sizeof labels, "proof_kind=\"%s\",stage=\"%s\"", wire_kind_labels[k],
                     stages[i]);
            histogram(f, "cuzk_stage_seconds", labels, &view->kind[k].stage[i]);
        }
}

static void srs_families(FILE *f, const struct cuzk_view *view)
{
    family(f, "cuzk_srs_bytes", "gauge", "Size of loaded parameters");
    for (size_t i = 0; i < view->srs_n; i++)
        fprintf(f, "cuzk_srs_bytes{circuit=\"%s\"} %llu\n", view->srs[i].circuit_id,
                (unsigned long long)view->srs[i].bytes);
    family(f, "cuzk_srs_users", "gauge", "Jobs that use loaded parameters now");
    for (size_t i = 0; i < view->srs_n; i++)
        fprintf(f, "cuzk_srs_users{circuit=\"%s\"} %u\n", view->srs[i].circuit_id,
                view->srs[i].users);
}

static void partition_states(FILE *f, const struct cuzk_view *view)
{
    static const char *const names[] = {"pending", "synthesis", "synthesised", "ntt",
                                        "msm",     "verify",    "done",        "failed"};
    uint64_t count[sizeof names / sizeof *names] = {0};
    for (size_t i = 0; i < view->jobs_n; i++) {
        const struct cuzk_job_view *job = &view->jobs[i];
        if (job->state != CUZK_QUEUED && job->state != CUZK_RUNNING)
            continue;
        for (size_t p = 0; p < job->partitions_n; p++)
            count[job->partitions[p].state]++;
    }
    family(f, "cuzk_partitions", "gauge", "Partitions of unfinished jobs by stage");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(f, "cuzk_partitions{stage=\"%s\"} %llu\n", names[i], (unsigned long long)count[i]);
}

static void queues(FILE *f, const struct cuzk_view *view)
{
    family(f, "cuzk_jobs_pending", "gauge", "Jobs waiting");
    for (int k = 1; k < CUZK_KINDS; k++)
        fprintf(f, "cuzk_jobs_pending{proof_kind=\"%s\"} %u\n", wire_kind_labels[k],
                view->kind[k].pending);
    family(f, "cuzk_jobs_running", "gauge", "Jobs running");
    for (int k = 1; k < CUZK_KINDS; k++)
        fprintf(f, "cuzk_jobs_running{proof_kind=\"%s\"} %u\n", wire_kind_labels[k],
                view->kind[k].running);
}

/* The reference's families in its order, then those it has not. */
void metrics_write(FILE *f, const struct cuzk_view *view)
{
    struct totals t = add_up(view);
    single(f, "cuzk_proofs_completed_total", "counter", "Total proofs completed", t.completed);
    single(f, "cuzk_proofs_failed_total", "counter", "Total proofs failed", t.failed);
    single(f, "cuzk_uptime_seconds", "gauge", "Daemon uptime", view->uptime_ms / 1000);
    single(f, "cuzk_queue_depth", "gauge", "Current queue depth", t.pending);
    family(f, "cuzk_proofs_completed", "counter", "Per proof-kind completions");
    per_kind(f, "cuzk_proofs_completed", view, offsetof(struct cuzk_kind_view, completed));
    family(f, "cuzk_proofs_failed", "counter", "Per proof-kind failures");
    per_kind(f, "cuzk_proofs_failed", view, offsetof(struct cuzk_kind_view, failed));
    if (t.ended > 0)
        durations(f, view);
    single(f, "cuzk_running_jobs", "gauge", "Currently running proofs", t.running);
    single(f, "cuzk_gpu_workers", "gauge", "Number of GPU workers", 0);

    single(f, "cuzk_proofs_cancelled_total", "counter", "Total jobs cancelled", t.cancelled);
    family(f, "cuzk_proofs_cancelled", "counter", "Per proof-kind cancellations");
    per_kind(f, "cuzk_proofs_cancelled", view, offsetof(struct cuzk_kind_view, cancelled));
    queues(f, view);
    partition_states(f, view);
    histograms(f, view);
    single(f, "cuzk_memory_budget_bytes", "gauge", "Memory that jobs may lease",
           view->memory_total);
    single(f, "cuzk_memory_leased_bytes", "gauge", "Memory leased now", view->memory_used);
    single(f, "cuzk_memory_leased_peak_bytes", "gauge", "Most memory leased at a time",
           view->memory_peak);
    single(f, "cuzk_process_anonymous_bytes", "gauge", "Resident memory without mapped files",
           meminfo_anon_bytes());
    single(f, "cuzk_threads", "gauge", "Threads that compute", view->threads);
    single(f, "cuzk_threads_busy", "gauge", "Threads computing now", view->threads_busy);
    srs_families(f, view);
    single(f, "cuzk_draining", "gauge", "1 while the daemon refuses new jobs and finishes the rest",
           view->draining != 0);
    family(f, "cuzk_build_info", "gauge", "The build");
    fprintf(f, "cuzk_build_info{version=\"%s\"} 1\n", CUZK_VERSION);
}

char *view_text(void (*write)(FILE *f, const struct cuzk_view *view), const struct cuzk_view *view)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (f == NULL)
        return NULL;
    write(f, view);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}
