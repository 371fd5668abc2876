#include "ntt/kernel.h"

#include <string.h>

static void forward_2(struct fr *x, size_t h, const struct fr *t)
{
    for (size_t j = 0; j < h; j++) {
        struct fr v;
        fr_mul(&v, &x[j + h], t);
        fr_sub(&x[j + h], &x[j], &v);
        fr_add(&x[j], &x[j], &v);
    }
}

/* Node 0: its twiddle is 1. */
static void sum_and_difference(struct fr *x, size_t h)
{
    for (size_t j = 0; j < h; j++) {
        struct fr v = x[j + h];
        fr_sub(&x[j + h], &x[j], &v);
        fr_add(&x[j], &x[j], &v);
    }
}

/* Two levels at once: x is loaded and stored once for both. t: the node's twiddle, child[0 .. 1]: its children's. */
static void forward_4(struct fr *x, size_t h, const struct fr *t, const struct fr *child)
{
    for (size_t j = 0; j < h; j++) {
        struct fr u0, u1, u2, u3, v2, v3;
        fr_mul(&v2, &x[j + 2 * h], t);
        fr_mul(&v3, &x[j + 3 * h], t);
        fr_add(&u0, &x[j], &v2);
        fr_sub(&u2, &x[j], &v2);
        fr_add(&u1, &x[j + h], &v3);
        fr_sub(&u3, &x[j + h], &v3);
        fr_mul(&u1, &u1, &child[0]);
        fr_mul(&u3, &u3, &child[1]);
        fr_add(&x[j], &u0, &u1);
        fr_sub(&x[j + h], &u0, &u1);
        fr_add(&x[j + 2 * h], &u2, &u3);
        fr_sub(&x[j + 3 * h], &u2, &u3);
    }
}

/* forward_4 at node 0, whose first child is node 0 again; i = twiddle[1]. */
static void forward_4_root(struct fr *x, size_t h, const struct fr *i)
{
    for (size_t j = 0; j < h; j++) {
        struct fr u0, u1, u2, u3;
        fr_add(&u0, &x[j], &x[j + 2 * h]);
        fr_sub(&u2, &x[j], &x[j + 2 * h]);
        fr_add(&u1, &x[j + h], &x[j + 3 * h]);
        fr_sub(&u3, &x[j + h], &x[j + 3 * h]);
        fr_mul(&u3, &u3, i);
        fr_add(&x[j], &u0, &u1);
        fr_sub(&x[j + h], &u0, &u1);
        fr_add(&x[j + 2 * h], &u2, &u3);
        fr_sub(&x[j + 3 * h], &u2, &u3);
    }
}

/* t = -1/twiddle here and below, so differences are taken the other way round. */
static void inverse_2(struct fr *x, size_t h, const struct fr *t)
{
    for (size_t j = 0; j < h; j++) {
        struct fr v;
        fr_sub(&v, &x[j + h], &x[j]);
        fr_add(&x[j], &x[j], &x[j + h]);
        fr_mul(&x[j + h], &v, t);
    }
}

static void inverse_4(struct fr *x, size_t h, const struct fr *t, const struct fr *child0,
                      const struct fr *child1)
{
    for (size_t j = 0; j < h; j++) {
        struct fr u0, u1, u2, u3;
        fr_add(&u0, &x[j], &x[j + h]);
        fr_sub(&u1, &x[j + h], &x[j]);
        fr_add(&u2, &x[j + 2 * h], &x[j + 3 * h]);
        fr_sub(&u3, &x[j + 3 * h], &x[j + 2 * h]);
        fr_mul(&u1, &u1, child0);
        fr_mul(&u3, &u3, child1);
        fr_add(&x[j], &u0, &u2);
        fr_sub(&u0, &u2, &u0);
        fr_add(&x[j + h], &u1, &u3);
        fr_sub(&u1, &u3, &u1);
        fr_mul(&x[j + 2 * h], &u0, t);
        fr_mul(&x[j + 3 * h], &u1, t);
    }
}

/* twiddle[1] mirrors to itself. */
static void inverse_4_root(struct fr *x, size_t h, const struct fr *i)
{
    for (size_t j = 0; j < h; j++) {
        struct fr u0, u1, u2, u3;
        fr_add(&u0, &x[j], &x[j + h]);
        fr_sub(&u1, &x[j], &x[j + h]);
        fr_add(&u2, &x[j + 2 * h], &x[j + 3 * h]);
        fr_sub(&u3, &x[j + 3 * h], &x[j + 2 * h]);
        fr_mul(&u3, &u3, i);
        fr_add(&x[j], &u0, &u2);
        fr_sub(&x[j + 2 * h], &u0, &u2);
        fr_add(&x[j + h], &u1, &u3);
        fr_sub(&x[j + 3 * h], &u1, &u3);
    }
}

/* Levels are taken two by two; of an odd number, level 0 stands alone. */
static void tile_forward(struct fr *x, unsigned levels, size_t columns, const struct fr *twiddle,
                         size_t node)
{
    unsigned t = levels & 1;
    if (t == 1 && node == 0)
        sum_and_difference(x, columns << (levels - 1));
    else if (t == 1)
        forward_2(x, columns << (levels - 1), &twiddle[node]);
    for (; t < levels; t += 2) {
        size_t h = columns << (levels - t - 2);
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            size_t b = (node << t) + k;
            if (b == 0)
                forward_4_root(x, h, &twiddle[1]);
            else
                forward_4(x + 4 * h * k, h, &twiddle[b], &twiddle[2 * b]);
        }
    }
}

