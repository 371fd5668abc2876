/* Fp: the base field of BLS12-381,
 * p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab.
 *
 * Montgomery form (x * 2^384 mod p), fully reduced, six little-endian limbs: equality is memcmp. Outputs may alias inputs. */
#ifndef CUZK_FIELD_FP_H
#define CUZK_FIELD_FP_H

#include <stddef.h>
#include <stdint.h>

#include "field/field.h"
#include "field/limbs.h"

struct fp {
    uint64_t l[6];
};

static const uint64_t FP_MODULUS[6] = {0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624,
                                       0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a};

extern const struct fp FP_ZERO, FP_ONE;

#if defined(__x86_64__)
#include "field/x86_64/fp_add.h"
#define FP_ADD_LIMBS(r, a, b) fp_add_x86_64(r, a, b)
#define FP_SUB_LIMBS(r, a, b) fp_sub_x86_64(r, a, b)
#else
#define FP_ADD_LIMBS(r, a, b) limbs_add_mod(r, a, b, FP_MODULUS, 6)
#define FP_SUB_LIMBS(r, a, b) limbs_sub_mod(r, a, b, FP_MODULUS, 6)
#endif

static inline void fp_add(struct fp *r, const struct fp *a, const struct fp *b)
{
    FP_ADD_LIMBS(r->l, a->l, b->l);
}

static inline void fp_sub(struct fp *r, const struct fp *a, const struct fp *b)
{
    FP_SUB_LIMBS(r->l, a->l, b->l);
}

static inline void fp_neg(struct fp *r, const struct fp *a)
{
    FP_SUB_LIMBS(r->l, FP_ZERO.l, a->l);
}

static inline void fp_double(struct fp *r, const struct fp *a)
{
    FP_ADD_LIMBS(r->l, a->l, a->l);
}

static inline int fp_is_zero(const struct fp *a)
{
    return limbs_is_zero(a->l, 6);
}

static inline int fp_equal(const struct fp *a, const struct fp *b)
{
    return limbs_equal(a->l, b->l, 6);
}

static inline void fp_mul(struct fp *r, const struct fp *a, const struct fp *b)
{
    field_ops.fp_mul(r, a, b);
}

static inline void fp_sqr(struct fp *r, const struct fp *a)
{
    field_ops.fp_sqr(r, a);
}

void fp_inv(struct fp *r, const struct fp *a); /* 0 gives 0 */
int fp_sqrt(struct fp *r, const struct fp *a); /* 0, or -1 when a is no square (r untouched) */
void fp_pow(struct fp *r, const struct fp *a, const uint64_t *e,
            size_t limbs);                                     /* e little-endian limbs */
void fp_batch_inv(struct fp *a, size_t n, struct fp *scratch); /* as fr_batch_inv */
void fp_from_u64(struct fp *r, uint64_t v);

/* 1 when the canonical value is > (p-1)/2: of x and -x exactly one is, unless both are 0. */
int fp_is_above_half(const struct fp *a);

/* Canonical integer limbs (little-endian, < p). fp_from_limbs returns -1 when the value is >= p (r untouched). */
void fp_to_limbs(uint64_t out[6], const struct fp *a);
int fp_from_limbs(struct fp *r, const uint64_t in[6]);
/* 48 bytes big-endian, canonical; fp_from_bytes returns -1 when the value is >= p (r untouched). */
void fp_to_bytes(uint8_t out[48], const struct fp *a);
int fp_from_bytes(struct fp *r, const uint8_t in[48]);
/* n of them, one after the other: returns n, or the first that is >= p (r is then undefined from there on). */
size_t fp_from_bytes_many(struct fp *r, const uint8_t *in, size_t n);

#endif
