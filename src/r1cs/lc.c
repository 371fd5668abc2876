#include "r1cs/lc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 16, INSERTION_MAX = 24, RADIX = 256 };

void lc_clean_up(struct lc *lc)
{
    if (lc->storage != LC_LIST)
        lc_map_ops[lc->storage]->drop(&lc->maps);
    free(lc->term);
    free(lc->scratch);
    *lc = (struct lc){0};
}

void lc_reset(struct lc *lc)
{
    if (lc->storage != LC_LIST)
        lc_map_ops[lc->storage]->drop(&lc->maps);
    lc->len = 0;
    lc->failed = 0;
}

/* Room for n more terms; -1 and lc->failed without. */
static int make_room(struct lc *lc, size_t n)
{
    if (n <= lc->cap - lc->len)
        return 0;
    size_t cap = lc->cap ? lc->cap : FIRST_CAP;
    while (cap - lc->len < n && cap <= SIZE_MAX / 4 / sizeof *lc->term)
        cap *= 2;
    struct term *term = cap - lc->len < n ? NULL : realloc(lc->term, cap * sizeof *term);
    if (term == NULL) {
        lc->failed = 1;
        return -1;
    }
    lc->term = term;
    lc->cap = cap;
    return 0;
}

void lc_add(struct lc *lc, uint32_t var, const struct fr *coeff)
{
    if (lc->storage != LC_LIST) {
        lc->failed |= lc_map_ops[lc->storage]->add(&lc->maps, var, coeff, lc->memory);
        return;
    }
    if (lc->len == lc->cap && make_room(lc, 1) != 0)
        return;
    lc->term[lc->len++] = (struct term){var, *coeff};
}

void lc_add_one(struct lc *lc, uint32_t var)
{
    lc_add(lc, var, &FR_ONE);
}

void lc_add_i64(struct lc *lc, uint32_t var, int64_t coeff)
{
    struct fr k;
    if (coeff == 1) {
        k = FR_ONE;
    } else if (coeff == -1) {
        k = FR_MINUS_ONE;
    } else if (coeff == 2) {
        fr_double(&k, &FR_ONE);
    } else {
        fr_from_i64(&k, coeff); /* one multiplication */
    }
    lc_add(lc, var, &k);
}

void lc_add_scaled(struct lc *lc, const struct lc *other, const struct fr *k)
{
    size_t n = other->len;
    assert(lc->storage == other->storage);
    lc->failed |= other->failed;
    if (lc->storage != LC_LIST) {
        lc->failed |= lc_map_ops[lc->storage]->add_scaled(&lc->maps, &other->maps, k, lc->memory);
        return;
    }
    if (n == 0 || make_room(lc, n) != 0)
        return;
    struct term *to = lc->term + lc->len;
    const struct term *from = other->term;
    struct fr minus_k;
    int k_is_one = fr_equal(k, &FR_ONE);
    fr_neg(&minus_k, k);
    for (size_t i = 0; i < n; i++) {
        to[i].var = from[i].var;
        if (k_is_one)
            to[i].coeff = from[i].coeff;
        else if (fr_equal(&from[i].coeff, &FR_ONE))
            to[i].coeff = *k;
        else if (fr_equal(&from[i].coeff, &FR_MINUS_ONE))
            to[i].coeff = minus_k;
        else
            fr_mul(&to[i].coeff, &from[i].coeff, k);
    }
    lc->len += n;
}

static void drop_zeros(struct lc *lc)
{
    size_t n = 0;
    for (size_t i = 0; i < lc->len; i++)
        if (!fr_is_zero(&lc->term[i].coeff)) {
            if (n != i)
                lc->term[n] = lc->term[i];
            n++;
        }
    lc->len = n;
}

/* Terms [0, sorted) are ascending. */
static void sort_by_insertion(struct lc *lc, size_t sorted)
{
    struct term *t = lc->term;
    size_t n = sorted;
    for (size_t i = sorted; i < lc->len; i++) {
        struct term x = t[i];
        size_t at = n;
        while (at > 0 && t[at - 1].var > x.var)
            at--;
        if (at > 0 && t[at - 1].var == x.var) {
            fr_add(&t[at - 1].coeff, &t[at - 1].coeff, &x.coeff);
            continue;
        }
        memmove(t + at + 1, t + at, (n - at) * sizeof *t);
        t[at] = x;
        n++;
    }
    lc->len = n;
}

/* Sorts keys (variable above, position below) by (variable - min), least significant byte first. Returns the array that holds the
 * result: key or other. */
