#include "base/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include "base/x86_64/cpuid.h"
#endif

static enum cpu_path chosen = CPU_PORTABLE;

static const char *const names[CPU_PATHS] = {
    [CPU_PORTABLE] = "portable", [CPU_ADX] = "adx", [CPU_IFMA] = "ifma"};

enum cpu_path cpu_path(void)
{
    return chosen;
}

const char *cpu_path_name(enum cpu_path path)
{
    return names[path];
}

int cpu_path_available(enum cpu_path path)
{
    if (path == CPU_PORTABLE)
        return 1;
#ifdef __x86_64__
    return path == CPU_ADX ? cpuid_has_adx_path() : cpuid_has_ifma_path();
#else
    return 0;
#endif
}

int cpu_init(struct error *err)
{
    const char *wanted = getenv("CUZK_CPU");
    if (!wanted || !*wanted) {
        chosen = CPU_PATHS - 1;
        while (!cpu_path_available(chosen))
            chosen--;
        return 0;
    }
    for (enum cpu_path path = 0; path < CPU_PATHS; path++) {
        if (strcmp(wanted, names[path]) != 0)
            continue;
        if (!cpu_path_available(path))
            return error_set(err, ERR_UNAVAILABLE, "cpu-path-unavailable",
                             "CUZK_CPU=%s: this machine or build does not have it", wanted);
        chosen = path;
        return 0;
    }
    return error_set(err, ERR_USAGE, "cpu-path-unknown",
                     "CUZK_CPU=%s: must be portable, adx or ifma", wanted);
}

static char model[128] = "unknown";

static void read_model(void)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            value += strspn(value, ": \t");
            snprintf(model, sizeof model, "%.*s", (int)strcspn(value, "\n"), value);
            break;
        }
    }
    fclose(file);
}

const char *cpu_model(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_model);
    return model;
}
