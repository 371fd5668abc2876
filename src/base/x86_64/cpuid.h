/* What CPUID says. */
#ifndef CUZK_BASE_X86_64_CPUID_H
#define CUZK_BASE_X86_64_CPUID_H

/* 1 if CPU and system offer BMI2, ADX and AVX2 (the system must save the YMM registers). */
int cpuid_has_adx_path(void);

/* 1 if they also offer AVX-512 F, DQ, VL and IFMA (the system must save the ZMM and mask registers). */
int cpuid_has_ifma_path(void);

#endif
