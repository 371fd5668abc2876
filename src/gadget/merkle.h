/* Insertion, selection and Merkle paths (spec: circuits §5). */
#ifndef CUZK_GADGET_MERKLE_H
#define CUZK_GADGET_MERKLE_H

#include "gadget/num.h"

enum merkle_hash { MERKLE_SHA256 /* binary only */, MERKLE_POSEIDON };

/* out[0 .. size) = siblings[0 .. size-1) with e inserted at the position that bits (LSB first) give; size 2, 4 or 8, by the pick order
 * of the table; any other power of two by select over the candidate column. */
void insert_gadget(struct cs *cs, struct num *out, const struct num *e, const struct num *siblings,
                   const struct bit *bits, size_t size);
/* list[bits], n = 2^k entries: n - 1 picks, most significant bit first. */
struct num select_gadget(struct cs *cs, const struct num *list, size_t n, const struct bit *bits);

/* A path's values: level l has arity[l], own index[l], arity[l] - 1 siblings. */
struct merkle_witness {
    enum merkle_hash hash;
    unsigned levels;
    const uint8_t *arity, *index;
    const struct fr *const *siblings;
};

/* PoRCircuit with a private root that is a variable already: per level index bits, siblings, insert, hash; then all index bits packed
 * into one public input; <computed | 1 | root>. 530 rows a level of 8, 45,382 a binary SHA level, + 2. */
void merkle_path_gadget(struct cs *cs, const struct num *leaf, const struct num *root,
                        const struct merkle_witness *w);
/* The same for each of a group (cs_repeat_together): path w[k] in cs[k], all of the same shape. */
void merkle_path_gadgets(struct cs *const cs[], size_t n, const struct num *leaf,
                         const struct num *root, const struct merkle_witness *w);

/* A path of variables that are there already (por_no_challenge_input). bits: index bits from the leaf
 * up, least significant first; siblings: arity - 1 of each level, one level behind the other. */
struct merkle_variables {
    enum merkle_hash hash;
    unsigned levels;
    const uint8_t *arity;
    const struct bit *bits;
    const struct num *siblings;
};
/* Per level insert and hash, then <computed | 1 | root>; no public input. Without levels the leaf is
 * compared with the root. */
void merkle_known_path_gadget(struct cs *cs, const struct num *leaf, const struct num *root,
                              const struct merkle_variables *p);

/* The root of the binary SHA-256 tree over leaves[0 .. n), n = 2^k <= 128: n - 1 hashes, row by row
 * from the left. */
struct num merkle_sha256_root_gadget(struct cs *cs, const struct num *leaves, size_t n);

#endif
