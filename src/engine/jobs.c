#include "engine/jobs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const signed char transitions[][JOB_EVENTS] = {
    /*                   START         ALL_PROVEN      FAIL         CANCEL          RESTART */
    [CUZK_QUEUED]    = {CUZK_RUNNING, CUZK_COMPLETED, CUZK_FAILED, CUZK_CANCELLED, CUZK_QUEUED},
    [CUZK_RUNNING]   = {-1,           CUZK_COMPLETED, CUZK_FAILED, CUZK_CANCELLED, CUZK_QUEUED},
    [CUZK_COMPLETED] = {-1, -1, -1, -1, -1},
    [CUZK_FAILED]    = {-1, -1, -1, -1, -1},
    [CUZK_CANCELLED] = {-1, -1, -1, -1, -1},
};
/* clang-format on */

int job_transition(enum cuzk_job_state state, enum job_event event)
{
    return transitions[state][event];
}

void jobs_init(struct jobs *jobs)
{
    *jobs = (struct jobs){.next_seq = 1};
    jobs->last = &jobs->first;
}

void jobs_clean_up(struct jobs *jobs)
{
    while (jobs->first)
        jobs_remove(jobs, jobs->first);
}

struct job *jobs_add(struct jobs *jobs, unsigned partitions_n)
{
    struct job *job = calloc(1, sizeof *job);
    if (job)
        job->partitions = calloc(partitions_n, sizeof *job->partitions);
    if (!job || !job->partitions) {
        free(job);
        return NULL;
    }
    job->partitions_n = partitions_n;
    job->state = CUZK_QUEUED;
    job->seq = jobs->next_seq++;
    *jobs->last = job;
    jobs->last = &job->next;
    jobs->alive++;
    return job;
}

static void remove_names(struct jobs *jobs, const struct job *job)
{
    for (struct job_name **link = &jobs->names; *link;) {
        struct job_name *name = *link;
        if (name->job == job) {
            *link = name->next;
            free(name);
        } else {
            link = &name->next;
        }
    }
}

void jobs_remove(struct jobs *jobs, struct job *job)
{
    struct job **link = &jobs->first;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    if (jobs->last == &job->next)
        jobs->last = link;
    if (!job_state_ended(job->state))
        jobs->alive--;
    remove_names(jobs, job);
    free(job->partitions);
    free(job);
}

struct job *jobs_same_input(const struct jobs *jobs, const uint8_t hash[JOB_HASH_BYTES])
{
    struct job *found = NULL;
    for (struct job *job = jobs->first; job; job = job->next)
        if (job->state != CUZK_FAILED && job->state != CUZK_CANCELLED && !job->forgetting &&
            memcmp(job->hash, hash, JOB_HASH_BYTES) == 0)
            found = job;
    return found;
}

static struct job_name *newest(const struct jobs *jobs, const char *base)
{
    struct job_name *found = NULL;
    for (struct job_name *name = jobs->names; name; name = name->next)
        if (strcmp(name->base, base) == 0 && (!found || name->n > found->n))
            found = name;
    return found;
}

static struct job_name *by_text(const struct jobs *jobs, const char *text)
{
    for (struct job_name *name = jobs->names; name; name = name->next)
        if (strcmp(name->text, text) == 0)
            return name;
    return NULL;
}

static int format_name(char out[JOB_NAME_MAX], const char *base, unsigned n, struct error *err)
{
    int len = n == 1 ? snprintf(out, JOB_NAME_MAX, "%s", base)
                     : snprintf(out, JOB_NAME_MAX, "%s#%u", base, n);
    if (len < JOB_NAME_MAX)
        return 0;
    return error_set(err, ERR_DATA, "request-id-too-long",
                     "request_id: too long, a job id has at most %d bytes", JOB_NAME_MAX - 1);
}

static int add_name(const struct job_name **out, struct jobs *jobs, struct job *job,
                    const char *base, unsigned n, const char *text, struct error *err)
{
    struct job_name *name = calloc(1, sizeof *name);
    if (!name)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a job");
    name->job = job;
    name->n = n;
    snprintf(name->base, sizeof name->base, "%s", base);
    snprintf(name->text, sizeof name->text, "%s", text);
    name->next = jobs->names;
    jobs->names = name;
    *out = name;
    return 0;
}

int jobs_name(const struct job_name **out, int *fresh, struct jobs *jobs, struct job *job,
              const char *request_id, struct error *err)
{
    struct job_name *last = newest(jobs, request_id);
    *fresh = 0;
    if (last && last->job != job && memcmp(last->job->hash, job->hash, JOB_HASH_BYTES) == 0) {
        last->job = job; /* a retry of what failed or was cancelled goes by the same name */
        *fresh = 1;
    }
    if (last && last->job == job) {
        *out = last;
        return 0;
    }
    char text[JOB_NAME_MAX];
    unsigned n = last ? last->n + 1 : 1;
    int rc = format_name(text, request_id, n, err);
    while (rc == 0 && by_text(jobs, text))
        rc = format_name(text, request_id, ++n, err);
    *fresh = 1;
    return rc ? rc : add_name(out, jobs, job, request_id, n, text, err);
}

int jobs_restore_name(struct jobs *jobs, struct job *job, const char *base, unsigned n,
                      struct error *err)
{
    const struct job_name *name;
    char text[JOB_NAME_MAX];
    int rc = format_name(text, base, n, err);
    return rc ? rc : add_name(&name, jobs, job, base, n, text, err);
}

struct job *jobs_find(const struct jobs *jobs, const char *id)
{
    const struct job_name *name = newest(jobs, id);
    if (!name)
        name = by_text(jobs, id);
    return name && !name->job->forgetting ? name->job : NULL;
}

const char *jobs_name_of(const struct jobs *jobs, const struct job *job)
{
    const char *found = "";
    for (const struct job_name *name = jobs->names; name; name = name->next)
        if (name->job == job)
            found = name->text;
    return found;
}

void jobs_apply(struct jobs *jobs, struct job *job, enum job_event event)
{
    int next = job_transition(job->state, event);
    assert(next >= 0);
    job->state = (enum cuzk_job_state)next;
    if (job_state_ended(job->state))
        jobs->alive--;
}

int job_before(const struct job *a, const struct job *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    uint64_t x = a->deadline_ms ? a->deadline_ms : UINT64_MAX,
             y = b->deadline_ms ? b->deadline_ms : UINT64_MAX;
    if (x != y)
        return x < y;
    return a->seq < b->seq;
}
