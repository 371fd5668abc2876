/* Affine additions in batches that share one inversion (Montgomery's trick). Included by g1.c and g2.c with GROUP (g1, g2) and
 * COORD_PREFIX (fp, fp2), before the other templates. No include guard: once per group.
 *
 * A batch is arrays of pointers to independent pairs; batch_flush is the only function that adds points in bulk, so a vector
 * kernel replaces it alone. */

#include <stdint.h>
#include <string.h>

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define G(name) CAT(GROUP, name)
#define C(name) CAT(COORD_PREFIX, name)
#define POINT struct GROUP
#define AFFINE struct CAT(GROUP, affine)
#define COORD struct COORD_PREFIX

enum {
    BATCH = 1024,       /* the inversion costs about 30 additions: 3 % */
    PREFETCH_AHEAD = 8, /* pairs; about 50 ns each */
};

/* A pointer to an affine point with flags in its low bits. */
enum { REF_NEGATIVE = 1, REF_DOUBLE = 2, REF_FLAGS = 3 };

struct pair {
    uintptr_t p, q; /* references; REF_DOUBLE is batch_flush's own */
    AFFINE *out; /* p + q; may be one of the pair's own points, no other pair's input or output */
};

struct batch {
    size_t n;
    struct pair pair[BATCH];
    COORD difference[BATCH], prefix[BATCH];
};

static inline const AFFINE *ref_point(uintptr_t ref)
{
    return (const AFFINE *)(ref & ~(uintptr_t)REF_FLAGS);
}

static inline uintptr_t ref(const AFFINE *point)
{
    return (uintptr_t)point;
}

static inline void prefetch_point(const AFFINE *point)
{
    __builtin_prefetch(point);
    __builtin_prefetch((const char *)point + 64);
    if (sizeof *point > 128)
        __builtin_prefetch((const char *)point + 128);
}

/* y or -y without a branch: signs are random. */
static inline void ref_y(COORD *y, uintptr_t ref)
{
    const AFFINE *point = ref_point(ref);
    COORD negated;
    C(neg)(&negated, &point->y);
    uint64_t mask = -(uint64_t)(ref & REF_NEGATIVE), from[sizeof(COORD) / 8], to[sizeof(COORD) / 8];
    memcpy(from, &point->y, sizeof from);
    memcpy(to, &negated, sizeof to);
    for (size_t i = 0; i < sizeof(COORD) / 8; i++)
        from[i] ^= (from[i] ^ to[i]) & mask;
    memcpy(y, from, sizeof from);
}

static void ref_copy(AFFINE *out, uintptr_t ref)
{
    COORD y;
    ref_y(&y, ref);
    out->x = ref_point(ref)->x;
    out->y = y;
}

/* The pairs that the chord formula does not add: an operand at infinity, p = -q, p = q. Returns 1 when the sum is already in
 * place (out is then NULL), 0 when d holds the denominator of the slope; *d comes in as q.x - p.x. */
static __attribute__((noinline)) int pair_is_special(struct pair *pair, COORD *d)
{
    if (G(affine_is_infinity)(ref_point(pair->p))) {
        ref_copy(pair->out, pair->q);
    } else if (G(affine_is_infinity)(ref_point(pair->q))) {
        ref_copy(pair->out, pair->p);
    } else if (!C(is_zero)(d)) {
        return 0;
    } else {
        COORD yp, yq;
        ref_y(&yp, pair->p);
        ref_y(&yq, pair->q);
        C(add)(d, &yp, &yq);
        if (!C(is_zero)(d)) { /* p = q: the tangent's denominator is 2 y */
            pair->p |= REF_DOUBLE;
            return 0;
        }
        G(affine_set_infinity)(pair->out);
    }
    pair->out = NULL;
    return 1;
}

static inline void finish_pair(const struct pair *pair, const COORD *inverse)
{
    const AFFINE *p = ref_point(pair->p), *q = ref_point(pair->q);
    COORD yp, yq, slope, x, y;
    ref_y(&yp, pair->p);
    if (__builtin_expect(pair->p & REF_DOUBLE, 0)) {
        C(sqr)(&slope, &p->x);
        C(double)(&y, &slope);
        C(add)(&slope, &slope, &y);
    } else {
        ref_y(&yq, pair->q);
        C(sub)(&slope, &yq, &yp);
    }
    C(mul)(&slope, &slope, inverse);
    C(sqr)(&x, &slope);
    C(sub)(&x, &x, &p->x);
    C(sub)(&x, &x, &q->x);
    C(sub)(&y, &p->x, &x);
    C(mul)(&y, &slope, &y);
    C(sub)(&y, &y, &yp);
    pair->out->x = x;
    pair->out->y = y;
}

/* Adds every pair and empties the batch: 5 multiplications and a square a pair, one inversion in all. */
static void batch_flush(struct batch *b)
{
    size_t n = b->n;
    COORD acc = COORD_ONE, inverse;
    for (size_t i = 0; i < n && i < PREFETCH_AHEAD; i++) {
        prefetch_point(ref_point(b->pair[i].p));
        prefetch_point(ref_point(b->pair[i].q));
    }
    for (size_t i = 0; i < n; i++) {
        struct pair *pair = &b->pair[i];
        COORD *d = &b->difference[i];
        if (i + PREFETCH_AHEAD < n) {
            prefetch_point(ref_point(pair[PREFETCH_AHEAD].p));
            prefetch_point(ref_point(pair[PREFETCH_AHEAD].q));
        }
        const COORD *xp = &ref_point(pair->p)->x, *xq = &ref_point(pair->q)->x;
        C(sub)(d, xq, xp);
        if (__builtin_expect(C(is_zero)(d) || C(is_zero)(xp) || C(is_zero)(xq), 0) &&
            pair_is_special(pair, d))
            continue;
        b->prefix[i] = acc;
        C(mul)(&acc, &acc, d);
    }
    C(inv)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (__builtin_expect(!b->pair[i].out, 0))
            continue;
        C(mul)(&inverse, &acc, &b->prefix[i]);
        C(mul)(&acc, &acc, &b->difference[i]);
        finish_pair(&b->pair[i], &inverse);
    }
    b->n = 0;
}

static inline void batch_push(struct batch *b, uintptr_t p, uintptr_t q, AFFINE *out)
{
    b->pair[b->n++] = (struct pair){p, q, out};
    if (b->n == BATCH)
        batch_flush(b);
}
