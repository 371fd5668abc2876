#include "circuit/node.h"

#include <assert.h>

/* Of 2^31 leaves: eleven levels of eight at most, or 31 of two. */
enum { MAX_SIBLINGS = 7, MAX_PATH_SIBLINGS = 11 * MAX_SIBLINGS };

struct num circuit_alloc_node(struct cs *cs, const struct node *n)
{
    struct fr v;
    node_to_fr(&v, n);
    return num_alloc(cs, &v);
}

/* A path's siblings as numbers. */
struct opened {
    struct fr value[MAX_PATH_SIBLINGS];
    const struct fr *siblings[MERKLE_MAX_LEVELS];
};

static struct merkle_witness open_path(struct opened *o, enum merkle_hash hash,
                                       const struct merkle_path *path)
{
    struct fr *next = o->value;
    assert(path->levels <= MERKLE_MAX_LEVELS);
    for (unsigned l = 0; l < path->levels; l++) {
        assert(o->value + MAX_PATH_SIBLINGS - next >= path->arity[l] - 1);
        o->siblings[l] = next;
        for (unsigned i = 0; i + 1 < path->arity[l]; i++)
            node_to_fr(next++, &path->siblings[l][i]);
    }
    return (struct merkle_witness){hash, path->levels, path->arity, path->index, o->siblings};
}

void circuit_open_paths(struct cs *const cs[], size_t n, enum merkle_hash hash,
                        const struct merkle_path *const path[], const struct num *leaf,
                        const struct num *root)
{
    struct opened opened[CS_GROUP];
    struct merkle_witness w[CS_GROUP];
    assert(n <= CS_GROUP);
    for (size_t k = 0; k < n; k++)
        w[k] = open_path(&opened[k], hash, path[k]);
    merkle_path_gadgets(cs, n, leaf, root, w);
}

void circuit_open_path(struct cs *cs, enum merkle_hash hash, const struct merkle_path *path,
                       const struct num *leaf, const struct num *root)
{
    circuit_open_paths(&cs, 1, hash, &path, leaf, root);
}

void circuit_blank_path(struct merkle_path *path, unsigned levels, const uint8_t *arity,
                        struct node zeros[MAX_SIBLINGS])
{
    assert(levels <= MERKLE_MAX_LEVELS);
    *path = (struct merkle_path){.levels = (uint8_t)levels};
    for (unsigned l = 0; l < levels; l++) {
        path->arity[l] = arity == NULL ? 2 : arity[l];
        path->siblings[l] = zeros;
    }
}
