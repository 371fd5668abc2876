/* The engine's timeline: a CSV line per event on stderr, and the last ones kept for traces. */
#ifndef CUZK_SERVICE_TIMELINE_H
#define CUZK_SERVICE_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct timeline;

/* out gets "TIMELINE,<ms>,<EVENT>,<job_id>,<detail>" lines; NULL: none. */
int timeline_new(struct timeline **out, FILE *lines, struct error *err);
void timeline_destroy(struct timeline *timeline); /* NULL is harmless */

/* The engine's callback; ctx is the timeline. */
void timeline_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                    const char *detail);

/* The job's events as a Chrome trace (chrome://tracing, Perfetto): free() it. NULL when nothing is known of the job, or memory is out.
 * job_id NULL: all jobs. */
char *timeline_trace(struct timeline *timeline, const char *job_id);

#endif
