#include "msm/windows.h"

#include <assert.h>
#include <string.h>

#include "field/fr.h"

void windows_init(struct windows *win, unsigned bits)
{
    assert(bits >= WINDOWS_MIN_BITS && bits <= WINDOWS_MAX_BITS);
    *win = (struct windows){
        .bits = bits, .count = (255 + bits - 1) / bits, .half = UINT32_C(1) << (bits - 1)};
    for (unsigned w = 0; w + 1 < win->count; w++) {
        unsigned bit = w * bits + bits - 1;
        win->offset[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

static uint64_t count_for(unsigned bits)
{
    return (255 + bits - 1) / bits;
}

/* In multiplications: 6 for a batched affine addition; a bucket costs two of them when buckets are summed up, and a little
 * for the ends of its chains. */
unsigned windows_bits_for_sum(size_t n)
{
    unsigned best = WINDOWS_MIN_BITS;
    uint64_t best_cost = UINT64_MAX;
    for (unsigned bits = WINDOWS_MIN_BITS; bits <= WINDOWS_MAX_BITS; bits++) {
        uint64_t cost = count_for(bits) * (6 * (uint64_t)n + (UINT64_C(14) << (bits - 1)));
        if (cost < best_cost) {
            best = bits;
            best_cost = cost;
        }
    }
    return best;
}

/* An addition for each table entry and for each scalar and window; up to 15 bits, so that the table stays near the caches. */
unsigned windows_bits_for_fixed_base(size_t n)
{
    unsigned best = WINDOWS_MIN_BITS;
    uint64_t best_cost = UINT64_MAX;
    for (unsigned bits = WINDOWS_MIN_BITS; bits <= 15; bits++) {
        uint64_t cost = count_for(bits) * ((uint64_t)n + (UINT64_C(1) << (bits - 1)));
        if (cost < best_cost) {
            best = bits;
            best_cost = cost;
        }
    }
    return best;
}

static const uint64_t HALF_ORDER[4] = {0x7fffffff80000000, 0xa9ded2017fff2dff, 0x199cec0404d0ec02,
                                       0x39f6d3a994cebea4}; /* (r - 1) / 2 */

void windows_prepare(struct windowed *out, const struct windows *win, const uint64_t scalar[4])
{
    uint64_t negated[4];
    int negative = limbs_less(HALF_ORDER, scalar, 4);
    if (negative) {
        limbs_sub(negated, FR_MODULUS, scalar, 4);
        scalar = negated;
    }
    limbs_add(out->limb, scalar, win->offset, 4);
    out->limb[4] = 0;
    out->sign = negative ? ~DIGIT_MAGNITUDE : 0;
}
