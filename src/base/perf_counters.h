/* Hardware counters of this process, through perf_event_open. */
#ifndef CUZK_BASE_PERF_COUNTERS_H
#define CUZK_BASE_PERF_COUNTERS_H

#include <stdint.h>

enum perf_counter {
    PERF_CYCLES,
    PERF_INSTRUCTIONS,
    PERF_L1D_MISSES, /* loads */
    PERF_LLC_MISSES,
    PERF_BRANCH_MISSES,
    PERF_DTLB_MISSES, /* loads */
    PERF_COUNTERS,
};
const char *perf_counter_name(enum perf_counter counter); /* "cycles", "l1d_load_misses", ... */

struct perf_counters {
    int fd[PERF_COUNTERS]; /* -1: the machine or the system refuses it */
};
/* Counts in user mode from here on, in this thread and those that it starts from here on. */
void perf_counters_open(struct perf_counters *c);
void perf_counters_close(struct perf_counters *c);
/* Counts so far, extrapolated where the machine had too few registers for all at once. PERF_UNSUPPORTED where it is refused. */
#define PERF_UNSUPPORTED UINT64_MAX
void perf_counters_read(uint64_t out[PERF_COUNTERS], const struct perf_counters *c);

#endif
