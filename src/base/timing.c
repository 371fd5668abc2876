#include "base/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void timing_phase(const char *phase, int partition, uint64_t wall_ns)
{
    const char *wanted = getenv("CUZK_TIMING");
    char line[128], where[32] = "";
    if (wanted == NULL || strcmp(wanted, "1") != 0)
        return;
    if (partition != TIMING_NO_PARTITION)
        snprintf(where, sizeof where, " partition=%d", partition);
    int n = snprintf(line, sizeof line, "CUZK_TIMING: %s_ms=%.3f%s\n", phase,
                     (double)wall_ns * 1e-6, where);
    /* Not through stdio: a line is whole also between those of other threads. */
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) != n)
        return;
}
