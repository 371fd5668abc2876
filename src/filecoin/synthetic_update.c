#include "filecoin/synthetic_update.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/arena.h"
#include "filecoin/bincode_write.h"
#include "filecoin/draw.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

enum { TYPES = 8, MAX_ARITY = 8, MAX_R_LEVELS = 12, NODES_PER_TASK = 16 };

/* Level l, counted from the leaves, of the old trees: a value for each type. The new tree R has
 * them for each value of the h high bits up to level full - 1, from level full on it is whole. */
struct trees {
    const struct registered_update *update;
    struct node comm_c;
    struct node d[MERKLE_MAX_LEVELS + 1][TYPES], r_old[MAX_R_LEVELS][TYPES];
    struct fr phi;
    unsigned low_bits; /* of a leaf's index, below the h high ones */
    unsigned full;
    uint64_t span[MAX_R_LEVELS];      /* leaves under a node of tree R's level */
    struct node (*below)[TYPES];      /* [high * full + level] */
    struct node *whole[MAX_R_LEVELS]; /* [node] */
};

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for the sector's trees");
}

/* ---- Types ---- */

/* Of the half on side b of a node of type t: x t + b. */
static unsigned half(unsigned t, unsigned b)
{
    unsigned twice = t << 1;
    return (twice & 8 ? twice ^ 0xb : twice) ^ b;
}

/* Of child j of a node of type t with arity children, a power of two. */
static unsigned child_type(unsigned t, unsigned arity, unsigned j)
{
    for (unsigned bit = arity / 2; bit > 0; bit /= 2)
        t = half(t, (j & bit) != 0);
    return t;
}

/* Of node `index` of the row that is halved `depth` times. */
static unsigned node_type(unsigned depth, uint64_t index)
{
    unsigned t = 0;
    while (depth-- > 0)
        t = half(t, index >> depth & 1);
    return t;
}

/* ---- Trees ---- */

static void hash_children(struct node *out, const struct node *children, unsigned arity)
{
    struct fr in[MAX_ARITY], hash;
    for (unsigned i = 0; i < arity; i++)
        node_to_fr(&in[i], &children[i]);
    poseidon_hash(&hash, poseidon_constants(arity, POSEIDON_MERKLE), in);
    node_from_fr(out, &hash);
}

/* The values of tree R's types above those of a level whose nodes are `arity` children. */
static void next_level(struct node above[TYPES], const struct node level[TYPES], unsigned arity)
{
    struct node children[MAX_ARITY];
    for (unsigned t = 0; t < TYPES; t++) {
        for (unsigned j = 0; j < arity; j++)
            children[j] = level[child_type(t, arity, j)];
        hash_children(&above[t], children, arity);
    }
}

static void make_old_trees(struct trees *w, uint64_t seed)
{
    const struct sector_shape *s = w->update->shape;
    const struct node_drawing data = {seed, "data"}, label = {seed, "label"};
    node_draw(&(struct node_drawing){seed, "comm_c"}, &w->comm_c, 0, 0);
    for (unsigned t = 0; t < TYPES; t++) {
        node_draw(&data, &w->d[0][t], 0, t);
        node_draw(&label, &w->r_old[0][t], 0, t);
    }
    for (unsigned l = 0; l < s->tree_d_levels; l++)
        for (unsigned t = 0; t < TYPES; t++) {
            struct node pair[2] = {w->d[l][half(t, 0)], w->d[l][half(t, 1)]};
            sha256(w->d[l + 1][t].b, pair, sizeof pair);
            w->d[l + 1][t].b[31] &= 0x3f;
        }
    for (unsigned l = 0; l < s->tree_r_levels; l++)
        next_level(w->r_old[l + 1], w->r_old[l], s->tree_r_arity[l]);
}

/* Below level full: the values for one value of the high bits. */
static void make_below(void *ctx, size_t high)
{
    struct trees *w = ctx;
    struct node(*level)[TYPES] = w->below + high * w->full;
    struct fr rho, old, data;
    update_rho(&rho, w->update, &w->phi, (uint32_t)(high << w->low_bits));
    for (unsigned t = 0; t < TYPES; t++) {
        node_to_fr(&old, &w->r_old[0][t]);
        node_to_fr(&data, &w->d[0][t]);
        fr_mul(&data, &data, &rho);
        fr_add(&old, &old, &data);
        node_from_fr(&level[0][t], &old);
    }
    for (unsigned l = 0; l + 1 < w->full; l++)
        next_level(level[l + 1], level[l], w->update->shape->tree_r_arity[l]);
}

