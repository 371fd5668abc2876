/* Booleans of a circuit: a constant, a variable, or a negated variable (spec: circuits §2). */
#ifndef CUZK_GADGET_BIT_H
#define CUZK_GADGET_BIT_H

#include "r1cs/cs.h"

enum bit_kind { BIT_CONSTANT, BIT_IS, BIT_NOT };

struct bit {
    uint32_t var; /* unused for constants and in native mode */
    uint8_t kind;
    uint8_t value; /* of the boolean itself: for BIT_NOT the variable holds !value */
};

static inline struct bit bit_constant(int value)
{
    return (struct bit){.kind = BIT_CONSTANT, .value = value != 0};
}
static inline struct bit bit_not(struct bit b)
{
    b.value ^= 1;
    if (b.kind != BIT_CONSTANT)
        b.kind = b.kind == BIT_IS ? BIT_NOT : BIT_IS;
    return b;
}

/* lc += k * b (row modes). */
void lc_add_bit(struct lc *lc, struct bit b, const struct fr *k);
void lc_add_bit_i64(struct lc *lc, struct bit b, int64_t k);

/* All modes. Rows and order exactly as the table of circuits §2; constants fold without rows. */
struct bit bit_alloc(struct cs *cs, int value);
struct bit bit_xor(struct cs *cs, struct bit a, struct bit b);
struct bit bit_and(struct cs *cs, struct bit a, struct bit b);
struct bit bit_nor_alloc(struct cs *cs, struct bit a,
                         struct bit b); /* AllocatedBit::nor of two variables (insert_8) */
/* SHA-256's ch and maj with the folding order of circuits §3. */
struct bit bit_ch(struct cs *cs, struct bit a, struct bit b, struct bit c);
struct bit bit_maj(struct cs *cs, struct bit a, struct bit b, struct bit c);

#endif
