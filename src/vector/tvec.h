/* Typed vectors: a stream of field elements most of which are tiny integers.
 *
 * Element i is the signed byte small[i], except where small[i] == TVEC_FULL: then it is the next entry of full[], in order.
 * 98 % of a PoRep witness are bits, so a partition of 130 million rows costs 1 byte a value, not 32. */
#ifndef CUZK_VECTOR_TVEC_H
#define CUZK_VECTOR_TVEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "field/fr.h"

enum {
    TVEC_FULL = -128,
    /* marks an element kept in full[] */ TVEC_SLACK = 64 /* writable bytes behind small[cap] */
};

struct tvec {
    int8_t *small;   /* [cap + TVEC_SLACK] */
    size_t len, cap; /* elements */
    struct fr *full; /* [full_cap], Montgomery form */
    size_t full_len, full_cap;
    struct buffer small_buf, full_buf; /* own the memory */
};

int tvec_init(struct tvec *v, size_t cap, size_t full_cap, const char *what, struct error *err);
/* Grows to at least these capacities; elements stay, memory may move. A zeroed v is an empty vector. After an error v is as before,
 * or one of its two parts has grown. */
int tvec_reserve(struct tvec *v, size_t cap, size_t full_cap, const char *what, struct error *err);
void tvec_clean_up(struct tvec *v);

/* The byte that stands for the value, an integer in [-127, 127], or TVEC_FULL. */
int8_t tvec_small(const struct fr *value);

/* Positions of the full elements: index[k] = number of full elements among small[0 .. k * TVEC_BLOCK). One entry a block and one
 * at the end, so that blocks can be expanded independently. */
enum { TVEC_BLOCK = 4096 };
static inline size_t tvec_blocks(size_t len)
{
    return (len + TVEC_BLOCK - 1) / TVEC_BLOCK;
}
void tvec_index(uint32_t *index /* [tvec_blocks(len) + 1] */, const struct tvec *v);

/* out[0 .. n) = elements [first, first + n) as field elements; first is a multiple of TVEC_BLOCK; elements from v->len on are 0. */
void tvec_expand(struct fr *out, const struct tvec *v, const uint32_t *index, size_t first,
                 size_t n);

/* One element by position (slow: tests and messages). */
void tvec_get(struct fr *out, const struct tvec *v, const uint32_t *index, size_t i);

#endif
