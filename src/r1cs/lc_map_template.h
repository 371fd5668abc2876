/* The maps of lc_map.h for one storage. Defines static functions F(...) over struct MAP, which keeps up to INLINE terms inside itself
 * (0: struct lc_map_vec) and is MEMBER of union lc_maps, and F(ops). Included by lc_map.c once a storage. */

static inline const struct term *F(terms)(const struct MAP *m, size_t *len)
{
#if INLINE == 0
    *len = m->len;
    return m->heap;
#else
    *len = m->cap <= INLINE ? m->cap : m->len;
    return m->cap <= INLINE ? m->term : m->heap;
#endif
}

static inline size_t F(len)(const struct MAP *m)
{
    size_t len;
    F(terms)(m, &len);
    return len;
}

static void F(drop)(struct MAP *m)
{
#if INLINE == 0
    free(m->heap);
    m->heap = NULL;
    m->len = 0;
#else
    if (m->cap > INLINE)
        free(m->heap);
#endif
    m->cap = 0;
    m->last.some = 0;
}

/* Room for one more behind len terms, and the new length; NULL without memory. */
static inline struct term *F(grow)(struct MAP *m, size_t len, struct lc_memory *memory)
{
#if INLINE == 0
    if (len == m->cap) {
        size_t cap = m->cap == 0 ? 4 : 2 * m->cap;
        struct term *heap = resize(m->heap, cap, memory);
        if (heap == NULL)
            return NULL;
        m->heap = heap;
        m->cap = cap;
    }
    m->len = len + 1;
    return m->heap;
#else
    if (m->cap < INLINE) {
        m->cap++;
        return m->term;
    }
    if (m->cap == INLINE) {
        struct term *heap = resize(NULL, 2 * INLINE, memory);
        if (heap == NULL)
            return NULL;
        memcpy(heap, m->term, sizeof m->term);
        m->heap = heap;
        m->cap = 2 * INLINE;
    } else if (len == m->cap) {
        struct term *heap = resize(m->heap, 2 * m->cap, memory);
        if (heap == NULL)
            return NULL;
        m->heap = heap;
        m->cap *= 2;
    }
    m->len = len + 1;
    return m->heap;
#endif
}

static int F(insert)(struct MAP *m, size_t at, size_t len, uint32_t var, const struct fr *coeff,
                     struct lc_memory *memory)
{
    struct term *t = F(grow)(m, len, memory);
    if (t == NULL)
        return -1;
    memmove(t + at + 1, t + at, (len - at) * sizeof *t);
    t[at].var = var;
    t[at].coeff = *coeff;
    m->last = (struct lc_last){1, at, var};
    return 0;
}

static int F(add)(struct MAP *m, uint32_t var, const struct fr *coeff, struct lc_memory *memory)
{
    size_t len, low = 0;
    struct term *t = (struct term *)F(terms)(m, &len);
    if (m->last.some && m->last.var == var) {
        fr_add(&t[m->last.at].coeff, &t[m->last.at].coeff, coeff);
        return 0;
    }
    if (m->last.some && m->last.var + 1 == var) {
        size_t at = m->last.at + 1;
        if (at >= len || t[at].var != var)
            return F(insert)(m, at, len, var, coeff, memory);
        fr_add(&t[at].coeff, &t[at].coeff, coeff);
        return 0;
    }
    for (size_t high = len; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (t[middle].var < var)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == len || t[low].var != var)
        return F(insert)(m, low, len, var, coeff, memory);
    fr_add(&t[low].coeff, &t[low].coeff, coeff);
    return 0;
}

/* A copy has exactly the room it needs. to is empty. */
static int F(copy)(struct MAP *to, const struct MAP *from, struct lc_memory *memory)
{
    size_t len;
    const struct term *t = F(terms)(from, &len);
    struct term *heap = NULL;
    if (len > INLINE) {
        heap = resize(NULL, len, memory);
        if (heap == NULL)
            return -1;
        memcpy(heap, t, len * sizeof *t);
    }
#if INLINE == 0
    to->heap = heap;
    to->cap = to->len = len;
#else
    if (len <= INLINE) {
        memcpy(to->term, t, len * sizeof *t);
        to->cap = len;
    } else {
        to->heap = heap;
        to->cap = to->len = len;
    }
#endif
    to->last = from->last;
    return 0;
}

/* ---- pairs of maps: struct lc_map_ops ---- */

