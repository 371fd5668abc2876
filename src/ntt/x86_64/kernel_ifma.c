#include <string.h>

#include "field/x86_64/fr8.h"
#include "ntt/kernel.h"

/* Eight twiddles at 2^260, fully reduced. Bounds below are in multiples of r. */
struct twiddles {
    uint64_t l[5][8];
};

enum { GROUP_LEVELS = 3, UNIT = 8 /* elements in a struct fr8 */ };

static const uint64_t MINUS_ONE[5] = {0xfffdc00000024, 0x6bffc4efdbfff, 0xac260bfc6ab10,
                                      0x9e27342261215, 0x4d6b87b1da25};

static void twiddle_set(void *twiddle, size_t i, const struct fr *value)
{
    struct twiddles *t = (struct twiddles *)twiddle + i / 8;
    const struct fr8_limbs v = fr8_cut_at_260(value);
    for (int k = 0; k < 5; k++)
        t->l[k][i % 8] = v.l[k];
}

IFMA_INLINE struct fr8 twiddle_of_all(const struct twiddles *t, size_t i)
{
    struct fr8 r;
    LIMBS_UNROLL
    for (int k = 0; k < 5; k++)
        r.l[k] = fr8_splat(t[i / 8].l[k][i % 8]);
    return r;
}

/* twiddle[i + lane], i a multiple of 8. */
IFMA_INLINE struct fr8 twiddle_by_lane(const struct twiddles *t, size_t i)
{
    struct fr8 r;
    LIMBS_UNROLL
    for (int k = 0; k < 5; k++)
        r.l[k] = _mm512_loadu_si512(t[i / 8].l[k]);
    return r;
}

/* -1 / twiddle[i] */
IFMA_INLINE struct fr8 inverse_of_all(const struct twiddles *t, size_t i)
{
    struct fr8 r;
    if (i > 0)
        return twiddle_of_all(t, twiddle_mirror(i));
    LIMBS_UNROLL
    for (int k = 0; k < 5; k++)
        r.l[k] = fr8_splat(MINUS_ONE[k]);
    return r;
}

/* -1 / twiddle[i + lane], i a multiple of 8: eight neighbours backwards, but for the first eight. */
IFMA_INLINE struct fr8 inverse_by_lane(const struct twiddles *t, size_t i)
{
    const __m512i order = i > 0 ? _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0)
                                : _mm512_setr_epi64(0, 1, 3, 2, 7, 6, 5, 4);
    struct fr8 r = twiddle_by_lane(t, i > 0 ? twiddle_mirror(i + 7) : 0);
    LIMBS_UNROLL
    for (int k = 0; k < 5; k++) {
        r.l[k] = _mm512_permutexvar_epi64(order, r.l[k]);
        if (i == 0)
            r.l[k] = _mm512_mask_mov_epi64(r.l[k], 1, fr8_splat(MINUS_ONE[k]));
    }
    return r;
}

IFMA static void twiddle_scale(void *twiddle, size_t to, size_t from, size_t n,
                               const struct fr *factor)
{
    struct twiddles *t = twiddle, splat = {0};
    twiddle_set(&splat, 0, factor);
    struct fr8 f = twiddle_of_all(&splat, 0);
    for (size_t k = 0; k < n; k += 8) {
        struct fr8 v = fr8_canonical(fr8_mul(twiddle_by_lane(t, from + k), f));
        for (int i = 0; i < 5; i++)
            _mm512_storeu_si512(t[(to + k) / 8].l[i], v.l[i]);
    }
}

/* ---- levels whose nodes hold whole units: one twiddle for all lanes ---- */

/* u, v -> u + t v, u - t v: each 2 more than u. v at most 35. */
IFMA_INLINE void butterfly(struct fr8 *u, struct fr8 *v, struct fr8 t)
{
    struct fr8 w = fr8_mul(fr8_normal(*v), t);
    *v = fr8_sub(*u, w, 2);
    *u = fr8_add(*u, w);
}

/* u, v -> u + v, (u - v) / t with t = -1/twiddle. u, v at most k; the sum is at most 2k, the other 2. */
IFMA_INLINE void inverse_butterfly(struct fr8 *u, struct fr8 *v, struct fr8 t, uint64_t k)
{
    struct fr8 w = fr8_normal(fr8_sub(*v, *u, k));
    *u = fr8_add(*u, *v);
    *v = fr8_mul(w, t);
}

IFMA_INLINE struct fr8 reduced(struct fr8 a)
{
    return fr8_reduce(fr8_normal(a));
}

IFMA static void forward_2(struct fr8 *x, size_t h, struct fr8 t)
{
    for (size_t j = 0; j < h; j++)
        butterfly(&x[j], &x[j + h], t);
}