static uint64_t *sort_keys(uint64_t *key, uint64_t *other, size_t n, uint32_t min, uint32_t max)
{
    for (unsigned shift = 0; shift < 32 && (max - min) >> shift != 0; shift += 8) {
        size_t start[RADIX] = {0};
        for (size_t i = 0; i < n; i++)
            start[((uint32_t)(key[i] >> 32) - min) >> shift & (RADIX - 1)]++;
        size_t sum = 0;
        for (int d = 0; d < RADIX; d++) {
            size_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            other[start[((uint32_t)(key[i] >> 32) - min) >> shift & (RADIX - 1)]++] = key[i];
        uint64_t *swap = key;
        key = other;
        other = swap;
    }
    return key;
}

static int make_scratch(struct lc *lc)
{
    size_t bytes = lc->cap * (sizeof(struct term) + 2 * sizeof(uint64_t));
    if (bytes <= lc->scratch_bytes)
        return 0;
    free(lc->scratch);
    lc->scratch = malloc(bytes);
    lc->scratch_bytes = lc->scratch ? bytes : 0;
    return lc->scratch ? 0 : -1;
}

/* ONE occurs often (constants of additions) and is no neighbour of the rest, so it's summed on the way and the others' range stays
 * narrow: two passes in a SHA-256 block. */
static void sort_by_radix(struct lc *lc)
{
    if (lc->len > UINT32_MAX || make_scratch(lc) != 0) {
        lc->failed = 1;
        lc->len = 0;
        return;
    }
    struct term *out = lc->scratch;
    uint64_t *key = (uint64_t *)(out + lc->cap), *other = key + lc->cap;
    struct fr ones = FR_ZERO;
    size_t n = 0, len = 0;
    uint32_t min = UINT32_MAX, max = 0;
    for (size_t i = 0; i < lc->len; i++) {
        uint32_t var = lc->term[i].var;
        if (var == VAR_ONE) {
            fr_add(&ones, &ones, &lc->term[i].coeff);
            continue;
        }
        min = var < min ? var : min;
        max = var > max ? var : max;
        key[n++] = (uint64_t)var << 32 | i;
    }
    if (n > 0)
        key = sort_keys(key, other, n, min, max);
    out[len++] = (struct term){VAR_ONE, ones};
    for (size_t i = 0; i < n; i++) {
        const struct term *t = &lc->term[(uint32_t)key[i]];
        if (out[len - 1].var == t->var)
            fr_add(&out[len - 1].coeff, &out[len - 1].coeff, &t->coeff);
        else
            out[len++] = *t;
    }
    if (len > lc->len) { /* no ONE, no duplicate: out[0] is zero */
        out++;
        len--;
    }
    memcpy(lc->term, out, len * sizeof *out);
    lc->len = len;
}

void lc_normalise(struct lc *lc)
{
    size_t n = lc->len, sorted = n > 0;
    const struct term *t = lc->term;
    int zeros = n > 0 && fr_is_zero(&t[0].coeff);
    for (; sorted < n && t[sorted - 1].var < t[sorted].var; sorted++)
        zeros |= fr_is_zero(&t[sorted].coeff);
    if (sorted == n) {
        if (zeros)
            drop_zeros(lc);
        return;
    }
    if (n <= INSERTION_MAX)
        sort_by_insertion(lc, sorted);
    else
        sort_by_radix(lc);
    drop_zeros(lc);
}

/* ---- maps ---- */

void lc_init_like(struct lc *lc, const struct lc *like)
{
    lc->storage = like->storage;
    lc->memory = like->memory;
}

void lc_add_apart(struct lc *lc, const struct term *term, size_t n)
{
    lc->failed |= lc_map_ops[lc->storage]->add_apart(&lc->maps, term, n, lc->memory);
}

void lc_copy(struct lc *to, const struct lc *lc)
{
    assert(to->storage == lc->storage);
    to->failed |= lc->failed | lc_map_ops[lc->storage]->copy(&to->maps, &lc->maps, to->memory);
}

void lc_copy_and_add_scaled(struct lc *lc, const struct lc *other, const struct fr *k)
{
    union lc_maps copy = {0};
    const struct lc_map_ops *ops = lc_map_ops[lc->storage];
    lc->failed |= other->failed | ops->copy(&copy, &lc->maps, lc->memory) |
                  ops->add_scaled(&copy, &other->maps, k, lc->memory);
    ops->drop(&lc->maps);
    lc->maps = copy;
}
