/* Arithmetic on little-endian arrays of n 64-bit limbs in portable C: the base of Fr (n = 4) and Fp (n = 6), and the twin that
 * every assembly kernel is tested against. n is a constant at each call, so the loops unroll. Outputs may alias inputs. */
#ifndef CUZK_FIELD_LIMBS_H
#define CUZK_FIELD_LIMBS_H

#include <stdint.h>

enum { LIMBS_MAX = 6 };

#define LIMBS_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#if __has_feature(address_sanitizer) /* unrolled checks take clang minutes to compile at -O1 */
#define LIMBS_UNROLL
#else
#define LIMBS_UNROLL _Pragma("unroll")
#endif
#else
#define LIMBS_UNROLL _Pragma("GCC unroll 8")
#endif

/* r = a + b; returns the carry. */
LIMBS_INLINE uint64_t limbs_add(uint64_t *r, const uint64_t *a, const uint64_t *b, int n)
{
    unsigned __int128 c = 0;
    LIMBS_UNROLL
    for (int i = 0; i < n; i++) {
        c += (unsigned __int128)a[i] + b[i];
        r[i] = (uint64_t)c;
        c >>= 64;
    }
    return (uint64_t)c;
}

/* r = a - b; returns the borrow. */
LIMBS_INLINE uint64_t limbs_sub(uint64_t *r, const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t borrow = 0;
    LIMBS_UNROLL
    for (int i = 0; i < n; i++) {
        unsigned __int128 d = (unsigned __int128)a[i] - b[i] - borrow;
        r[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    return borrow;
}

LIMBS_INLINE int limbs_is_zero(const uint64_t *a, int n)
{
    uint64_t x = 0;
    LIMBS_UNROLL
    for (int i = 0; i < n; i++)
        x |= a[i];
    return x == 0;
}

LIMBS_INLINE int limbs_equal(const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t x = 0;
    LIMBS_UNROLL
    for (int i = 0; i < n; i++)
        x |= a[i] ^ b[i];
    return x == 0;
}

LIMBS_INLINE int limbs_less(const uint64_t *a, const uint64_t *b, int n)
{
    uint64_t t[LIMBS_MAX];
    return (int)limbs_sub(t, a, b, n);
}

/* a < 2m becomes a mod m. */
LIMBS_INLINE void limbs_reduce_once(uint64_t *r, const uint64_t *a, const uint64_t *m, int n)
{
    uint64_t t[LIMBS_MAX], keep = -limbs_sub(t, a, m, n);
    LIMBS_UNROLL
    for (int i = 0; i < n; i++)
        r[i] = (a[i] & keep) | (t[i] & ~keep);
}

/* a, b < m < 2^(64n-1) for all functions below. */
LIMBS_INLINE void limbs_add_mod(uint64_t *r, const uint64_t *a, const uint64_t *b,
                                const uint64_t *m, int n)
{
    uint64_t t[LIMBS_MAX];
    limbs_add(t, a, b, n);
    limbs_reduce_once(r, t, m, n);
}

LIMBS_INLINE void limbs_sub_mod(uint64_t *r, const uint64_t *a, const uint64_t *b,
                                const uint64_t *m, int n)
{
    uint64_t t[LIMBS_MAX], mm[LIMBS_MAX];
    uint64_t mask = -limbs_sub(t, a, b, n);
    LIMBS_UNROLL
    for (int i = 0; i < n; i++)
        mm[i] = m[i] & mask;
    limbs_add(r, t, mm, n);
}

/* Montgomery product a * b / 2^(64n) mod m, m0 = -1/m mod 2^64 (Koç, Acar, Kaliski 1996, CIOS; the carry word of each row
 * stays single because m < 2^(64n-1)). */
LIMBS_INLINE void limbs_mont_mul(uint64_t *r, const uint64_t *a, const uint64_t *b,
                                 const uint64_t *m, uint64_t m0, int n)
{
    uint64_t t[LIMBS_MAX + 1] = {0};
    LIMBS_UNROLL
    for (int i = 0; i < n; i++) {
        unsigned __int128 x = (unsigned __int128)a[0] * b[i] + t[0];
        uint64_t q = (uint64_t)x * m0;
        unsigned __int128 y = (unsigned __int128)q * m[0] + (uint64_t)x;
        LIMBS_UNROLL
        for (int j = 1; j < n; j++) {
            x = (unsigned __int128)a[j] * b[i] + t[j] + (uint64_t)(x >> 64);
            y = (unsigned __int128)q * m[j] + (uint64_t)x + (uint64_t)(y >> 64);
            t[j - 1] = (uint64_t)y;
        }
        t[n - 1] = (uint64_t)(x >> 64) + (uint64_t)(y >> 64);
    }
    limbs_reduce_once(r, t, m, n);
}

/* Bytes to limbs and back. */
LIMBS_INLINE uint64_t limb_from_le(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

LIMBS_INLINE uint64_t limb_from_be(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return v;
}

LIMBS_INLINE void limb_to_le(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

LIMBS_INLINE void limb_to_be(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (56 - 8 * i));
}

/* r = y / a mod m for odd m < 2^(64n-1), a < m, y < m; a = 0 gives 0. m0 = -1/m mod 2^64. Variable time. */
void limbs_div_mod(uint64_t *r, const uint64_t *y, const uint64_t *a, const uint64_t *m,
                   uint64_t m0, int n);

#endif
