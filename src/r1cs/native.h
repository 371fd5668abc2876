/* Native mode's part of cs.c: streams of typed values that grow, and slots that threads fill. */
#ifndef CUZK_R1CS_NATIVE_H
#define CUZK_R1CS_NATIVE_H

#include "r1cs/cs.h"

/* Appends the final rows and brings lengths and counts of cs and its assignment up to date. */
void native_finish(struct cs *cs);

/* Repetition with n > 1. The first body goes alone, the others in groups of up to group. Returns how many bodies ran: n, or 1
 * after a failure (or 0, when cs had failed before). */
size_t native_repeat(struct cs *cs, size_t n, size_t group, cs_group_body *body, void *ctx);

#endif
