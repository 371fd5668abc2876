#include "base/meminfo.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"

enum { SAMPLE_MS = 5 };

/* A line is "VmHWM:     1234 kB". */
static uint64_t read_status(const char *field)
{
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return 0;
    text[n] = 0;
    const char *line = strstr(text, field);
    return line ? strtoull(line + strlen(field), NULL, 10) * 1024 : 0;
}

uint64_t meminfo_rss_bytes(void)
{
    return read_status("\nVmRSS:");
}

uint64_t meminfo_peak_rss_bytes(void)
{
    return read_status("\nVmHWM:");
}

void meminfo_reset_peak_rss(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t refused = write(fd, "5", 1) < 0;
    (void)refused;
    close(fd);
}

uint64_t meminfo_anon_bytes(void)
{
    return read_status("\nRssAnon:");
}

struct meminfo_sampler {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    int stopping;
    uint64_t peak_bytes;
};

/* With the lock held. */
static void sample(struct meminfo_sampler *sampler)
{
    uint64_t now = meminfo_anon_bytes();
    if (now > sampler->peak_bytes)
        sampler->peak_bytes = now;
}

static void *sampler_main(void *arg)
{
    struct meminfo_sampler *sampler = arg;
    pthread_mutex_lock(&sampler->lock);
    while (!sampler->stopping) {
        sample(sampler);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SAMPLE_MS * 1000000L;
        if (until.tv_nsec >= 1000000000L) {
            until.tv_nsec -= 1000000000L;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&sampler->stop, &sampler->lock, &until);
    }
    pthread_mutex_unlock(&sampler->lock);
    return NULL;
}

int meminfo_sampler_new(struct meminfo_sampler **out, struct error *err)
{
    *out = NULL;
    struct meminfo_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the memory sampler");
    pthread_mutex_init(&sampler->lock, NULL);
    pthread_cond_init(&sampler->stop, NULL);
    sigset_t block, before;
    sigfillset(&block);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    int rc = thread_start(&sampler->thread, sampler_main, sampler);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) {
        free(sampler);
        return error_set(err, ERR_OS, "no-threads", "no thread for the memory sampler: %s",
                         strerror(rc));
    }
    *out = sampler;
    return 0;
}

uint64_t meminfo_sampler_peak_bytes(struct meminfo_sampler *sampler)
{
    pthread_mutex_lock(&sampler->lock);
    sample(sampler);
    uint64_t peak = sampler->peak_bytes;
    pthread_mutex_unlock(&sampler->lock);
    return peak;
}

void meminfo_sampler_destroy(struct meminfo_sampler *sampler)
{
    if (!sampler)
        return;
    pthread_mutex_lock(&sampler->lock);
    sampler->stopping = 1;
    pthread_cond_signal(&sampler->stop);
    pthread_mutex_unlock(&sampler->lock);
    pthread_join(sampler->thread, NULL);
    pthread_cond_destroy(&sampler->stop);
    pthread_mutex_destroy(&sampler->lock);
    free(sampler);
}
