#include "base/thread.h"

int thread_start(pthread_t *out, void *(*fn)(void *ctx), void *ctx)
{
    pthread_attr_t attr;
    int rc = pthread_attr_init(&attr);
    if (rc != 0)
        return rc;
    rc = pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
    if (rc == 0)
        rc = pthread_create(out, &attr, fn, ctx);
    pthread_attr_destroy(&attr);
    return rc;
}

void thread_raise_default(void)
{
    pthread_attr_t attr;
    size_t bytes;
    if (pthread_getattr_default_np(&attr) != 0)
        return;
    if (pthread_attr_getstacksize(&attr, &bytes) == 0 && bytes < THREAD_STACK_BYTES &&
        pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES) == 0)
        pthread_setattr_default_np(&attr);
    pthread_attr_destroy(&attr);
}
