/* Clocks, in nanoseconds. */
#ifndef CUZK_BASE_CLOCK_H
#define CUZK_BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_monotonic_ns(void);   /* since an arbitrary moment; never goes back */
uint64_t clock_process_cpu_ns(void); /* CPU time of all threads of this process */
uint64_t
clock_process_system_ns(void); /* of that, in the kernel; in steps of a microsecond at best */

#endif
