/* SHA-256's native evaluator: one compression appends its witness bits and row values straight
 * from 32-bit arithmetic. */
#ifndef CUZK_GADGET_SHA256_NATIVE_H
#define CUZK_GADGET_SHA256_NATIVE_H

#include "r1cs/cs.h"

/* The chaining value: eight constants, or eight words of variables. A first block without a
 * variable leaves constants. */
struct sha256_state {
    uint32_t hash[8];
    int variable;
};

/* A block of the message; bits set in constant[i] are constants of w[i], the others plain
 * variables. */
struct sha256_message {
    uint32_t w[16], constant[16];
};

/* Appends what the rows of circuits §3 give for this block, on cpu_path(). */
void sha256_native_block(struct cs *cs, struct sha256_state *s, const struct sha256_message *m);

void sha256_native_block_portable(struct cs *cs, struct sha256_state *s,
                                  const struct sha256_message *m);
void sha256_native_block_avx2(struct cs *cs, struct sha256_state *s,
                              const struct sha256_message *m); /* x86-64 only */

#endif
