#include "field/x86_64/fp8.h"
#include "msm/x86_64/batch_add_ifma.h"
#include "msm/x86_64/transpose.h"

#define GROUP g1
#define COORD_PREFIX fp
#define COORD_ONE FP_ONE
#define DEGREE 1

struct coord8 {
    struct fp8 part[1];
};

IFMA_INLINE struct coord8 coord8_one_416(void)
{
    return (struct coord8){{fp8_constant(FP8_ONE_416)}};
}

IFMA_INLINE struct coord8 coord8_mul(struct coord8 a, struct coord8 b)
{
    return (struct coord8){{fp8_mul(a.part[0], b.part[0])}};
}

IFMA_INLINE struct coord8 coord8_sqr(struct coord8 a)
{
    return coord8_mul(a, a);
}

#include "msm/x86_64/batch_add_ifma_template.h"
