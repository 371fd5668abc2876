#include "r1cs/coeff_table.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

/* Open addressing; at most half full. */
struct coeff_index {
    size_t mask;
    uint32_t slot[]; /* [mask + 1], position in the table + 1; 0: empty */
};

static size_t hash_coeff(const struct fr *v)
{
    uint64_t x = (v->l[0] ^ v->l[2]) * UINT64_C(0x9e3779b97f4a7c15) + (v->l[1] ^ v->l[3]);
    return (size_t)((x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 20);
}

/* The coefficient's slot, or the empty one where it belongs. */
static uint32_t *find_slot(const struct coeff_table *t, struct coeff_index *index,
                           const struct fr *v)
{
    size_t i = hash_coeff(v) & index->mask;
    while (index->slot[i] != 0 && !fr_equal(&t->v[index->slot[i] - 1], v))
        i = (i + 1) & index->mask;
    return &index->slot[i];
}

/* A larger index over the same table. */
static int grow_index(struct coeff_table *t)
{
    size_t slots = t->index ? 2 * (t->index->mask + 1) : FIRST_SLOTS;
    struct coeff_index *index = calloc(1, sizeof *index + slots * sizeof index->slot[0]);
    if (index == NULL)
        return -1;
    index->mask = slots - 1;
    for (size_t i = 0; i < t->len; i++)
        *find_slot(t, index, &t->v[i]) = (uint32_t)i + 1;
    free(t->index);
    t->index = index;
    return 0;
}

static int begin(struct coeff_table *t)
{
    t->v = malloc(FIRST_SLOTS * sizeof *t->v);
    if (t->v == NULL)
        return -1;
    t->cap = FIRST_SLOTS;
    t->v[COEFF_ONE] = FR_ONE;
    t->v[COEFF_MINUS_ONE] = FR_MINUS_ONE;
    t->len = 2;
    return 0;
}

static int append(struct coeff_table *t, const struct fr *v)
{
    if (t->len == t->cap) {
        size_t cap = 2 * t->cap;
        struct fr *grown = cap > UINT32_MAX ? NULL : realloc(t->v, cap * sizeof *grown);
        if (grown == NULL)
            return -1;
        t->v = grown;
        t->cap = cap;
    }
    t->v[t->len++] = *v;
    return 0;
}

int coeff_table_number(uint32_t *number, struct coeff_table *t, const struct fr *v)
{
    if (t->index == NULL && ((t->v == NULL && begin(t) != 0) || grow_index(t) != 0))
        return -1;
    *number = fr_equal(v, &FR_ONE) ? COEFF_ONE : COEFF_MINUS_ONE;
    if (fr_equal(v, &t->v[*number]))
        return 0;
    uint32_t *slot = find_slot(t, t->index, v);
    if (*slot == 0) {
        if (append(t, v) != 0)
            return -1;
        *slot = (uint32_t)t->len;
    }
    *number = *slot - 1;
    return 2 * t->len > t->index->mask ? grow_index(t) : 0;
}

void coeff_table_freeze(struct coeff_table *t)
{
    free(t->index);
    t->index = NULL;
}

void coeff_table_clean_up(struct coeff_table *t)
{
    free(t->v);
    free(t->index);
    *t = (struct coeff_table){0};
}
