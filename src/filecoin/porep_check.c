/* The native check of a PoRep's vanilla proofs. */
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/label.h"
#include "filecoin/porep_vanilla.h"
#include "hash/poseidon.h"

enum { MAX_CHALLENGES = 18 };

struct check {
    const struct porep_vanilla *v;
    struct graph graph;
    const struct poseidon_constants *column_hash, *hash2;
    struct progress progress;
    pthread_mutex_t lock;
    size_t first_bad; /* number of the first task that failed so far */
    struct error *err;
};

/* One challenge's proof under test. */
struct task {
    const struct check *c;
    const struct porep_challenge_proof *p;
    size_t partition, index;
    uint32_t challenge;
    struct error *err;
};

static int fault(struct task *t, const char *cause, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fault(struct task *t, const char *cause, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return error_set(t->err, ERR_DATA, cause, "partition %zu, challenge %zu, %s", t->partition,
                     t->index, text);
}

/* ---- Merkle paths ---- */

/* The path opens leaf number `index` and ends in the root it states. */
static int check_path(struct task *t, const struct merkle_path *p, uint64_t index,
                      const char *field)
{
    struct node root;
    uint64_t got = merkle_path_index(p);
    if (got != index)
        return fault(t, "wrong-index", "%s: opens leaf %" PRIu64 " instead of %" PRIu64, field, got,
                     index);
    merkle_path_root(&root, p);
    if (!node_equal(&root, &p->root))
        return fault(t, "wrong-path", "%s: leaf and hashes do not lead to the root", field);
    return 0;
}

/* ---- Columns ---- */

/* `wrong` is the cause when the column is not that of `index`. */
static int check_column(struct task *t, const struct porep_column *c, uint32_t index,
                        const char *wrong, const char *field)
{
    struct fr rows[POREP_MAX_LAYERS], hash;
    struct node leaf;
    char name[64];
    unsigned layers = t->c->v->seal->shape->layers;
    if (c->index != index)
        return fault(t, wrong, "%s.column.index: %" PRIu32 " instead of %" PRIu32, field, c->index,
                     index);
    for (unsigned l = 0; l < layers; l++)
        node_to_fr(&rows[l], &c->rows[l]);
    poseidon_hash(&hash, t->c->column_hash, rows);
    node_from_fr(&leaf, &hash);
    if (!node_equal(&leaf, &c->inclusion.leaf))
        return fault(t, "wrong-leaf", "%s.inclusion_proof: the leaf is not the hash of the column",
                     field);
    snprintf(name, sizeof name, "%s.inclusion_proof", field);
    if (check_path(t, &c->inclusion, index, name) != 0)
        return t->err->code;
    if (!node_equal(&c->inclusion.root, &t->p->c_x.inclusion.root))
        return fault(t, "wrong-root", "%s: the root differs from that of c_x", name);
    return 0;
}

static int check_columns(struct task *t)
{
    uint32_t drg[GRAPH_DRG_PARENTS], exp[GRAPH_EXP_PARENTS];
    char field[32];
    if (check_column(t, &t->p->c_x, t->challenge, "wrong-index", "c_x") != 0)
        return t->err->code;
    graph_drg_parents(drg, &t->c->graph, t->challenge);
    for (unsigned i = 0; i < GRAPH_DRG_PARENTS; i++) {
        snprintf(field, sizeof field, "drg_parents[%u]", i);
        if (check_column(t, &t->p->drg_parents[i], drg[i], "wrong-parent", field) != 0)
            return t->err->code;
    }
    graph_exp_parents(exp, &t->c->graph, t->challenge);
    for (unsigned i = 0; i < GRAPH_EXP_PARENTS; i++) {
        snprintf(field, sizeof field, "exp_parents[%u]", i);
        if (check_column(t, &t->p->exp_parents[i], exp[i], "wrong-parent", field) != 0)
            return t->err->code;
    }
    return 0;
}

/* ---- Labels and encoding ---- */

/* Layer 1 takes the DRG parents over and over, the others also the expander parents of the layer before. */
static void list_parents(struct node out[POREP_LABEL_PARENTS],
                         const struct porep_challenge_proof *p, unsigned layer)
{
    unsigned cycle = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++) {
        unsigned k = i % cycle;
        out[i] = k < POREP_DRG_PARENTS ? p->drg_parents[k].rows[layer - 1]
                                       : p->exp_parents[k - POREP_DRG_PARENTS].rows[layer - 2];
    }
}

static int check_listed(struct task *t, const struct porep_labeling *l, const struct node *parents,
                        const char *field)
{
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++)
        if (!node_equal(&l->parents[i], &parents[i]))
            return fault(t, "wrong-parents", "%s.parents[%u]: differs from the parent's column",
                         field, i);
    return 0;
}

static int check_labels(struct task *t)
{
    const struct porep_challenge_proof *p = t->p;
    unsigned layers = t->c->v->seal->shape->layers;
    struct node parents[POREP_LABEL_PARENTS], label;
    char field[32];
    for (unsigned layer = 1; layer <= layers; layer++) {
        list_parents(parents, p, layer);
        snprintf(field, sizeof field, "labeling_proofs[%u]", layer - 1);
        if (check_listed(t, &p->labeling[layer - 1], parents, field) != 0)
            return t->err->code;
        porep_label(&label, &t->c->v->replica_id, layer, t->challenge, parents);
        if (!node_equal(&label, &p->c_x.rows[layer - 1]))
            return fault(t, "wrong-label", "c_x.column.rows[%u]: is not the label of its parents",
                         layer - 1);
    }
    if (check_listed(t, &p->encoding, parents, "encoding_proof") != 0)
        return t->err->code;

    struct fr key, data;
    struct node encoded;
    node_to_fr(&key, &label);
    node_to_fr(&data, &p->comm_d.leaf);
    fr_add(&key, &key, &data);
    node_from_fr(&encoded, &key);
    if (!node_equal(&encoded, &p->comm_r_last.leaf))
        return fault(t, "wrong-encoding", "comm_r_last_proof: the leaf is not data plus label");
    return 0;
}

