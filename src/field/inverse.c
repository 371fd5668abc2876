/* Modular division by Pornin's optimised binary GCD (eprint 2020/972, algorithm 2).
 *
 * Invariants: A = U * a / y and B = V * a / y (mod m), B odd, gcd(A, B) = 1. Each outer round runs 31 steps of the binary GCD on
 * 64-bit approximations of A and B (low 31 bits exact, top 33 bits), collects them in factors f0, g0, f1, g1 below 2^31 in
 * absolute value, and applies these to A, B, U, V. When A reaches 0, B = 1 and V = y / a. */
#include <string.h>

#include "field/limbs.h"

enum { INNER_STEPS = 31 };

struct factors {
    int64_t f0, g0, f1, g1;
};

static int top_bit(const uint64_t *a, const uint64_t *b, int n)
{
    for (int i = n - 1; i >= 0; i--)
        if ((a[i] | b[i]) != 0)
            return 64 * i + 64 - __builtin_clzll(a[i] | b[i]);
    return 0;
}

/* Bits [bits - 33, bits) of x above its 31 low bits; x itself when it has at most 64 bits. */
static uint64_t approximate(const uint64_t *x, int bits)
{
    if (bits <= 64)
        return x[0];
    int from = bits - 33, word = from / 64, shift = from % 64;
    uint64_t high = x[word] >> shift;
    if (shift > 31)
        high |= x[word + 1] << (64 - shift);
    return high << INNER_STEPS | (x[0] & ((UINT64_C(1) << INNER_STEPS) - 1));
}

/* One branch-free step: an odd a gives way to (larger - smaller), b to the smaller; a halves. The factors travel in pairs,
 * f + (g << 32), so that one subtraction or shift serves both. */
#if defined(__x86_64__)
#include "field/x86_64/gcd_step.h"
#define GCD_STEP gcd_step_x86_64
#else
static inline void gcd_step(uint64_t *a, uint64_t *b, uint64_t *fg0, uint64_t *fg1)
{
    uint64_t odd = -(*a & 1), swap = odd & -(uint64_t)(*a < *b);
    uint64_t x = (*a ^ *b) & swap, y = (*fg0 ^ *fg1) & swap;
    *a ^= x, *b ^= x, *fg0 ^= y, *fg1 ^= y;
    *a = (*a - (*b & odd)) >> 1;
    *fg0 -= *fg1 & odd;
    *fg1 <<= 1;
}
#define GCD_STEP gcd_step
#endif

static struct factors inner_loop(uint64_t a, uint64_t b)
{
    const uint64_t bias = UINT64_C(0x7fffffff7fffffff);
    uint64_t fg0 = 1, fg1 = UINT64_C(1) << 32;
    for (int i = 0; i < INNER_STEPS; i++)
        GCD_STEP(&a, &b, &fg0, &fg1);
    fg0 += bias, fg1 += bias;
    return (struct factors){
        (int64_t)(fg0 & 0xffffffff) - 0x7fffffff, (int64_t)(fg0 >> 32) - 0x7fffffff,
        (int64_t)(fg1 & 0xffffffff) - 0x7fffffff, (int64_t)(fg1 >> 32) - 0x7fffffff};
}

/* t[0..n] = a * f + b * g in two's complement, |f| + |g| <= 2^31. A negative factor negates its vector instead, -x = ~x + 1. */
LIMBS_INLINE void linear(uint64_t *t, const uint64_t *a, const uint64_t *b, int64_t f, int64_t g,
                         int n)
{
    uint64_t sf = (uint64_t)(f >> 63), sg = (uint64_t)(g >> 63);
    uint64_t mf = ((uint64_t)f ^ sf) - sf, mg = ((uint64_t)g ^ sg) - sg;
    uint64_t ones = (mf & sf) + (mg & sg), carry = ones;
    LIMBS_UNROLL
    for (int i = 0; i < n; i++) {
        unsigned __int128 x = (unsigned __int128)(a[i] ^ sf) * mf;
        x += (unsigned __int128)(b[i] ^ sg) * mg;
        x += carry;
        t[i] = (uint64_t)x;
        carry = (uint64_t)(x >> 64);
    }
    t[n] = carry - ones; /* the sign extension of ~x is -1 times its factor */
}

