/* Which kernels this process uses: decided once at start. */
#ifndef CUZK_BASE_CPU_H
#define CUZK_BASE_CPU_H

#include "base/error.h"

enum cpu_path {
    CPU_PORTABLE, /* C only */
    CPU_ADX,      /* x86-64 with BMI2 (MULX), ADX and AVX2 */
    CPU_IFMA, /* all of that and AVX-512 F, DQ, VL, IFMA: test for at least CPU_ADX where nothing more is needed */
    CPU_PATHS,
};

/* Reads CUZK_CPU (a path's name) or takes the best path the machine has. A path that the machine or the build lacks is
 * ERR_UNAVAILABLE, an unknown name ERR_USAGE. Call before any other room is used; calling again re-reads CUZK_CPU (tests). */
int cpu_init(struct error *err);

enum cpu_path cpu_path(void);                  /* CPU_PORTABLE before cpu_init */
const char *cpu_path_name(enum cpu_path path); /* "portable", "adx", "ifma" */
int cpu_path_available(enum cpu_path path);    /* 1 if machine and build have it */
const char *cpu_model(void);                   /* as the kernel names it; "unknown" */

#endif
