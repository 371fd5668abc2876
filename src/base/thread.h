/* Threads whose stack does not depend on the user's limit (ulimit -s), which is what pthread_create goes by. */
#ifndef CUZK_BASE_THREAD_H
#define CUZK_BASE_THREAD_H

#include <pthread.h>

/* Enough for any task: the largest frames are kernels' scratch, up to 860 KiB (fixed_base_task). */
enum { THREAD_STACK_BYTES = 4 << 20 };

/* As pthread_create. */
int thread_start(pthread_t *out, void *(*fn)(void *ctx), void *ctx);

/* For a program that calls libraries which start threads of their own: these get no less from now on. */
void thread_raise_default(void);

#endif
