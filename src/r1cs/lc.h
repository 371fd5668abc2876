/* Linear combinations over the variables of a constraint system. */
#ifndef CUZK_R1CS_LC_H
#define CUZK_R1CS_LC_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"
#include "r1cs/lc_map.h"

/* Terms in the order added; a variable may occur several times until lc_normalise. Zeroed = empty. Grows on the heap; an allocation
 * failure sets "failed" (and drops terms), which cs_enforce reports.
 * With another storage than LC_LIST (set on an empty one) the terms are in "maps" instead, sorted and each variable once: what the
 * functions below say is the same, but for lc_normalise, which does nothing. */
struct lc {
    struct term *term;
    size_t len, cap;
    int failed;
    enum lc_storage storage;
    void *scratch; /* of lc_normalise */
    size_t scratch_bytes;
    union lc_maps maps;
    struct lc_memory *memory; /* of maps */
};

void lc_clean_up(struct lc *lc);
/* Empty. A list keeps its memory; maps give theirs back, as the reference's do. */
void lc_reset(struct lc *lc);
void lc_add(struct lc *lc, uint32_t var, const struct fr *coeff);
void lc_add_one(struct lc *lc, uint32_t var); /* + var */
void lc_add_i64(struct lc *lc, uint32_t var, int64_t coeff);
void lc_add_scaled(struct lc *lc, const struct lc *other, const struct fr *k); /* + k * other */

/* Ascending by variable, each once, zero coefficients removed. Costs one pass where the terms are that already; a short one is
 * sorted by insertion, a long one (MultiEq: dozens of ascending runs, many ONE terms) by radix. */
void lc_normalise(struct lc *lc);

/* ---- maps only ---- */

/* Takes the storage of `like`, on a zeroed lc. */
void lc_init_like(struct lc *lc, const struct lc *like);
/* + term[0] + ... + term[n - 1], which the reference builds as a combination of their own: where lc is empty that is the result,
 * otherwise it is added to lc and dropped. */
void lc_add_apart(struct lc *lc, const struct term *term, size_t n);
/* lc = copy of lc + k * other: the reference copies before it adds. */
void lc_copy_and_add_scaled(struct lc *lc, const struct lc *other, const struct fr *k);
/* to (empty, same storage) = copy of lc */
void lc_copy(struct lc *to, const struct lc *lc);

#endif
