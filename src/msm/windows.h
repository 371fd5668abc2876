/* How a scalar is cut into signed windows, the same for G1 and G2, Pippenger and fixed base. */
#ifndef CUZK_MSM_WINDOWS_H
#define CUZK_MSM_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

/* The digits of s, |s| < r/2 < 2^254, are d_0 .. d_(count-1) with s = sum d_w 2^(bits w) and |d_w| <= half = 2^(bits-1).
 * They need no carry from window to window: the digits of s + sum half 2^(bits w) are those of s, each half larger. */
struct windows {
    unsigned bits, count;
    uint32_t half;
    uint64_t offset[4]; /* sum of half 2^(bits w) over all windows but the last, which needs none */
};

enum {
    WINDOWS_MIN_BITS = 4,
    WINDOWS_MAX_BITS = 20, /* 650 MB of G1 buckets; wider ones gain less than they cost in memory */
    WINDOWS_MAX_COUNT = 64,
};

/* A digit: its magnitude in the low bits, the sign on top. */
enum { DIGIT_SIGN_BIT = 31 };
#define DIGIT_MAGNITUDE UINT32_C(0x7fffffff)

void windows_init(struct windows *win, unsigned bits);

/* The cheapest width for a sum of n scalars, and for n multiples of one base. */
unsigned windows_bits_for_sum(size_t n);
unsigned windows_bits_for_fixed_base(size_t n);

/* A scalar made ready for windows_digit. */
struct windowed {
    uint64_t limb[5]; /* |s| + offset; limb[4] = 0 */
    uint32_t sign;    /* of s, as in a digit */
};

void windows_prepare(struct windowed *out, const struct windows *win, const uint64_t scalar[4]);

static inline uint32_t windows_digit(const struct windows *win, const struct windowed *s,
                                     unsigned w)
{
    unsigned from = w * win->bits, limb = from / 64, shift = from % 64;
    uint64_t v = s->limb[limb] >> shift;
    if (shift > 0)
        v |= s->limb[limb + 1] << (64 - shift);
    int32_t d = (int32_t)(v & (2 * (uint64_t)win->half - 1));
    if (w + 1 < win->count)
        d -= (int32_t)win->half;
    uint32_t negative = (uint32_t)(d >> 31);
    uint32_t magnitude = ((uint32_t)d ^ negative) - negative;
    return magnitude | (s->sign ^ (negative & ~DIGIT_MAGNITUDE));
}

#endif
