#include "circuit/node.h"

#include <assert.h>

enum { MAX_SIBLINGS = 7 };

struct num circuit_alloc_node(struct cs *cs, const struct node *n)
{
    struct fr v;
    node_to_fr(&v, n);
    return num_alloc(cs, &v);
}

void circuit_open_path(struct cs *cs, enum merkle_hash hash, const struct merkle_path *path,
                       const struct num *leaf, const struct num *root)
{
    struct fr value[MERKLE_MAX_LEVELS][MAX_SIBLINGS];
    const struct fr *siblings[MERKLE_MAX_LEVELS];
    assert(path->levels <= MERKLE_MAX_LEVELS);
    for (unsigned l = 0; l < path->levels; l++) {
        assert(path->arity[l] <= MAX_SIBLINGS + 1);
        for (unsigned i = 0; i + 1 < path->arity[l]; i++)
            node_to_fr(&value[l][i], &path->siblings[l][i]);
        siblings[l] = value[l];
    }
    struct merkle_witness w = {hash, path->levels, path->arity, path->index, siblings};
    merkle_path_gadget(cs, leaf, root, &w);
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
