/* A typed assignment to look values up in, by variable: what matrices are multiplied with. */
#ifndef CUZK_R1CS_WITNESS_H
#define CUZK_R1CS_WITNESS_H

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "vector/tvec.h"

enum { WITNESS_BLOCK = 32 };

struct witness {
    const struct fr *inputs; /* ONE first */
    size_t num_inputs, num_aux;
    const int8_t *small; /* aux as in struct tvec: TVEC_SLACK bytes are readable behind the last */
    const struct fr *full;  /* those marked TVEC_FULL */
    uint32_t *full_before;  /* full elements before each block of WITNESS_BLOCK */
    struct fr integer[256]; /* integer[(uint8_t)i] = i for the signed byte i */
};

/* Keeps pointers to inputs and aux. ERR_OS without memory: an eighth of a byte a variable. */
int witness_init(struct witness *w, const struct fr *inputs, size_t num_inputs,
                 const struct tvec *aux, struct error *err);
void witness_clean_up(struct witness *w);

/* The full element at aux[i], where small[i] is TVEC_FULL. */
static inline const struct fr *witness_full(const struct witness *w, size_t i)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    size_t k = w->full_before[i / WITNESS_BLOCK];
    const int8_t *p = w->small + i / WITNESS_BLOCK * WITNESS_BLOCK;
    for (size_t left = i % WITNESS_BLOCK; left > 0;) {
        uint64_t x;
        memcpy(&x, p, 8);
        x ^= ~low7; /* TVEC_FULL becomes a zero byte */
        x = ~(((x & low7) + low7) | x | low7) >> 7;
        if (left < 8)
            x &= (UINT64_C(1) << 8 * left) - 1; /* bytes before the element */
        k += (x * UINT64_C(0x0101010101010101)) >> 56;
        p += 8;
        left = left < 8 ? 0 : left - 8;
    }
    return &w->full[k];
}

static inline const struct fr *witness_aux(const struct witness *w, size_t i)
{
    int8_t v = w->small[i];
    return v != TVEC_FULL ? &w->integer[(uint8_t)v] : witness_full(w, i);
}

#endif
