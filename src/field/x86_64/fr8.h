/* Eight elements of Fr side by side: AVX-512 IFMA, five limbs of 52 bits, one element a lane.
 *
 * The Montgomery product here is a b / 2^260, while struct fr stores x 2^256: with twiddles kept at 2^260 a product stays where its other
 * factor was, and vectors need no conversion but to be cut into limbs. 2^260 is 35.3 r: values are multiples of r away from
 * canonical, and each function states by how much at most.
 *
 * Limbs are "normal" when each is below 2^52, else "loose": any signed 64 bits whose sum is what counts, and is never negative. A
 * product takes normal factors (the instructions read 52 bits) and is loose.
 *
 * Functions that need AVX-512 carry its target themselves, so no file needs special flags. */
#ifndef CUZK_FIELD_X86_64_FR8_H
#define CUZK_FIELD_X86_64_FR8_H

#ifndef CUZK_IFMA_STAND_IN /* tests bring the intrinsics in plain C */
#include <immintrin.h>
#endif
#include <stdint.h>

#include "field/fr.h"

#ifdef CUZK_IFMA_STAND_IN
#define IFMA
#define IFMA_INLINE static inline
#else
#define IFMA __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma")))
#define IFMA_INLINE static inline __attribute__((always_inline)) IFMA
#endif

struct fr8 {
    __m512i l[5];
};

static const uint64_t FR8_R[5] = {0xfffff00000001, 0x2fffe5bfefff, 0x9a1d80553bda4, 0x7d483339d8080,
                                  0x73eda753299d};
#define FR8_MASK ((UINT64_C(1) << 52) - 1)
#define FR8_M0 UINT64_C(0xffffeffffffff) /* -1/r mod 2^52 */

/* One element cut into limbs: a constant for all lanes. */
struct fr8_limbs {
    uint64_t l[5];
};

static inline struct fr8_limbs fr8_cut(const struct fr *v)
{
    return (struct fr8_limbs){{v->l[0] & FR8_MASK, (v->l[0] >> 52 | v->l[1] << 12) & FR8_MASK,
                               (v->l[1] >> 40 | v->l[2] << 24) & FR8_MASK,
                               (v->l[2] >> 28 | v->l[3] << 36) & FR8_MASK, v->l[3] >> 16}};
}

/* At 2^260, as a factor that leaves products where the other factor was. */
static inline struct fr8_limbs fr8_cut_at_260(const struct fr *v)
{
    struct fr x = *v;
    for (int i = 0; i < 4; i++)
        fr_double(&x, &x);
    return fr8_cut(&x);
}

IFMA_INLINE __m512i fr8_splat(uint64_t v)
{
    return _mm512_set1_epi64((long long)v);
}

IFMA_INLINE struct fr8 fr8_add(struct fr8 a, struct fr8 b)
{
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_add_epi64(a.l[i], b.l[i]);
    return a;
}

/* a - b + k r, loose; b at most k r. */
IFMA_INLINE struct fr8 fr8_sub(struct fr8 a, struct fr8 b, uint64_t k)
{
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_add_epi64(_mm512_sub_epi64(a.l[i], b.l[i]), fr8_splat(k * FR8_R[i]));
    return a;
}

/* Below 2^260; the top limb takes what the others carry. */
IFMA_INLINE struct fr8 fr8_normal(struct fr8 a)
{
    const __m512i mask = fr8_splat(FR8_MASK);
    LIMBS_UNROLL
    for (int i = 0; i < 4; i++) {
        a.l[i + 1] = _mm512_add_epi64(a.l[i + 1], _mm512_srai_epi64(a.l[i], 52));
        a.l[i] = _mm512_and_si512(a.l[i], mask);
    }
    return a;
}

/* a b / 2^260 for normal a and b, loose; below (1 + A B 0.0284) r for a <= A r, b <= B r. */
IFMA_INLINE struct fr8 fr8_mul(struct fr8 a, struct fr8 b)
{
    struct fr8 t;
    const __m512i zero = _mm512_setzero_si512();
    LIMBS_UNROLL
    for (int j = 0; j < 5; j++)
        t.l[j] = zero;
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++) {
        LIMBS_UNROLL
        for (int j = 0; j < 5; j++)
            t.l[j] = _mm512_madd52lo_epu64(t.l[j], a.l[j], b.l[i]);
        __m512i q = _mm512_madd52lo_epu64(zero, t.l[0], fr8_splat(FR8_M0));
        LIMBS_UNROLL
        for (int j = 0; j < 5; j++)
            t.l[j] = _mm512_madd52lo_epu64(t.l[j], q, fr8_splat(FR8_R[j]));
        __m512i carry = _mm512_srli_epi64(t.l[0], 52); /* the low 52 bits are zero now */
        t.l[0] = _mm512_add_epi64(t.l[1], carry);
        t.l[1] = t.l[2];
        t.l[2] = t.l[3];
        t.l[3] = t.l[4];
        t.l[4] = zero;
        LIMBS_UNROLL
        for (int j = 0; j < 5; j++) {
            t.l[j] = _mm512_madd52hi_epu64(t.l[j], a.l[j], b.l[i]);
            t.l[j] = _mm512_madd52hi_epu64(t.l[j], q, fr8_splat(FR8_R[j]));
        }
    }
    return t;
}

/* a modulo r for normal a, loose, below 1.04 r. The quotient is estimated from the top limb: 1130 = floor(2^57 / (r / 2^208 + 1)). */
IFMA_INLINE struct fr8 fr8_reduce(struct fr8 a)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i q = _mm512_srli_epi64(_mm512_madd52hi_epu64(zero, a.l[4], fr8_splat(1130)), 5);
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++) {
        a.l[i] = _mm512_sub_epi64(a.l[i], _mm512_madd52lo_epu64(zero, q, fr8_splat(FR8_R[i])));
        if (i < 4)
            a.l[i + 1] =
                _mm512_sub_epi64(a.l[i + 1], _mm512_madd52hi_epu64(zero, q, fr8_splat(FR8_R[i])));
    }
    return a;
}

