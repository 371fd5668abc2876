/* What the system lets this process use. */
#ifndef CUZK_BASE_LIMITS_H
#define CUZK_BASE_LIMITS_H

#include <stdint.h>

/* CPUs this process may run on: the smaller of its affinity mask and its cgroup's quota (v2 and v1, rounded up). At least 1. */
unsigned limits_cpus(void);

/* Bytes of memory this process may use: the least of MemTotal and the memory limit of every ancestor cgroup (v2 memory.max and
 * memory.high, v1 memory.limit_in_bytes), and of RLIMIT_DATA and RLIMIT_AS where set. 0 if nothing could be read. */
uint64_t limits_memory_bytes(void);

/* The least limit of a cgroup and its ancestors below the file system's root; 0 for none. v1: the file has its old name. */
uint64_t limits_cgroup_memory(const char *root, const char *group, int v1);

#endif
