#include "filecoin/synthetic_porep.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/challenges.h"
#include "filecoin/draw.h"

enum { MAX_CHALLENGES = 18, MAX_PARTITIONS = 10 };

void porep_sector_draw(struct porep_sector *sector, uint64_t seed)
{
    struct node n;
    node_draw(&(struct node_drawing){seed, "ticket"}, &n, 0, sector->number);
    memcpy(sector->ticket, n.b, sizeof sector->ticket);
    node_draw(&(struct node_drawing){seed, "seed"}, &n, 0, sector->number);
    memcpy(sector->seed, n.b, sizeof sector->seed);
}

/* ---- Nodes ---- */

static int compare_nodes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Ascending, each once; returns how many. */
static size_t sort_nodes(uint32_t *nodes, size_t n)
{
    size_t kept = 0;
    qsort(nodes, n, sizeof *nodes, compare_nodes);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || nodes[kept - 1] != nodes[i])
            nodes[kept++] = nodes[i];
    return kept;
}

struct opening {
    size_t challenged_len, kept_len;
    uint32_t challenged[MAX_PARTITIONS * MAX_CHALLENGES];
    uint32_t kept[MAX_PARTITIONS * MAX_CHALLENGES * (1 + POREP_PARENTS)];
};

static void find_nodes(struct opening *o, const struct replica *r)
{
    const struct registered_seal *seal = r->sector.seal;
    unsigned partitions = registered_seal_partitions(seal), count = seal->shape->challenges;
    assert(partitions <= MAX_PARTITIONS && count <= MAX_CHALLENGES);
    for (unsigned k = 0; k < partitions; k++)
        porep_challenges(o->challenged + k * count, seal, r->replica_id.b, NULL, r->sector.seed, k);
    o->challenged_len = sort_nodes(o->challenged, partitions * count);

    uint32_t *kept = o->kept;
    for (size_t i = 0; i < o->challenged_len; i++) {
        *kept++ = o->challenged[i];
        graph_drg_parents(kept, &r->graph, o->challenged[i]);
        kept += POREP_DRG_PARENTS;
        graph_exp_parents(kept, &r->graph, o->challenged[i]);
        kept += POREP_EXP_PARENTS;
    }
    o->kept_len = sort_nodes(o->kept, (size_t)(kept - o->kept));
}

/* Labels of all nodes kept; those of challenged nodes are derived later. */
static void draw_labels(struct replica *r, uint64_t seed)
{
    const struct node_drawing label = {seed, "label"};
    for (unsigned l = 0; l < r->sector.seal->shape->layers; l++)
        for (size_t i = 0; i < r->len; i++)
            node_draw(&label, &r->labels[l][i], l + 1, r->nodes[i]);
}

/* ---- The proofs ---- */

static int build(struct porep_vanilla *out, struct replica *r, uint64_t seed, struct pool *pool,
                 const struct progress_sink *sink, struct error *err)
{
    const struct node_drawing c = {seed, "tree C"}, last = {seed, "tree R"};
    struct opening *o = malloc(sizeof *o);
    if (o == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the challenges");
    find_nodes(o, r);
    int rc = replica_keep(r, o->kept, o->kept_len, err);
    if (rc == 0) {
        draw_labels(r, seed);
        rc = replica_derive(r, o->challenged, o->challenged_len, pool, sink, err);
    }
    free(o);
    if (rc == 0)
        rc = replica_finish(r, (struct tree_filler){node_draw, &c},
                            (struct tree_filler){node_draw, &last}, pool, sink, err);
    return rc != 0 ? rc : replica_open(out, r, err);
}

int porep_synthetic(struct porep_vanilla *out, const struct porep_sector *sector, uint64_t seed,
                    struct pool *pool, const struct progress_sink *sink, struct error *err)
{
    struct replica r;
    if (sector->seal->feature != POREP_INTERACTIVE)
        return error_set(err, ERR_USAGE, "synthetic-feature",
                         "%s draws its challenges from comm_r, which depends on every node: such "
                         "a sector must be sealed",
                         sector->seal->name);
    if (replica_init(&r, sector, NULL, pool, err) != 0)
        return err->code;
    int rc = build(out, &r, seed, pool, sink, err);
    replica_clean_up(&r);
    return rc;
}
