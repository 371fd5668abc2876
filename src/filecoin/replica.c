#include "filecoin/replica.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/arena.h"
#include "filecoin/challenges.h"
#include "filecoin/label.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

enum { MAX_CHALLENGES = 18, NODES_PER_TASK = 64 };

static int out_of_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for a sector's labels and trees");
}

static size_t tasks(size_t nodes)
{
    return (nodes + NODES_PER_TASK - 1) / NODES_PER_TASK;
}

/* ---- Data ---- */

/* Tree D of zeros: all nodes of a level are equal. */
static void zero_data(const void *ctx, struct node *out, unsigned level, uint64_t index)
{
    (void)ctx;
    (void)index;
    memset(out, 0, sizeof *out);
    for (unsigned l = 0; l < level; l++) {
        struct node pair[2] = {*out, *out};
        sha256(out->b, pair, sizeof pair);
        out->b[31] &= 0x3f;
    }
}

static int data_tree(struct replica *r, const struct node *data, struct pool *pool,
                     struct error *err)
{
    static const uint8_t pairs[MERKLE_MAX_LEVELS] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                                     2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const struct sector_shape *s = r->sector.seal->shape;
    struct tree_shape shape = {s->tree_d_levels, pairs};
    struct tree_filler zeros = {zero_data, NULL};
    struct fr element;
    if (data == NULL)
        return sparse_tree_init(&r->tree_d, shape, zeros, NULL, 0, err);
    for (size_t i = 0; i < s->nodes; i++)
        if (fr_from_bytes(&element, data[i].b) != 0)
            return error_set(err, ERR_DATA, "not-canonical",
                             "data of node %zu is not below the field's modulus", i);
    if (sparse_tree_init(&r->tree_d, shape, (struct tree_filler){NULL, NULL}, NULL, s->nodes,
                         err) != 0)
        return err->code;
    memcpy(r->tree_d.rows[0].value, data, s->nodes * sizeof *data);
    sparse_tree_hash(&r->tree_d, pool);
    return 0;
}

int replica_init(struct replica *r, const struct porep_sector *sector, const struct node *data,
                 struct pool *pool, struct error *err)
{
    const struct registered_seal *seal = sector->seal;
    memset(r, 0, sizeof *r);
    r->sector = *sector;
    r->arena = arena_new();
    int rc = r->arena == NULL ? out_of_memory(err) : data_tree(r, data, pool, err);
    if (rc != 0) {
        replica_clean_up(r);
        return rc;
    }
    sparse_tree_root(&r->comm_d, &r->tree_d);
    porep_replica_id(&r->replica_id, seal, sector->prover_id, sector->number, sector->ticket,
                     &r->comm_d);
    graph_init(&r->graph, seal->shape->nodes, seal->api, seal->porep_id);
    return 0;
}

void replica_clean_up(struct replica *r)
{
    sparse_tree_clean_up(&r->tree_d);
    sparse_tree_clean_up(&r->tree_c);
    sparse_tree_clean_up(&r->tree_r);
    arena_destroy(r->arena);
    memset(r, 0, sizeof *r);
}

/* ---- Nodes that are kept ---- */

int replica_keep(struct replica *r, const uint32_t *nodes, size_t n, struct error *err)
{
    r->len = n;
    r->nodes = arena_alloc(r->arena, n * sizeof *nodes);
    if (r->nodes == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++)
        r->nodes[i] = nodes != NULL ? nodes[i] : (uint32_t)i;
    for (unsigned l = 0; l < r->sector.seal->shape->layers; l++) {
        r->labels[l] = arena_alloc(r->arena, n * sizeof *r->labels[l]);
        if (r->labels[l] == NULL)
            return out_of_memory(err);
    }
    return 0;
}

