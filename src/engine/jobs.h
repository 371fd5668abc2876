/* The table of jobs: what a job is, its states and how they follow each other, the names under which clients know it, and when an input
 * that comes again is the same job. No threads, no clock, no files: time is what the caller says. */
#ifndef CUZK_ENGINE_JOBS_H
#define CUZK_ENGINE_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cuzk/engine.h"
#include "groth16/vk.h"

enum { JOB_NAME_MAX = 160, JOB_HASH_BYTES = 32, JOB_MESSAGE_MAX = 600 };

enum job_event { JOB_START, JOB_ALL_PROVEN, JOB_FAIL, JOB_CANCEL, JOB_RESTART, JOB_EVENTS };

/* The state after an event, or -1 where it cannot happen. The one table of transitions. */
int job_transition(enum cuzk_job_state state, enum job_event event);
static inline int job_state_ended(enum cuzk_job_state s)
{
    return s == CUZK_COMPLETED || s == CUZK_FAILED || s == CUZK_CANCELLED;
}

struct job_partition {
    enum cuzk_partition_state state;
    int in_flight;
    unsigned deaths; /* of the process, in a row, while it was being proven */
    uint8_t proof[PROOF_BYTES];
    uint64_t synthesis_ms, compute_ms;
};

struct job {
    struct job *next; /* all jobs, oldest first */
    uint64_t seq;     /* unique, ascending: its age and its key in the journal */
    uint8_t hash[JOB_HASH_BYTES];
    enum cuzk_kind kind;
    enum cuzk_priority priority; /* never CUZK_BY_KIND */
    unsigned circuit;            /* index in the registry */
    unsigned first, partitions_n;
    struct job_partition *partitions; /* [partitions_n]; entry i is partition first + i of input */
    enum cuzk_job_state state;
    int settled;    /* ended, journalled and shown to who waits */
    unsigned holds; /* of who waits for it: it is not forgotten meanwhile */
    uint64_t submitted_ms, started_ms, ended_ms, deadline_ms; /* 0: not yet, none */
    uint64_t bill_bytes, input_bytes;
    uint64_t srs_load_ms;
    uint64_t batch; /* of the collector; 0: none */
    unsigned in_flight, done;
    unsigned input_deaths; /* while its input was read from the journal */
    char message[JOB_MESSAGE_MAX];
    int admitted;    /* journalled: it may start */
    int caller_busy; /* an action about its end is under way */
    int forgetting;  /* the last of these: nobody finds it any more */
    void *input;     /* the caller's */
    void *caller;    /* the caller's */
};

struct job_name {
    struct job_name *next;
    struct job *job;
    unsigned n;                                  /* 1: the plain id */
    char base[JOB_NAME_MAX], text[JOB_NAME_MAX]; /* request_id; what is shown: base or base#n */
};

struct jobs {
    struct job *first, **last;
    struct job_name *names; /* newest first */
    uint64_t next_seq;
    size_t alive; /* not ended */
};

void jobs_init(struct jobs *jobs);
void jobs_clean_up(struct jobs *jobs);

/* A job of n partitions, QUEUED, at the end of the list. NULL: no memory. */
struct job *jobs_add(struct jobs *jobs, unsigned partitions_n);
/* With its names. The caller has taken input and caller back. */
void jobs_remove(struct jobs *jobs, struct job *job);

/* The job of that content that is waiting, running or completed; NULL if there is none. */
struct job *jobs_same_input(const struct jobs *jobs, const uint8_t hash[JOB_HASH_BYTES]);

/* The name under which who submits under request_id knows the job: the plain id if it is free or was used for an ended job of the
 * same input that did not complete, the newest name if that is this job's already, else "<request_id>#n". fresh: it was made now. */
int jobs_name(const struct job_name **out, int *fresh, struct jobs *jobs, struct job *job,
              const char *request_id, struct error *err);
/* The name back from a journal; the newest last. */
int jobs_restore_name(struct jobs *jobs, struct job *job, const char *base, unsigned n,
                      struct error *err);
/* A plain request_id means the newest job under it. */
struct job *jobs_find(const struct jobs *jobs, const char *id);
/* Any name of the job, the first it got. */
const char *jobs_name_of(const struct jobs *jobs, const struct job *job);

/* Applies an event that can happen (asserted) and keeps the count of those alive. */
void jobs_apply(struct jobs *jobs, struct job *job, enum job_event event);

/* Who comes first: priority, then deadline, then age. */
int job_before(const struct job *a, const struct job *b);

#endif
