/* Linear combinations over the variables of a constraint system. */
#ifndef CUZK_R1CS_LC_H
#define CUZK_R1CS_LC_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

/* A variable: inputs are 0, 1, 2, ... (0 is ONE), aux variables VAR_AUX | index. Ascending order = the reference's order. */
#define VAR_ONE 0u
#define VAR_AUX 0x80000000u

struct term {
    uint32_t var;
    struct fr coeff;
};

/* Terms in the order added; a variable may occur several times until lc_normalise. Zeroed = empty. Grows on the heap; an allocation
 * failure sets "failed" (and drops terms), which cs_enforce reports. */
struct lc {
    struct term *term;
    size_t len, cap;
    int failed;
    void *scratch; /* of lc_normalise */
    size_t scratch_bytes;
};

void lc_clean_up(struct lc *lc);
void lc_reset(struct lc *lc); /* empty, memory kept */
void lc_add(struct lc *lc, uint32_t var, const struct fr *coeff);
void lc_add_one(struct lc *lc, uint32_t var); /* + var */
void lc_add_i64(struct lc *lc, uint32_t var, int64_t coeff);
void lc_add_scaled(struct lc *lc, const struct lc *other, const struct fr *k); /* + k * other */

/* Ascending by variable, each once, zero coefficients removed. Costs one pass where the terms are that already; a short one is
 * sorted by insertion, a long one (MultiEq: dozens of ascending runs, many ONE terms) by radix. */
void lc_normalise(struct lc *lc);

#endif
