/* Multi-scalar multiplication over G1 and G2: sums of scalar * point, built up slice by slice, and multiples of one fixed base.
 *
 * Signed-window Pippenger over affine buckets: additions are collected into batches of independent pairs that share one inversion
 * (about 6 multiplications each), points of one bucket are added as a tree. Windows' buckets persist between slices, so an MSM
 * is a sum over slices of any size. 0, 1 and -1 never enter a window: they are skipped or added up apart.
 *
 * Points are affine, infinity is (0, 0), and all lie in the subgroup of order r (a scalar above r/2 is taken as its negative).
 * One object serves one caller at a time; its pool may be shared. None is constant time. */
#ifndef CUZK_MSM_MSM_H
#define CUZK_MSM_MSM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "curve/g1.h"
#include "curve/g2.h"
#include "field/fr.h"

struct msm_g1;
struct msm_g2;

/* All the memory of an MSM that expects that many dense scalars (all slices together; neither 0, 1 nor -1) and runs on that many
 * threads. More scalars than expected are summed as exactly, only slower than with a wider window. */
size_t msm_g1_bytes(size_t expected, unsigned threads);
size_t msm_g2_bytes(size_t expected, unsigned threads);

/* An empty sum. pool may be NULL and must outlive the object. ERR_OS when memory is refused; nothing allocates later. */
int msm_g1_new(struct msm_g1 **out, size_t expected, struct pool *pool, struct error *err);
int msm_g2_new(struct msm_g2 **out, size_t expected, struct pool *pool, struct error *err);
void msm_g1_destroy(struct msm_g1 *m); /* NULL is harmless */
void msm_g2_destroy(struct msm_g2 *m);

/* sum += scalars[0] * points[0] + ... + scalars[n-1] * points[n-1]. Scalars are canonical integers (fr_to_limbs), below r. The
 * arrays are free for reuse on return; n is any number, slices of 2^16 and more keep all threads busy. */
void msm_g1_add(struct msm_g1 *m, const struct g1_affine *points, const uint64_t (*scalars)[4],
                size_t n);
void msm_g2_add(struct msm_g2 *m, const struct g2_affine *points, const uint64_t (*scalars)[4],
                size_t n);

/* The same with scalars as vector/tvec.h stores them: small[i] is the scalar of points[i], and where it is TVEC_FULL, the scalar
 * is the next of full[] (Montgomery form), whose first entry belongs to the first TVEC_FULL of this slice. full may be NULL
 * when there is none. Returns how many of full[] were used: the next slice's full begins there. */
size_t msm_g1_add_typed(struct msm_g1 *m, const struct g1_affine *points, const int8_t *small,
                        const struct fr *full, size_t n);
size_t msm_g2_add_typed(struct msm_g2 *m, const struct g2_affine *points, const int8_t *small,
                        const struct fr *full, size_t n);

/* The sum of all slices since msm_new or the last finish; the object is empty again and keeps its memory. */
void msm_g1_finish(struct msm_g1 *m, struct g1 *sum);
void msm_g2_finish(struct msm_g2 *m, struct g2 *sum);

/* Multiples of one base of the subgroup: a table of d * 2^(cw) * base for every digit d of every window w, made for about expected
 * scalars (at most 27 MB for G1, 54 MB for G2). */
struct fixed_base_g1;
struct fixed_base_g2;

int fixed_base_g1_new(struct fixed_base_g1 **out, const struct g1_affine *base, size_t expected,
                      struct error *err);
int fixed_base_g2_new(struct fixed_base_g2 **out, const struct g2_affine *base, size_t expected,
                      struct error *err);
void fixed_base_g1_destroy(struct fixed_base_g1 *f); /* NULL is harmless */
void fixed_base_g2_destroy(struct fixed_base_g2 *f);

/* out[i] = scalars[i] * base; a zero scalar gives infinity. Several threads may use one table at once. */
void fixed_base_g1_mul(const struct fixed_base_g1 *f, struct g1_affine *out,
                       const struct fr *scalars, size_t n, struct pool *pool);
void fixed_base_g2_mul(const struct fixed_base_g2 *f, struct g2_affine *out,
                       const struct fr *scalars, size_t n, struct pool *pool);

#endif
