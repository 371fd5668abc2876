/* Eight elements of Fp side by side: AVX-512 IFMA, eight limbs of 52 bits, one element a lane.
 *
 * The Montgomery product is a b / 2^416, while struct fp stores x 2^384. So every value here has an exponent: "at 2^k" means that
 * the lanes hold x 2^k mod p; the product of a at 2^j and b at 2^k is at 2^(j + k - 416). A value at 2^384 is brought to 2^(384 + s) by
 * shifting its limbs, as long as it stays below 2^416 (values below 2p have 34 bits to spare).
 *
 * Functions that need AVX-512 carry its target themselves, so no file needs special flags. */
#ifndef CUZK_FIELD_X86_64_FP8_H
#define CUZK_FIELD_X86_64_FP8_H

#ifndef CUZK_IFMA_STAND_IN /* tests bring the intrinsics in plain C */
#include <immintrin.h>
#endif
#include <stdint.h>
#include <string.h>

#include "field/fp.h"

#ifdef CUZK_IFMA_STAND_IN
#define IFMA
#define IFMA_INLINE static inline
#define FP8_UNROLL
#else
#define IFMA __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma")))
#define IFMA_INLINE static inline __attribute__((always_inline)) IFMA
#define FP8_UNROLL LIMBS_UNROLL
#endif

/* Limbs are "normal" when each is below 2^52 (the top one may carry a negative value's sign), else "loose": any signed 64-bit. */
struct fp8 {
    __m512i l[8];
};

#define FP8_MASK ((UINT64_C(1) << 52) - 1)
static const uint64_t FP8_P[8] = {0xeffffffffaaab, 0xfeb153ffffb9f, 0x6b0f6241eabff,
                                  0x12bf6730d2a0f, 0x764774b84f385, 0x1ba7b6434bacd,
                                  0x1ea397fe69a4b, 0x1a011};
static const uint64_t FP8_ONE_416[8] = {0x6480ea8e9b9af, 0x65766c8fe444f, 0x8b540fea96f7d,
                                        0x3b2ee82efd422, 0xa6723e5f0ade5, 0xff6eb6fdd4230,
                                        0xe06ef23c24a25, 0x14c8e}; /* 1 at 2^416 */
#define FP8_M0 UINT64_C(0x3fffcfffcfffd)                           /* -1/p mod 2^52 */

IFMA_INLINE __m512i fp8_splat(uint64_t v)
{
    return _mm512_set1_epi64((long long)v);
}

IFMA_INLINE struct fp8 fp8_constant(const uint64_t limbs[8])
{
    struct fp8 r;
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        r.l[i] = fp8_splat(limbs[i]);
    return r;
}

/* Limb by limb, loose. */
IFMA_INLINE struct fp8 fp8_add(struct fp8 a, struct fp8 b)
{
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        a.l[i] = _mm512_add_epi64(a.l[i], b.l[i]);
    return a;
}

IFMA_INLINE struct fp8 fp8_sub(struct fp8 a, struct fp8 b)
{
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        a.l[i] = _mm512_sub_epi64(a.l[i], b.l[i]);
    return a;
}

/* a + k p, loose */
IFMA_INLINE struct fp8 fp8_add_p(struct fp8 a, uint64_t k)
{
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        a.l[i] = _mm512_add_epi64(a.l[i], fp8_splat(k * FP8_P[i]));
    return a;
}

/* Carries go up; a negative value leaves its sign in the top limb. */
IFMA_INLINE struct fp8 fp8_normal(struct fp8 a)
{
    const __m512i mask = fp8_splat(FP8_MASK);
    FP8_UNROLL
    for (int i = 0; i < 7; i++) {
        a.l[i + 1] = _mm512_add_epi64(a.l[i + 1], _mm512_srai_epi64(a.l[i], 52));
        a.l[i] = _mm512_and_si512(a.l[i], mask);
    }
    return a;
}

/* a - p in the lanes of the mask, loose. */
IFMA_INLINE struct fp8 fp8_sub_p(struct fp8 a, __mmask8 lanes)
{
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        a.l[i] = _mm512_mask_sub_epi64(a.l[i], lanes, a.l[i], fp8_splat(FP8_P[i]));
    return a;
}

