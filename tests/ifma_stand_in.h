/* The AVX-512 intrinsics that the eight-lane kernels use, in plain C: so the eight-lane kernels are tested on every machine. Semantics as in
 * Intel's Intrinsics Guide. Include before the kernels' sources. */
#ifndef CUZK_TESTS_IFMA_STAND_IN_H
#define CUZK_TESTS_IFMA_STAND_IN_H

#include <stdint.h>
#include <string.h>

#define CUZK_IFMA_STAND_IN

typedef struct {
    uint64_t w[8];
} __m512i;

typedef struct {
    uint64_t w[4];
} __m256i;

typedef uint8_t __mmask8;

#define STAND_IN_BINARY(name, expression)                                                          \
    static inline __m512i name(__m512i a, __m512i b)                                               \
    {                                                                                              \
        for (int i = 0; i < 8; i++)                                                                \
            a.w[i] = expression;                                                                   \
        return a;                                                                                  \
    }

STAND_IN_BINARY(_mm512_add_epi64, a.w[i] + b.w[i])
STAND_IN_BINARY(_mm512_sub_epi64, a.w[i] - b.w[i])
STAND_IN_BINARY(_mm512_and_si512, a.w[i] & b.w[i])
STAND_IN_BINARY(_mm512_or_si512, a.w[i] | b.w[i])

#define STAND_IN_SHIFT(name, expression)                                                           \
    static inline __m512i name(__m512i a, unsigned n)                                              \
    {                                                                                              \
        for (int i = 0; i < 8; i++)                                                                \
            a.w[i] = expression;                                                                   \
        return a;                                                                                  \
    }

STAND_IN_SHIFT(_mm512_slli_epi64, n > 63 ? 0 : a.w[i] << n)
STAND_IN_SHIFT(_mm512_srli_epi64, n > 63 ? 0 : a.w[i] >> n)
STAND_IN_SHIFT(_mm512_srai_epi64, (uint64_t)((int64_t)a.w[i] >> (n > 63 ? 63 : n)))

static inline __m512i stand_in_madd52(__m512i t, __m512i a, __m512i b, int high)
{
    const uint64_t mask = (UINT64_C(1) << 52) - 1;
    for (int i = 0; i < 8; i++) {
        unsigned __int128 product = (unsigned __int128)(a.w[i] & mask) * (b.w[i] & mask);
        t.w[i] += high ? (uint64_t)(product >> 52) : (uint64_t)product & mask;
    }
    return t;
}

#define _mm512_madd52lo_epu64(t, a, b) stand_in_madd52(t, a, b, 0)
#define _mm512_madd52hi_epu64(t, a, b) stand_in_madd52(t, a, b, 1)

static inline __m512i _mm512_set1_epi64(long long v)
{
    __m512i r;
    for (int i = 0; i < 8; i++)
        r.w[i] = (uint64_t)v;
    return r;
}

static inline __m512i _mm512_setzero_si512(void)
{
    return _mm512_set1_epi64(0);
}

#define _mm512_setr_epi64(a, b, c, d, e, f, g, h) ((__m512i){{a, b, c, d, e, f, g, h}})

static inline __m512i _mm512_mask_mov_epi64(__m512i otherwise, __mmask8 mask, __m512i a)
{
    for (int i = 0; i < 8; i++)
        if (!(mask >> i & 1))
            a.w[i] = otherwise.w[i];
    return a;
}

static inline __m512i _mm512_mask_sub_epi64(__m512i otherwise, __mmask8 mask, __m512i a, __m512i b)
{
    return _mm512_mask_mov_epi64(otherwise, mask, _mm512_sub_epi64(a, b));
}

static inline __mmask8 _mm512_cmpge_epi64_mask(__m512i a, __m512i b)
{
    unsigned mask = 0;
    for (int i = 0; i < 8; i++)
        mask |= (unsigned)((int64_t)a.w[i] >= (int64_t)b.w[i]) << i;
    return (__mmask8)mask;
}

static inline __mmask8 _mm512_movepi64_mask(__m512i a)
{
    unsigned mask = 0;
    for (int i = 0; i < 8; i++)
        mask |= (unsigned)(a.w[i] >> 63) << i;
    return (__mmask8)mask;
}

