/* Running a test once for every kernel path of this machine. */
#ifndef CUZK_TESTS_CPU_PATHS_H
#define CUZK_TESTS_CPU_PATHS_H

#include <stdlib.h>

#include "base/cpu.h"
#include "field/field.h"

/* 1 and the path is in use, or 0 when machine or build lack it. */
static inline int cpu_path_use(enum cpu_path path)
{
    struct error err;
    if (!cpu_path_available(path))
        return 0;
    setenv("CUZK_CPU", cpu_path_name(path), 1);
    assert_int_equal(cpu_init(&err), 0);
    assert_int_equal(cpu_path(), path);
    field_init();
    return 1;
}

#define FOR_EACH_CPU_PATH(path)                                                                    \
    for (enum cpu_path path = CPU_PORTABLE; path < CPU_PATHS; path++)                              \
        if (cpu_path_use(path))

#endif
