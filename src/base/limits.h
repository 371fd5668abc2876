/* What the system lets this process use. */
#ifndef CUZK_BASE_LIMITS_H
#define CUZK_BASE_LIMITS_H

/* CPUs this process may run on: the smaller of its affinity mask and its cgroup's quota (v2 and v1, rounded up). At least 1. */
unsigned limits_cpus(void);

#endif
