/* A Merkle tree of which only some leaves and the nodes above them are kept; a rule gives every
 * other node that is asked for. With all leaves it is an ordinary tree. */
#ifndef CUZK_FILECOIN_SPARSE_TREE_H
#define CUZK_FILECOIN_SPARSE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "filecoin/merkle_path.h"

struct arena;

/* Gives node `index` of a level (0: leaves), below none of whose leaves is kept. Thread safe; the
 * same every time. node may be NULL where all leaves are kept. */
struct tree_filler {
    void (*node)(const void *ctx, struct node *out, unsigned level, uint64_t index);
    const void *ctx;
};

struct tree_shape {
    unsigned levels;
    const uint8_t
        *arity; /* [levels], leaf level first; arity[0] == 2: tree D, SHA-256, else Poseidon */
};

struct sparse_tree {
    struct tree_shape shape;
    struct tree_filler filler;
    struct tree_row {
        size_t len;
        uint32_t *index; /* ascending */
        struct node *value;
    } rows[MERKLE_MAX_LEVELS + 1]; /* leaves first */
    struct arena *arena;
};

/* Keeps the n leaves index[] (ascending, no two equal; copied; NULL: the first n), whose values
 * are still to be set: t->rows[0].value[i] is that of index[i]. shape.arity must outlive t.
 * ERR_OS. */
int sparse_tree_init(struct sparse_tree *t, struct tree_shape shape, struct tree_filler filler,
                     const uint32_t *index, size_t n, struct error *err);
/* Makes what lies above the leaves, once their values are set. */
void sparse_tree_hash(struct sparse_tree *t, struct pool *pool);
void sparse_tree_clean_up(struct sparse_tree *t);

void sparse_tree_node(struct node *out, const struct sparse_tree *t, unsigned level,
                      uint64_t index);
void sparse_tree_root(struct node *out, const struct sparse_tree *t);

/* The path of any leaf, kept or not; its siblings are allocated in arena. ERR_OS. */
int sparse_tree_path(struct merkle_path *out, const struct sparse_tree *t, uint64_t leaf,
                     struct arena *arena, struct error *err);

#endif
