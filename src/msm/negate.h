/* An Fp element or its negative, without a branch. */
#ifndef CUZK_MSM_NEGATE_H
#define CUZK_MSM_NEGATE_H

#include <stdint.h>

#include "field/fp.h"

/* r = a, or p - a when negative is 1 (not 0): -a, except that 0 gives p. As p - a = ~a + (p + 1) mod 2^384. */
static inline void negate_if(uint64_t r[6], const uint64_t a[6], uint64_t negative)
{
    uint64_t mask = -negative, t[6], m[6];
    LIMBS_UNROLL
    for (int i = 0; i < 6; i++) {
        t[i] = a[i] ^ mask;
        m[i] = (FP_MODULUS[i] + (i == 0)) & mask;
    }
    limbs_add(r, t, m, 6);
}

#endif