/* Two levels at once. */
IFMA static void forward_4(struct fr8 *x, size_t h, struct fr8 t, struct fr8 child0,
                           struct fr8 child1)
{
    for (size_t j = 0; j < h; j++) {
        struct fr8 a = x[j], b = x[j + h], c = x[j + 2 * h], d = x[j + 3 * h];
        butterfly(&a, &c, t);
        butterfly(&b, &d, t);
        butterfly(&a, &b, child0);
        butterfly(&c, &d, child1);
        x[j] = a;
        x[j + h] = b;
        x[j + 2 * h] = c;
        x[j + 3 * h] = d;
    }
}

/* At most 5 in, at most 5 out, here and in the other inverses. */
IFMA static void inverse_2(struct fr8 *x, size_t h, struct fr8 t)
{
    for (size_t j = 0; j < h; j++) {
        inverse_butterfly(&x[j], &x[j + h], t, 5);
        x[j] = reduced(x[j]);
    }
}

IFMA static void inverse_4(struct fr8 *x, size_t h, struct fr8 t, struct fr8 child0,
                           struct fr8 child1)
{
    for (size_t j = 0; j < h; j++) {
        struct fr8 a = x[j], b = x[j + h], c = x[j + 2 * h], d = x[j + 3 * h];
        inverse_butterfly(&a, &b, child0, 5);
        inverse_butterfly(&c, &d, child1, 5);
        inverse_butterfly(&a, &c, t, 10);
        inverse_butterfly(&b, &d, t, 2);
        x[j] = reduced(a);
        x[j + h] = b;
        x[j + 2 * h] = c;
        x[j + 3 * h] = d;
    }
}

/* Node 0: its twiddle and its first child's are 1, which saves three of four products. t = -1/twiddle[1]. */
IFMA static void inverse_4_root(struct fr8 *x, size_t h, struct fr8 t)
{
    for (size_t j = 0; j < h; j++) {
        struct fr8 a = x[j], b = x[j + h], c = x[j + 2 * h], d = x[j + 3 * h];
        struct fr8 difference = fr8_sub(a, b, 5);
        a = fr8_add(a, b);
        inverse_butterfly(&c, &d, t, 5);
        x[j] = reduced(fr8_add(a, c));
        x[j + h] = reduced(fr8_add(difference, d));
        x[j + 2 * h] = reduced(fr8_sub(a, c, 10));
        x[j + 3 * h] = reduced(fr8_sub(difference, d, 2));
    }
}

/* On 2^levels units; each level adds 2. */
IFMA static void units_forward(struct fr8 *x, unsigned levels, const struct twiddles *twiddle,
                               size_t node)
{
    unsigned t = levels & 1;
    if (t == 1)
        forward_2(x, (size_t)1 << (levels - 1), twiddle_of_all(twiddle, node));
    for (; t < levels; t += 2) {
        size_t h = (size_t)1 << (levels - t - 2);
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            size_t b = (node << t) + k;
            forward_4(x + 4 * h * k, h, twiddle_of_all(twiddle, b), twiddle_of_all(twiddle, 2 * b),
                      twiddle_of_all(twiddle, 2 * b + 1));
        }
    }
}

IFMA static void units_inverse(struct fr8 *x, unsigned levels, const struct twiddles *twiddle,
                               size_t node)
{
    unsigned t = levels;
    while (t >= 2) {
        t -= 2;
        size_t h = (size_t)1 << (levels - t - 2);
        for (size_t k = 0; k < (size_t)1 << t; k++) {
            size_t b = (node << t) + k;
            if (b == 0)
                inverse_4_root(x, h, inverse_of_all(twiddle, 1));
            else
                inverse_4(x + 4 * h * k, h, inverse_of_all(twiddle, b),
                          inverse_of_all(twiddle, 2 * b), inverse_of_all(twiddle, 2 * b + 1));
        }
    }
    if (t == 1)
        inverse_2(x, (size_t)1 << (levels - 1), inverse_of_all(twiddle, node));
}

