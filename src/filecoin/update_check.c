/* The native check of EmptySectorUpdate's vanilla proofs. */
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "filecoin/update.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

enum { MAX_APEX_LEAFS = 128 };

struct check {
    const struct update_vanilla *v;
    struct fr phi;
    uint32_t challenges[UPDATE_MAX_PARTITIONS][UPDATE_MAX_CHALLENGES];
    struct progress progress;
    pthread_mutex_t lock;
    size_t first_bad; /* number of the first task that failed so far */
    struct error *err;
};

/* One challenge, or what all challenges of a partition share. */
struct task {
    const struct check *c;
    const struct update_partition *p;
    unsigned partition;
    struct error *err;
};

/* ---- What a partition's challenges share ---- */

static int check_comm_r(struct task *t, const struct node *root, const struct node *comm_r,
                        const char *name)
{
    struct fr in[2], hash;
    struct node got;
    node_to_fr(&in[0], &t->p->comm_c);
    node_to_fr(&in[1], root);
    poseidon_hash(&hash, poseidon_constants(2, POSEIDON_MERKLE), in);
    node_from_fr(&got, &hash);
    if (!node_equal(&got, comm_r))
        return error_set(t->err, ERR_DATA, "wrong-comm-r",
                         "%s: is not the hash of comm_c and the tree's root", name);
    return 0;
}

/* The root over the apex leaves, which is a node of tree D. */
static void apex_root(struct node *out, const struct update_partition *p, unsigned leafs)
{
    struct node row[MAX_APEX_LEAFS];
    assert(leafs <= MAX_APEX_LEAFS);
    memcpy(row, p->apex_leafs, leafs * sizeof *row);
    for (; leafs > 1; leafs /= 2)
        for (unsigned i = 0; i < leafs / 2; i++) {
            struct node pair[2] = {row[2 * i], row[2 * i + 1]};
            sha256(row[i].b, pair, sizeof pair);
            row[i].b[31] &= 0x3f;
        }
    *out = row[0];
}

/* Above the apex, tree D's path is the same for all challenges; the circuit takes it from the first. Where the apex leads to
 * comm_d_new, every other path that does so passes through its own apex leaf: else SHA-256 had a collision. */
static int check_apex(struct task *t)
{
    const struct registered_update *update = t->c->v->update;
    const struct merkle_path *d = &t->p->challenges[0].d_new;
    struct merkle_path above = {.levels = (uint8_t)update->partition_bits, .arity = {2}};
    struct node root;
    unsigned first = d->levels - update->partition_bits;
    apex_root(&above.leaf, t->p, update->apex_leafs);
    for (unsigned l = 0; l < above.levels; l++) {
        above.arity[l] = 2;
        above.index[l] = t->partition >> l & 1;
        above.siblings[l] = d->siblings[first + l];
    }
    merkle_path_root(&root, &above);
    if (!node_equal(&root, &t->c->v->comm_d_new))
        return error_set(t->err, ERR_DATA, "wrong-apex", "apex_leafs: do not lead to comm_d_new");
    return 0;
}

static int check_partition(struct task *t)
{
    const struct update_vanilla *v = t->c->v;
    const struct update_challenge *first = &t->p->challenges[0];
    if (check_comm_r(t, &first->r_old.root, &v->comm_r_old, "comm_r_old") != 0 ||
        check_comm_r(t, &first->r_new.root, &v->comm_r_new, "comm_r_new") != 0)
        return t->err->code;
    if (!node_equal(&first->d_new.root, &v->comm_d_new))
        return error_set(t->err, ERR_DATA, "wrong-comm-d",
                         "comm_d_new: is not the root of the new data's tree");
    return check_apex(t);
}

/* ---- One challenge ---- */

