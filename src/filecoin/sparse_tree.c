#include "filecoin/sparse_tree.h"

#include <assert.h>
#include <string.h>

#include "filecoin/arena.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

enum { MAX_ARITY = 8, NODES_PER_TASK = 32 };

/* ---- Rows ---- */

static int out_of_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for a Merkle tree");
}

static int row_alloc(struct tree_row *row, size_t len, struct arena *arena, struct error *err)
{
    row->len = len;
    row->index = arena_alloc(arena, len * sizeof *row->index);
    row->value = arena_alloc(arena, len * sizeof *row->value);
    return row->index == NULL || row->value == NULL ? out_of_memory(err) : 0;
}

/* Where index is in the row, or would be. */
static size_t row_find(const struct tree_row *row, uint64_t index)
{
    size_t low = 0, high = row->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The row above: the parents of its nodes. */
static int row_above(struct tree_row *above, const struct tree_row *row, unsigned arity,
                     struct arena *arena, struct error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < row->len; i++)
        n += i == 0 || row->index[i] / arity != row->index[i - 1] / arity;
    if (row_alloc(above, n, arena, err) != 0)
        return err->code;
    n = 0;
    for (size_t i = 0; i < row->len; i++)
        if (i == 0 || row->index[i] / arity != row->index[i - 1] / arity)
            above->index[n++] = row->index[i] / arity;
    return 0;
}

int sparse_tree_init(struct sparse_tree *t, struct tree_shape shape, struct tree_filler filler,
                     const uint32_t *index, size_t n, struct error *err)
{
    assert(shape.levels <= MERKLE_MAX_LEVELS);
    memset(t, 0, sizeof *t);
    t->shape = shape;
    t->filler = filler;
    t->arena = arena_new();
    int rc = t->arena == NULL ? out_of_memory(err) : row_alloc(&t->rows[0], n, t->arena, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        t->rows[0].index[i] = index != NULL ? index[i] : (uint32_t)i;
    for (unsigned l = 0; l < shape.levels && rc == 0; l++)
        rc = row_above(&t->rows[l + 1], &t->rows[l], shape.arity[l], t->arena, err);
    if (rc != 0)
        sparse_tree_clean_up(t);
    return rc;
}

void sparse_tree_clean_up(struct sparse_tree *t)
{
    arena_destroy(t->arena);
    memset(t, 0, sizeof *t);
}

/* ---- Hashing ---- */

static int is_tree_d(const struct sparse_tree *t)
{
    return t->shape.arity[0] == 2;
}

static void hash_children(struct node *out, const struct sparse_tree *t, const struct node *child,
                          unsigned arity)
{
    struct fr in[MAX_ARITY], hash;
    if (is_tree_d(t)) {
        sha256(out->b, child, arity * sizeof *child);
        out->b[31] &= 0x3f;
        return;
    }
    for (unsigned i = 0; i < arity; i++)
        node_to_fr(&in[i], &child[i]);
    poseidon_hash(&hash, poseidon_constants(arity, POSEIDON_MERKLE), in);
    node_from_fr(out, &hash);
}

struct row_job {
    struct sparse_tree *t;
    unsigned level; /* of the row that is made, at least 1 */
};

static void hash_part(void *ctx, size_t part)
{
    const struct row_job *job = ctx;
    const struct sparse_tree *t = job->t;
    const struct tree_row *row = &t->rows[job->level];
    unsigned arity = t->shape.arity[job->level - 1];
    size_t end = (part + 1) * NODES_PER_TASK < row->len ? (part + 1) * NODES_PER_TASK : row->len;
    for (size_t i = part * NODES_PER_TASK; i < end; i++) {
        struct node child[MAX_ARITY];
        for (unsigned j = 0; j < arity; j++)
            sparse_tree_node(&child[j], t, job->level - 1, (uint64_t)row->index[i] * arity + j);
        hash_children(&row->value[i], t, child, arity);
    }
}

void sparse_tree_hash(struct sparse_tree *t, struct pool *pool)
{
    for (unsigned l = 1; l <= t->shape.levels; l++) {
        struct row_job job = {t, l};
        pool_run(pool, (t->rows[l].len + NODES_PER_TASK - 1) / NODES_PER_TASK, hash_part, &job);
    }
}

/* ---- Reading ---- */

void sparse_tree_node(struct node *out, const struct sparse_tree *t, unsigned level, uint64_t index)
{
    const struct tree_row *row = &t->rows[level];
    size_t at = row_find(row, index);
    if (at < row->len && row->index[at] == index) {
        *out = row->value[at];
        return;
    }
    assert(t->filler.node != NULL);
    t->filler.node(t->filler.ctx, out, level, index);
}

void sparse_tree_root(struct node *out, const struct sparse_tree *t)
{
    sparse_tree_node(out, t, t->shape.levels, 0);
}

int sparse_tree_path(struct merkle_path *out, const struct sparse_tree *t, uint64_t leaf,
                     struct arena *arena, struct error *err)
{
    uint64_t index = leaf;
    out->levels = (uint8_t)t->shape.levels;
    memcpy(out->arity, t->shape.arity, t->shape.levels);
    sparse_tree_node(&out->leaf, t, 0, leaf);
    sparse_tree_root(&out->root, t);
    for (unsigned l = 0; l < t->shape.levels; l++) {
        unsigned arity = t->shape.arity[l], own = (unsigned)(index % arity), n = 0;
        out->index[l] = (uint8_t)own;
        out->siblings[l] = arena_alloc(arena, (arity - 1) * sizeof(struct node));
        if (out->siblings[l] == NULL)
            return out_of_memory(err);
        for (unsigned j = 0; j < arity; j++)
            if (j != own)
                sparse_tree_node(&out->siblings[l][n++], t, l, index - own + j);
        index /= arity;
    }
    return 0;
}
