/* Satisfying EmptySectorUpdate proofs of any size for tests. Trees D and R-old have 16 kinds of leaves (a leaf's index mod 16), so that
 * siblings differ and every level has at most 16 nodes; the new tree R is that times the 2^h values of rho. */
#ifndef CUZK_TESTS_UPDATE_TREES_H
#define CUZK_TESTS_UPDATE_TREES_H

#include "vanilla_checks.h"

#include "filecoin/update.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

/* Level l's node i: kinds[l][i % period[l]] in a periodic tree; in the new tree R from level `full` on all nodes are there, and below
 * it the pattern belongs to the value of the h high bits. */
enum { UPDATE_KINDS = 16 };

struct update_trees {
    struct update_request *request;
    struct node d[32][UPDATE_KINDS], r_old[12][UPDATE_KINDS], comm_c;
    unsigned d_period[32], r_period[12];
    unsigned full;          /* first level of r_new that is kept whole */
    struct node *below;     /* [high][level < full][kind] */
    struct node *whole[12]; /* [level >= full][node] */
    struct fr phi;
};

static inline void hash_children(struct node *out, const struct node *children, unsigned arity)
{
    struct fr in[8], hash;
    for (unsigned i = 0; i < arity; i++)
        node_to_fr(&in[i], &children[i]);
    poseidon_hash(&hash, poseidon_constants(arity, POSEIDON_MERKLE), in);
    node_from_fr(out, &hash);
}

/* The level above one that repeats with `period`; returns its period. */
static inline unsigned next_kinds(struct node *out, const struct node *kinds, unsigned period,
                                  unsigned arity)
{
    unsigned next = period > arity ? period / arity : 1;
    for (unsigned i = 0; i < next; i++) {
        struct node children[8];
        for (unsigned j = 0; j < arity; j++)
            children[j] = kinds[(i * arity + j) % period];
        hash_children(&out[i], children, arity);
    }
    return next;
}

static inline void make_old_trees(struct update_trees *t)
{
    const struct sector_shape *s = t->request->update->shape;
    for (unsigned i = 0; i < UPDATE_KINDS; i++) {
        t->d[0][i].b[0] = (uint8_t)(i + 1);
        t->r_old[0][i].b[1] = (uint8_t)(i * i + 3);
    }
    t->d_period[0] = t->r_period[0] = UPDATE_KINDS;
    for (unsigned l = 0; l < s->tree_d_levels; l++) {
        unsigned period = t->d_period[l], next = period > 2 ? period / 2 : 1;
        for (unsigned i = 0; i < next; i++) {
            struct node pair[2] = {t->d[l][2 * i % period], t->d[l][(2 * i + 1) % period]};
            sha256(t->d[l + 1][i].b, pair, sizeof pair);
            t->d[l + 1][i].b[31] &= 0x3f;
        }
        t->d_period[l + 1] = next;
    }
    for (unsigned l = 0; l < s->tree_r_levels; l++)
        t->r_period[l + 1] =
            next_kinds(t->r_old[l + 1], t->r_old[l], t->r_period[l], s->tree_r_arity[l]);
}

static inline struct node *below_level(struct update_trees *t, size_t high, unsigned level)
{
    return t->below + (high * t->full + level) * UPDATE_KINDS;
}

static inline void make_patterns(struct update_trees *t, unsigned low_bits)
{
    const struct registered_update *u = t->request->update;
    const struct sector_shape *s = u->shape;
    size_t highs = (size_t)1 << u->h;
    t->below = calloc(highs * t->full * UPDATE_KINDS, sizeof *t->below);
    assert_non_null(t->below);
    for (size_t high = 0; high < highs; high++) {
        struct fr rho, old, data;
        update_rho(&rho, u, &t->phi, (uint32_t)(high << low_bits));
        for (unsigned i = 0; i < UPDATE_KINDS; i++) {
            node_to_fr(&old, &t->r_old[0][i]);
            node_to_fr(&data, &t->d[0][i]);
            fr_mul(&data, &data, &rho);
            fr_add(&old, &old, &data);
            node_from_fr(&below_level(t, high, 0)[i], &old);
        }
        for (unsigned l = 0; l + 1 < t->full; l++)
            next_kinds(below_level(t, high, l + 1), below_level(t, high, l), t->r_period[l],
                       s->tree_r_arity[l]);
    }
}

/* Levels from t->full on. Those below it lie in one block of equal rho each. */
static inline void make_new_tree(struct update_trees *t)
{
    const struct registered_update *u = t->request->update;
    const struct sector_shape *s = u->shape;
    unsigned low_bits = s->tree_d_levels - u->h;
    uint64_t span = 1; /* leaves under a node of level full - 1 */
    for (t->full = 1; span * s->tree_r_arity[t->full - 1] <= (uint64_t)1 << low_bits; t->full++)
        span *= s->tree_r_arity[t->full - 1];
    make_patterns(t, low_bits);
    for (unsigned l = t->full; l <= s->tree_r_levels; l++) {
        unsigned arity = s->tree_r_arity[l - 1];
        size_t nodes = 1;
        for (unsigned k = l; k < s->tree_r_levels; k++)
            nodes *= s->tree_r_arity[k];
        t->whole[l] = calloc(nodes, sizeof *t->whole[l]);
        assert_non_null(t->whole[l]);
        for (size_t i = 0; i < nodes; i++) {
            struct node children[8];
            for (unsigned j = 0; j < arity; j++) {
                size_t child = i * arity + j;
                children[j] = l > t->full ? t->whole[l - 1][child]
                                          : below_level(t, (size_t)(child * span >> low_bits),
                                                        l - 1)[child % t->r_period[l - 1]];
            }
            hash_children(&t->whole[l][i], children, arity);
        }
    }
}