static int check_path(struct task *t, const struct merkle_path *p, uint64_t challenge,
                      const struct node *root, const char *field)
{
    struct node got;
    uint64_t index = merkle_path_index(p);
    if (index != challenge)
        return error_set(t->err, ERR_DATA, "wrong-challenge",
                         "%s: opens leaf %" PRIu64 " instead of %" PRIu64, field, index, challenge);
    merkle_path_root(&got, p);
    if (!node_equal(&got, &p->root))
        return error_set(t->err, ERR_DATA, "wrong-path",
                         "%s: leaf and hashes do not lead to the root", field);
    if (!node_equal(&p->root, root))
        return error_set(t->err, ERR_DATA, "wrong-root",
                         "%s: the root is not that of the partition", field);
    return 0;
}

static int check_encoding(struct task *t, const struct update_challenge *c, uint32_t challenge)
{
    struct fr old, data, rho;
    struct node got;
    node_to_fr(&old, &c->r_old.leaf);
    node_to_fr(&data, &c->d_new.leaf);
    update_rho(&rho, t->c->v->update, &t->c->phi, challenge);
    fr_mul(&data, &data, &rho);
    fr_add(&old, &old, &data);
    node_from_fr(&got, &old);
    if (!node_equal(&got, &c->r_new.leaf))
        return error_set(t->err, ERR_DATA, "wrong-encoding",
                         "proof_r_new: the leaf is not the old label plus data times rho");
    return 0;
}

static int check_challenge(struct task *t, unsigned i)
{
    const struct update_vanilla *v = t->c->v;
    const struct update_challenge *c = &t->p->challenges[i], *first = &t->p->challenges[0];
    uint32_t leaf = t->c->challenges[t->partition][i];
    if (check_path(t, &c->r_old, leaf, &first->r_old.root, "proof_r_old") != 0 ||
        check_path(t, &c->d_new, leaf, &v->comm_d_new, "proof_d_new") != 0 ||
        check_path(t, &c->r_new, leaf, &first->r_new.root, "proof_r_new") != 0 ||
        check_encoding(t, c, leaf) != 0)
        return error_prefix(t->err, "challenge %u", i);
    return 0;
}

/* ---- All ---- */

static void run_task(void *ctx, size_t i)
{
    struct check *c = ctx;
    pthread_mutex_lock(&c->lock);
    int needed = i < c->first_bad; /* after a fault only those before it matter */
    pthread_mutex_unlock(&c->lock);
    if (!needed)
        return;
    unsigned tasks = 1 + c->v->update->challenges;
    struct error err = {0};
    struct task t = {.c = c, .partition = (unsigned)(i / tasks), .err = &err};
    t.p = &c->v->partitions[t.partition];
    int rc = i % tasks == 0 ? check_partition(&t) : check_challenge(&t, (unsigned)(i % tasks) - 1);
    if (rc != 0) {
        error_prefix(&err, "partition %u", t.partition);
        pthread_mutex_lock(&c->lock);
        if (i < c->first_bad) {
            c->first_bad = i;
            *c->err = err;
        }
        pthread_mutex_unlock(&c->lock);
    }
    progress_add(&c->progress, 1);
}

int update_vanilla_check(const struct update_vanilla *v, struct pool *pool,
                         const struct progress_sink *sink, struct error *err)
{
    size_t n = v->update->partitions * (1 + (size_t)v->update->challenges);
    struct check c = {.v = v, .first_bad = n, .err = err};
    assert(v->update->partitions <= UPDATE_MAX_PARTITIONS);
    assert(v->update->challenges <= UPDATE_MAX_CHALLENGES);
    update_phi(&c.phi, &v->comm_d_new, &v->comm_r_old);
    for (unsigned k = 0; k < v->update->partitions; k++)
        update_challenges(c.challenges[k], v->update, &v->comm_r_new, k);
    pthread_mutex_init(&c.lock, NULL);
    progress_begin(&c.progress, sink, "checking the vanilla proofs", n);
    pool_run(pool, n, run_task, &c);
    progress_end(&c.progress);
    pthread_mutex_destroy(&c.lock);
    return c.first_bad < n ? file_blame(err, v->list.path) : 0;
}
