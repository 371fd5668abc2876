/* Fp2 = Fp[u] / (u^2 + 1), the base field of G2. Outputs may alias inputs. */
#ifndef CUZK_CURVE_FP2_H
#define CUZK_CURVE_FP2_H

#include "field/fp.h"

struct fp2 {
    struct fp c0, c1; /* c0 + c1 u */
};

extern const struct fp2 FP2_ZERO, FP2_ONE;

static inline void fp2_add(struct fp2 *r, const struct fp2 *a, const struct fp2 *b)
{
    fp_add(&r->c0, &a->c0, &b->c0);
    fp_add(&r->c1, &a->c1, &b->c1);
}

static inline void fp2_sub(struct fp2 *r, const struct fp2 *a, const struct fp2 *b)
{
    fp_sub(&r->c0, &a->c0, &b->c0);
    fp_sub(&r->c1, &a->c1, &b->c1);
}

static inline void fp2_neg(struct fp2 *r, const struct fp2 *a)
{
    fp_neg(&r->c0, &a->c0);
    fp_neg(&r->c1, &a->c1);
}

static inline void fp2_double(struct fp2 *r, const struct fp2 *a)
{
    fp_double(&r->c0, &a->c0);
    fp_double(&r->c1, &a->c1);
}

/* a^p */
static inline void fp2_conj(struct fp2 *r, const struct fp2 *a)
{
    r->c0 = a->c0;
    fp_neg(&r->c1, &a->c1);
}

/* r = a * (1 + u), the non-residue that Fp6 adjoins a cube root of. */
static inline void fp2_mul_by_nonresidue(struct fp2 *r, const struct fp2 *a)
{
    struct fp t;
    fp_sub(&t, &a->c0, &a->c1);
    fp_add(&r->c1, &a->c0, &a->c1);
    r->c0 = t;
}

static inline int fp2_is_zero(const struct fp2 *a)
{
    return fp_is_zero(&a->c0) && fp_is_zero(&a->c1);
}

static inline int fp2_equal(const struct fp2 *a, const struct fp2 *b)
{
    return fp_equal(&a->c0, &b->c0) && fp_equal(&a->c1, &b->c1);
}

void fp2_mul(struct fp2 *r, const struct fp2 *a, const struct fp2 *b);
void fp2_sqr(struct fp2 *r, const struct fp2 *a);
void fp2_mul_fp(struct fp2 *r, const struct fp2 *a, const struct fp *b);
void fp2_inv(struct fp2 *r, const struct fp2 *a); /* 0 gives 0 */
int fp2_sqrt(struct fp2 *r, const struct fp2 *a); /* 0, or -1 when a is no square (r untouched) */
void fp2_batch_inv(struct fp2 *a, size_t n, struct fp2 *scratch); /* as fr_batch_inv */

/* Order of the encodings: c1 decides, c0 when c1 is 0. Of x and -x exactly one is above half, unless both are 0. */
static inline int fp2_is_above_half(const struct fp2 *a)
{
    return fp_is_above_half(fp_is_zero(&a->c1) ? &a->c0 : &a->c1);
}

/* 96 bytes: c1 then c0, each big-endian and canonical; fp2_from_bytes returns -1 when a half is >= p (r untouched). */
void fp2_to_bytes(uint8_t out[96], const struct fp2 *a);
int fp2_from_bytes(struct fp2 *r, const uint8_t in[96]);
size_t fp2_from_bytes_many(struct fp2 *r, const uint8_t *in, size_t n); /* as fp_from_bytes_many */

#endif
