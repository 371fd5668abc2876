/* The work on one cache-sized tile, written once per CPU path. */
#ifndef CUZK_NTT_KERNEL_H
#define CUZK_NTT_KERNEL_H

#include <stddef.h>

#include "field/fr.h"

enum {
    BLOCK_LOG2 = 12, /* contiguous tiles of at most 2^12 elements, 128 KiB */
    TILE_COLUMNS =
        8, /* neighbours moved together in strided passes: four cache lines, a vector of lanes */
    TILE_LEVELS = 10, /* of a strided pass at most: 2^10 rows of TILE_COLUMNS, 256 KiB */
};

/* What a strided pass does with each tile, in this order. */
enum tile_step {
    TILE_INVERSE = 1,
    TILE_COSET_INVERSE = 2,
    TILE_FORWARD = 4,
    TILE_COSET_FORWARD = 8,
};

/* 2^levels rows of TILE_COLUMNS elements, stride elements apart: read from "from", transformed as columns, and stored to (or, with
 * add, added to) the same places of "to". node and coset_node: the tile's place in the tree for the two kinds of steps. */
struct strided_tile {
    struct fr *to;
    const struct fr *from;
    size_t stride, node, coset_node;
    unsigned levels, steps;
    int add;
};

/* On 2^levels rows, level t (from 0) has 2^t nodes of equal height; node k of level t is number (node << t) + k of the tree, and that
 * is the index of its twiddle. Forward: u, v -> u + t v, u - t v from level 0 down. Inverse: u, v -> u + v, (u - v) / t from the last
 * level up; it multiplies everything by 2^levels.
 *
 * 1 / twiddle[b] = -twiddle[mirror(b)] for b > 0: nodes 2^k .. 2^(k+1) - 1 hold the odd multiples of one angle between 0 and half a turn
 * in bit-reversed order, and negating an angle there flips all bits below the highest. So inverses take differences the other
 * way round and need no table. */
static inline size_t twiddle_mirror(size_t node)
{
    unsigned k = 63 - (unsigned)__builtin_clzll(node);
    return ((size_t)3 << k) - 1 - node;
}

/* Elements go in and come out in Montgomery form, fully reduced, so all kernels give the same. The table of twiddles is the
 * kernel's own: twiddle_bytes for each eight. */
struct ntt_kernel {
    size_t twiddle_bytes;
    void (*twiddle_set)(void *twiddle, size_t i, const struct fr *value);
    /* twiddle[to + k] = twiddle[from + k] * factor for k < n; to, from and n are multiples of 8 */
    void (*twiddle_scale)(void *twiddle, size_t to, size_t from, size_t n, const struct fr *factor);

    void (*strided)(const struct strided_tile *t, const void *twiddle);
    /* All levels of 2^bits elements in place. */
    void (*block_forward)(struct fr *x, unsigned bits, const void *twiddle, size_t node);
    void (*block_inverse)(struct fr *x, unsigned bits, const void *twiddle, size_t node);
    /* a = the product of a and b in the ring of this node: forward, multiply, inverse; b is destroyed. The tree's last level is left
     * out, because multiplying polynomials of degree 1 costs less than tearing them apart: so the result is 2^(bits - 1)-fold, and
     * besides divided by 2^product_shift. */
    void (*block_multiply)(struct fr *a, struct fr *b, unsigned bits, const void *twiddle,
                           size_t node);
    unsigned product_shift, min_log2; /* min_log2: of a domain that this kernel can serve */
};

extern const struct ntt_kernel NTT_KERNEL_PORTABLE;
#if defined(__x86_64__)
extern const struct ntt_kernel NTT_KERNEL_IFMA;
#endif

#endif
