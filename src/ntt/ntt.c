#include "ntt/ntt.h"

#include "base/cpu.h"
#include "ntt/kernel.h"
#include "ntt/pass.h"

void ntt_root_of_unity(struct fr *r, unsigned log2)
{
    *r = FR_ROOT_OF_UNITY_2_32;
    for (unsigned i = log2; i < 32; i++)
        fr_sqr(r, r);
}

static const struct ntt_kernel *choose_kernel(unsigned log2)
{
    const struct ntt_kernel *kernel = &NTT_KERNEL_PORTABLE;
#if defined(__x86_64__)
    if (cpu_path() >= CPU_IFMA && log2 >= NTT_KERNEL_IFMA.min_log2)
        kernel = &NTT_KERNEL_IFMA;
#endif
    return kernel;
}

/* The table grows by doubling: twiddle[first + k] = twiddle[k] * root of order 4 first. */
struct doubling {
    const struct ntt_domain *d;
    size_t first;
    struct fr factor;
};

enum { DOUBLING_BLOCK = 4096, FIRST_TWIDDLES = 8 };

static void double_block(void *ctx, size_t i)
{
    const struct doubling *g = ctx;
    size_t at = i * DOUBLING_BLOCK,
           n = g->first - at < DOUBLING_BLOCK ? g->first - at : DOUBLING_BLOCK;
    g->d->kernel->twiddle_scale(g->d->twiddle, g->first + at, at, n, &g->factor);
}

static void make_twiddles(const struct ntt_domain *d, size_t n, struct pool *pool)
{
    struct fr small[FIRST_TWIDDLES] = {FR_ONE};
    struct doubling g = {.d = d};
    unsigned order = 2;
    for (g.first = 1; g.first < FIRST_TWIDDLES; g.first *= 2) {
        ntt_root_of_unity(&g.factor, order++);
        for (size_t k = 0; k < g.first; k++)
            fr_mul(&small[g.first + k], &small[k], &g.factor);
    }
    for (size_t k = 0; k < FIRST_TWIDDLES; k++)
        d->kernel->twiddle_set(d->twiddle, k, &small[k]);
    for (; g.first < n; g.first *= 2) {
        ntt_root_of_unity(&g.factor, order++);
        pool_run(pool, (g.first + DOUBLING_BLOCK - 1) / DOUBLING_BLOCK, double_block, &g);
    }
}

int ntt_domain_init(struct ntt_domain *d, unsigned log2, struct pool *pool, struct error *err)
{
    *d = (struct ntt_domain){0};
    if (log2 > NTT_MAX_LOG2)
        return error_set(err, ERR_DATA, "domain-too-large",
                         "a domain of 2^%u: at most 2^%d is possible", log2, NTT_MAX_LOG2);
    size_t n = (size_t)1 << log2, twiddles = n / 2 > FIRST_TWIDDLES ? n / 2 : FIRST_TWIDDLES;
    const struct ntt_kernel *kernel = choose_kernel(log2);
    if (buffer_init(&d->buffer, twiddles / 8 * kernel->twiddle_bytes, "NTT twiddles", err) != 0)
        return err->code;
    d->log2 = log2;
    d->n = n;
    d->kernel = kernel;
    d->twiddle = d->buffer.data;
    make_twiddles(d, twiddles, pool);
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
    b->d->kernel->block_forward(b->x + (i << b->log2), b->log2, b->d->twiddle, i);
}

static void inverse_block(void *ctx, size_t i)
{
    const struct blocks *b = ctx;
    struct fr *x = b->x + (i << b->log2);
    b->d->kernel->block_inverse(x, b->log2, b->d->twiddle, i);
    for (size_t k = 0; k < (size_t)1 << b->log2; k++)
        fr_mul(&x[k], &x[k], &b->scale);
}

void ntt_forward(const struct ntt_domain *d, struct fr *x, struct pool *pool)
{
    struct pass_plan plan = pass_plan_of(d);
    struct blocks b = {.d = d, .x = x, .log2 = plan.block_log2};
    for (unsigned i = 0; i < plan.count; i++)
        pass_strided(d, i, TILE_FORWARD, x, NULL, pool, NULL);
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
        pass_strided(d, i, TILE_INVERSE, x, NULL, pool, NULL);
}
