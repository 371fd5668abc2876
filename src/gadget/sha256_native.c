/* The portable path: eight bytes at a time in 64-bit words, and the choice of the path. */
#include <string.h>

#include "base/cpu.h"
#include "gadget/sha256_native.h"

struct lanes {
    uint64_t q[4];
};

#define EACH_QUAD(expression)                                                                      \
    struct lanes r;                                                                                \
    LIMBS_UNROLL                                                                                   \
    for (size_t i = 0; i < 4; i++)                                                                 \
        r.q[i] = expression;                                                                       \
    return r

/* Bit k of x, a byte, in byte k. The product has x in every byte, the mask leaves bit k of byte k,
 * adding 2^7 - 2^k carries that to bit 7. */
static inline uint64_t spread_byte(uint64_t x)
{
    x = x * 0x0101010101010101 & 0x8040201008040201;
    return (x + 0x00406070787c7e7f) >> 7 & 0x0101010101010101;
}

static inline struct lanes lanes_spread(uint32_t x)
{
    EACH_QUAD(spread_byte(x >> (8 * i) & 0xff));
}

static inline struct lanes lanes_and(struct lanes x, struct lanes y)
{
    EACH_QUAD(x.q[i] & y.q[i]);
}

static inline struct lanes lanes_xor(struct lanes x, struct lanes y)
{
    EACH_QUAD(x.q[i] ^ y.q[i]);
}

static inline struct lanes lanes_or(struct lanes x, struct lanes y)
{
    EACH_QUAD(x.q[i] | y.q[i]);
}

static inline struct lanes lanes_twice(struct lanes x)
{
    EACH_QUAD(x.q[i] << 1);
}

static inline struct lanes lanes_negate(struct lanes x)
{
    EACH_QUAD(x.q[i] * 0xff);
}

static inline void store_quad(int8_t *at, uint64_t q)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    q = __builtin_bswap64(q);
#endif
    memcpy(at, &q, 8);
}

static inline void lanes_store(int8_t *at, struct lanes x)
{
    LIMBS_UNROLL
    for (size_t i = 0; i < 4; i++)
        store_quad(at + 8 * i, x.q[i]);
}

/* Four bytes to the even places of eight. */
static inline uint64_t widen(uint64_t x)
{
    x = (x | x << 16) & 0x0000ffff0000ffff;
    return (x | x << 8) & 0x00ff00ff00ff00ff;
}

static inline void lanes_store_pairs(int8_t *at, struct lanes x, struct lanes y)
{
    LIMBS_UNROLL
    for (size_t i = 0; i < 4; i++) {
        store_quad(at + 16 * i, widen(x.q[i] & UINT32_MAX) | widen(y.q[i] & UINT32_MAX) << 8);
        store_quad(at + 16 * i + 8, widen(x.q[i] >> 32) | widen(y.q[i] >> 32) << 8);
    }
}

static inline uint32_t compact(uint32_t x, uint32_t mask)
{
    uint32_t r = 0;
    for (unsigned n = 0; mask != 0; n++, mask &= mask - 1)
        r |= (x >> __builtin_ctz(mask) & 1) << n;
    return r;
}

#include "gadget/sha256_block.h"

void sha256_native_block_portable(struct cs *cs, struct sha256_state *s,
                                  const struct sha256_message *m)
{
    run_block(cs, s, m);
}

void sha256_native_block(struct cs *cs, struct sha256_state *s, const struct sha256_message *m)
{
#if defined(__x86_64__)
    if (cpu_path() >= CPU_ADX) {
        sha256_native_block_avx2(cs, s, m);
        return;
    }
#endif
    sha256_native_block_portable(cs, s, m);
}
