/* Pseudo-random nodes, for proofs of sectors that don't exist. */
#ifndef CUZK_FILECOIN_DRAW_H
#define CUZK_FILECOIN_DRAW_H

#include "filecoin/merkle_path.h"

struct node_drawing {
    uint64_t seed;
    const char *what; /* at most 16 characters */
};

/* Node `index` of a level, by a struct node_drawing: 254 bits, as the labels and SHA-256 nodes of a
 * real sector. Of the type of tree_filler's function. */
void node_draw(const void *drawing, struct node *out, unsigned level, uint64_t index);

/* A seed of its own for a part. */
uint64_t draw_seed(uint64_t seed, const char *what, uint64_t index);

#endif
