/* The multiplication kernels by path, for the tables of field.h. */
#ifndef CUZK_FIELD_KERNELS_H
#define CUZK_FIELD_KERNELS_H

#include <stddef.h>

struct fr;
struct fp;

void fr_mul_portable(struct fr *r, const struct fr *a, const struct fr *b);
void fr_sqr_portable(struct fr *r, const struct fr *a);
void fr_dot_portable(struct fr *r, const struct fr *a, const struct fr *b, size_t n);
void fp_mul_portable(struct fp *r, const struct fp *a, const struct fp *b);
void fp_sqr_portable(struct fp *r, const struct fp *a);

#if defined(__x86_64__)
void fr_mul_adx(struct fr *r, const struct fr *a, const struct fr *b);
void fr_sqr_adx(struct fr *r, const struct fr *a);
void fr_dot_adx(struct fr *r, const struct fr *a, const struct fr *b, size_t n);
void fp_mul_adx(struct fp *r, const struct fp *a, const struct fp *b);
void fp_sqr_adx(struct fp *r, const struct fp *a);
#endif

#endif