static void tile_inverse(struct fr *x, unsigned levels, size_t columns, const struct fr *twiddle,
                         size_t node)
{
    unsigned t = levels;
    while (t >= 2) {
        t -= 2;
        size_t h = columns << (levels - t - 2);
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            size_t b = (node << t) + k;
            if (b == 0)
                inverse_4_root(x, h, &twiddle[1]);
            else
                inverse_4(x + 4 * h * k, h, &twiddle[twiddle_mirror(b)],
                          &twiddle[twiddle_mirror(2 * b)], &twiddle[twiddle_mirror(2 * b + 1)]);
        }
    }
    if (t == 1 && node == 0)
        sum_and_difference(x, columns << (levels - 1));
    else if (t == 1)
        inverse_2(x, columns << (levels - 1), &twiddle[twiddle_mirror(node)]);
}

/* x[i] = x[i] * y[i] modulo X^2 - s for "pairs" polynomials of degree 1, which the nodes first .. first + pairs - 1 would tear apart
 * next: s, the square of such a node's twiddle, is its parent's, negated for the right child. Karatsuba. */
static void multiply_pairs(struct fr *x, const struct fr *y, size_t pairs, const struct fr *twiddle,
                           size_t first)
{
    for (size_t i = 0; i < pairs; i++, x += 2, y += 2) {
        struct fr low, high, cross, sum;
        fr_mul(&low, &x[0], &y[0]);
        fr_mul(&high, &x[1], &y[1]);
        fr_add(&sum, &x[0], &x[1]);
        fr_add(&cross, &y[0], &y[1]);
        fr_mul(&cross, &cross, &sum);
        fr_sub(&cross, &cross, &low);
        fr_sub(&x[1], &cross, &high);
        fr_mul(&high, &high, &twiddle[(first + i) >> 1]);
        if ((first + i) & 1)
            fr_sub(&x[0], &low, &high);
        else
            fr_add(&x[0], &low, &high);
    }
}

static void twiddle_set(void *twiddle, size_t i, const struct fr *value)
{
    ((struct fr *)twiddle)[i] = *value;
}

static void twiddle_scale(void *twiddle, size_t to, size_t from, size_t n, const struct fr *factor)
{
    struct fr *t = twiddle;
    for (size_t k = 0; k < n; k++)
        fr_mul(&t[to + k], &t[from + k], factor);
}

static void transform(struct fr *tile, const struct strided_tile *t, const void *twiddle)
{
    if (t->steps & TILE_INVERSE)
        tile_inverse(tile, t->levels, TILE_COLUMNS, twiddle, t->node);
    if (t->steps & TILE_COSET_INVERSE)
        tile_inverse(tile, t->levels, TILE_COLUMNS, twiddle, t->coset_node);
    if (t->steps & TILE_FORWARD)
        tile_forward(tile, t->levels, TILE_COLUMNS, twiddle, t->node);
    if (t->steps & TILE_COSET_FORWARD)
        tile_forward(tile, t->levels, TILE_COLUMNS, twiddle, t->coset_node);
}

/* Rows lie a power of two apart and would fight for the same few cache lines, so the tile is worked on in a copy. */
static void strided(const struct strided_tile *t, const void *twiddle)
{
    struct fr tile[TILE_COLUMNS << TILE_LEVELS];
    size_t rows = (size_t)1 << t->levels;
    for (size_t r = 0; r < rows; r++)
        memcpy(tile + r * TILE_COLUMNS, t->from + r * t->stride, TILE_COLUMNS * sizeof(struct fr));
    transform(tile, t, twiddle);
    for (size_t r = 0; r < rows; r++) {
        struct fr *row = tile + r * TILE_COLUMNS, *to = t->to + r * t->stride;
        for (size_t c = 0; c < TILE_COLUMNS && t->add; c++)
            fr_add(&row[c], &row[c], &to[c]);
        memcpy(to, row, TILE_COLUMNS * sizeof(struct fr));
    }
}

static void block_forward(struct fr *x, unsigned bits, const void *twiddle, size_t node)
{
    tile_forward(x, bits, 1, twiddle, node);
}

static void block_inverse(struct fr *x, unsigned bits, const void *twiddle, size_t node)
{
    tile_inverse(x, bits, 1, twiddle, node);
}

static void block_multiply(struct fr *a, struct fr *b, unsigned bits, const void *twiddle,
                           size_t node)
{
    tile_forward(a, bits - 1, 2, twiddle, node);
    tile_forward(b, bits - 1, 2, twiddle, node);
    multiply_pairs(a, b, (size_t)1 << (bits - 1), twiddle, node << (bits - 1));
    tile_inverse(a, bits - 1, 2, twiddle, node);
}

const struct ntt_kernel NTT_KERNEL_PORTABLE = {
    .twiddle_bytes = 8 * sizeof(struct fr),
    .twiddle_set = twiddle_set,
    .twiddle_scale = twiddle_scale,
    .strided = strided,
    .block_forward = block_forward,
    .block_inverse = block_inverse,
    .block_multiply = block_multiply,
};
