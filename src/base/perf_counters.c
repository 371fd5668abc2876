#include "base/perf_counters.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE_READ_MISSES(cache)                                                                   \
    ((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} events[PERF_COUNTERS] = {
    [PERF_CYCLES] = {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [PERF_INSTRUCTIONS] = {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [PERF_L1D_MISSES] = {"l1d_load_misses", PERF_TYPE_HW_CACHE,
                         CACHE_READ_MISSES(PERF_COUNT_HW_CACHE_L1D)},
    [PERF_LLC_MISSES] = {"llc_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [PERF_BRANCH_MISSES] = {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    [PERF_DTLB_MISSES] = {"dtlb_load_misses", PERF_TYPE_HW_CACHE,
                          CACHE_READ_MISSES(PERF_COUNT_HW_CACHE_DTLB)},
};

const char *perf_counter_name(enum perf_counter counter)
{
    return events[counter].name;
}

void perf_counters_open(struct perf_counters *c)
{
    for (int i = 0; i < PERF_COUNTERS; i++) {
        struct perf_event_attr attr = {
            .size = sizeof attr,
            .type = events[i].type,
            .config = events[i].config,
            .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
            .inherit = 1,
            .exclude_kernel = 1,
            .exclude_hv = 1,
        };
        c->fd[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
}

void perf_counters_close(struct perf_counters *c)
{
    for (int i = 0; i < PERF_COUNTERS; i++)
        if (c->fd[i] >= 0)
            close(c->fd[i]);
}

void perf_counters_read(uint64_t out[PERF_COUNTERS], const struct perf_counters *c)
{
    for (int i = 0; i < PERF_COUNTERS; i++) {
        struct {
            uint64_t value, enabled, running;
        } r;
        out[i] = PERF_UNSUPPORTED;
        if (c->fd[i] < 0 || read(c->fd[i], &r, sizeof r) != sizeof r || r.running == 0)
            continue;
        out[i] = (uint64_t)((double)r.value * ((double)r.enabled / (double)r.running));
    }
}
