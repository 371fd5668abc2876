/* G2: the curve y^2 = x^3 + 4 (1 + u) over Fp2 and its subgroup of order r: the same functions and contracts as g1.h.
 *
 * Affine points store infinity as (0, 0), which is not on the curve. Working points are in XYZZ form: x = X / ZZ, y = Y / ZZZ,
 * ZZ^3 = ZZZ^2, infinity has ZZ = 0 (formulas: Explicit-Formulas Database, shortw/xyzz). */
#ifndef CUZK_CURVE_G2_H
#define CUZK_CURVE_G2_H

#include <stddef.h>
#include <stdint.h>

#include "curve/fp2.h"
#include "curve/point.h"
#include "field/fr.h"

struct g2_affine {
    struct fp2 x, y;
};

struct g2 {
    struct fp2 x, y, zz, zzz;
};

enum { G2_COMPRESSED_BYTES = 96, G2_UNCOMPRESSED_BYTES = 192 };

extern const struct g2_affine G2_GENERATOR;

static inline void g2_affine_set_infinity(struct g2_affine *r)
{
    r->x = r->y = FP2_ZERO;
}

static inline int g2_affine_is_infinity(const struct g2_affine *a)
{
    return fp2_is_zero(&a->x) && fp2_is_zero(&a->y);
}

static inline int g2_affine_equal(const struct g2_affine *a, const struct g2_affine *b)
{
    return fp2_equal(&a->x, &b->x) && fp2_equal(&a->y, &b->y);
}

/* Infinity stays (0, 0). */
static inline void g2_affine_neg(struct g2_affine *r, const struct g2_affine *a)
{
    r->x = a->x;
    fp2_neg(&r->y, &a->y);
}

static inline void g2_set_infinity(struct g2 *r)
{
    r->x = r->y = r->zz = r->zzz = FP2_ZERO;
}

static inline int g2_is_infinity(const struct g2 *a)
{
    return fp2_is_zero(&a->zz);
}

static inline void g2_neg(struct g2 *r, const struct g2 *a)
{
    *r = *a;
    fp2_neg(&r->y, &a->y);
}

void g2_from_affine(struct g2 *r, const struct g2_affine *a);
void g2_to_affine(struct g2_affine *r, const struct g2 *a);
/* One inversion for all; in may hold infinities. scratch holds n elements. No overlap. */
void g2_batch_to_affine(struct g2_affine *out, const struct g2 *in, size_t n, struct fp2 *scratch);

/* Complete: any operands, equal, opposite or infinity. g2_add_affine: 8 mul 2 sqr; g2_add: 12 mul 2 sqr; g2_double: 6 mul 3 sqr. */
void g2_add(struct g2 *r, const struct g2 *a, const struct g2 *b);
void g2_add_affine(struct g2 *r, const struct g2 *a, const struct g2_affine *b);
void g2_double(struct g2 *r, const struct g2 *a);
void g2_sub(struct g2 *r, const struct g2 *a, const struct g2 *b);
/* Sums and doubles affine points without a conversion first (4 mul 2 sqr / 3 mul 3 sqr). */
void g2_add_two_affine(struct g2 *r, const struct g2_affine *a, const struct g2_affine *b);
void g2_double_affine(struct g2 *r, const struct g2_affine *a);
int g2_equal(const struct g2 *a, const struct g2 *b); /* as points, whatever the ZZ */

/* r = scalar * a; scalar in little-endian limbs, any value < 2^256; a any point of the curve. */
void g2_mul(struct g2 *r, const struct g2 *a, const uint64_t scalar[4]);
void g2_mul_fr(struct g2 *r, const struct g2 *a, const struct fr *scalar);

/* Infinity is on the curve and in the subgroup. g2_in_subgroup expects a point on the curve
 * (Scott, eprint 2021/1130: psi(P) = [x]P with the curve's parameter x). */
int g2_is_on_curve(const struct g2_affine *a);
int g2_in_subgroup(const struct g2_affine *a);

/* Encodings: see point.h. r is set exactly when the status is POINT_OK or POINT_INFINITY. */
void g2_to_compressed(uint8_t out[G2_COMPRESSED_BYTES], const struct g2_affine *a);
void g2_to_uncompressed(uint8_t out[G2_UNCOMPRESSED_BYTES], const struct g2_affine *a);
enum point_status g2_from_compressed(struct g2_affine *r, const uint8_t in[G2_COMPRESSED_BYTES],
                                     enum point_check check);
enum point_status g2_from_uncompressed(struct g2_affine *r, const uint8_t in[G2_UNCOMPRESSED_BYTES],
                                       enum point_check check);
/* n points without a look at the curve: returns n, or the first that is unusable, infinity too, and its status (r is then undefined from
 * there on). */
size_t g2_from_uncompressed_many(struct g2_affine *r, enum point_status *status, const uint8_t *in,
                                 size_t n);

#endif
