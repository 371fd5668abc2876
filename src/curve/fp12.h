/* The tower Fp6 = Fp2[v] / (v^3 - (1 + u)), Fp12 = Fp6[w] / (w^2 - v). Outputs may alias inputs. */
#ifndef CUZK_CURVE_FP12_H
#define CUZK_CURVE_FP12_H

#include <stddef.h>
#include <stdint.h>

#include "curve/fp2.h"

struct fp6 {
    struct fp2 c0, c1, c2; /* c0 + c1 v + c2 v^2 */
};

struct fp12 {
    struct fp6 c0, c1; /* c0 + c1 w */
};

extern const struct fp12 FP12_ONE;

void fp6_add(struct fp6 *r, const struct fp6 *a, const struct fp6 *b);
void fp6_sub(struct fp6 *r, const struct fp6 *a, const struct fp6 *b);
void fp6_neg(struct fp6 *r, const struct fp6 *a);
void fp6_mul(struct fp6 *r, const struct fp6 *a, const struct fp6 *b);
void fp6_mul_by_v(struct fp6 *r, const struct fp6 *a);
void fp6_inv(struct fp6 *r, const struct fp6 *a); /* 0 gives 0 */

void fp12_mul(struct fp12 *r, const struct fp12 *a, const struct fp12 *b);
void fp12_sqr(struct fp12 *r, const struct fp12 *a);
void fp12_inv(struct fp12 *r, const struct fp12 *a); /* 0 gives 0 */
void fp12_conj(struct fp12 *r,
               const struct fp12 *a); /* a^(p^6): the inverse of elements of norm 1 */
void fp12_frobenius(struct fp12 *r, const struct fp12 *a); /* a^p */
int fp12_equal(const struct fp12 *a, const struct fp12 *b);

/* r = a * (c0 + c1 v + c4 v w), the shape of a line of the Miller loop: 13 multiplications in Fp2 instead of 18. */
void fp12_mul_by_line(struct fp12 *r, const struct fp12 *a, const struct fp2 *c0,
                      const struct fp2 *c1, const struct fp2 *c4);

/* For elements of the cyclotomic subgroup only (what final_exponentiation returns): Granger and Scott, eprint 2009/565. */
void fp12_cyclotomic_sqr(struct fp12 *r, const struct fp12 *a);
void fp12_cyclotomic_pow(struct fp12 *r, const struct fp12 *a, const uint64_t *e,
                         size_t limbs); /* e little-endian limbs */

#endif
