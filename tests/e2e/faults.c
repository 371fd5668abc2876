/* Preloaded into a daemon under test: what a machine may do to it, switched on and off by files in the folder CUZK_FAULTS.
 *
 *   disk-full   writes to files whose path has ".db" fail with ENOSPC
 *   clock       holds a number: the wall clock is that many seconds off */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int path_of(char *out, size_t size, const char *name)
{
    const char *folder = getenv("CUZK_FAULTS");
    return folder != NULL && snprintf(out, size, "%s/%s", folder, name) < (int)size;
}

static int is_full(int fd)
{
    char path[4096], link[64];
    if (!path_of(path, sizeof path, "disk-full") || access(path, F_OK) != 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0)
        return 0;
    path[n] = '\0';
    if (strstr(path, ".db") == NULL)
        return 0;
    errno = ENOSPC;
    return 1;
}

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t n)
{
    static __typeof__(&write) real;
    if (real == NULL)
        real = REAL(write);
    return is_full(fd) ? -1 : real(fd, data, n);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    static __typeof__(&pwrite) real;
    if (real == NULL)
        real = REAL(pwrite);
    return is_full(fd) ? -1 : real(fd, data, n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    static __typeof__(&pwrite64) real;
    if (real == NULL)
        real = REAL(pwrite64);
    return is_full(fd) ? -1 : real(fd, data, n, at);
}

static time_t seconds_off(void)
{
    char path[4096], text[32] = "";
    if (!path_of(path, sizeof path, "clock"))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? (time_t)strtoll(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static __typeof__(&clock_gettime) real;
    if (real == NULL)
        real = REAL(clock_gettime);
    int rc = real(clock, out);
    if (rc == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += seconds_off();
    return rc;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
