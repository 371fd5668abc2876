/* Nodes and Merkle paths, as all kinds of vanilla proofs carry them. */
#ifndef CUZK_FILECOIN_MERKLE_PATH_H
#define CUZK_FILECOIN_MERKLE_PATH_H

#include <stdint.h>

#include "field/fr.h"

/* A node as Filecoin stores it: 32 bytes little-endian, checked on decoding to be < r. */
struct node {
    uint8_t b[32];
};

int node_equal(const struct node *a, const struct node *b);
int node_is_zero(const struct node *n);
void node_to_fr(struct fr *out, const struct node *n); /* n is below r */
void node_from_fr(struct node *out, const struct fr *a);

/* A Merkle path from leaf to root. Levels of base, sub and top tree follow one another; level l has arity[l]. */
enum { MERKLE_MAX_LEVELS = 31 };
struct merkle_path {
    struct node root, leaf;
    uint8_t levels;
    uint8_t arity[MERKLE_MAX_LEVELS];
    uint8_t index[MERKLE_MAX_LEVELS]; /* own position among the arity children, 0 = first */
    struct node *siblings
        [MERKLE_MAX_LEVELS]; /* arity - 1 each, own position left out; in the proof's arena */
};

/* Packed leaf index: base-arity digits, leaf level least significant (the circuit's public input). */
uint64_t merkle_path_index(const struct merkle_path *p);

/* The root that leaf and siblings lead to: SHA-256 cut to 254 bits in a tree of pairs (tree D: arity[0] is 2), else Poseidon. */
void merkle_path_root(struct node *out, const struct merkle_path *p);

#endif
