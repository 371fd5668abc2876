#include "filecoin/bincode_write.h"

#include <stdlib.h>
#include <string.h>

static void put(struct bincode_writer *w, const void *data, size_t n)
{
    if (w->len + n > w->cap && !w->failed) {
        size_t cap = 2 * w->cap + n;
        uint8_t *more = realloc(w->data, cap);
        if (more == NULL) {
            w->failed = 1;
        } else {
            w->data = more;
            w->cap = cap;
        }
    }
    if (w->failed)
        return;
    memcpy(w->data + w->len, data, n);
    w->len += n;
}

static void put_integer(struct bincode_writer *w, uint64_t v, unsigned bytes)
{
    uint8_t out[8];
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(v >> (8 * i));
    put(w, out, bytes);
}

static void put_nodes(struct bincode_writer *w, const struct node *nodes, size_t n)
{
    put(w, nodes, n * sizeof *nodes);
}

/* ---- Merkle paths ---- */

/* A part of the path: levels first .. first + count - 1. */
static void put_part(struct bincode_writer *w, const struct merkle_path *p, unsigned first,
                     unsigned count)
{
    put_integer(w, count, 8);
    for (unsigned l = first; l < first + count; l++) {
        put_integer(w, p->arity[l] - 1u, 8);
        put_nodes(w, p->siblings[l], p->arity[l] - 1u);
        put_integer(w, p->index[l], 8);
    }
}

static void put_ends(struct bincode_writer *w, const struct merkle_path *p)
{
    put_nodes(w, &p->root, 1);
    put_nodes(w, &p->leaf, 1);
}

/* The last `upper` levels are those of a sub and a top tree. */
static void put_path(struct bincode_writer *w, const struct merkle_path *p, unsigned upper)
{
    unsigned base = p->levels - upper;
    put_integer(w, upper, 4);
    if (upper == 0)
        put_ends(w, p);
    put_part(w, p, 0, base);
    for (unsigned i = 0; i < upper; i++)
        put_part(w, p, base + i, 1);
    if (upper > 0)
        put_ends(w, p);
}

static void put_path_r(struct bincode_writer *w, const struct merkle_path *p,
                       const struct sector_shape *shape)
{
    put_path(w, p, (unsigned)(shape->sub > 0) + (shape->top > 0));
}

/* ---- Proofs ---- */

void bincode_put_post_sector(struct bincode_writer *w, const struct post_sector *s,
                             const struct registered_post *post)
{
    put_integer(w, s->id, 8);
    put_nodes(w, &s->comm_r, 1);
    put_integer(w, 1, 8);
    put_integer(w, post->paths, 8);
    for (unsigned i = 0; i < post->paths; i++)
        put_path_r(w, &s->paths[i], post->shape);
    put_nodes(w, &s->comm_c, 1);
    put_nodes(w, &s->comm_r_last, 1);
}

void bincode_put_update_partition(struct bincode_writer *w, const struct update_partition *p,
                                  const struct registered_update *update)
{
    put_nodes(w, &p->comm_c, 1);
    put_integer(w, update->apex_leafs, 8);
    put_nodes(w, p->apex_leafs, update->apex_leafs);
    put_integer(w, update->challenges, 8);
    for (unsigned i = 0; i < update->challenges; i++) {
        const struct update_challenge *c = &p->challenges[i];
        put_path_r(w, &c->r_old, update->shape);
        put_path(w, &c->d_new, 0);
        put_path_r(w, &c->r_new, update->shape);
    }
}

int bincode_writer_end(struct vanilla_proof *out, struct bincode_writer *w, struct error *err)
{
    int failed = w->failed;
    *out = (struct vanilla_proof){w->data, w->len};
    memset(w, 0, sizeof *w);
    if (!failed)
        return 0;
    free(out->data);
    memset(out, 0, sizeof *out);
    return error_set(err, ERR_OS, "out-of-memory", "no memory for writing a vanilla proof");
}
