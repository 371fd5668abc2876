#include "r1cs/lc_map.h"

#include <stdlib.h>
#include <string.h>

const char *lc_storage_name(enum lc_storage storage)
{
    static const char *const names[LC_STORAGES] = {"list", "vec", "inline1", "inline2", "inline4"};
    return names[storage];
}

/* Every request of the maps to the allocator, counted. */
static struct term *resize(struct term *heap, size_t cap, struct lc_memory *memory)
{
    if (cap > SIZE_MAX / 4 / sizeof *heap)
        return NULL;
    memory->allocations++;
    memory->bytes += cap * sizeof *heap;
    return realloc(heap, cap * sizeof *heap);
}

/* bellperson's evaluation: only a coefficient of one saves the multiplication; dense is where the others than zero are. */
static inline void eval_terms(struct fr *sum, const struct term *t, size_t n,
                              const struct fr *value, uint64_t *dense)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t var = t[i].var & ~VAR_AUX;
        struct fr product;
        if (fr_is_zero(&t[i].coeff))
            continue;
        if (fr_equal(&t[i].coeff, &FR_ONE)) {
            fr_add(sum, sum, &value[var]);
        } else {
            fr_mul(&product, &value[var], &t[i].coeff);
            fr_add(sum, sum, &product);
        }
        if (dense != NULL)
            dense[var / 64] |= UINT64_C(1) << var % 64;
    }
}

#define F(name) vec_##name
#define MAP lc_map_vec
#define MEMBER vec
#define INLINE 0
#include "r1cs/lc_map_template.h"

#define F(name) inline1_##name
#define MAP lc_map_inline1
#define MEMBER inline1
#define INLINE 1
#include "r1cs/lc_map_template.h"

#define F(name) inline2_##name
#define MAP lc_map_inline2
#define MEMBER inline2
#define INLINE 2
#include "r1cs/lc_map_template.h"

#define F(name) inline4_##name
#define MAP lc_map_inline4
#define MEMBER inline4
#define INLINE 4
#include "r1cs/lc_map_template.h"

const struct lc_map_ops *const lc_map_ops[LC_STORAGES] = {
    [LC_VEC] = &vec_ops,
    [LC_INLINE1] = &inline1_ops,
    [LC_INLINE2] = &inline2_ops,
    [LC_INLINE4] = &inline4_ops,
};
