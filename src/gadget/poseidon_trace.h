/* The values of a Poseidon hash's variables, computed eight state elements at a time (of gadget/poseidon.c). */
#ifndef CUZK_GADGET_POSEIDON_TRACE_H
#define CUZK_GADGET_POSEIDON_TRACE_H

#include "hash/poseidon.h"

#if defined(__x86_64__) || defined(CUZK_IFMA_STAND_IN)
/* The values of the 505 variables of the hash of eight numbers in order of allocation, the result last. Needs CPU_IFMA. */
void poseidon_trace8_ifma(struct fr *aux, const struct poseidon_constants *c, const struct fr *in);
#endif

#endif