/* Normal a, -p <= a < 2p, made canonical. */
static __attribute__((noinline)) IFMA void fp8_correct(struct fp8 *a)
{
    __mmask8 negative = _mm512_movepi64_mask(a->l[7]);
    struct fp8 more = fp8_add_p(*a, 1), less;
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        a->l[i] = _mm512_mask_mov_epi64(a->l[i], negative, more.l[i]);
    *a = fp8_normal(*a);
    less = fp8_normal(fp8_sub_p(*a, 0xff));
    negative = _mm512_movepi64_mask(less.l[7]);
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        a->l[i] = _mm512_mask_mov_epi64(less.l[i], negative, a->l[i]);
}

/* Loose a, 0 <= a < 4p, made canonical. The top limb alone (of 2^364) tells how often p fits, except near multiples of p: in one of
 * 2^16 values it leaves a correction. */
IFMA_INLINE struct fp8 fp8_reduce(struct fp8 a)
{
    const __m512i p = fp8_splat(FP8_P[7]), two_p = fp8_splat(2 * FP8_P[7]);
    a = fp8_normal(a);
    __mmask8 once = _mm512_cmpge_epi64_mask(a.l[7], p);
    __mmask8 twice = _mm512_cmpge_epi64_mask(a.l[7], two_p);
    a = fp8_normal(fp8_sub_p(fp8_sub_p(a, once), twice));
    unsigned wrong = _mm512_movepi64_mask(a.l[7]) | _mm512_cmpge_epi64_mask(a.l[7], p);
    if (__builtin_expect(wrong != 0, 0))
        fp8_correct(&a);
    return a;
}

/* The limb that a round drops, t + q p_0 with q = -t / p_0 mod 2^52, is 0 or 2^52 besides what t carries: no need to form it. */
IFMA_INLINE __m512i fp8_dropped(__m512i t)
{
    return _mm512_srli_epi64(_mm512_add_epi64(t, fp8_splat(FP8_MASK)), 52);
}

/* a b / 2^416, normal and below a b / 2^416 + p, for normal a and b. Row by row: t += a b_i, t = (t + q p) / 2^52. */
IFMA_INLINE struct fp8 fp8_mul(struct fp8 a, struct fp8 b)
{
    const __m512i zero = _mm512_setzero_si512(), m0 = fp8_splat(FP8_M0);
    struct fp8 t = {{zero, zero, zero, zero, zero, zero, zero, zero}};
    FP8_UNROLL
    for (int i = 0; i < 8; i++) {
        FP8_UNROLL
        for (int j = 0; j < 8; j++)
            t.l[j] = _mm512_madd52lo_epu64(t.l[j], a.l[j], b.l[i]);
        __m512i q = _mm512_madd52lo_epu64(zero, t.l[0], m0);
        t.l[1] = _mm512_add_epi64(t.l[1], fp8_dropped(t.l[0]));
        FP8_UNROLL
        for (int j = 0; j < 7; j++)
            t.l[j] = _mm512_madd52hi_epu64(t.l[j + 1], a.l[j], b.l[i]);
        t.l[7] = _mm512_madd52hi_epu64(zero, a.l[7], b.l[i]);
        FP8_UNROLL
        for (int j = 0; j < 7; j++)
            t.l[j] = _mm512_madd52lo_epu64(t.l[j], q, fp8_splat(FP8_P[j + 1]));
        FP8_UNROLL
        for (int j = 0; j < 8; j++)
            t.l[j] = _mm512_madd52hi_epu64(t.l[j], q, fp8_splat(FP8_P[j]));
    }
    return fp8_normal(t);
}

/* (a b + c d) / 2^416, likewise. */
IFMA_INLINE struct fp8 fp8_mul_add(struct fp8 a, struct fp8 b, struct fp8 c, struct fp8 d)
{
    const __m512i zero = _mm512_setzero_si512(), m0 = fp8_splat(FP8_M0);
    struct fp8 t = {{zero, zero, zero, zero, zero, zero, zero, zero}};
    FP8_UNROLL
    for (int i = 0; i < 8; i++) {
        FP8_UNROLL
        for (int j = 0; j < 8; j++)
            t.l[j] = _mm512_madd52lo_epu64(t.l[j], a.l[j], b.l[i]);
        FP8_UNROLL
        for (int j = 0; j < 8; j++)
            t.l[j] = _mm512_madd52lo_epu64(t.l[j], c.l[j], d.l[i]);
        __m512i q = _mm512_madd52lo_epu64(zero, t.l[0], m0);
        t.l[1] = _mm512_add_epi64(t.l[1], fp8_dropped(t.l[0]));
        FP8_UNROLL
        for (int j = 0; j < 7; j++)
            t.l[j] = _mm512_madd52hi_epu64(t.l[j + 1], a.l[j], b.l[i]);
        t.l[7] = _mm512_madd52hi_epu64(zero, a.l[7], b.l[i]);
        FP8_UNROLL
        for (int j = 0; j < 8; j++)
            t.l[j] = _mm512_madd52hi_epu64(t.l[j], c.l[j], d.l[i]);
        FP8_UNROLL
        for (int j = 0; j < 7; j++)
            t.l[j] = _mm512_madd52lo_epu64(t.l[j], q, fp8_splat(FP8_P[j + 1]));
        FP8_UNROLL
        for (int j = 0; j < 8; j++)
            t.l[j] = _mm512_madd52hi_epu64(t.l[j], q, fp8_splat(FP8_P[j]));
    }
    return fp8_normal(t);
}

