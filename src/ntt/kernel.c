#include "ntt/kernel.h"

/* 1 / twiddle[node] = -twiddle[mirror(node)] for node > 0: nodes 2^k .. 2^(k+1) - 1 hold the odd multiples of one angle between 0 and
 * half a turn in bit-reversed order, and negating an angle there flips all bits below the highest. */
static size_t mirror(size_t node)
{
    unsigned k = 63 - (unsigned)__builtin_clzll(node);
    return ((size_t)3 << k) - 1 - node;
}

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
void tile_forward(struct fr *x, unsigned levels, size_t columns, const struct fr *twiddle,
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

void tile_inverse(struct fr *x, unsigned levels, size_t columns, const struct fr *twiddle,
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
                inverse_4(x + 4 * h * k, h, &twiddle[mirror(b)], &twiddle[mirror(2 * b)],
                          &twiddle[mirror(2 * b + 1)]);
        }
    }
    if (t == 1 && node == 0)
        sum_and_difference(x, columns << (levels - 1));
    else if (t == 1)
        inverse_2(x, columns << (levels - 1), &twiddle[mirror(node)]);
}

/* A node's twiddle squared is its parent's, negated for the right child. Karatsuba: (x0 + x1 X)(y0 + y1 X). */
void tile_multiply_pairs(struct fr *x, const struct fr *y, size_t pairs, const struct fr *twiddle,
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
