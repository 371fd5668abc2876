#include "base/clock.h"

#include <assert.h>
#include <sys/resource.h>
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

uint64_t clock_process_system_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_stime.tv_sec * 1000000000 + (uint64_t)usage.ru_stime.tv_usec * 1000;
}
