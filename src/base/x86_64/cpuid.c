#include "base/x86_64/cpuid.h"

#include <cpuid.h>
#include <stdint.h>

enum {
    LEAF1_ECX_OSXSAVE = 1 << 27,
    LEAF7_EBX_AVX2 = 1 << 5,
    LEAF7_EBX_BMI2 = 1 << 8,
    LEAF7_EBX_AVX512F = 1 << 16,
    LEAF7_EBX_AVX512DQ = 1 << 17,
    LEAF7_EBX_ADX = 1 << 19,
    LEAF7_EBX_AVX512IFMA = 1 << 21,
    LEAF7_EBX_AVX512VL = -2147483647 - 1, /* bit 31 */
    XCR0_XMM_YMM = 1 << 1 | 1 << 2,
    XCR0_MASK_ZMM = 1 << 5 | 1 << 6 | 1 << 7,
};

static uint32_t read_xcr0(void)
{
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

/* Whether the system saves these registers and leaf 7 has these features. */
static int has(uint32_t registers, uint32_t features)
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & LEAF1_ECX_OSXSAVE))
        return 0;
    if ((read_xcr0() & registers) != registers)
        return 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & features) == features;
}

int cpuid_has_adx_path(void)
{
    return has(XCR0_XMM_YMM, LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2 | LEAF7_EBX_ADX);
}

int cpuid_has_ifma_path(void)
{
    return cpuid_has_adx_path() &&
           has(XCR0_MASK_ZMM, LEAF7_EBX_AVX512F | LEAF7_EBX_AVX512DQ | LEAF7_EBX_AVX512IFMA |
                                  (uint32_t)LEAF7_EBX_AVX512VL);
}
