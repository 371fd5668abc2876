/* Words of eight points into vectors of eight lanes and back. */
#ifndef CUZK_MSM_X86_64_TRANSPOSE_H
#define CUZK_MSM_X86_64_TRANSPOSE_H

#include "field/x86_64/fp8.h"

/* 8 x 8 words: a[i] lane k becomes a[k] lane i. */
IFMA_INLINE void transpose8(__m512i a[8])
{
    __m512i low[4], high[4];
    FP8_UNROLL
    for (int i = 0; i < 4; i++) {
        low[i] = _mm512_unpacklo_epi64(a[2 * i], a[2 * i + 1]);
        high[i] = _mm512_unpackhi_epi64(a[2 * i], a[2 * i + 1]);
    }
    FP8_UNROLL
    for (int i = 0; i < 2; i++) {
        const __m512i *half = i == 0 ? low : high;
        __m512i even01 = _mm512_shuffle_i64x2(half[0], half[1], 0x88);
        __m512i even23 = _mm512_shuffle_i64x2(half[2], half[3], 0x88);
        __m512i odd01 = _mm512_shuffle_i64x2(half[0], half[1], 0xdd);
        __m512i odd23 = _mm512_shuffle_i64x2(half[2], half[3], 0xdd);
        a[i] = _mm512_shuffle_i64x2(even01, even23, 0x88);
        a[i + 4] = _mm512_shuffle_i64x2(even01, even23, 0xdd);
        a[i + 2] = _mm512_shuffle_i64x2(odd01, odd23, 0x88);
        a[i + 6] = _mm512_shuffle_i64x2(odd01, odd23, 0xdd);
    }
}

/* Eight rows of four words, row k and k + 4 in row[k]: w[i] = word i of all. */
IFMA_INLINE void transpose_rows4(__m512i w[4], const __m512i row[4])
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512i low01 = _mm512_unpacklo_epi64(row[0], row[1]);
    __m512i high01 = _mm512_unpackhi_epi64(row[0], row[1]);
    __m512i low23 = _mm512_unpacklo_epi64(row[2], row[3]);
    __m512i high23 = _mm512_unpackhi_epi64(row[2], row[3]);
    w[0] = _mm512_permutex2var_epi64(low01, first, low23);
    w[1] = _mm512_permutex2var_epi64(high01, first, high23);
    w[2] = _mm512_permutex2var_epi64(low01, second, low23);
    w[3] = _mm512_permutex2var_epi64(high01, second, high23);
}

/* The way back, but with rows 0 and 2, 1 and 3, 4 and 6, 5 and 7 together. */
IFMA_INLINE void transpose_words4(__m512i row[4], const __m512i w[4])
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i low01 = _mm512_unpacklo_epi64(w[0], w[1]), high01 = _mm512_unpackhi_epi64(w[0], w[1]);
    __m512i low23 = _mm512_unpacklo_epi64(w[2], w[3]), high23 = _mm512_unpackhi_epi64(w[2], w[3]);
    row[0] = _mm512_permutex2var_epi64(low01, first, low23);
    row[1] = _mm512_permutex2var_epi64(high01, first, high23);
    row[2] = _mm512_permutex2var_epi64(low01, second, low23);
    row[3] = _mm512_permutex2var_epi64(high01, second, high23);
}

#endif
