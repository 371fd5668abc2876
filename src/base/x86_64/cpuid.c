#include "base/x86_64/cpuid.h"

#include <cpuid.h>
#include <stdint.h>

enum {
    LEAF1_ECX_OSXSAVE = 1 << 27,
    LEAF7_EBX_AVX2 = 1 << 5,
    LEAF7_EBX_BMI2 = 1 << 8,
    LEAF7_EBX_ADX = 1 << 19,
    XCR0_XMM_YMM = 1 << 1 | 1 << 2,
};

static uint32_t read_xcr0(void)
{
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

int cpuid_has_adx_path(void)
{
    const uint32_t wanted = LEAF7_EBX_AVX2 | LEAF7_EBX_BMI2 | LEAF7_EBX_ADX;
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & LEAF1_ECX_OSXSAVE))
        return 0;
    if ((read_xcr0() & XCR0_XMM_YMM) != XCR0_XMM_YMM)
        return 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & wanted) == wanted;
}
