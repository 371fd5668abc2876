#include "cmd/bench/allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char library[] = "libjemalloc.so.2";

static int is_jemalloc(void)
{
    return dlsym(RTLD_DEFAULT, "mallctl") != NULL;
}

const char *allocator_name(void)
{
    return is_jemalloc() ? "jemalloc" : "glibc";
}

static int start_again(char *const *argv, struct error *err)
{
    const char *preload = getenv("LD_PRELOAD");
    char text[4096];
    if (preload != NULL && strstr(preload, library) != NULL)
        return error_set(err, ERR_UNAVAILABLE, "no-jemalloc",
                         "%s could not be loaded: the Debian package is libjemalloc2", library);
    int n =
        snprintf(text, sizeof text, "%s%s%s", library, preload ? " " : "", preload ? preload : "");
    if (n < 0 || (size_t)n >= sizeof text || setenv("LD_PRELOAD", text, 1) != 0)
        return error_set(err, ERR_OS, "out-of-memory", "LD_PRELOAD cannot be set");
    execv("/proc/self/exe", argv);
    return error_set(err, ERR_OS, "no-restart", "starting again with %s: %s", library,
                     strerror(errno));
}

int allocator_choose(const char *name, char *const *argv, struct error *err)
{
    int jemalloc = strcmp(name, "jemalloc") == 0;
    if (!jemalloc && strcmp(name, "glibc") != 0)
        return error_set(err, ERR_USAGE, "allocator-unknown",
                         "no allocator \"%.20s\": glibc or jemalloc", name);
    if (jemalloc == is_jemalloc())
        return 0;
    if (!jemalloc)
        return error_set(err, ERR_UNAVAILABLE, "allocator-preloaded",
                         "jemalloc is preloaded: glibc's malloc is out of reach");
    return start_again(argv, err);
}
