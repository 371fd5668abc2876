/* Poseidon's legacy circuit of neptune (spec: circuits §4). */
#ifndef CUZK_GADGET_POSEIDON_H
#define CUZK_GADGET_POSEIDON_H

#include "gadget/num.h"
#include "hash/poseidon.h"

/* Hash of c->arity numbers: 311, 377, 505 or 598 rows and as many aux variables for arity 2, 4, 8, 11. */
struct num poseidon_gadget(struct cs *cs, const struct poseidon_constants *c, const struct num *in);

/* The same for each of a group (cs_repeat_together): out[k] hashes in[k c->arity ..] in cs[k]. */
void poseidon_gadgets(struct cs *const cs[], size_t n, struct num *out,
                      const struct poseidon_constants *c, const struct num *in);

#endif
