/* The reference's storage of linear combinations (bellpepper-core), for measuring what its storage costs. There a combination is
 * two maps, inputs and aux, each a sequence of (index, coefficient), sorted by index, with the place of the last insertion beside it;
 * a new term goes behind that place where it fits, otherwise where a binary search says. The sequence is Rust's Vec, or, as its authors
 * tried, a small vector: the first 1, 2 or 4 terms inside the map, all on the heap once there are more.
 *
 * Sizes are the reference's: 40 bytes a term, 96 bytes a combination of Vecs, 144, 224 and 384 with small vectors (smallvec's "union"
 * layout, the tighter of its two). So is growth: a Vec takes room for 4 terms at first and doubles; a small vector doubles. */
#ifndef CUZK_R1CS_LC_MAP_H
#define CUZK_R1CS_LC_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

/* A variable: inputs are 0, 1, 2, ... (0 is ONE), aux variables VAR_AUX | index. Ascending order = the reference's order. */
#define VAR_ONE 0u
#define VAR_AUX 0x80000000u

struct term {
    uint32_t var;
    struct fr coeff;
};

/* LC_LIST is ours: terms in the order added, memory kept from row to row. */
enum lc_storage { LC_LIST, LC_VEC, LC_INLINE1, LC_INLINE2, LC_INLINE4, LC_STORAGES };
const char *lc_storage_name(enum lc_storage storage); /* "list", "vec", "inline1", ... */

/* What was asked of the allocator; and whether additions move. */
struct lc_memory {
    uint64_t allocations; /* malloc and realloc */
    uint64_t bytes;       /* asked for in them */
    /* Each addition copies the combination out and in again, terms on the heap apart. The reference's additions take a combination by
     * value and return it: this is the most that can cost, were no copy optimised away. */
    int by_value;
};

/* Option<(usize, usize)> */
struct lc_last {
    uint64_t some, at, var;
};

struct lc_map_vec {
    struct term *heap;
    size_t cap, len;
    struct lc_last last;
};

/* cap <= n: the length, terms inside; cap > n: the capacity of the heap. */
#define LC_MAP_INLINE(n)                                                                           \
    struct lc_map_inline##n {                                                                      \
        size_t cap;                                                                                \
        union {                                                                                    \
            struct term term[n];                                                                   \
            struct {                                                                               \
                struct term *heap;                                                                 \
                size_t len;                                                                        \
            };                                                                                     \
        };                                                                                         \
        struct lc_last last;                                                                       \
    }
LC_MAP_INLINE(1);
LC_MAP_INLINE(2);
LC_MAP_INLINE(4);
#undef LC_MAP_INLINE

/* All zero is empty. Of each pair the first is for inputs, the second for aux. The largest comes first: = {0} empties all of it. */
union lc_maps {
    struct lc_map_inline4 inline4[2];
    struct lc_map_inline2 inline2[2];
    struct lc_map_inline1 inline1[2];
    struct lc_map_vec vec[2];
};

/* What can be done with a pair of maps. Those that return an int return 0, or not 0 without memory: then terms are missing. */
struct lc_map_ops {
    int (*add)(union lc_maps *m, uint32_t var, const struct fr *coeff, struct lc_memory *memory);
    int (*add_scaled)(union lc_maps *m, const union lc_maps *other, const struct fr *k,
                      struct lc_memory *memory);
    int (*add_apart)(union lc_maps *m, const struct term *term, size_t n, struct lc_memory *memory);
    int (*copy)(union lc_maps *to, const union lc_maps *from, struct lc_memory *memory);
    void (*drop)(union lc_maps *m); /* empties */
    /* The sum of terms times value[0][input] or value[1][aux]. dense[...]: bitmaps, may be NULL; a bit is set where a coefficient is
     * not zero. */
    void (*eval)(struct fr *out, const union lc_maps *m, const struct fr *const value[2],
                 uint64_t *const dense[2]);
    /* How many terms there are, and the terms themselves if out is not NULL, in the order of struct row; zeros included. */
    size_t (*terms)(struct term *out, const union lc_maps *m);
};
extern const struct lc_map_ops *const lc_map_ops[LC_STORAGES]; /* NULL for LC_LIST */

#endif
