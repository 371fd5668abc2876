/* 32-bit words of bits for SHA-256's rows, and MultiEq (spec: circuits §3). Row modes only: native
 * mode works on whole blocks. */
#ifndef CUZK_GADGET_UINT32_H
#define CUZK_GADGET_UINT32_H

#include "gadget/bit.h"

struct uint32 {
    struct bit bit[32]; /* least significant first */
};

struct uint32 uint32_constant(uint32_t value);
struct uint32 uint32_rotr(const struct uint32 *a, unsigned by);
struct uint32 uint32_shr(const struct uint32 *a, unsigned by); /* filled with constant 0 */
struct uint32 uint32_xor(struct cs *cs, const struct uint32 *a, const struct uint32 *b);
struct uint32 uint32_ch(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                        const struct uint32 *c);
struct uint32 uint32_maj(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                         const struct uint32 *c);

/* Equalities of small integers gathered into few rows <lhs | 1 | rhs>: each addition's sum and
 * result are shifted past those before it, and a row is emitted when the next would reach bit 254.
 * Zeroed = empty. */
struct multieq {
    struct lc lhs, rhs;
    uint64_t ones[4]; /* lhs's coefficient of ONE, an integer */
    unsigned bits_used;
};
void multieq_flush(struct cs *cs,
                   struct multieq *m); /* emits the row if there is something in it */
void multieq_clean_up(struct multieq *m);

/* (sum of 2 to 8 operands) mod 2^32: 33 to 35 result bits (each with its boolean row; carries are
 * dropped) and one equality. All operands constant: a constant, and neither variable nor row. */
struct uint32 uint32_addmany(struct cs *cs, struct multieq *m, const struct uint32 *const *operands,
                             size_t n);

/* Result bits of a sum of n words: the bit length of n * (2^32 - 1). */
static inline unsigned uint32_sum_bits(size_t n)
{
    return n <= 2 ? 33 : n <= 4 ? 34 : 35;
}

#endif
