#include "circuit/post.h"

#include <assert.h>
#include <stdlib.h>

#include "circuit/node.h"
#include "filecoin/params_names.h"
#include "gadget/poseidon.h"

struct partition {
    const struct post_vanilla *v; /* NULL: blank stands for every sector */
    unsigned number;
    struct post_circuit_sector blank;
    unsigned challenges; /* of each sector */
};

struct opened_sector {
    struct post_circuit_sector s;
    struct num comm_r;
};

static struct opened_sector open_sector(struct cs *cs, const struct partition *p, size_t i,
                                        struct num *comm_r_last, struct num pair[2])
{
    struct opened_sector o = {
        .s = p->v == NULL ? p->blank : post_circuit_sector(p->v, p->number, (unsigned)i)};
    *comm_r_last = circuit_alloc_node(cs, o.s.comm_r_last);
    pair[0] = circuit_alloc_node(cs, o.s.comm_c);
    pair[1] = *comm_r_last;
    o.comm_r = circuit_alloc_node(cs, o.s.comm_r);
    num_inputize(cs, &o.comm_r);
    return o;
}

/* Sectors i .. i + n - 1, each in its own constraint system. */
static void sectors(struct cs *const cs[], void *ctx, size_t i, size_t n)
{
    const struct partition *p = ctx;
    struct opened_sector o[CS_GROUP];
    struct num comm_r_last[CS_GROUP], pair[CS_GROUP][2], h[CS_GROUP], leaf[CS_GROUP];
    const struct merkle_path *path[CS_GROUP];
    for (size_t k = 0; k < n; k++)
        o[k] = open_sector(cs[k], p, i + k, &comm_r_last[k], pair[k]);
    poseidon_gadgets(cs, n, h, poseidon_constants(2, POSEIDON_MERKLE), pair[0]);
    for (size_t k = 0; k < n; k++)
        num_equal(cs[k], &o[k].comm_r, &h[k]);
    for (unsigned c = 0; c < p->challenges; c++) {
        for (size_t k = 0; k < n; k++) {
            path[k] = &o[k].s.paths[c];
            leaf[k] = circuit_alloc_node(cs[k], &path[k]->leaf);
        }
        circuit_open_paths(cs, n, MERKLE_POSEIDON, path, leaf, comm_r_last);
    }
}

void post_synthesize(struct cs *cs, const struct post_vanilla *v, unsigned partition)
{
    assert(partition < v->partitions);
    struct partition p = {.v = v, .number = partition, .challenges = v->post->challenges};
    cs_repeat_together(cs, v->post->sectors, sectors, &p);
}

static uint64_t hash_multiplications(unsigned arity)
{
    const struct poseidon_constants *c = poseidon_constants(arity, POSEIDON_MERKLE);
    uint64_t t = c->width, partial = c->partial_rounds;
    return 3 * (POSEIDON_FULL_ROUNDS * t - 1 + partial) + (POSEIDON_FULL_ROUNDS - 1) * t * t +
           (2 * t - 1) * partial;
}

uint64_t post_multiplications(const struct registered_post *post)
{
    const struct sector_shape *s = post->shape;
    uint64_t path = 1 + 1; /* leaf and index */
    for (unsigned l = 0; l < s->tree_r_levels; l++)
        path += s->tree_r_arity[l] - 1u + hash_multiplications(s->tree_r_arity[l]);
    return post->sectors * (3 + hash_multiplications(2) + post->challenges * path);
}

int post_synthesize_blank(struct cs *cs, const struct sector_shape *shape, unsigned n_sectors,
                          unsigned challenges, struct error *err)
{
    struct merkle_path *paths = calloc(challenges, sizeof *paths);
    if (paths == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a blank sector's paths");
    struct node zeros[7] = {0};
    for (unsigned c = 0; c < challenges; c++)
        circuit_blank_path(&paths[c], shape->tree_r_levels, shape->tree_r_arity, zeros);
    struct partition p = {.blank = {zeros, zeros, zeros, paths}, .challenges = challenges};
    cs_repeat_together(cs, n_sectors, sectors, &p);
    free(paths);
    return 0;
}

static int published(struct cs *cs, enum circuit_kind kind, const struct sector_shape *shape,
                     struct error *err)
{
    unsigned sectors, challenges;
    post_counts(&sectors, &challenges, kind, shape->id);
    return post_synthesize_blank(cs, shape, sectors, challenges, err);
}

int winning_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err)
{
    return published(cs, CIRCUIT_WINNING, shape, err);
}

int window_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err)
{
    return published(cs, CIRCUIT_WPOST, shape, err);
}