static void new_node(struct node *out, const struct trees *w, unsigned level, uint64_t index)
{
    if (level >= w->full) {
        *out = w->whole[level][index];
        return;
    }
    unsigned depth = w->update->shape->tree_d_levels - (unsigned)__builtin_ctzll(w->span[level]);
    size_t high = (size_t)(index * w->span[level] >> w->low_bits);
    *out = w->below[high * w->full + level][node_type(depth, index)];
}

struct row_job {
    const struct trees *w;
    unsigned level;
    size_t nodes;
};

static void make_whole_part(void *ctx, size_t part)
{
    const struct row_job *job = ctx;
    unsigned arity = job->w->update->shape->tree_r_arity[job->level - 1];
    size_t end = (part + 1) * NODES_PER_TASK;
    for (size_t i = part * NODES_PER_TASK; i < end && i < job->nodes; i++) {
        struct node children[MAX_ARITY];
        for (unsigned j = 0; j < arity; j++)
            new_node(&children[j], job->w, job->level - 1, i * arity + j);
        hash_children(&job->w->whole[job->level][i], children, arity);
    }
}

static int make_new_tree(struct trees *w, struct pool *pool, struct error *err)
{
    const struct sector_shape *s = w->update->shape;
    size_t highs = (size_t)1 << w->update->h;
    w->span[0] = 1;
    for (unsigned l = 0; l < s->tree_r_levels; l++)
        w->span[l + 1] = w->span[l] * s->tree_r_arity[l];
    w->low_bits = s->tree_d_levels - w->update->h;
    for (w->full = 1; w->span[w->full] <= (uint64_t)1 << w->low_bits;)
        w->full++;
    w->below = calloc(highs * w->full, sizeof *w->below);
    if (w->below == NULL)
        return no_memory(err);
    pool_run(pool, highs, make_below, w);
    for (unsigned l = w->full; l <= s->tree_r_levels; l++) {
        struct row_job job = {w, l, (size_t)(s->nodes / w->span[l])};
        w->whole[l] = calloc(job.nodes, sizeof *w->whole[l]);
        if (w->whole[l] == NULL)
            return no_memory(err);
        pool_run(pool, (job.nodes + NODES_PER_TASK - 1) / NODES_PER_TASK, make_whole_part, &job);
    }
    return 0;
}

/* The commitments too. */
static int make_trees(struct trees *w, struct update_request *request, uint64_t seed,
                      const struct fr *phi, struct pool *pool, struct error *err)
{
    const struct sector_shape *s = w->update->shape;
    struct node comm_r, roots[2];
    assert(s->tree_r_levels < MAX_R_LEVELS && s->tree_d_levels <= MERKLE_MAX_LEVELS);
    make_old_trees(w, seed);
    const struct node *comm_d = &w->d[s->tree_d_levels][0];
    roots[0] = w->comm_c;
    roots[1] = w->r_old[s->tree_r_levels][0];
    hash_children(&comm_r, roots, 2);
    memcpy(request->comm_d_new, comm_d->b, 32);
    memcpy(request->comm_r_old, comm_r.b, 32);
    update_phi(&w->phi, comm_d, &comm_r);
    if (phi != NULL)
        w->phi = *phi;
    if (make_new_tree(w, pool, err) != 0)
        return err->code;
    roots[1] = w->whole[s->tree_r_levels][0];
    hash_children(&comm_r, roots, 2);
    memcpy(request->comm_r_new, comm_r.b, 32);
    return 0;
}

static void clean_up(struct trees *w)
{
    for (unsigned l = 0; l < MAX_R_LEVELS; l++)
        free(w->whole[l]);
    free(w->below);
}

/* ---- Opening ---- */

enum tree { TREE_D, TREE_R_OLD, TREE_R_NEW };

/* Node `index` of a level under whose nodes 2^height leaves lie. */
static void tree_node(struct node *out, const struct trees *w, enum tree tree, unsigned level,
                      unsigned height, uint64_t index)
{
    if (tree == TREE_R_NEW) {
        new_node(out, w, level, index);
        return;
    }
    unsigned t = node_type(w->update->shape->tree_d_levels - height, index);
    *out = tree == TREE_D ? w->d[level][t] : w->r_old[level][t];
}

