#include "base/limits.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned cpus_by_affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    /* The mask is larger than cpu_set_t. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

static int read_line(char *line, size_t size, const char *directory, const char *name)
{
    char path[4200];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path)
        return -1;
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    char *got = fgets(line, (int)size, file);
    fclose(file);
    return got ? 0 : -1;
}

/* CPUs that the cgroup in this directory grants, rounded up; 0 for no limit. */
static unsigned quota_of(const char *directory)
{
    char line[64];
    long long quota = 0, period = 0;
    if (read_line(line, sizeof line, directory, "cpu.max") ==
        0) { /* v2: "max 100000" or "200000 100000" */
        if (sscanf(line, "%lld %lld", &quota, &period) != 2)
            return 0;
    } else { /* v1: -1 for no limit */
        if (read_line(line, sizeof line, directory, "cpu.cfs_quota_us") ||
            sscanf(line, "%lld", &quota) != 1 ||
            read_line(line, sizeof line, directory, "cpu.cfs_period_us") ||
            sscanf(line, "%lld", &period) != 1)
            return 0;
    }
    if (quota <= 0 || period <= 0 || quota / period >= 1 << 20)
        return 0;
    return (unsigned)((quota + period - 1) / period);
}

/* A limit on any ancestor binds. Inside a container the path may not exist below root; the root itself then holds the limit. */
static unsigned quota_of_path(const char *root, const char *group)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s%s", root, group) >= sizeof path)
        return 0;
    unsigned least = 0;
    for (;;) {
        unsigned cpus = quota_of(path);
        if (cpus && (!least || cpus < least))
            least = cpus;
        char *slash = strrchr(path, '/');
        if (strlen(path) <= strlen(root) || !slash)
            return least;
        *slash = 0;
    }
}

/* /proc/self/cgroup lines are "0::/group" (v2) and "4:cpu,cpuacct:/group" (v1). 0 for no limit. */
static unsigned cpus_by_cgroup(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return 0;
    char line[4096];
    unsigned least = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        controllers++;
        unsigned cpus = 0;
        if (*controllers == 0)
            cpus = quota_of_path("/sys/fs/cgroup", group);
        else if (strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0)
            cpus = quota_of_path("/sys/fs/cgroup/cpu", group);
        if (cpus && (!least || cpus < least))
            least = cpus;
    }
    fclose(file);
    return least;
}

unsigned limits_cpus(void)
{
    unsigned cpus = cpus_by_affinity(), quota = cpus_by_cgroup();
    if (quota && quota < cpus)
        cpus = quota;
    return cpus ? cpus : 1;
}
