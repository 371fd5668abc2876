/* The engine's timeline: a CSV line per event on stderr, and the last ones kept for traces. */
#ifndef CUZK_SERVICE_TIMELINE_H
#define CUZK_SERVICE_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct timeline;

/* lines gets "TIMELINE,<ms since then>,<EVENT>,<job_id>,<detail>" (spec: config.md §4); NULL: none. A partition's stages are SYNTH, NTT, MSM
 * and VERIFY with _START and _END; what else the engine tells has its name in capitals, e.g. PARTITION_DONE. */
int timeline_new(struct timeline **out, FILE *lines, struct error *err);
void timeline_destroy(struct timeline *timeline); /* NULL is harmless */

/* The engine's callback; ctx is the timeline. */
void timeline_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                    const char *detail);

/* The job's events as a Chrome trace (chrome://tracing, Perfetto): free() it. NULL when nothing is known of the job, or memory is out.
 * job_id NULL: all jobs. */
char *timeline_trace(struct timeline *timeline, const char *job_id);

#endif