static int open_leaf(struct merkle_path *out, const struct trees *w, enum tree tree, uint64_t leaf,
                     struct arena *arena, struct error *err)
{
    const struct sector_shape *s = w->update->shape;
    unsigned height = 0;
    uint64_t index = leaf;
    out->levels = (uint8_t)(tree == TREE_D ? s->tree_d_levels : s->tree_r_levels);
    tree_node(&out->leaf, w, tree, 0, 0, leaf);
    for (unsigned l = 0; l < out->levels; l++) {
        unsigned arity = tree == TREE_D ? 2 : s->tree_r_arity[l], n = 0;
        unsigned own = (unsigned)(index % arity);
        out->arity[l] = (uint8_t)arity;
        out->index[l] = (uint8_t)own;
        out->siblings[l] = arena_alloc(arena, (arity - 1) * sizeof(struct node));
        if (out->siblings[l] == NULL)
            return no_memory(err);
        for (unsigned j = 0; j < arity; j++)
            if (j != own)
                tree_node(&out->siblings[l][n++], w, tree, l, height, index - own + j);
        index /= arity;
        height += (unsigned)__builtin_ctz(arity);
    }
    tree_node(&out->root, w, tree, out->levels, height, 0);
    return 0;
}

static int open_partition(struct update_partition *p, const struct trees *w,
                          const struct node *comm_r_new, unsigned k, struct arena *arena,
                          struct error *err)
{
    const struct registered_update *u = w->update;
    unsigned height = u->challenge_bits - u->apex_bits;
    uint32_t challenges[UPDATE_MAX_CHALLENGES];
    p->comm_c = w->comm_c;
    p->apex_leafs = arena_alloc(arena, u->apex_leafs * sizeof *p->apex_leafs);
    p->challenges = arena_alloc(arena, u->challenges * sizeof *p->challenges);
    if (p->apex_leafs == NULL || p->challenges == NULL)
        return no_memory(err);
    for (unsigned i = 0; i < u->apex_leafs; i++)
        tree_node(&p->apex_leafs[i], w, TREE_D, height, height, k * u->apex_leafs + i);
    update_challenges(challenges, u, comm_r_new, k);
    for (unsigned i = 0; i < u->challenges; i++) {
        struct update_challenge *c = &p->challenges[i];
        if (open_leaf(&c->r_old, w, TREE_R_OLD, challenges[i], arena, err) != 0 ||
            open_leaf(&c->d_new, w, TREE_D, challenges[i], arena, err) != 0 ||
            open_leaf(&c->r_new, w, TREE_R_NEW, challenges[i], arena, err) != 0)
            return err->code;
    }
    return 0;
}

static int write_partition(struct vanilla_proof *out, const struct trees *w,
                           const struct node *comm_r_new, unsigned k, struct error *err)
{
    struct update_partition p = {0};
    struct bincode_writer writer = {0};
    struct arena *arena = arena_new();
    int rc = arena == NULL ? no_memory(err) : open_partition(&p, w, comm_r_new, k, arena, err);
    if (rc == 0) {
        bincode_put_update_partition(&writer, &p, w->update);
        rc = bincode_writer_end(out, &writer, err);
    }
    arena_destroy(arena);
    return rc;
}

int update_synthetic(struct vanilla_list *out, struct update_request *request, uint64_t seed,
                     const struct fr *phi, struct pool *pool, struct error *err)
{
    struct vanilla_proof proofs[UPDATE_MAX_PARTITIONS] = {{0}};
    struct node comm_r_new;
    unsigned partitions = request->update->partitions;
    struct trees *w = calloc(1, sizeof *w);
    memset(out, 0, sizeof *out);
    if (w == NULL)
        return no_memory(err);
    w->update = request->update;
    int rc = make_trees(w, request, seed, phi, pool, err);
    memcpy(comm_r_new.b, request->comm_r_new, 32);
    for (unsigned k = 0; k < partitions && rc == 0; k++)
        rc = write_partition(&proofs[k], w, &comm_r_new, k, err);
    if (rc == 0)
        rc = vanilla_list_copy(out, proofs, partitions, err);
    for (unsigned k = 0; k < partitions; k++)
        free(proofs[k].data);
    clean_up(w);
    free(w);
    return rc;
}
