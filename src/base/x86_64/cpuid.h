/* What CPUID says. */
#ifndef CUZK_BASE_X86_64_CPUID_H
#define CUZK_BASE_X86_64_CPUID_H

/* 1 if CPU and system offer BMI2, ADX and AVX2 (the system must save the YMM registers). */
int cpuid_has_adx_path(void);

#endif
