#include "base/limits.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* The least of what `of` finds in a group's directory and its ancestors', as a limit on any of them binds; 0 for no limit. Inside a
 * container the path may not exist below root; the root itself then holds the limit. */
static uint64_t least_of_path(const char *root, const char *group,
                              uint64_t (*of)(const char *directory))
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s%s", root, group) >= sizeof path)
        return 0;
    uint64_t least = 0;
    for (;;) {
        uint64_t limit = of(path);
        if (limit && (!least || limit < least))
            least = limit;
        char *slash = strrchr(path, '/');
        if (strlen(path) <= strlen(root) || !slash)
            return least;
        *slash = 0;
    }
}

/* A number of bytes in a file; 0 for "max", none, or what v1 writes when there is no limit: the largest multiple of a page. */
static uint64_t bytes_in(const char *directory, const char *name)
{
    char line[64];
    if (read_line(line, sizeof line, directory, name) || *line < '0' || *line > '9')
        return 0;
    uint64_t bytes = strtoull(line, NULL, 10);
    return bytes >= UINT64_C(1) << 62 ? 0 : bytes;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a && (!b || a < b) ? a : b;
}

static uint64_t memory_of_v2(const char *directory)
{
    return least(bytes_in(directory, "memory.max"), bytes_in(directory, "memory.high"));
}

static uint64_t memory_of_v1(const char *directory)
{
    return bytes_in(directory, "memory.limit_in_bytes");
}

static uint64_t cpus_of(const char *directory)
{
    return quota_of(directory);
}

uint64_t limits_cgroup_memory(const char *root, const char *group, int v1)
{
    return least_of_path(root, group, v1 ? memory_of_v1 : memory_of_v2);
}

/* Of all hierarchies that have the v1 controller's name, or are v2: lines of /proc/self/cgroup are "0::/group" (v2) and
 * "4:cpu,cpuacct:/group" (v1). 0 for no limit. */
static uint64_t by_cgroup(const char *controller, uint64_t (*v2)(const char *directory),
                          uint64_t (*v1)(const char *directory))
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return 0;
    char line[4096], root[64];
    uint64_t limit = 0;
    size_t len = strlen(controller);
    snprintf(root, sizeof root, "/sys/fs/cgroup/%s", controller);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        controllers++;
        if (*controllers == 0)
            limit = least(limit, least_of_path("/sys/fs/cgroup", group, v2));
        else if (strncmp(controllers, controller, len) == 0 &&
                 (controllers[len] == 0 || controllers[len] == ','))
            limit = least(limit, least_of_path(root, group, v1));
    }
    fclose(file);
    return limit;
}

static uint64_t memory_total(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    uint64_t kib = 0;
    if (!file)
        return 0;
    if (fscanf(file, "MemTotal: %" SCNu64 " kB", &kib) != 1)
        kib = 0;
    fclose(file);
    return kib * 1024;
}

static uint64_t memory_by_rlimit(int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 0;
    return limit.rlim_cur;
}

uint64_t limits_memory_bytes(void)
{
    uint64_t bytes = least(memory_total(), by_cgroup("memory", memory_of_v2, memory_of_v1));
    bytes = least(bytes, memory_by_rlimit(RLIMIT_DATA));
    return least(bytes, memory_by_rlimit(RLIMIT_AS));
}

unsigned limits_cpus(void)
{
    unsigned cpus = cpus_by_affinity(), quota = (unsigned)by_cgroup("cpu", cpus_of, cpus_of);
    if (quota && quota < cpus)
        cpus = quota;
    return cpus ? cpus : 1;
}
