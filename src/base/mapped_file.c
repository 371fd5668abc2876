#include "base/mapped_file.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

struct guard {
    const struct mapped_file *file;
    struct guard *outer;
    volatile size_t fault_offset;
    sigjmp_buf left;
};

static _Thread_local struct guard *innermost;
static _Thread_local int passing_on;
static struct sigaction previous;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

static void pass_on(int signo, siginfo_t *info, void *context)
{
    /* Whoever came after us may pass on to us; the second time round nobody is left. */
    int nobody = passing_on;
    passing_on = 1;
    if (!nobody && previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signo, info, context);
    } else if (!nobody && previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signo);
    } else {
        /* The faulting instruction runs again, or for a sent signal this raise does, and ends the process. */
        signal(signo, SIG_DFL);
        if (info->si_code <= 0)
            raise(signo);
    }
    passing_on = nobody;
}

static void on_sigbus(int signo, siginfo_t *info, void *context)
{
    uintptr_t address = (uintptr_t)info->si_addr;
    for (struct guard *guard = innermost; info->si_code > 0 && guard; guard = guard->outer) {
        uintptr_t start = (uintptr_t)guard->file->data;
        if (address >= start && address - start < guard->file->size) {
            guard->fault_offset = address - start;
            siglongjmp(guard->left, 1);
        }
    }
    pass_on(signo, info, context);
}

static int is_ours(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_sigbus;
}

/* Looks each time: another library, or a test runner, may have put its own handler over ours. */
static void ensure_handler(void)
{
    struct sigaction now;
    if (sigaction(SIGBUS, NULL, &now) == 0 && is_ours(&now))
        return;
    /* SA_NODEFER leaves the mask alone, so that a guard need not save and restore it. */
    struct sigaction ours = {.sa_sigaction = on_sigbus,
                             .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&install_lock);
    if (sigaction(SIGBUS, NULL, &now) == 0 && !is_ours(&now)) {
        previous = now;
        sigaction(SIGBUS, &ours, NULL);
    }
    pthread_mutex_unlock(&install_lock);
}

static int map(struct mapped_file *file, off_t size, const char *path, struct error *err)
{
    if (size > 0) {
        void *data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file->fd, 0);
        if (data == MAP_FAILED)
            return error_set(err, errno == ENOMEM ? ERR_OS : ERR_IO, "file-not-mappable", "%s: %s",
                             path, strerror(errno));
        file->data = data;
    }
    file->size = (size_t)size;
    return 0;
}

int mapped_file_init(struct mapped_file *file, const char *path, struct error *err)
{
    *file = (struct mapped_file){0};
    struct stat st;
    struct mapped_file mapped = {0};
    if (file_open(&mapped.fd, &st, path, err) != 0)
        return err->code;
    mapped.path = strdup(path);
    int rc = mapped.path ? map(&mapped, st.st_size, path, err)
                         : error_set(err, ERR_OS, "out-of-memory", "%s: no memory", path);
    if (rc) {
        free(mapped.path);
        close(mapped.fd);
        return rc;
    }
    *file = mapped;
    return 0;
}

void mapped_file_clean_up(struct mapped_file *file)
{
    if (file->data)
        munmap((void *)file->data, file->size);
    if (file->path)
        close(file->fd);
    free(file->path);
    *file = (struct mapped_file){0};
}

int mapped_file_guard(const struct mapped_file *file, void (*fn)(void *ctx), void *ctx,
                      struct error *err)
{
    ensure_handler();
    struct guard guard = {.file = file, .outer = innermost};
    if (sigsetjmp(guard.left, 0)) {
        innermost = guard.outer;
        return error_set(err, ERR_IO, "file-truncated",
                         "%s: unreadable at byte %zu: truncated or failing storage", file->path,
                         guard.fault_offset);
    }
    innermost = &guard;
    fn(ctx);
    innermost = guard.outer;

    struct stat st;
    if (fstat(file->fd, &st) || (uint64_t)st.st_size < file->size)
        return error_set(err, ERR_IO, "file-truncated",
                         "%s: truncated while it was read, from %zu to %lld bytes", file->path,
                         file->size, (long long)st.st_size);
    return 0;
}
