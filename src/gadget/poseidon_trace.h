/* The values of the variables of Poseidon hashes, eight hashes at a time (of gadget/poseidon.c). */
#ifndef CUZK_GADGET_POSEIDON_TRACE_H
#define CUZK_GADGET_POSEIDON_TRACE_H

#include "hash/poseidon.h"

/* What the domain tag is after the first round's S-box and the next round key: a constant of the circuit. */
void poseidon_tag_sbox(struct fr *out, const struct poseidon_constants *c);

#if defined(__x86_64__) || defined(CUZK_IFMA_STAND_IN)
/* aux[k] = the variables of hash k in order of allocation, the result last, for k < n <= 8. in[i][k] is its number i; what stands
 * there for other k is computed too and dropped. Needs CPU_IFMA. */
void poseidon_trace_ifma(struct fr *const *aux, size_t n, const struct poseidon_constants *c,
                         const struct fr (*in)[8]);
#endif

#endif
