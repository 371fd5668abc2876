/* AVX2 and BMI2: 32 bits become 32 bytes in four instructions. */
#include <immintrin.h>

#include "gadget/sha256_native.h"

struct lanes {
    __m256i v;
};

/* Byte i takes the byte of x that holds bit i, then tests the bit. */
static inline struct lanes lanes_spread(uint32_t x)
{
    const __m256i source =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)x), source);
    v = _mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit);
    return (struct lanes){_mm256_and_si256(v, _mm256_set1_epi8(1))};
}

static inline struct lanes lanes_and(struct lanes x, struct lanes y)
{
    return (struct lanes){_mm256_and_si256(x.v, y.v)};
}

static inline struct lanes lanes_xor(struct lanes x, struct lanes y)
{
    return (struct lanes){_mm256_xor_si256(x.v, y.v)};
}

static inline struct lanes lanes_or(struct lanes x, struct lanes y)
{
    return (struct lanes){_mm256_or_si256(x.v, y.v)};
}

static inline struct lanes lanes_twice(struct lanes x)
{
    return (struct lanes){_mm256_add_epi8(x.v, x.v)};
}

static inline struct lanes lanes_negate(struct lanes x)
{
    return (struct lanes){_mm256_sub_epi8(_mm256_setzero_si256(), x.v)};
}

static inline void lanes_store(int8_t *at, struct lanes x)
{
    _mm256_storeu_si256((__m256i *)at, x.v);
}

static inline void lanes_store_pairs(int8_t *at, struct lanes x, struct lanes y)
{
    __m256i low = _mm256_unpacklo_epi8(x.v, y.v), high = _mm256_unpackhi_epi8(x.v, y.v);
    _mm256_storeu_si256((__m256i *)at, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(at + 32), _mm256_permute2x128_si256(low, high, 0x31));
}

static inline uint32_t compact(uint32_t x, uint32_t mask)
{
    return _pext_u32(x, mask);
}

#include "gadget/sha256_block.h"

void sha256_native_block_avx2(struct cs *cs, struct sha256_state *s, const struct sha256_message *m)
{
    run_block(cs, s, m);
}
