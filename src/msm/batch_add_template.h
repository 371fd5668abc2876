/* Affine additions in batches that share one inversion (Montgomery's trick). Included by g1.c and g2.c with GROUP (g1, g2) and
 * COORD_PREFIX (fp, fp2), before the other templates. No include guard: once per group.
 *
 * A batch is arrays of pointers to independent pairs; batch_flush is the only function that adds points in bulk, so a vector
 * kernel replaces it alone. */

#include <stdint.h>
#include <string.h>

#include "msm/batch.h"
#include "msm/negate.h"

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define G(name) CAT(GROUP, name)
#define C(name) CAT(COORD_PREFIX, name)
#define POINT struct GROUP
#define AFFINE struct CAT(GROUP, affine)
#define COORD struct COORD_PREFIX

#define PAIR struct CAT(GROUP, pair)

enum { PREFETCH_AHEAD = 8 /* pairs; about 50 ns each */ };

struct __attribute__((aligned(64))) batch {
    size_t n;
    PAIR pair[BATCH];
    union {
        struct {
            COORD difference[BATCH],
                prefix[BATCH + 1]; /* prefix[i]: product of the differences before i */
        };
#ifdef IFMA_SCRATCH
        IFMA_SCRATCH ifma;
#endif
    };
};

static inline const AFFINE *ref_point(uintptr_t ref)
{
    return (const AFFINE *)(ref & ~(uintptr_t)REF_FLAGS);
}

static inline uintptr_t ref(const AFFINE *point)
{
    return (uintptr_t)point;
}

/* always_inline: gcc takes a function that only prefetches for one without effects and drops its calls. */
static inline __attribute__((always_inline)) void prefetch_point(const AFFINE *point)
{
    __builtin_prefetch(point);
    __builtin_prefetch((const char *)point + 64);
    if (sizeof *point > 128)
        __builtin_prefetch((const char *)point + 128);
}

/* y or -y, without a branch: signs are random. A zero half of -y comes out as p, which sums and products take. */
static inline void ref_y(COORD *y, uintptr_t ref)
{
    const uint64_t *from = (const uint64_t *)&ref_point(ref)->y;
    uint64_t *to = (uint64_t *)y;
    for (size_t i = 0; i < sizeof(COORD) / sizeof(struct fp); i++)
        negate_if(to + 6 * i, from + 6 * i, ref & REF_NEGATIVE);
}

static void ref_copy(AFFINE *out, uintptr_t ref)
{
    const AFFINE *point = ref_point(ref);
    if (ref & REF_NEGATIVE)
        G(affine_neg)(out, point);
    else
        *out = *point;
}

int G(pair_is_special)(PAIR *pair, COORD *d)
{
    if (G(affine_is_infinity)(ref_point(pair->p))) {
        ref_copy(pair->out, pair->q);
    } else if (G(affine_is_infinity)(ref_point(pair->q))) {
        ref_copy(pair->out, pair->p);
    } else if (!C(is_zero)(d)) {
        return 0;
    } else {
        AFFINE p, q;
        ref_copy(&p, pair->p);
        ref_copy(&q, pair->q);
        C(add)(d, &p.y, &q.y);
        if (!C(is_zero)(d)) { /* p = q: the tangent's denominator is 2 y */
            pair->p |= REF_DOUBLE;
            return 0;
        }
        G(affine_set_infinity)(pair->out);
    }
    pair->out = NULL;
    return 1;
}

/* The sum, given 1 / d. x is computed twice because out may be p and a copy costs more than a subtraction. */
static inline void finish_pair(const PAIR *pair, const COORD *inverse)
{
    const AFFINE *p = ref_point(pair->p), *q = ref_point(pair->q);
    COORD yp, yq, slope, t, x, y;
    ref_y(&yp, pair->p);
    if (__builtin_expect(pair->p & REF_DOUBLE, 0)) {
        C(sqr)(&slope, &p->x);
        C(double)(&t, &slope);
        C(add)(&slope, &slope, &t);
    } else {
        ref_y(&yq, pair->q);
        C(sub)(&slope, &yq, &yp);
    }
    C(mul)(&slope, &slope, inverse);
    C(sqr)(&t, &slope);
    C(sub)(&t, &t, &p->x);
    C(sub)(&x, &t, &q->x);
    C(sub)(&y, &p->x, &x);
    C(mul)(&y, &slope, &y);
    C(sub)(&pair->out->y, &y, &yp);
    C(sub)(&pair->out->x, &t, &q->x);
}

static inline __attribute__((always_inline)) void prefetch_pair(const PAIR *pair)
{
    prefetch_point(ref_point(pair->p));
    prefetch_point(ref_point(pair->q));
}

/* Adds every pair: 5 multiplications and a square a pair, one inversion in all. */
static void add_pairs(struct batch *b)
{
    size_t n = b->n;
    COORD acc, inverse;
    b->prefix[0] = COORD_ONE;
    for (size_t i = 0; i < n && i < PREFETCH_AHEAD; i++)
        prefetch_pair(&b->pair[i]);
    for (size_t i = 0; i < n; i++) {
        PAIR *pair = &b->pair[i];
        COORD *d = &b->difference[i];
        const COORD *xp = &ref_point(pair->p)->x, *xq = &ref_point(pair->q)->x;
        if (i + PREFETCH_AHEAD < n)
            prefetch_pair(pair + PREFETCH_AHEAD);
        C(sub)(d, xq, xp);
        if (__builtin_expect(C(is_zero)(d) || C(is_zero)(xp) || C(is_zero)(xq), 0) &&
            G(pair_is_special)(pair, d))
            b->prefix[i + 1] = b->prefix[i];
        else
            C(mul)(&b->prefix[i + 1], &b->prefix[i], d);
    }
    C(inv)(&acc, &b->prefix[n]);
    for (size_t i = n; i-- > 0;) {
        if (__builtin_expect(!b->pair[i].out, 0))
            continue;
        C(mul)(&inverse, &acc, &b->prefix[i]);
        C(mul)(&acc, &acc, &b->difference[i]);
        finish_pair(&b->pair[i], &inverse);
    }
}

/* Adds every pair and empties the batch. */
static void batch_flush(struct batch *b)
{
#ifdef IFMA_SCRATCH
    if (b->n >= IFMA_MIN_PAIRS && cpu_path() == CPU_IFMA)
        IFMA_ADD(b->pair, b->n, &b->ifma);
    else
#endif
        add_pairs(b);
    b->n = 0;
}

static inline void batch_push(struct batch *b, uintptr_t p, uintptr_t q, AFFINE *out)
{
    b->pair[b->n++] = (PAIR){p, q, out};
    if (b->n == BATCH)
        batch_flush(b);
}
