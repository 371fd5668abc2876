/* Which malloc this process runs with. */
#ifndef CUZK_CMD_BENCH_ALLOCATOR_H
#define CUZK_CMD_BENCH_ALLOCATOR_H

#include "base/error.h"

/* "jemalloc" where its mallctl is there, else "glibc". */
const char *allocator_name(void);

/* Makes it the one asked for, "glibc" or "jemalloc": for jemalloc the program starts again with libjemalloc.so.2 preloaded, and does not
 * return. ERR_USAGE: another name; ERR_UNAVAILABLE, cause "no-jemalloc": the system has none; "allocator-preloaded": jemalloc is
 * preloaded from outside but glibc is wanted. argv ends with NULL. */
int allocator_choose(const char *name, char *const *argv, struct error *err);

#endif
