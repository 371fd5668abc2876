#include "ntt/pass.h"

#include <assert.h>
#include <string.h>

struct pass_plan pass_plan_of(const struct ntt_domain *d)
{
    struct pass_plan plan = {0};
    unsigned strided = d->log2 > TILE_LOG2 ? d->log2 - TILE_LOG2 : 0;
    plan.count = (strided + PASS_LEVELS - 1) / PASS_LEVELS;
    plan.block_log2 = d->log2 - strided;
    plan.blocks = (size_t)1 << strided;
    assert(plan.count <= PASS_MAX);
    for (unsigned i = 1; i <= plan.count; i++)
        plan.from[i] = strided * i / plan.count;
    return plan;
}

struct strided {
    const struct ntt_domain *d;
    unsigned from, levels, steps;
    struct fr *x, *add_to;
    struct progress *progress;
    size_t stride, tiles_per_node;
};

static void transform(struct fr *tile, const struct strided *s, size_t node)
{
    const struct fr *twiddle = s->d->twiddle;
    size_t coset_node = ((size_t)1 << s->from) + node;
    if (s->steps & PASS_INVERSE)
        tile_inverse(tile, s->levels, TILE_COLUMNS, twiddle, node);
    if (s->steps & PASS_COSET_INVERSE)
        tile_inverse(tile, s->levels, TILE_COLUMNS, twiddle, coset_node);
    if (s->steps & PASS_FORWARD)
        tile_forward(tile, s->levels, TILE_COLUMNS, twiddle, node);
    if (s->steps & PASS_COSET_FORWARD)
        tile_forward(tile, s->levels, TILE_COLUMNS, twiddle, coset_node);
}

/* Rows lie a power of two apart and would fight for the same few cache lines, so the tile is worked on in a copy. */
static void strided_tile(void *ctx, size_t task)
{
    const struct strided *s = ctx;
    struct fr tile[1 << TILE_LOG2];
    size_t node = task / s->tiles_per_node, rows = (size_t)1 << s->levels;
    size_t first = node * rows * s->stride + task % s->tiles_per_node * TILE_COLUMNS;
    const struct fr *from = s->x + first;
    for (size_t r = 0; r < rows; r++)
        memcpy(tile + r * TILE_COLUMNS, from + r * s->stride, TILE_COLUMNS * sizeof(struct fr));
    transform(tile, s, node);
    struct fr *to = (s->add_to != NULL ? s->add_to : s->x) + first;
    for (size_t r = 0; r < rows; r++) {
        if (s->add_to == NULL)
            memcpy(to + r * s->stride, tile + r * TILE_COLUMNS, TILE_COLUMNS * sizeof(struct fr));
        else
            for (size_t c = 0; c < TILE_COLUMNS; c++)
                fr_add(&to[r * s->stride + c], &to[r * s->stride + c], &tile[r * TILE_COLUMNS + c]);
    }
    if (s->progress != NULL)
        progress_add(s->progress, rows * TILE_COLUMNS);
}

void pass_strided(const struct ntt_domain *d, unsigned i, unsigned steps, struct fr *x,
                  struct fr *add_to, struct pool *pool, struct progress *progress)
{
    struct pass_plan plan = pass_plan_of(d);
    struct strided s = {.d = d, .steps = steps, .x = x, .add_to = add_to, .progress = progress};
    s.from = plan.from[i];
    s.levels = plan.from[i + 1] - plan.from[i];
    s.stride = d->n >> plan.from[i + 1];
    s.tiles_per_node = s.stride / TILE_COLUMNS;
    pool_run(pool, s.tiles_per_node << s.from, strided_tile, &s);
}
