#include "ntt/pass.h"

#include <assert.h>

struct pass_plan pass_plan_of(const struct ntt_domain *d)
{
    struct pass_plan plan = {0};
    unsigned strided = d->log2 > BLOCK_LOG2 ? d->log2 - BLOCK_LOG2 : 0;
    plan.count = (strided + TILE_LEVELS - 1) / TILE_LEVELS;
    plan.block_log2 = d->log2 - strided;
    plan.blocks = (size_t)1 << strided;
    assert(plan.count <= PASS_MAX);
    for (unsigned i = 1; i <= plan.count; i++)
        plan.from[i] = strided * i / plan.count;
    return plan;
}

struct strided_pass {
    const struct ntt_domain *d;
    unsigned from, levels, steps;
    struct fr *x, *add_to;
    struct progress *progress;
    size_t stride, tiles_per_node;
};

static void strided_task(void *ctx, size_t task)
{
    const struct strided_pass *p = ctx;
    size_t node = task / p->tiles_per_node, rows = (size_t)1 << p->levels;
    size_t first = node * rows * p->stride + task % p->tiles_per_node * TILE_COLUMNS;
    const struct strided_tile tile = {
        .to = (p->add_to != NULL ? p->add_to : p->x) + first,
        .from = p->x + first,
        .stride = p->stride,
        .node = node,
        .coset_node = ((size_t)1 << p->from) + node,
        .levels = p->levels,
        .steps = p->steps,
        .add = p->add_to != NULL,
    };
    p->d->kernel->strided(&tile, p->d->twiddle);
    progress_add(p->progress, rows * TILE_COLUMNS);
}

void pass_strided(const struct ntt_domain *d, unsigned i, unsigned steps, struct fr *x,
                  struct fr *add_to, struct pool *pool, struct progress *progress)
{
    struct pass_plan plan = pass_plan_of(d);
    struct strided_pass p = {
        .d = d, .steps = steps, .x = x, .add_to = add_to, .progress = progress};
    p.from = plan.from[i];
    p.levels = plan.from[i + 1] - plan.from[i];
    p.stride = d->n >> plan.from[i + 1];
    p.tiles_per_node = p.stride / TILE_COLUMNS;
    pool_run(pool, p.tiles_per_node << p.from, strided_task, &p);
}
