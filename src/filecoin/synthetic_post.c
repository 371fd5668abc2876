#include "filecoin/synthetic_post.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/arena.h"
#include "filecoin/bincode_write.h"
#include "filecoin/draw.h"
#include "filecoin/sparse_tree.h"
#include "hash/poseidon.h"

enum { MAX_PATHS = 66 };

struct job {
    const struct post_synthetic *request;
    uint8_t randomness[32]; /* top two bits cleared */
    struct vanilla_proof *proofs;
    struct progress progress;
    pthread_mutex_t lock;
    struct error *err; /* the first error; code 0 without one */
};

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for a sector's vanilla proof");
}

static int compare_leaves(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The tree over the challenged leaves. */
static int make_tree(struct sparse_tree *t, const struct registered_post *post,
                     const uint64_t *challenges, const struct node_drawing *drawing,
                     struct error *err)
{
    const struct sector_shape *shape = post->shape;
    uint32_t leaves[MAX_PATHS];
    size_t n = 0;
    for (unsigned i = 0; i < post->paths; i++)
        leaves[i] = (uint32_t)challenges[i];
    qsort(leaves, post->paths, sizeof *leaves, compare_leaves);
    for (unsigned i = 0; i < post->paths; i++)
        if (n == 0 || leaves[n - 1] != leaves[i])
            leaves[n++] = leaves[i];
    if (sparse_tree_init(t, (struct tree_shape){shape->tree_r_levels, shape->tree_r_arity},
                         (struct tree_filler){node_draw, drawing}, leaves, n, err) != 0)
        return err->code;
    for (size_t i = 0; i < n; i++)
        node_draw(drawing, &t->rows[0].value[i], 0, leaves[i]);
    sparse_tree_hash(t, NULL);
    return 0;
}

static void make_comm_r(struct post_sector *s)
{
    struct fr roots[2], hash;
    node_to_fr(&roots[0], &s->comm_c);
    node_to_fr(&roots[1], &s->comm_r_last);
    poseidon_hash(&hash, poseidon_constants(2, POSEIDON_MERKLE), roots);
    node_from_fr(&s->comm_r, &hash);
}

static int open_sector(struct post_sector *s, const struct sparse_tree *t,
                       const struct registered_post *post, const uint64_t *challenges,
                       struct arena *arena, struct error *err)
{
    s->paths = arena_alloc(arena, post->paths * sizeof *s->paths);
    if (s->paths == NULL)
        return no_memory(err);
    for (unsigned i = 0; i < post->paths; i++)
        if (sparse_tree_path(&s->paths[i], t, challenges[i], arena, err) != 0)
            return err->code;
    return 0;
}

/* Sector at place i of the partition. */
static int make_sector(struct vanilla_proof *out, const struct job *job, size_t i,
                       struct arena *arena, struct error *err)
{
    const struct post_synthetic *q = job->request;
    struct post_sector s = {.id = q->first_sector + i};
    uint64_t seed = draw_seed(draw_seed(q->seed, "miner", q->miner_id), "sector", s.id);
    const struct node_drawing tree_r = {seed, "tree R"};
    struct sparse_tree t;
    struct bincode_writer w = {0};
    uint64_t challenges[MAX_PATHS];
    post_challenges(challenges, q->post, job->randomness, s.id, i);
    if (make_tree(&t, q->post, challenges, &tree_r, err) != 0)
        return err->code;
    sparse_tree_root(&s.comm_r_last, &t);
    node_draw(&(struct node_drawing){seed, "comm_c"}, &s.comm_c, 0, 0);
    make_comm_r(&s);
    int rc = open_sector(&s, &t, q->post, challenges, arena, err);
    if (rc == 0) {
        bincode_put_post_sector(&w, &s, q->post);
        rc = bincode_writer_end(out, &w, err);
    }
    sparse_tree_clean_up(&t);
    return rc;
}

static void run_task(void *ctx, size_t i)
{
    struct job *job = ctx;
    struct error err;
    struct arena *arena = arena_new();
    int rc = arena == NULL ? no_memory(&err) : make_sector(&job->proofs[i], job, i, arena, &err);
    arena_destroy(arena);
    if (rc != 0) {
        pthread_mutex_lock(&job->lock);
        if (job->err->code == 0)
            *job->err = err;
        pthread_mutex_unlock(&job->lock);
    }
    progress_add(&job->progress, 1);
}

void post_synthetic_randomness(uint8_t out[32], uint64_t miner_id, uint64_t seed)
{
    struct node n;
    node_draw(&(struct node_drawing){draw_seed(seed, "miner", miner_id), "randomness"}, &n, 0, 0);
    memcpy(out, n.b, sizeof n.b);
}

static int check_request(const struct post_synthetic *q, struct error *err)
{
    size_t fit = q->post->kind == CIRCUIT_WINNING ? 1 : q->post->sectors;
    assert(q->post->paths <= MAX_PATHS);
    if (q->sectors == 0 || q->sectors > fit)
        return error_set(err, ERR_USAGE, "synthetic-sectors",
                         "%zu sectors are asked for: %s takes 1 to %zu", q->sectors, q->post->name,
                         fit);
    return 0;
}

int post_synthetic(struct vanilla_list *out, const struct post_synthetic *request,
                   struct pool *pool, const struct progress_sink *sink, struct error *err)
{
    struct job job = {.request = request, .err = err};
    memset(out, 0, sizeof *out);
    if (check_request(request, err) != 0)
        return err->code;
    err->code = 0;
    memcpy(job.randomness, request->randomness, sizeof job.randomness);
    job.randomness[31] &= 0x3f;
    job.proofs = calloc(request->sectors, sizeof *job.proofs);
    if (job.proofs == NULL)
        return no_memory(err);
    pthread_mutex_init(&job.lock, NULL);
    progress_begin(&job.progress, sink, "making the sectors' proofs", request->sectors);
    pool_run(pool, request->sectors, run_task, &job);
    progress_end(&job.progress);
    pthread_mutex_destroy(&job.lock);
    if (err->code == 0)
        vanilla_list_copy(out, job.proofs, request->sectors, err);
    for (size_t i = 0; i < request->sectors; i++)
        free(job.proofs[i].data);
    free(job.proofs);
    return err->code;
}