/* Fully reduced and normal. */
IFMA_INLINE struct fr8 fr8_canonical(struct fr8 a)
{
    struct fr8 less = a = fr8_reduce(fr8_normal(a));
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        less.l[i] = _mm512_sub_epi64(less.l[i], fr8_splat(FR8_R[i]));
    a = fr8_normal(a);
    less = fr8_normal(less);
    __mmask8 negative = _mm512_movepi64_mask(less.l[4]);
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_mask_mov_epi64(less.l[i], negative, a.l[i]);
    return a;
}

/* Eight neighbours, lane k = p[k]: normal. */
IFMA_INLINE struct fr8 fr8_load(const struct fr *p)
{
    const __m512i words01 = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i words23 = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i mask = fr8_splat(FR8_MASK);
    __m512i e01 = _mm512_loadu_si512(p), e23 = _mm512_loadu_si512(p + 2);
    __m512i e45 = _mm512_loadu_si512(p + 4), e67 = _mm512_loadu_si512(p + 6);
    __m512i low01 = _mm512_permutex2var_epi64(e01, words01, e23);
    __m512i low23 = _mm512_permutex2var_epi64(e01, words23, e23);
    __m512i high01 = _mm512_permutex2var_epi64(e45, words01, e67);
    __m512i high23 = _mm512_permutex2var_epi64(e45, words23, e67);
    __m512i w0 = _mm512_shuffle_i64x2(low01, high01, 0x44),
            w1 = _mm512_shuffle_i64x2(low01, high01, 0xee);
    __m512i w2 = _mm512_shuffle_i64x2(low23, high23, 0x44),
            w3 = _mm512_shuffle_i64x2(low23, high23, 0xee);
    struct fr8 r;
    r.l[0] = _mm512_and_si512(w0, mask);
    r.l[1] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w0, 52), _mm512_slli_epi64(w1, 12)),
                              mask);
    r.l[2] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w1, 40), _mm512_slli_epi64(w2, 24)),
                              mask);
    r.l[3] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w2, 28), _mm512_slli_epi64(w3, 36)),
                              mask);
    r.l[4] = _mm512_srli_epi64(w3, 16);
    return r;
}

/* p[k] = lane k, for a that is canonical. */
IFMA_INLINE void fr8_store_canonical(struct fr *p, struct fr8 a)
{
    const __m512i even = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i odd = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    __m512i w0 = _mm512_or_si512(a.l[0], _mm512_slli_epi64(a.l[1], 52));
    __m512i w1 = _mm512_or_si512(_mm512_srli_epi64(a.l[1], 12), _mm512_slli_epi64(a.l[2], 40));
    __m512i w2 = _mm512_or_si512(_mm512_srli_epi64(a.l[2], 24), _mm512_slli_epi64(a.l[3], 28));
    __m512i w3 = _mm512_or_si512(_mm512_srli_epi64(a.l[3], 36), _mm512_slli_epi64(a.l[4], 16));
    __m512i low01 = _mm512_shuffle_i64x2(w0, w1, 0x44), high01 = _mm512_shuffle_i64x2(w0, w1, 0xee);
    __m512i low23 = _mm512_shuffle_i64x2(w2, w3, 0x44), high23 = _mm512_shuffle_i64x2(w2, w3, 0xee);
    _mm512_storeu_si512(p, _mm512_permutex2var_epi64(low01, even, low23));
    _mm512_storeu_si512(p + 2, _mm512_permutex2var_epi64(low01, odd, low23));
    _mm512_storeu_si512(p + 4, _mm512_permutex2var_epi64(high01, even, high23));
    _mm512_storeu_si512(p + 6, _mm512_permutex2var_epi64(high01, odd, high23));
}

/* a is brought into canonical form first. */
IFMA_INLINE void fr8_store(struct fr *p, struct fr8 a)
{
    fr8_store_canonical(p, fr8_canonical(a));
}

/* a[i] lane k becomes a[k] lane i. */
IFMA_INLINE void fr8_transpose(struct fr8 a[8])
{
    LIMBS_UNROLL
    for (int limb = 0; limb < 5; limb++) {
        __m512i pair[2][4]; /* by lane parity: of rows 2i and 2i + 1 */
        LIMBS_UNROLL
        for (int i = 0; i < 4; i++) {
            pair[0][i] = _mm512_unpacklo_epi64(a[2 * i].l[limb], a[2 * i + 1].l[limb]);
            pair[1][i] = _mm512_unpackhi_epi64(a[2 * i].l[limb], a[2 * i + 1].l[limb]);
        }
        LIMBS_UNROLL
        for (int odd = 0; odd < 2; odd++) {
            __m512i *p = pair[odd];
            __m512i first04 = _mm512_shuffle_i64x2(p[0], p[1], 0x88),
                    last04 = _mm512_shuffle_i64x2(p[2], p[3], 0x88);
            __m512i first26 = _mm512_shuffle_i64x2(p[0], p[1], 0xdd),
                    last26 = _mm512_shuffle_i64x2(p[2], p[3], 0xdd);
            a[odd].l[limb] = _mm512_shuffle_i64x2(first04, last04, 0x88);
            a[odd + 4].l[limb] = _mm512_shuffle_i64x2(first04, last04, 0xdd);
            a[odd + 2].l[limb] = _mm512_shuffle_i64x2(first26, last26, 0x88);
            a[odd + 6].l[limb] = _mm512_shuffle_i64x2(first26, last26, 0xdd);
        }
    }
}

#endif