/* Rows of eight: a unit each. At most 1 (loaded) or 5 (after inverses), and 2 for each forward level. */
IFMA static void strided(const struct strided_tile *t, const void *twiddle)
{
    struct fr8 tile[1 << TILE_LEVELS];
    size_t rows = (size_t)1 << t->levels;
    for (size_t r = 0; r < rows; r++)
        tile[r] = fr8_load(t->from + r * t->stride);
    if (t->steps & TILE_INVERSE)
        units_inverse(tile, t->levels, twiddle, t->node);
    if (t->steps & TILE_COSET_INVERSE)
        units_inverse(tile, t->levels, twiddle, t->coset_node);
    if (t->steps & TILE_FORWARD)
        units_forward(tile, t->levels, twiddle, t->node);
    if (t->steps & TILE_COSET_FORWARD)
        units_forward(tile, t->levels, twiddle, t->coset_node);
    for (size_t r = 0; r < rows; r++) {
        struct fr *to = t->to + r * t->stride;
        fr8_store(to, t->add ? fr8_add(tile[r], fr8_load(to)) : tile[r]);
    }
}

/* ---- the last three levels: nodes of eight elements. Eight units are transposed, so that each lane has a node ---- */

/* Of sixteen neighbours a, b: those at even and at odd places. */
IFMA_INLINE void by_parity(struct fr8 *even, struct fr8 *odd, struct fr8 a, struct fr8 b)
{
    const __m512i evens = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odds = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    LIMBS_UNROLL
    for (int k = 0; k < 5; k++) {
        even->l[k] = _mm512_permutex2var_epi64(a.l[k], evens, b.l[k]);
        odd->l[k] = _mm512_permutex2var_epi64(a.l[k], odds, b.l[k]);
    }
}

/* t[i] lane k = the twiddle (or, inverse, -1/twiddle) of child i of node first + k. */
IFMA_INLINE void children(struct fr8 t[2], const struct twiddles *twiddle, size_t first,
                          int inverse)
{
    if (inverse)
        by_parity(&t[0], &t[1], inverse_by_lane(twiddle, 2 * first),
                  inverse_by_lane(twiddle, 2 * first + 8));
    else
        by_parity(&t[0], &t[1], twiddle_by_lane(twiddle, 2 * first),
                  twiddle_by_lane(twiddle, 2 * first + 8));
}

/* Grandchild i in binary order: 0 and 1 are child 0's. */
IFMA_INLINE void grandchildren(struct fr8 t[4], const struct twiddles *twiddle, size_t first,
                               int inverse)
{
    struct fr8 low[2], high[2];
    children(low, twiddle, 2 * first, inverse);
    children(high, twiddle, 2 * first + 8, inverse);
    by_parity(&t[0], &t[2], low[0], high[0]);
    by_parity(&t[1], &t[3], low[1], high[1]);
}

/* x[0 .. 8): the elements of eight nodes, which are number first + lane. */
IFMA_INLINE void group_forward_two_levels(struct fr8 x[8], const struct twiddles *twiddle,
                                          size_t first)
{
    struct fr8 t[2], top = twiddle_by_lane(twiddle, first);
    for (int i = 0; i < 4; i++)
        butterfly(&x[i], &x[i + 4], top);
    children(t, twiddle, first, 0);
    for (int i = 0; i < 2; i++) {
        butterfly(&x[i], &x[i + 2], t[0]);
        butterfly(&x[i + 4], &x[i + 6], t[1]);
    }
}

/* At most 5 in, at most 5 out: x[0] and x[1] are reduced where they have grown. */
IFMA_INLINE void group_inverse_two_levels(struct fr8 x[8], const struct twiddles *twiddle,
                                          size_t first)
{
    struct fr8 t[2], top = inverse_by_lane(twiddle, first);
    children(t, twiddle, first, 1);
    for (int i = 0; i < 2; i++) {
        inverse_butterfly(&x[i], &x[i + 2], t[0], 5);
        inverse_butterfly(&x[i + 4], &x[i + 6], t[1], 5);
    }
    for (int i = 0; i < 4; i++)
        inverse_butterfly(&x[i], &x[i + 4], top, 10);
    x[0] = reduced(x[0]);
    x[1] = reduced(x[1]);
}

IFMA static void group_forward(struct fr8 x[8], const struct twiddles *twiddle, size_t first)
{
    struct fr8 t[4];
    fr8_transpose(x);
    group_forward_two_levels(x, twiddle, first);
    grandchildren(t, twiddle, first, 0);
    for (int i = 0; i < 4; i++)
        butterfly(&x[2 * i], &x[2 * i + 1], t[i]);
    fr8_transpose(x);
}

IFMA static void group_inverse(struct fr8 x[8], const struct twiddles *twiddle, size_t first)
{
    struct fr8 t[4];
    fr8_transpose(x);
    grandchildren(t, twiddle, first, 1);
    for (int i = 0; i < 4; i++) {
        inverse_butterfly(&x[2 * i], &x[2 * i + 1], t[i], 1);
    }
    group_inverse_two_levels(x, twiddle, first);
    fr8_transpose(x);
}

