/* The Lagrange basis of a domain at one place, element by element. */
#ifndef CUZK_GROTH16_LAGRANGE_H
#define CUZK_GROTH16_LAGRANGE_H

#include <stddef.h>

#include "base/error.h"
#include "field/fr.h"

enum { LAGRANGE_BLOCK = 4096 };

struct lagrange {
    struct fr tau, root, z, z_over_m; /* z = tau^m - 1 */
    struct fr element;                /* root^i of the next block's first */
    struct fr *value, *scratch;       /* [LAGRANGE_BLOCK] */
    size_t next;
};

/* m = 2^log2. ERR_DATA "tau-in-domain" when tau^m = 1. */
int lagrange_init(struct lagrange *l, unsigned log2, const struct fr *tau, struct error *err);
void lagrange_clean_up(struct lagrange *l);

/* L_0(tau), L_1(tau), ...: L_i(x) is 1 at root^i and 0 at the domain's other elements. Valid until the next call. */
const struct fr *lagrange_next(struct lagrange *l);

#endif
