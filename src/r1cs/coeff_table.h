/* The coefficients of a constraint system, each once: matrices hold their numbers. A PoRep of 722 million terms has a few thousand. */
#ifndef CUZK_R1CS_COEFF_TABLE_H
#define CUZK_R1CS_COEFF_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

/* The first two entries, which evaluation adds and subtracts instead of multiplying. */
enum { COEFF_ONE, COEFF_MINUS_ONE };

/* Zeroed = empty. */
struct coeff_table {
    struct fr *v;
    size_t len, cap;
    struct coeff_index *index;
};

/* The number of v, which is put into the table if it is new. -1 without memory. */
int coeff_table_number(uint32_t *number, struct coeff_table *t, const struct fr *v);
/* Frees what only finding needs; the table stays. */
void coeff_table_freeze(struct coeff_table *t);
void coeff_table_clean_up(struct coeff_table *t);

#endif
