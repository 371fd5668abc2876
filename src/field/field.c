#include "field/field.h"

#include "base/cpu.h"
#include "field/kernels.h"

/* A macro because C cannot copy one constant object into the initialiser of another. */
#define KERNELS(path)                                                                              \
    {                                                                                              \
        .fr_mul = fr_mul_##path, .fr_sqr = fr_sqr_##path, .fr_dot = fr_dot_##path,                 \
        .fp_mul = fp_mul_##path, .fp_sqr = fp_sqr_##path,                                          \
    }

struct field_ops field_ops = KERNELS(portable);
const struct field_ops FIELD_OPS_PORTABLE = KERNELS(portable);
#if defined(__x86_64__)
const struct field_ops FIELD_OPS_ADX = KERNELS(adx);
#endif

void field_init(void)
{
    field_ops = FIELD_OPS_PORTABLE;
#if defined(__x86_64__)
    if (cpu_path() >= CPU_ADX)
        field_ops = FIELD_OPS_ADX;
#endif
}
