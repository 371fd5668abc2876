#include <assert.h>
#include <string.h>

#include "ntt/kernel.h"
#include "ntt/ntt.h"
#include "ntt/pass.h"

/* H on the coset x^n = -1: H = (A B - C) / -2, and A B needs to be known modulo x^n + 1 only. With A', B', C' the n-fold coefficients
 * that unscaled inverse transforms give, and A B multiplied by n/2 by the last one (it stops at pairs):
 *     H = (n/2) (A'/n) (B' * -1/n^2) + C' / (2n),
 * where the constants ride on the expansion of the typed vectors. */
enum { SMALL_VALUES = 256, RANK_BLOCK = 64 };

struct quotient {
    const struct ntt_domain *d;
    struct pass_plan plan;
    struct fr *h, *tmp;
    struct progress progress;
    /* the vector that is being loaded */
    const struct tvec *v;
    struct fr *to;
    struct fr scale, small[SMALL_VALUES]; /* the multiples of scale, by the byte's bits */
    uint32_t *rank;                       /* full elements before every RANK_BLOCK-th element */
    int add;                              /* to h, when there is no strided pass to do it */
};

static size_t reverse_bits(size_t x, unsigned bits)
{
    uint64_t v = x;
    v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
    v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
    return bits == 0 ? 0 : __builtin_bswap64(v) >> (64 - bits);
}

static unsigned count_full(const int8_t *small, size_t n)
{
    unsigned count = 0;
    for (size_t i = 0; i < n; i++)
        count += small[i] == TVEC_FULL;
    return count;
}

static void rank_full(uint32_t *rank, const struct tvec *v)
{
    uint32_t before = 0;
    for (size_t i = 0; i < v->len; i += RANK_BLOCK) {
        size_t left = v->len - i;
        rank[i / RANK_BLOCK] = before;
        before += count_full(v->small + i, left < RANK_BLOCK ? left : RANK_BLOCK);
    }
    assert(before == v->full_len);
}

/* Element i of the vector, scaled. */
static void load(struct fr *out, const struct quotient *q, size_t i)
{
    const struct tvec *v = q->v;
    if (i >= v->len) {
        *out = FR_ZERO;
    } else if (v->small[i] != TVEC_FULL) {
        *out = q->small[(uint8_t)v->small[i]];
    } else {
        size_t start = i / RANK_BLOCK * RANK_BLOCK;
        size_t k = q->rank[i / RANK_BLOCK] + count_full(v->small + start, i - start);
        fr_mul(out, &v->full[k], &q->scale);
    }
}

static void load_block(void *ctx, size_t block)
{
    struct quotient *q = ctx;
    unsigned bits = q->plan.block_log2, high = q->d->log2 - bits;
    size_t n = (size_t)1 << bits, low = reverse_bits(block, high);
    struct fr *x = q->to + block * n;
    for (size_t k = 0; k < n; k++)
        load(&x[k], q, reverse_bits(k, bits) << high | low);
    q->d->kernel->block_inverse(x, bits, q->d->twiddle, block);
    for (size_t k = 0; k < n && q->add; k++)
        fr_add(&q->h[k], &q->h[k], &x[k]);
    progress_add(&q->progress, n);
}

/* to = coefficients of v times n * scale. Strided pass 0 (if any) is left to the caller. */
static void load_coefficients(struct quotient *q, struct fr *to, const struct tvec *v,
                              const struct fr *scale, struct pool *pool)
{
    assert(v->len <= q->d->n);
    q->v = v;
    q->to = to;
    q->scale = *scale;
    for (int i = -127; i <= 127; i++) {
        struct fr k;
        fr_from_i64(&k, i);
        fr_mul(&q->small[(uint8_t)i], &k, scale);
    }
    rank_full(q->rank, v);
    pool_run(pool, q->plan.blocks, load_block, q);
    for (unsigned i = q->plan.count; i-- > 1 && !progress_cancelled(q->progress.sink);)
        pass_strided(q->d, i, TILE_INVERSE, to, NULL, pool, &q->progress);
}

/* Down to the contiguous blocks of the coset's tree. */
static void load_on_coset(struct quotient *q, struct fr *to, const struct tvec *v,
                          const struct fr *scale, struct pool *pool)
{
    load_coefficients(q, to, v, scale, pool);
    for (unsigned i = 0; i < q->plan.count && !progress_cancelled(q->progress.sink); i++)
        pass_strided(q->d, i, i == 0 ? TILE_INVERSE | TILE_COSET_FORWARD : TILE_COSET_FORWARD, to,
                     NULL, pool, &q->progress);
}

/* The last levels of A and B, their product, and the first levels back. */
static void multiply_block(void *ctx, size_t block)
{
    struct quotient *q = ctx;
    unsigned bits = q->plan.block_log2;
    size_t n = (size_t)1 << bits;
    q->d->kernel->block_multiply(q->h + block * n, q->tmp + block * n, bits, q->d->twiddle,
                                 q->plan.blocks + block);
    progress_add(&q->progress, n);
}

int ntt_quotient(struct fr *h, struct fr *tmp, const struct ntt_domain *d, const struct tvec *a,
                 const struct tvec *b, const struct tvec *c, struct pool *pool,
                 const struct progress_sink *sink, struct error *err)
{
    struct quotient q = {.d = d, .plan = pass_plan_of(d), .h = h, .tmp = tmp};
    struct buffer rank;
    struct fr n_inverse, scale;
    assert(d->log2 >= 1);
    if (buffer_init(&rank, (d->n / RANK_BLOCK + 1) * sizeof(uint32_t), "ranks of full elements",
                    err) != 0)
        return err->code;
    q.rank = rank.data;
    unsigned passes = 4 + (q.plan.count > 0 ? 6 * q.plan.count - 2 : 0);
    progress_begin(&q.progress, sink, "making H", (uint64_t)passes * d->n);

    fr_from_u64(&n_inverse, d->n);
    fr_inv(&n_inverse, &n_inverse);
    load_on_coset(&q, h, a, &n_inverse, pool);
    fr_sqr(&scale, &n_inverse);
    fr_neg(&scale, &scale);
    for (unsigned i = 0; i < d->kernel->product_shift; i++)
        fr_double(&scale, &scale);
    load_on_coset(&q, tmp, b, &scale, pool);
    pool_run(pool, q.plan.blocks, multiply_block, &q);
    for (unsigned i = q.plan.count; i-- > 0 && !progress_cancelled(sink);)
        pass_strided(d, i, TILE_COSET_INVERSE, h, NULL, pool, &q.progress);

    fr_from_u64(&scale, 2);
    fr_inv(&scale, &scale);
    fr_mul(&scale, &scale, &n_inverse);
    q.add = q.plan.count == 0;
    load_coefficients(&q, tmp, c, &scale, pool);
    if (q.plan.count > 0)
        pass_strided(d, 0, TILE_INVERSE, tmp, h, pool, &q.progress);

    progress_end(&q.progress);
    buffer_clean_up(&rank);
    if (progress_cancelled(sink))
        return error_set(err, ERR_TEMP_FAIL, "cancelled", "cancelled");
    if (!fr_is_zero(&h[d->n - 1]))
        return error_set(
            err, ERR_DATA, "witness-unsatisfied",
            "the assignment does not satisfy the circuit: A B - C is no multiple of x^n - 1");
    return 0;
}
