/* What a batch of affine additions is made of: shared by the templates and the vector kernels that replace them. */
#ifndef CUZK_MSM_BATCH_H
#define CUZK_MSM_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "curve/g1.h"
#include "curve/g2.h"

enum { BATCH = 1024 }; /* pairs: the shared inversion then costs a few per cent */

/* A reference is a pointer to an affine point with flags in its low bits. */
enum { REF_NEGATIVE = 1, REF_DOUBLE = 2, REF_FLAGS = 3 };

/* p + q goes to out, which may be one of the pair's own points but no other pair's input or output. REF_DOUBLE and out = NULL are
 * the kernels' own. */
struct g1_pair {
    uintptr_t p, q;
    struct g1_affine *out;
};

struct g2_pair {
    uintptr_t p, q;
    struct g2_affine *out;
};

/* The pairs that the chord formula does not add: an operand at infinity, p = -q, p = q. d comes in as q.x - p.x. Returns 1 when the
 * sum is in place (out is then NULL), else 0; p = q is then marked REF_DOUBLE and d is the tangent's denominator 2 y. */
int g1_pair_is_special(struct g1_pair *pair, struct fp *d);
int g2_pair_is_special(struct g2_pair *pair, struct fp2 *d);

#endif