static inline __mmask8 _mm512_testn_epi64_mask(__m512i a, __m512i b)
{
    unsigned mask = 0;
    for (int i = 0; i < 8; i++)
        mask |= (unsigned)((a.w[i] & b.w[i]) == 0) << i;
    return (__mmask8)mask;
}

/* Pairs of words: the even or the odd ones of a and b in turn. */
static inline __m512i stand_in_unpack(__m512i a, __m512i b, int odd)
{
    __m512i r;
    for (int i = 0; i < 8; i += 2) {
        r.w[i] = a.w[i + odd];
        r.w[i + 1] = b.w[i + odd];
    }
    return r;
}

#define _mm512_unpacklo_epi64(a, b) stand_in_unpack(a, b, 0)
#define _mm512_unpackhi_epi64(a, b) stand_in_unpack(a, b, 1)

/* Two 128-bit lanes of a, then two of b, two bits of the control each. */
static inline __m512i _mm512_shuffle_i64x2(__m512i a, __m512i b, unsigned control)
{
    __m512i r;
    for (int i = 0; i < 4; i++) {
        unsigned lane = control >> 2 * i & 3;
        memcpy(&r.w[2 * i], i < 2 ? &a.w[2 * lane] : &b.w[2 * lane], 16);
    }
    return r;
}

static inline __m512i _mm512_permutex2var_epi64(__m512i a, __m512i index, __m512i b)
{
    __m512i r;
    for (int i = 0; i < 8; i++)
        r.w[i] = index.w[i] & 8 ? b.w[index.w[i] & 7] : a.w[index.w[i] & 7];
    return r;
}

static inline __m512i _mm512_loadu_si512(const void *from)
{
    __m512i r;
    memcpy(&r, from, sizeof r);
    return r;
}

static inline void _mm512_storeu_si512(void *to, __m512i a)
{
    memcpy(to, &a, sizeof a);
}

static inline __m256i _mm256_loadu_si256(const __m256i *from)
{
    __m256i r;
    memcpy(&r, from, sizeof r);
    return r;
}

static inline void _mm256_storeu_si256(__m256i *to, __m256i a)
{
    memcpy(to, &a, sizeof a);
}

static inline __m512i _mm512_castsi256_si512(__m256i a)
{
    __m512i r = _mm512_set1_epi64(-1); /* the upper half is undefined */
    memcpy(&r, &a, sizeof a);
    return r;
}

static inline __m512i _mm512_inserti64x4(__m512i a, __m256i b, int at)
{
    memcpy(&a.w[4 * at], &b, sizeof b);
    return a;
}

static inline __m256i _mm512_extracti64x4_epi64(__m512i a, int from)
{
    __m256i r;
    memcpy(&r, &a.w[4 * from], sizeof r);
    return r;
}

static inline __m256i _mm512_castsi512_si256(__m512i a)
{
    return _mm512_extracti64x4_epi64(a, 0);
}

static inline __m512i _mm512_permutexvar_epi64(__m512i index, __m512i a)
{
    __m512i r;
    for (int i = 0; i < 8; i++)
        r.w[i] = a.w[index.w[i] & 7];
    return r;
}

/* ---- narrower vectors ---- */

typedef struct {
    uint64_t w[2];
} __m128i;

static inline __m256i _mm256_add_epi64(__m256i a, __m256i b)
{
    for (int i = 0; i < 4; i++)
        a.w[i] += b.w[i];
    return a;
}

static inline __m128i _mm_add_epi64(__m128i a, __m128i b)
{
    return (__m128i){{a.w[0] + b.w[0], a.w[1] + b.w[1]}};
}

#define _mm256_unpacklo_epi64(a, b) ((__m256i){{(a).w[0], (b).w[0], (a).w[2], (b).w[2]}})
#define _mm256_unpackhi_epi64(a, b) ((__m256i){{(a).w[1], (b).w[1], (a).w[3], (b).w[3]}})
#define _mm256_castsi256_si128(a) ((__m128i){{(a).w[0], (a).w[1]}})

static inline __m128i _mm256_extracti128_si256(__m256i a, int from)
{
    return (__m128i){{a.w[2 * from], a.w[2 * from + 1]}};
}

static inline void _mm_storeu_si128(__m128i *to, __m128i a)
{
    memcpy(to, &a, sizeof a);
}

#endif