/* Out and in again. The compiler must believe that somebody looks. */
static inline void F(move)(struct MAP m[2])
{
    struct MAP moved[2];
    memcpy(moved, m, sizeof moved);
    __asm__ volatile("" : : "r"(moved), "r"(m) : "memory");
    memcpy(m, moved, sizeof moved);
    __asm__ volatile("" : : "r"(moved), "r"(m) : "memory");
}

static inline int F(add_to)(struct MAP m[2], uint32_t var, const struct fr *coeff,
                            struct lc_memory *memory)
{
    int bad = F(add)(&m[(var & VAR_AUX) != 0], var, coeff, memory);
    if (memory->by_value)
        F(move)(m);
    return bad;
}

static int F(maps_add)(union lc_maps *m, uint32_t var, const struct fr *coeff,
                       struct lc_memory *memory)
{
    return F(add_to)(m->MEMBER, var, coeff, memory);
}

/* k NULL: 1 */
static int F(add_scaled)(struct MAP to[2], const struct MAP from[2], const struct fr *k,
                         struct lc_memory *memory)
{
    int bad = 0;
    for (int i = 0; i < 2; i++) {
        size_t len;
        const struct term *t = F(terms)(&from[i], &len);
        for (size_t n = 0; n < len; n++) {
            struct fr product;
            if (k != NULL)
                fr_mul(&product, &t[n].coeff, k);
            bad |= F(add)(&to[i], t[n].var, k != NULL ? &product : &t[n].coeff, memory);
        }
    }
    if (memory->by_value)
        F(move)(to);
    return bad;
}

static int F(maps_add_scaled)(union lc_maps *m, const union lc_maps *other, const struct fr *k,
                              struct lc_memory *memory)
{
    return F(add_scaled)(m->MEMBER, other->MEMBER, k, memory);
}

static void F(make_empty)(struct MAP *m)
{
#if INLINE == 0
    m->heap = NULL;
    m->len = 0;
#endif
    m->cap = 0;
    m->last.some = 0;
}

static int F(maps_add_apart)(union lc_maps *m, const struct term *term, size_t n,
                             struct lc_memory *memory)
{
    struct MAP apart[2], *to = m->MEMBER;
    int bad = 0;
    if (F(len)(&to[0]) + F(len)(&to[1]) > 0) {
        to = apart;
        F(make_empty)(&to[0]);
        F(make_empty)(&to[1]);
    }
    for (size_t i = 0; i < n; i++)
        bad |= F(add_to)(to, term[i].var, &term[i].coeff, memory);
    if (to == apart) {
        bad |= F(add_scaled)(m->MEMBER, apart, NULL, memory);
        F(drop)(&apart[0]);
        F(drop)(&apart[1]);
    }
    return bad;
}

static int F(maps_copy)(union lc_maps *to, const union lc_maps *from, struct lc_memory *memory)
{
    return F(copy)(&to->MEMBER[0], &from->MEMBER[0], memory) |
           F(copy)(&to->MEMBER[1], &from->MEMBER[1], memory);
}

static void F(maps_drop)(union lc_maps *m)
{
    F(drop)(&m->MEMBER[0]);
    F(drop)(&m->MEMBER[1]);
}

static void F(maps_eval)(struct fr *out, const union lc_maps *m, const struct fr *const value[2],
                         uint64_t *const dense[2])
{
    *out = FR_ZERO;
    for (int i = 0; i < 2; i++) {
        size_t len;
        const struct term *t = F(terms)(&m->MEMBER[i], &len);
        eval_terms(out, t, len, value[i], dense[i]);
    }
}

static size_t F(maps_terms)(struct term *out, const union lc_maps *m)
{
    size_t total = 0;
    for (int i = 0; i < 2; i++) {
        size_t len;
        const struct term *t = F(terms)(&m->MEMBER[i], &len);
        if (out != NULL && len > 0)
            memcpy(out + total, t, len * sizeof *t);
        total += len;
    }
    return total;
}

static const struct lc_map_ops F(ops) = {.add = F(maps_add),
                                         .add_scaled = F(maps_add_scaled),
                                         .add_apart = F(maps_add_apart),
                                         .copy = F(maps_copy),
                                         .drop = F(maps_drop),
                                         .eval = F(maps_eval),
                                         .terms = F(maps_terms)};

#undef F
#undef MAP
#undef MEMBER
#undef INLINE