size_t replica_slot(const struct replica *r, uint32_t node)
{
    size_t low = 0, high = r->len;
    if (r->len == r->sector.seal->shape->nodes)
        return node;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->nodes[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    assert(low < r->len && r->nodes[low] == node);
    return low;
}

/* ---- Labels ---- */

/* A node and its parents, first those of the same layer, then those of the layer before. */
struct family {
    uint32_t node, slot, parents[POREP_PARENTS];
    uint32_t parent_slots[POREP_PARENTS];
};

static void find_family(struct family *f, const struct replica *r, uint32_t node)
{
    f->node = node;
    f->slot = (uint32_t)replica_slot(r, node);
    graph_drg_parents(f->parents, &r->graph, node);
    graph_exp_parents(f->parents + POREP_DRG_PARENTS, &r->graph, node);
    for (unsigned i = 0; i < POREP_PARENTS; i++)
        f->parent_slots[i] = (uint32_t)replica_slot(r, f->parents[i]);
}

/* Layer 1 takes the DRG parents over and over, the others also the expander parents of the layer before. */
static void list_parents(struct node out[POREP_LABEL_PARENTS], const struct replica *r,
                         const struct family *f, unsigned layer)
{
    unsigned cycle = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    for (unsigned i = 0; i < cycle; i++)
        out[i] = r->labels[i < POREP_DRG_PARENTS ? layer - 1 : layer - 2][f->parent_slots[i]];
    for (unsigned i = cycle; i < POREP_LABEL_PARENTS; i++)
        out[i] = out[i - cycle];
}

struct family_job {
    const struct replica *r;
    const uint32_t *nodes;
    struct family *families;
    size_t n;
    struct progress progress;
};

static void find_families(void *ctx, size_t task)
{
    struct family_job *job = ctx;
    size_t first = task * NODES_PER_TASK;
    size_t end = first + NODES_PER_TASK < job->n ? first + NODES_PER_TASK : job->n;
    for (size_t i = first; i < end; i++)
        find_family(&job->families[i], job->r, job->nodes[i]);
    progress_add(&job->progress, end - first);
}

/* Ascending within a layer: a node's parents there are smaller. */
static void derive_layer(struct replica *r, struct family_job *job, unsigned layer)
{
    struct node parents[POREP_LABEL_PARENTS];
    for (size_t i = 0; i < job->n; i++) {
        const struct family *f = &job->families[i];
        list_parents(parents, r, f, layer);
        porep_label(&r->labels[layer - 1][f->slot], &r->replica_id, layer, f->node,
                    f->node == 0 ? NULL : parents);
        progress_add(&job->progress, 1);
    }
}

int replica_derive(struct replica *r, const uint32_t *nodes, size_t n, struct pool *pool,
                   const struct progress_sink *sink, struct error *err)
{
    unsigned layers = r->sector.seal->shape->layers;
    struct family_job job = {.r = r, .nodes = nodes, .n = n};
    job.families = malloc(n * sizeof *job.families);
    if (job.families == NULL)
        return out_of_memory(err);
    progress_begin(&job.progress, sink, "making labels", n * (layers + 1));
    pool_run(pool, tasks(n), find_families, &job);
    for (unsigned l = 1; l <= layers; l++)
        derive_layer(r, &job, l);
    progress_end(&job.progress);
    free(job.families);
    return 0;
}

/* ---- Columns and trees ---- */

struct leaf_job {
    struct replica *r;
    const struct poseidon_constants *column_hash;
    struct progress progress;
};

static void make_leaves(void *ctx, size_t task)
{
    struct leaf_job *job = ctx;
    struct replica *r = job->r;
    unsigned layers = r->sector.seal->shape->layers;
    size_t first = task * NODES_PER_TASK;
    size_t end = first + NODES_PER_TASK < r->len ? first + NODES_PER_TASK : r->len;
    for (size_t i = first; i < end; i++) {
        struct fr rows[POREP_MAX_LAYERS], element;
        struct node data;
        for (unsigned l = 0; l < layers; l++)
            node_to_fr(&rows[l], &r->labels[l][i]);
        poseidon_hash(&element, job->column_hash, rows);
        node_from_fr(&r->tree_c.rows[0].value[i], &element);
        sparse_tree_node(&data, &r->tree_d, 0, r->nodes[i]);
        node_to_fr(&element, &data);
        fr_add(&element, &element, &rows[layers - 1]);
        node_from_fr(&r->tree_r.rows[0].value[i], &element);
    }
    progress_add(&job->progress, end - first);
}

int replica_finish(struct replica *r, struct tree_filler tree_c, struct tree_filler tree_r,
                   struct pool *pool, const struct progress_sink *sink, struct error *err)
{
    const struct sector_shape *s = r->sector.seal->shape;
    struct tree_shape shape = {s->tree_r_levels, s->tree_r_arity};
    if (sparse_tree_init(&r->tree_c, shape, tree_c, r->nodes, r->len, err) != 0 ||
        sparse_tree_init(&r->tree_r, shape, tree_r, r->nodes, r->len, err) != 0)
        return err->code;

    struct leaf_job job = {.r = r};
    job.column_hash = poseidon_constants(s->layers, POSEIDON_MERKLE);
    progress_begin(&job.progress, sink, "hashing columns", r->len);
    pool_run(pool, tasks(r->len), make_leaves, &job);
    progress_end(&job.progress);
    sparse_tree_hash(&r->tree_c, pool);
    sparse_tree_hash(&r->tree_r, pool);

    struct fr roots[2], hash;
    sparse_tree_root(&r->comm_c, &r->tree_c);
    sparse_tree_root(&r->comm_r_last, &r->tree_r);
    node_to_fr(&roots[0], &r->comm_c);
    node_to_fr(&roots[1], &r->comm_r_last);
    poseidon_hash(&hash, poseidon_constants(2, POSEIDON_MERKLE), roots);
    node_from_fr(&r->comm_r, &hash);
    return 0;
}

/* ---- Opening ---- */

static int open_column(struct porep_column *out, const struct replica *r, uint32_t node,
                       struct arena *arena, struct error *err)
{
    size_t slot = replica_slot(r, node);
    out->index = node;
    for (unsigned l = 0; l < r->sector.seal->shape->layers; l++)
        out->rows[l] = r->labels[l][slot];
    return sparse_tree_path(&out->inclusion, &r->tree_c, node, arena, err);
}

static void open_labeling(struct porep_labeling *out, const struct replica *r,
                          const struct family *f, unsigned layer)
{
    list_parents(out->parents, r, f, layer);
    out->layer_index = layer;
    out->node = f->node;
}

static int open_challenge(struct porep_challenge_proof *out, const struct replica *r,
                          uint32_t challenge, struct arena *arena, struct error *err)
{
    unsigned layers = r->sector.seal->shape->layers;
    struct family f;
    find_family(&f, r, challenge);
    for (unsigned l = 1; l <= layers; l++)
        open_labeling(&out->labeling[l - 1], r, &f, l);
    open_labeling(&out->encoding, r, &f, layers);
    int rc = sparse_tree_path(&out->comm_d, &r->tree_d, challenge, arena, err);
    if (rc == 0)
        rc = sparse_tree_path(&out->comm_r_last, &r->tree_r, challenge, arena, err);
    if (rc == 0)
        rc = open_column(&out->c_x, r, challenge, arena, err);
    for (unsigned i = 0; i < POREP_DRG_PARENTS && rc == 0; i++)
        rc = open_column(&out->drg_parents[i], r, f.parents[i], arena, err);
    for (unsigned i = 0; i < POREP_EXP_PARENTS && rc == 0; i++)
        rc = open_column(&out->exp_parents[i], r, f.parents[POREP_DRG_PARENTS + i], arena, err);
    return rc;
}

static int open_partition(struct porep_vanilla *v, const struct replica *r, unsigned partition,
                          struct error *err)
{
    uint32_t challenges[MAX_CHALLENGES];
    assert(v->challenges <= MAX_CHALLENGES);
    porep_challenges(challenges, v->seal, r->replica_id.b, r->comm_r.b, v->seed, partition);
    struct porep_challenge_proof *proofs = arena_alloc(v->arena, v->challenges * sizeof *proofs);
    if (proofs == NULL)
        return out_of_memory(err);
    v->proofs[partition] = proofs;
    for (size_t i = 0; i < v->challenges; i++)
        if (open_challenge(&proofs[i], r, challenges[i], v->arena, err) != 0)
            return err->code;
    return 0;
}

int replica_open(struct porep_vanilla *out, const struct replica *r, struct error *err)
{
    const struct registered_seal *seal = r->sector.seal;
    *out = (struct porep_vanilla){
        .seal = seal,
        .comm_r = r->comm_r,
        .comm_d = r->comm_d,
        .replica_id = r->replica_id,
        .partitions = registered_seal_partitions(seal),
        .challenges = seal->shape->challenges,
        .sector_number = r->sector.number,
        .sector_size = seal->shape->bytes,
        .has_wrapper = 1,
    };
    memcpy(out->seed, r->sector.seed, sizeof out->seed);
    memcpy(out->ticket, r->sector.ticket, sizeof out->ticket);
    out->arena = arena_new();
    if (out->arena != NULL)
        out->proofs = arena_alloc(out->arena, out->partitions * sizeof *out->proofs);
    int rc = out->proofs == NULL ? out_of_memory(err) : 0;
    for (unsigned k = 0; k < out->partitions && rc == 0; k++)
        rc = open_partition(out, r, k, err);
    if (rc != 0)
        porep_vanilla_clean_up(out);
    return rc;
}
