/* G1: the curve y^2 = x^3 + 4 over Fp and its subgroup of order r. Outputs may alias inputs. None is constant time.
 *
 * Affine points store infinity as (0, 0), which is not on the curve. Working points are in XYZZ form: x = X / ZZ, y = Y / ZZZ,
 * ZZ^3 = ZZZ^2, infinity has ZZ = 0 (formulas: Explicit-Formulas Database, shortw/xyzz). */
#ifndef CUZK_CURVE_G1_H
#define CUZK_CURVE_G1_H

#include <stddef.h>
#include <stdint.h>

#include "curve/point.h"
#include "field/fp.h"
#include "field/fr.h"

struct g1_affine {
    struct fp x, y;
};

struct g1 {
    struct fp x, y, zz, zzz;
};

enum { G1_COMPRESSED_BYTES = 48, G1_UNCOMPRESSED_BYTES = 96 };

extern const struct g1_affine G1_GENERATOR;

static inline void g1_affine_set_infinity(struct g1_affine *r)
{
    r->x = r->y = FP_ZERO;
}

static inline int g1_affine_is_infinity(const struct g1_affine *a)
{
    return fp_is_zero(&a->x) && fp_is_zero(&a->y);
}

static inline int g1_affine_equal(const struct g1_affine *a, const struct g1_affine *b)
{
    return fp_equal(&a->x, &b->x) && fp_equal(&a->y, &b->y);
}

/* Infinity stays (0, 0). */
static inline void g1_affine_neg(struct g1_affine *r, const struct g1_affine *a)
{
    r->x = a->x;
    fp_neg(&r->y, &a->y);
}

static inline void g1_set_infinity(struct g1 *r)
{
    r->x = r->y = r->zz = r->zzz = FP_ZERO;
}

static inline int g1_is_infinity(const struct g1 *a)
{
    return fp_is_zero(&a->zz);
}

static inline void g1_neg(struct g1 *r, const struct g1 *a)
{
    *r = *a;
    fp_neg(&r->y, &a->y);
}

void g1_from_affine(struct g1 *r, const struct g1_affine *a);
void g1_to_affine(struct g1_affine *r, const struct g1 *a);
/* One inversion for all; in may hold infinities. scratch holds n elements. No overlap. */
void g1_batch_to_affine(struct g1_affine *out, const struct g1 *in, size_t n, struct fp *scratch);

/* Complete: any operands, equal, opposite or infinity. g1_add_affine: 8 mul 2 sqr; g1_add: 12 mul 2 sqr; g1_double: 6 mul 3 sqr. */
void g1_add(struct g1 *r, const struct g1 *a, const struct g1 *b);
void g1_add_affine(struct g1 *r, const struct g1 *a, const struct g1_affine *b);
void g1_double(struct g1 *r, const struct g1 *a);
void g1_sub(struct g1 *r, const struct g1 *a, const struct g1 *b);
/* Sums and doubles affine points without a conversion first (4 mul 2 sqr / 3 mul 3 sqr). */
void g1_add_two_affine(struct g1 *r, const struct g1_affine *a, const struct g1_affine *b);
void g1_double_affine(struct g1 *r, const struct g1_affine *a);
int g1_equal(const struct g1 *a, const struct g1 *b); /* as points, whatever the ZZ */

/* r = scalar * a; scalar in little-endian limbs, any value < 2^256; a any point of the curve. */
void g1_mul(struct g1 *r, const struct g1 *a, const uint64_t scalar[4]);
void g1_mul_fr(struct g1 *r, const struct g1 *a, const struct fr *scalar);

/* Infinity is on the curve and in the subgroup. g1_in_subgroup expects a point on the curve
 * (Scott, eprint 2021/1130: sigma(P) = -[x^2]P with the curve's parameter x). */
int g1_is_on_curve(const struct g1_affine *a);
int g1_in_subgroup(const struct g1_affine *a);

/* Encodings: see point.h. r is set exactly when the status is POINT_OK or POINT_INFINITY. */
void g1_to_compressed(uint8_t out[G1_COMPRESSED_BYTES], const struct g1_affine *a);
void g1_to_uncompressed(uint8_t out[G1_UNCOMPRESSED_BYTES], const struct g1_affine *a);
enum point_status g1_from_compressed(struct g1_affine *r, const uint8_t in[G1_COMPRESSED_BYTES],
                                     enum point_check check);
enum point_status g1_from_uncompressed(struct g1_affine *r, const uint8_t in[G1_UNCOMPRESSED_BYTES],
                                       enum point_check check);
/* n points without a look at the curve: returns n, or the first that is unusable, infinity too, and its status (r is then undefined from
 * there on). */
size_t g1_from_uncompressed_many(struct g1_affine *r, enum point_status *status, const uint8_t *in,
                                 size_t n);

#endif
