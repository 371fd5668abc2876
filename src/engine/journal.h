/* The journal: one SQLite file (WAL, synchronous FULL) from which jobs, names, verified partitions and results come back after any kind
 * of end. Each call is one transaction that is on disk when it returns. Thread safe. */
#ifndef CUZK_ENGINE_JOURNAL_H
#define CUZK_ENGINE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/jobs.h"

struct journal;

/* Absent: made. ERR_TEMP_FAIL "journal-in-use" when another process has it; ERR_CONFIG "journal-newer" for one of a later version,
 * "journal-foreign" for another program's database, which is not touched; ERR_NO_PERM "journal-read-only"; ERR_DATA "journal-damaged", ERR_IO "journal-failed". */
int journal_open(struct journal **out, const char *path, struct error *err);
void journal_close(struct journal *j); /* NULL is harmless */

/* Moments are of the wall clock, in ms; 0: none. */
struct journal_job {
    uint64_t seq;
    uint8_t hash[JOB_HASH_BYTES];
    enum cuzk_kind kind;
    enum cuzk_priority priority;
    char circuit[16];
    unsigned first, partitions_n;
    enum cuzk_job_state state;
    uint64_t submitted_ms, ended_ms, deadline_ms;
    char message[JOB_MESSAGE_MAX];
};

int journal_add_job(struct journal *j, const struct journal_job *job, const void *payload,
                    size_t payload_n, const char *base, unsigned n, struct error *err);
/* A further name of a job, or one that goes over to it; the job then has the higher of both priorities and the earlier of both
 * deadlines. */
int journal_add_name(struct journal *j, uint64_t seq, const char *base, unsigned n,
                     enum cuzk_priority priority, uint64_t deadline_ms, struct error *err);
/* An ended job's payload goes. */
int journal_set_state(struct journal *j, uint64_t seq, enum cuzk_job_state state, uint64_t ended_ms,
                      const char *message, struct error *err);
int journal_add_partition(struct journal *j, uint64_t seq, unsigned partition,
                          const struct job_partition *p, struct error *err);
/* From now on partition i of the job is being proven, or (i: its partitions_n) its input read: the job runs. A process that dies leaves the
 * attempt behind, and it counts. What ends in order does not: with journal_add_partition, an end of the job, or this. */
int journal_begin_attempt(struct journal *j, uint64_t seq, unsigned i, struct error *err);
int journal_end_attempt(struct journal *j, uint64_t seq, unsigned i, struct error *err);
/* The process is to end, and may be killed if it does not end in time: that is no job's doing. What is under way does not count, nor what
 * begins from now on; deaths before do. */
int journal_count_no_more(struct journal *j, struct error *err);
int journal_forget(struct journal *j, uint64_t seq, struct error *err);
/* The request of a job that has not ended; free() it. ERR_NO_INPUT if it is gone. */
int journal_payload(uint8_t **out, size_t *n, struct journal *j, uint64_t seq, struct error *err);

/* All jobs, oldest first, then all partitions, then all attempts that a death ended, then all names. An error of a visitor ends the visit.
 * A partition that is not what was written has p NULL, a name that is not has seq 0. */
struct journal_visitor {
    int (*job)(void *ctx, const struct journal_job *job, struct error *err);
    int (*partition)(void *ctx, uint64_t seq, unsigned partition, const struct job_partition *p,
                     struct error *err);
    int (*attempt)(void *ctx, uint64_t seq, unsigned i, unsigned deaths, struct error *err);
    int (*name)(void *ctx, uint64_t seq, const char *base, unsigned n, struct error *err);
    void *ctx;
};
int journal_visit(struct journal *j, const struct journal_visitor *v, struct error *err);

/* For tests of what a crash leaves: the process kills itself when CUZK_CRASH_AT is that name. Names are queued, named, running (an
 * attempt begins), abandoned (and ends), stopping, partition, completed, failed, cancelled, forgotten: right after it is on disk; with "before-": right before. */
void journal_crash_point(const char *prefix, const char *name);

#endif
