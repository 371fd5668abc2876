/* Poseidon as Filecoin uses it: neptune's "legacy" optimised form, standard strength, x^5, over Fr (spec: neptune round_constants,
 * mds, preprocessing, hash_type). Constants are derived once per arity at start of use and never change. */
#ifndef CUZK_HASH_POSEIDON_H
#define CUZK_HASH_POSEIDON_H

#include <stddef.h>

#include "field/fr.h"

enum { POSEIDON_MAX_WIDTH = 12, POSEIDON_FULL_ROUNDS = 8, POSEIDON_MAX_PARTIAL_ROUNDS = 57 };

/* One sparse matrix of a partial round: new0 = w_hat . state; new_j = state_j + v_rest[j-1] * state_0. */
struct poseidon_sparse {
    struct fr w_hat[POSEIDON_MAX_WIDTH];
    struct fr v_rest[POSEIDON_MAX_WIDTH - 1];
};

struct poseidon_constants {
    unsigned arity, width;                                 /* 2, 4, 8 or 11; width = arity + 1 */
    unsigned partial_rounds;                               /* 55, 56, 57, 57 */
    struct fr tag;                                         /* domain tag, element 0 of the state */
    struct fr mds[POSEIDON_MAX_WIDTH][POSEIDON_MAX_WIDTH]; /* symmetric: new_j = mds[j] . state */
    /* new_j = pre_sparse[j] . state, instead of mds after the last full round of the first half */
    struct fr pre_sparse[POSEIDON_MAX_WIDTH][POSEIDON_MAX_WIDTH];
    struct poseidon_sparse sparse[POSEIDON_MAX_PARTIAL_ROUNDS]; /* in order of use */
    /* compressed round constants in order of use: width pre-keys, then post keys: width per full round (none after the last),
     * one per partial round */
    struct fr keys[POSEIDON_MAX_WIDTH * POSEIDON_FULL_ROUNDS + POSEIDON_MAX_PARTIAL_ROUNDS];
    size_t keys_len;
};

enum poseidon_domain {
    POSEIDON_MERKLE, /* tag 2^arity - 1: Merkle nodes, hash2, column hashes */
    POSEIDON_SNAP,   /* tag 2^40: EmptySectorUpdate's randomness (arity 2 only) */
    POSEIDON_DOMAINS,
};

/* Thread safe; computed on the first call for each (arity, domain). arity is 2, 4, 8 or 11. */
const struct poseidon_constants *poseidon_constants(unsigned arity, enum poseidon_domain domain);

/* out = Poseidon(in[0 .. arity)). */
void poseidon_hash(struct fr *out, const struct poseidon_constants *c, const struct fr *in);

#endif