/* t[0..n] >> 31 into r[0..n); returns the sign mask. */
LIMBS_INLINE uint64_t shift_down(uint64_t *r, const uint64_t *t, int n)
{
    LIMBS_UNROLL
    for (int i = 0; i < n; i++)
        r[i] = t[i] >> INNER_STEPS | t[i + 1] << (64 - INNER_STEPS);
    return -(t[n] >> 63);
}

/* r = |a f + b g| / 2^31 (exact); returns the sign mask. */
LIMBS_INLINE uint64_t update_value(uint64_t *r, const uint64_t *a, const uint64_t *b, int64_t f,
                                   int64_t g, int n)
{
    static const uint64_t zero[LIMBS_MAX] = {0};
    uint64_t t[LIMBS_MAX + 1];
    linear(t, a, b, f, g, n);
    uint64_t negative = shift_down(r, t, n);
    if (negative)
        limbs_sub(r, zero, r, n);
    return negative;
}

/* r = (u f + v g) / 2^31 mod m, u, v < m. */
LIMBS_INLINE void update_factor(uint64_t *r, const uint64_t *u, const uint64_t *v, int64_t f,
                                int64_t g, const uint64_t *m, uint64_t m0, int n)
{
    uint64_t t[LIMBS_MAX + 1];
    linear(t, u, v, f, g, n);
    /* A multiple of m makes it divisible; |u f + v g| <= 2^31 m, so the quotient lies in (-m, 2m). */
    uint64_t q = (t[0] * m0) & ((UINT64_C(1) << INNER_STEPS) - 1), carry = 0;
    LIMBS_UNROLL
    for (int i = 0; i < n; i++) {
        unsigned __int128 x = (unsigned __int128)q * m[i] + t[i] + carry;
        t[i] = (uint64_t)x;
        carry = (uint64_t)(x >> 64);
    }
    t[n] += carry;
    if (shift_down(r, t, n))
        limbs_add(r, r, m, n);
    else
        limbs_reduce_once(r, r, m, n);
}

LIMBS_INLINE void div_mod(uint64_t *r, const uint64_t *y, const uint64_t *x, const uint64_t *m,
                          uint64_t m0, int n)
{
    uint64_t a[LIMBS_MAX], b[LIMBS_MAX], u[LIMBS_MAX], v[LIMBS_MAX] = {0}, t[LIMBS_MAX];
    size_t bytes = (size_t)n * sizeof(*a);
    memcpy(a, x, bytes);
    memcpy(b, m, bytes);
    memcpy(u, y, bytes);
    while (!limbs_is_zero(a, n)) {
        int bits = top_bit(a, b, n);
        struct factors k = inner_loop(approximate(a, bits), approximate(b, bits));
        int64_t sign_a, sign_b;
        sign_a = update_value(t, a, b, k.f0, k.g0, n) ? -1 : 1;
        sign_b = update_value(b, a, b, k.f1, k.g1, n) ? -1 : 1;
        memcpy(a, t, bytes);
        update_factor(t, u, v, sign_a * k.f0, sign_a * k.g0, m, m0, n);
        update_factor(v, u, v, sign_b * k.f1, sign_b * k.g1, m, m0, n);
        memcpy(u, t, bytes);
    }
    memcpy(r, v, bytes);
}

void limbs_div_mod(uint64_t *r, const uint64_t *y, const uint64_t *a, const uint64_t *m,
                   uint64_t m0, int n)
{
    if (n == 4)
        div_mod(r, y, a, m, m0, 4);
    else
        div_mod(r, y, a, m, m0, 6);
}
