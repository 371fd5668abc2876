/* The work on one cache-sized tile. */
#ifndef CUZK_NTT_KERNEL_H
#define CUZK_NTT_KERNEL_H

#include <stddef.h>

#include "field/fr.h"

enum {
    TILE_LOG2 =
        12, /* a tile of 2^12 elements is 128 KiB: with its twiddles it fits the L2 of every machine we know */
    TILE_COLUMNS = 4 /* neighbours moved together in strided passes: two cache lines */
};

/* x holds 2^levels rows of "columns" elements. Level t (from 0) has 2^t nodes of equal height; node k of level t has the number
 * (node << t) + k in the tree, and that twiddle. Forward: u, v -> u + t v, u - t v from level 0 down. Inverse: u, v ->
 * u + v, (u - v) / t from the last level up; it multiplies everything by 2^levels. */
void tile_forward(struct fr *x, unsigned levels, size_t columns, const struct fr *twiddle,
                  size_t node);
void tile_inverse(struct fr *x, unsigned levels, size_t columns, const struct fr *twiddle,
                  size_t node);

/* x[i] = x[i] * y[i] modulo X^2 - s for "pairs" polynomials of degree 1, which the tree's nodes first .. first + pairs - 1 would
 * tear apart next: s is the square of node i's twiddle. */
void tile_multiply_pairs(struct fr *x, const struct fr *y, size_t pairs, const struct fr *twiddle,
                         size_t first);

#endif