/* Fills in request's commitments. phi_off is added to phi: with anything but 0 only the labels are wrong. */
static inline struct update_trees *update_trees_new(struct update_request *request,
                                                    uint64_t phi_off)
{
    struct update_trees *t = calloc(1, sizeof *t);
    const struct sector_shape *s = request->update->shape;
    struct node pair[2], comm_r, comm_d;
    struct fr off;
    assert_non_null(t);
    t->request = request;
    t->comm_c.b[3] = 77;
    make_old_trees(t);
    comm_d = t->d[s->tree_d_levels][0];
    pair[0] = t->comm_c;
    pair[1] = t->r_old[s->tree_r_levels][0];
    hash_children(&comm_r, pair, 2);
    memcpy(request->comm_d_new, comm_d.b, 32);
    memcpy(request->comm_r_old, comm_r.b, 32);
    update_phi(&t->phi, &comm_d, &comm_r);
    fr_from_u64(&off, phi_off);
    fr_add(&t->phi, &t->phi, &off);
    make_new_tree(t);
    pair[1] = t->whole[s->tree_r_levels][0];
    hash_children(&comm_r, pair, 2);
    memcpy(request->comm_r_new, comm_r.b, 32);
    return t;
}

static inline void update_trees_destroy(struct update_trees *t)
{
    for (unsigned l = 0; l < 12; l++)
        free(t->whole[l]);
    free(t->below);
    free(t);
}

enum update_tree { UPDATE_D, UPDATE_R_OLD, UPDATE_R_NEW };

static inline struct node tree_node(struct update_trees *t, enum update_tree tree, unsigned level,
                                    uint64_t index, uint64_t leaf)
{
    const struct registered_update *u = t->request->update;
    if (tree == UPDATE_D)
        return t->d[level][index % t->d_period[level]];
    if (tree == UPDATE_R_OLD)
        return t->r_old[level][index % t->r_period[level]];
    if (level >= t->full)
        return t->whole[level][index];
    return below_level(t, (size_t)(leaf >> (u->shape->tree_d_levels - u->h)),
                       level)[index % t->r_period[level]];
}

static inline void put_opening(struct writer *w, struct update_trees *t, enum update_tree tree,
                               uint32_t leaf)
{
    const struct sector_shape *s = t->request->update->shape;
    struct node siblings[MERKLE_MAX_LEVELS][7];
    struct merkle_path p = {.levels =
                                (uint8_t)(tree == UPDATE_D ? s->tree_d_levels : s->tree_r_levels)};
    uint64_t index = leaf, span = 1; /* leaves under a node of level l */
    p.leaf = tree_node(t, tree, 0, leaf, leaf);
    p.root = tree_node(t, tree, p.levels, 0, 0);
    for (unsigned l = 0; l < p.levels; l++) {
        unsigned arity = tree == UPDATE_D ? 2 : s->tree_r_arity[l], n = 0;
        p.arity[l] = (uint8_t)arity;
        p.index[l] = (uint8_t)(index % arity);
        for (unsigned i = 0; i < arity; i++) {
            uint64_t child = index / arity * arity + i;
            if (child != index)
                siblings[l][n++] = tree_node(t, tree, l, child, child * span);
        }
        p.siblings[l] = siblings[l];
        index /= arity;
        span *= arity;
    }
    put_path(w, &p, tree == UPDATE_D ? 0 : (unsigned)(s->sub > 0) + (s->top > 0));
}

/* All partitions' proofs; clean up. */
static inline struct vanilla_list update_trees_proofs(struct update_trees *t)
{
    const struct registered_update *u = t->request->update;
    struct vanilla_proof proofs[UPDATE_MAX_PARTITIONS];
    struct vanilla_list list;
    struct error err;
    struct node comm_r_new;
    unsigned apex_level = u->challenge_bits - u->apex_bits;
    memcpy(comm_r_new.b, t->request->comm_r_new, 32);
    for (unsigned k = 0; k < u->partitions; k++) {
        struct writer w = {0};
        uint32_t challenges[UPDATE_MAX_CHALLENGES];
        put_bytes(&w, &t->comm_c, 32);
        put_integer(&w, u->apex_leafs, 8);
        for (uint64_t i = 0; i < u->apex_leafs; i++) {
            struct node leaf = tree_node(t, UPDATE_D, apex_level, k * u->apex_leafs + i, 0);
            put_bytes(&w, &leaf, 32);
        }
        put_integer(&w, u->challenges, 8);
        update_challenges(challenges, u, &comm_r_new, k);
        for (unsigned i = 0; i < u->challenges; i++) {
            put_opening(&w, t, UPDATE_R_OLD, challenges[i]);
            put_opening(&w, t, UPDATE_D, challenges[i]);
            put_opening(&w, t, UPDATE_R_NEW, challenges[i]);
        }
        proofs[k] = (struct vanilla_proof){w.data, w.len};
    }
    assert_done(vanilla_list_copy(&list, proofs, u->partitions, &err), &err);
    for (unsigned k = 0; k < u->partitions; k++)
        free(proofs[k].data);
    return list;
}

#endif