/* (x0 + x1 X)(y0 + y1 X) mod X^2 -+ s, all but s at most 1.04: at most 4.2 out. Karatsuba. */
IFMA_INLINE void multiply_pair(struct fr8 x[2], const struct fr8 y[2], struct fr8 s, int negative)
{
    struct fr8 x0 = fr8_normal(x[0]), x1 = fr8_normal(x[1]), y0 = fr8_normal(y[0]),
               y1 = fr8_normal(y[1]);
    struct fr8 low = fr8_mul(x0, y0), high = fr8_mul(x1, y1);
    struct fr8 cross = fr8_mul(fr8_normal(fr8_add(x0, x1)), fr8_normal(fr8_add(y0, y1)));
    x[1] = fr8_sub(cross, fr8_add(low, high), 3);
    high = fr8_mul(fr8_normal(high), s);
    x[0] = negative ? fr8_sub(low, high, 2) : fr8_add(low, high);
}

/* Two levels down, the product of pairs, two levels up. The squares that pairs are taken by are the twiddles of the level above them,
 * negated for the right one of two. */
IFMA static void group_multiply(struct fr8 x[8], struct fr8 y[8], const struct twiddles *twiddle,
                                size_t first)
{
    struct fr8 t[2];
    fr8_transpose(x);
    fr8_transpose(y);
    group_forward_two_levels(x, twiddle, first);
    group_forward_two_levels(y, twiddle, first);
    for (int i = 0; i < 8; i++) {
        x[i] = reduced(x[i]);
        y[i] = reduced(y[i]);
    }
    children(t, twiddle, first, 0);
    for (int i = 0; i < 4; i++)
        multiply_pair(x + 2 * i, y + 2 * i, t[i / 2], i % 2);
    group_inverse_two_levels(x, twiddle, first);
    fr8_transpose(x);
}

/* Blocks of 2^bits elements: 6 <= bits <= BLOCK_LOG2. */
IFMA static void load_block(struct fr8 *tile, const struct fr *x, unsigned bits)
{
    for (size_t i = 0; i < (size_t)1 << (bits - GROUP_LEVELS); i++)
        tile[i] = fr8_load(x + i * UNIT);
}

IFMA static void store_block(struct fr *x, const struct fr8 *tile, unsigned bits)
{
    for (size_t i = 0; i < (size_t)1 << (bits - GROUP_LEVELS); i++)
        fr8_store(x + i * UNIT, tile[i]);
}

IFMA static void block_forward(struct fr *x, unsigned bits, const void *twiddle, size_t node)
{
    struct fr8 tile[1 << (BLOCK_LOG2 - GROUP_LEVELS)];
    unsigned levels = bits - GROUP_LEVELS;
    load_block(tile, x, bits);
    units_forward(tile, levels, twiddle, node);
    for (size_t i = 0; i < (size_t)1 << levels; i += 8)
        group_forward(tile + i, twiddle, (node << levels) + i);
    store_block(x, tile, bits);
}

IFMA static void block_inverse(struct fr *x, unsigned bits, const void *twiddle, size_t node)
{
    struct fr8 tile[1 << (BLOCK_LOG2 - GROUP_LEVELS)];
    unsigned levels = bits - GROUP_LEVELS;
    load_block(tile, x, bits);
    for (size_t i = 0; i < (size_t)1 << levels; i += 8)
        group_inverse(tile + i, twiddle, (node << levels) + i);
    units_inverse(tile, levels, twiddle, node);
    store_block(x, tile, bits);
}

IFMA static void block_multiply(struct fr *a, struct fr *b, unsigned bits, const void *twiddle,
                                size_t node)
{
    struct fr8 x[1 << (BLOCK_LOG2 - GROUP_LEVELS)], y[1 << (BLOCK_LOG2 - GROUP_LEVELS)];
    unsigned levels = bits - GROUP_LEVELS;
    load_block(x, a, bits);
    load_block(y, b, bits);
    units_forward(x, levels, twiddle, node);
    units_forward(y, levels, twiddle, node);
    for (size_t i = 0; i < (size_t)1 << levels; i += 8)
        group_multiply(x + i, y + i, twiddle, (node << levels) + i);
    units_inverse(x, levels, twiddle, node);
    store_block(a, x, bits);
}

const struct ntt_kernel NTT_KERNEL_IFMA = {
    .twiddle_bytes = sizeof(struct twiddles),
    .twiddle_set = twiddle_set,
    .twiddle_scale = twiddle_scale,
    .strided = strided,
    .block_forward = block_forward,
    .block_inverse = block_inverse,
    .block_multiply = block_multiply,
    .product_shift = 4,
    .min_log2 = 6,
};
