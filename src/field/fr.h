/* Fr: the scalar field of BLS12-381, r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001.
 *
 * Elements are in Montgomery form (x * 2^256 mod r), fully reduced, four little-endian 64-bit limbs: equality is memcmp.
 * Every function accepts outputs that alias inputs. None is constant time. */
#ifndef CUZK_FIELD_FR_H
#define CUZK_FIELD_FR_H

#include <stddef.h>
#include <stdint.h>

#include "field/field.h"
#include "field/limbs.h"

struct fr {
    uint64_t l[4];
};

static const uint64_t FR_MODULUS[4] = {0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805,
                                       0x73eda753299d7d48};

extern const struct fr FR_ZERO, FR_ONE, FR_MINUS_ONE;

#if defined(__x86_64__)
#include "field/x86_64/fr_add.h"
#define FR_ADD_LIMBS(r, a, b) fr_add_x86_64(r, a, b)
#define FR_SUB_LIMBS(r, a, b) fr_sub_x86_64(r, a, b)
#else
#define FR_ADD_LIMBS(r, a, b) limbs_add_mod(r, a, b, FR_MODULUS, 4)
#define FR_SUB_LIMBS(r, a, b) limbs_sub_mod(r, a, b, FR_MODULUS, 4)
#endif

static inline void fr_add(struct fr *r, const struct fr *a, const struct fr *b)
{
    FR_ADD_LIMBS(r->l, a->l, b->l);
}

static inline void fr_sub(struct fr *r, const struct fr *a, const struct fr *b)
{
    FR_SUB_LIMBS(r->l, a->l, b->l);
}

static inline void fr_neg(struct fr *r, const struct fr *a)
{
    FR_SUB_LIMBS(r->l, FR_ZERO.l, a->l);
}

static inline void fr_double(struct fr *r, const struct fr *a)
{
    FR_ADD_LIMBS(r->l, a->l, a->l);
}

static inline int fr_is_zero(const struct fr *a)
{
    return limbs_is_zero(a->l, 4);
}

static inline int fr_equal(const struct fr *a, const struct fr *b)
{
    return limbs_equal(a->l, b->l, 4);
}

static inline void fr_mul(struct fr *r, const struct fr *a, const struct fr *b)
{
    field_ops.fr_mul(r, a, b);
}

static inline void fr_sqr(struct fr *r, const struct fr *a)
{
    field_ops.fr_sqr(r, a);
}

/* sum a[i] b[i], 1 <= n <= FR_DOT_MAX, with one reduction for all where the path has a kernel for it. */
enum { FR_DOT_MAX = 16 };
static inline void fr_dot(struct fr *r, const struct fr *a, const struct fr *b, size_t n)
{
    field_ops.fr_dot(r, a, b, n);
}

void fr_inv(struct fr *r, const struct fr *a); /* 0 gives 0 */
void fr_pow(struct fr *r, const struct fr *a, const uint64_t *e,
            size_t limbs); /* e little-endian limbs */
void fr_pow_u64(struct fr *r, const struct fr *a, uint64_t e);

/* n inversions for 3n multiplications; zeros stay zero. scratch holds n elements; a and scratch don't overlap. */
void fr_batch_inv(struct fr *a, size_t n, struct fr *scratch);

void fr_from_u64(struct fr *r, uint64_t v);
void fr_from_i64(struct fr *r, int64_t v);
/* Canonical integer limbs (little-endian, < r) out of and into Montgomery form. */
void fr_to_limbs(uint64_t out[4], const struct fr *a);
void fr_from_limbs(struct fr *r, const uint64_t in[4]); /* in < 2^256, reduced mod r */
/* 32 bytes little-endian. fr_from_bytes returns 0, or -1 when the value is >= r (r untouched). */
void fr_to_bytes(uint8_t out[32], const struct fr *a);
int fr_from_bytes(struct fr *r, const uint8_t in[32]);
/* 64 bytes little-endian, reduced mod r: for uniform randomness. */
void fr_from_bytes_wide(struct fr *r, const uint8_t in[64]);
/* Uniform from getrandom(2). Returns 0 or ERR_OS. */
int fr_random(struct fr *r);

/* 2^32-th root of unity that blstrs uses (7^((r-1)/2^32)) and the generator 7. */
extern const struct fr FR_ROOT_OF_UNITY_2_32, FR_GENERATOR;

#endif
