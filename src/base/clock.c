#include "base/clock.h"

#include <assert.h>
#include <time.h>

static uint64_t read_ns(clockid_t id)
{
    struct timespec t;
    int rc = clock_gettime(id, &t);
    assert(rc == 0);
    (void)rc;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_process_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}
