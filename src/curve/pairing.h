/* The optimal ate pairing e: G1 x G2 -> Gt, the subgroup of order r of Fp12 (its elements are struct fp12).
 *
 * Values equal the reference libraries' (blst), which raise to 3 times the usual final exponent: the cube of the textbook ate
 * pairing, with the same kernel. All points must be in their subgroups of order r; infinity is allowed and pairs to 1. */
#ifndef CUZK_CURVE_PAIRING_H
#define CUZK_CURVE_PAIRING_H

#include <stddef.h>

#include "curve/fp12.h"
#include "curve/g1.h"
#include "curve/g2.h"

/* A line through multiples of Q, to be evaluated at P = (x, y): c0 + cx x v + cy y v w. */
struct g2_line {
    struct fp2 c0, cx, cy;
};

enum { G2_LINES = 68 }; /* 63 doublings and 5 additions */

/* All lines of the Miller loop for one Q: worth keeping for points that recur (beta, gamma, delta of a verifying key). */
struct g2_prepared {
    struct g2_line lines[G2_LINES];
    int infinity;
};

void g2_prepare(struct g2_prepared *r, const struct g2_affine *q);

/* r = the product over i < n of the Miller functions of (p[i], *q[i]); n = 0 gives 1. One chain of squarings serves all pairs. */
void miller_loop(struct fp12 *r, const struct g1_affine *p, const struct g2_prepared *const *q,
                 size_t n);

/* r = f^(3 (p^12 - 1) / r); f != 0. */
void final_exponentiation(struct fp12 *r, const struct fp12 *f);

void pairing(struct fp12 *r, const struct g1_affine *p, const struct g2_affine *q);

/* 1 when the product over i < n of e(p[i], *q[i]) is 1. */
int pairing_product_is_one(const struct g1_affine *p, const struct g2_prepared *const *q, size_t n);

#endif