/* a 2^s for normal a below 2^(416 - s), 0 < s < 52: from one exponent to another. */
IFMA_INLINE struct fp8 fp8_shift(struct fp8 a, unsigned s)
{
    const __m512i mask = fp8_splat(FP8_MASK);
    struct fp8 r;
    r.l[0] = _mm512_and_si512(_mm512_slli_epi64(a.l[0], s), mask);
    FP8_UNROLL
    for (int i = 1; i < 8; i++) {
        __m512i high = _mm512_slli_epi64(a.l[i], s), low = _mm512_srli_epi64(a.l[i - 1], 52 - s);
        r.l[i] = _mm512_and_si512(_mm512_or_si512(high, low), mask);
    }
    return r;
}

/* p - a in the lanes of the mask, loose. */
IFMA_INLINE struct fp8 fp8_negate(struct fp8 a, __mmask8 lanes)
{
    FP8_UNROLL
    for (int i = 0; i < 8; i++)
        a.l[i] = _mm512_mask_sub_epi64(a.l[i], lanes, fp8_splat(FP8_P[i]), a.l[i]);
    return a;
}

/* The lanes of 6 words of 64 bits as 8 limbs, and back. */
IFMA_INLINE struct fp8 fp8_from_words(const __m512i w[6])
{
    const __m512i mask = fp8_splat(FP8_MASK);
    struct fp8 r;
    r.l[0] = _mm512_and_si512(w[0], mask);
    r.l[7] = _mm512_srli_epi64(w[5], 44);
    FP8_UNROLL
    for (int i = 1; i < 7; i++) {
        unsigned from = 52 * i, word = from / 64, shift = from % 64;
        __m512i v = _mm512_srli_epi64(w[word], shift);
        if (shift > 12)
            v = _mm512_or_si512(v, _mm512_slli_epi64(w[word + 1], 64 - shift));
        r.l[i] = _mm512_and_si512(v, mask);
    }
    return r;
}

IFMA_INLINE void fp8_to_words(__m512i w[6], struct fp8 a)
{
    FP8_UNROLL
    for (int i = 0; i < 6; i++) {
        unsigned limb = 64 * i / 52, shift = 64 * i % 52;
        w[i] = _mm512_srli_epi64(a.l[limb], shift);
        w[i] = _mm512_or_si512(w[i], _mm512_slli_epi64(a.l[limb + 1], 52 - shift));
        if (shift > 40)
            w[i] = _mm512_or_si512(w[i], _mm512_slli_epi64(a.l[limb + 2], 104 - shift));
    }
}

/* One lane as a canonical struct fp, and back. */
static inline void fp8_set_lane(struct fp8 *r, int lane, const struct fp *a)
{
    for (int i = 0; i < 8; i++) {
        int word = 52 * i / 64, shift = 52 * i % 64;
        uint64_t v = a->l[word] >> shift;
        if (shift > 12 && word < 5)
            v |= a->l[word + 1] << (64 - shift);
        v &= FP8_MASK;
        memcpy((char *)&r->l[i] + 8 * lane, &v, sizeof v);
    }
}

static inline void fp8_get_lane(struct fp *r, const struct fp8 *a, int lane)
{
    uint64_t limb[9] = {0};
    for (int i = 0; i < 8; i++)
        memcpy(&limb[i], (const char *)&a->l[i] + 8 * lane, sizeof limb[i]);
    for (int i = 0; i < 6; i++) {
        int at = 64 * i / 52, shift = 64 * i % 52;
        r->l[i] = limb[at] >> shift | limb[at + 1] << (52 - shift);
        if (shift > 40)
            r->l[i] |= limb[at + 2] << (104 - shift);
    }
}

#endif