/* ---- One challenge, all challenges ---- */

static int check_place(struct task *t, const struct porep_labeling *l, unsigned layer,
                       const char *field)
{
    if (l->node != t->challenge)
        return fault(t, "wrong-challenge", "%s.node: %" PRIu64 " instead of challenge %" PRIu32,
                     field, l->node, t->challenge);
    if (l->layer_index != layer)
        return fault(t, "wrong-layer", "%s.layer_index: %" PRIu32 " instead of %u", field,
                     l->layer_index, layer);
    return 0;
}

static int check_places(struct task *t)
{
    unsigned layers = t->c->v->seal->shape->layers;
    char field[32];
    for (unsigned l = 0; l < layers; l++) {
        snprintf(field, sizeof field, "labeling_proofs[%u]", l);
        if (check_place(t, &t->p->labeling[l], l + 1, field) != 0)
            return t->err->code;
    }
    return check_place(t, &t->p->encoding, layers, "encoding_proof");
}

static int check_comm_r(struct task *t)
{
    struct fr roots[2], hash;
    struct node comm_r;
    node_to_fr(&roots[0], &t->p->c_x.inclusion.root);
    node_to_fr(&roots[1], &t->p->comm_r_last.root);
    poseidon_hash(&hash, t->c->hash2, roots);
    node_from_fr(&comm_r, &hash);
    if (!node_equal(&comm_r, &t->c->v->comm_r))
        return fault(t, "wrong-comm-r", "comm_r: is not the hash of the roots of trees C and R");
    return 0;
}

static int check_challenge(struct task *t)
{
    const struct porep_challenge_proof *p = t->p;
    if (check_places(t) != 0 || check_path(t, &p->comm_d, t->challenge, "comm_d_proofs") != 0)
        return t->err->code;
    if (!node_equal(&p->comm_d.root, &t->c->v->comm_d))
        return fault(t, "wrong-root", "comm_d_proofs: the root is not comm_d");
    if (check_path(t, &p->comm_r_last, t->challenge, "comm_r_last_proof") != 0 ||
        check_columns(t) != 0 || check_comm_r(t) != 0)
        return t->err->code;
    return check_labels(t);
}

static void run_task(void *ctx, size_t i)
{
    struct check *c = ctx;
    const struct porep_vanilla *v = c->v;
    pthread_mutex_lock(&c->lock);
    int needed = i < c->first_bad; /* after a fault only those before it matter */
    pthread_mutex_unlock(&c->lock);
    if (!needed)
        return;
    uint32_t challenges[MAX_CHALLENGES];
    struct error err = {0};
    struct task t = {
        .c = c, .err = &err, .partition = i / v->challenges, .index = i % v->challenges};
    t.p = &v->proofs[t.partition][t.index];
    porep_challenges(challenges, v->seal, v->replica_id.b, v->comm_r.b, v->seed,
                     (unsigned)t.partition);
    t.challenge = challenges[t.index];
    if (check_challenge(&t) != 0) {
        pthread_mutex_lock(&c->lock);
        if (i < c->first_bad) {
            c->first_bad = i;
            *c->err = err;
        }
        pthread_mutex_unlock(&c->lock);
    }
    progress_add(&c->progress, 1);
}

static int check_statement(const struct porep_vanilla *v, struct error *err)
{
    static const uint8_t no_seed[32];
    if (node_is_zero(&v->comm_d))
        return error_set(err, ERR_DATA, "zero-comm-d", "comm_d is all zero");
    if (node_is_zero(&v->comm_r))
        return error_set(err, ERR_DATA, "zero-comm-r", "comm_r is all zero");
    if (v->seal->feature != POREP_NON_INTERACTIVE && memcmp(v->seed, no_seed, sizeof no_seed) == 0)
        return error_set(err, ERR_DATA, "zero-seed", "seed is all zero");
    return 0;
}

int porep_vanilla_check(const struct porep_vanilla *v, struct pool *pool,
                        const struct progress_sink *sink, struct error *err)
{
    assert(v->challenges <= MAX_CHALLENGES);
    if (check_statement(v, err) != 0)
        return file_blame(err, v->path);
    size_t n = v->partitions * v->challenges;
    struct check c = {.v = v, .first_bad = n, .err = err};
    graph_init(&c.graph, v->seal->shape->nodes, v->seal->api, v->seal->porep_id);
    c.column_hash = poseidon_constants(v->seal->shape->layers, POSEIDON_MERKLE);
    c.hash2 = poseidon_constants(2, POSEIDON_MERKLE);
    pthread_mutex_init(&c.lock, NULL);
    progress_begin(&c.progress, sink, "checking the vanilla proofs", n);
    pool_run(pool, n, run_task, &c);
    progress_end(&c.progress);
    pthread_mutex_destroy(&c.lock);
    return c.first_bad < n ? file_blame(err, v->path) : 0;
}
