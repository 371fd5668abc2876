#include "ntt/ntt.h"

#include "ntt/kernel.h"
#include "ntt/pass.h"

void ntt_root_of_unity(struct fr *r, unsigned log2)
{
    *r = FR_ROOT_OF_UNITY_2_32;
    for (unsigned i = log2; i < 32; i++)
        fr_sqr(r, r);
}

/* twiddle[first + k] = twiddle[k] * factor */
struct doubling {
    struct fr *twiddle;
    size_t first;
    struct fr factor;
};

enum { DOUBLING_BLOCK = 4096 };

static void double_block(void *ctx, size_t i)
{
    const struct doubling *g = ctx;
    size_t end = (i + 1) * DOUBLING_BLOCK;
    if (end > g->first)
        end = g->first;
    for (size_t k = i * DOUBLING_BLOCK; k < end; k++)
        fr_mul(&g->twiddle[g->first + k], &g->twiddle[k], &g->factor);
}

int ntt_domain_init(struct ntt_domain *d, unsigned log2, struct pool *pool, struct error *err)
{
    *d = (struct ntt_domain){0};
    if (log2 > NTT_MAX_LOG2)
        return error_set(err, ERR_DATA, "domain-too-large",
                         "a domain of 2^%u: at most 2^%d is possible", log2, NTT_MAX_LOG2);
    size_t n = (size_t)1 << log2, twiddles = n / 2 > 0 ? n / 2 : 1;
    if (buffer_init(&d->buffer, twiddles * sizeof(struct fr), "NTT twiddles", err) != 0)
        return err->code;
    d->log2 = log2;
    d->n = n;
    d->twiddle = d->buffer.data;
    d->twiddle[0] = FR_ONE;
    struct doubling g = {.twiddle = d->twiddle};
    unsigned order = 2;
    for (g.first = 1; g.first < twiddles; g.first *= 2) {
        ntt_root_of_unity(&g.factor, order++);
        pool_run(pool, (g.first + DOUBLING_BLOCK - 1) / DOUBLING_BLOCK, double_block, &g);
    }
    return 0;
}

void ntt_domain_clean_up(struct ntt_domain *d)
{
    buffer_clean_up(&d->buffer);
    *d = (struct ntt_domain){0};
}

struct blocks {
    const struct ntt_domain *d;
    struct fr *x;
    unsigned log2;
    struct fr scale;
};

static void forward_block(void *ctx, size_t i)
{
    const struct blocks *b = ctx;
    tile_forward(b->x + (i << b->log2), b->log2, 1, b->d->twiddle, i);
}

static void inverse_block(void *ctx, size_t i)
{
    const struct blocks *b = ctx;
    struct fr *x = b->x + (i << b->log2);
    tile_inverse(x, b->log2, 1, b->d->twiddle, i);
    for (size_t k = 0; k < (size_t)1 << b->log2; k++)
        fr_mul(&x[k], &x[k], &b->scale);
}

void ntt_forward(const struct ntt_domain *d, struct fr *x, struct pool *pool)
{
    struct pass_plan plan = pass_plan_of(d);
    struct blocks b = {.d = d, .x = x, .log2 = plan.block_log2};
    for (unsigned i = 0; i < plan.count; i++)
        pass_strided(d, i, PASS_FORWARD, x, NULL, pool, NULL);
    pool_run(pool, plan.blocks, forward_block, &b);
}

void ntt_inverse(const struct ntt_domain *d, struct fr *x, struct pool *pool)
{
    struct pass_plan plan = pass_plan_of(d);
    struct blocks b = {.d = d, .x = x, .log2 = plan.block_log2};
    fr_from_u64(&b.scale, d->n);
    fr_inv(&b.scale, &b.scale);
    pool_run(pool, plan.blocks, inverse_block, &b);
    for (unsigned i = plan.count; i-- > 0;)
        pass_strided(d, i, PASS_INVERSE, x, NULL, pool, NULL);
}
