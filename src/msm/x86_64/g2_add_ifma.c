#include "field/x86_64/fp8.h"
#include "msm/x86_64/batch_add_ifma.h"
#include "msm/x86_64/transpose.h"

#define GROUP g2
#define COORD_PREFIX fp2
#define COORD_ONE FP2_ONE
#define DEGREE 2

/* part[0] + part[1] u */
struct coord8 {
    struct fp8 part[2];
};

IFMA_INLINE struct coord8 coord8_one_416(void)
{
    const __m512i zero = _mm512_setzero_si512();
    const struct fp8 none = {{zero, zero, zero, zero, zero, zero, zero, zero}};
    return (struct coord8){{fp8_constant(FP8_ONE_416), none}};
}

/* a below 2p. Four products but two reductions, as dear as Karatsuba's three of both. With b below 2^33 p at most, results are below
 * (2 * 2 + 2 * 2) p * 2^32 p / 2^416 + p < 2p. */
IFMA_INLINE struct coord8 coord8_mul(struct coord8 a, struct coord8 b)
{
    struct coord8 r;
    const __m512i zero = _mm512_setzero_si512();
    const struct fp8 none = {{zero, zero, zero, zero, zero, zero, zero, zero}};
    struct fp8 minus_a1 = fp8_normal(fp8_add_p(fp8_sub(none, a.part[1]), 2));
    r.part[0] = fp8_mul_add(a.part[0], b.part[0], minus_a1, b.part[1]);
    r.part[1] = fp8_mul_add(a.part[0], b.part[1], a.part[1], b.part[0]);
    return r;
}

/* (a0 + a1) (a0 - a1) + 2 a0 a1 u, a below 2p. */
IFMA_INLINE struct coord8 coord8_sqr(struct coord8 a)
{
    struct coord8 r;
    struct fp8 sum = fp8_normal(fp8_add(a.part[0], a.part[1]));
    struct fp8 difference = fp8_normal(fp8_add_p(fp8_sub(a.part[0], a.part[1]), 2));
    struct fp8 twice = fp8_normal(fp8_add(a.part[0], a.part[0]));
    r.part[0] = fp8_mul(sum, difference);
    r.part[1] = fp8_mul(twice, a.part[1]);
    return r;
}

#include "msm/x86_64/batch_add_ifma_template.h"
