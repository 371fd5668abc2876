/* The table of multiplication kernels: chosen once at start, read through fr_mul, fp_mul and their like. */
#ifndef CUZK_FIELD_FIELD_H
#define CUZK_FIELD_FIELD_H

#include <stddef.h>

struct fr;
struct fp;

/* Contracts of the entries: those of the functions of the same name in fr.h and fp.h. */
struct field_ops {
    void (*fr_mul)(struct fr *r, const struct fr *a, const struct fr *b);
    void (*fr_sqr)(struct fr *r, const struct fr *a);
    void (*fr_dot)(struct fr *r, const struct fr *a, const struct fr *b, size_t n);
    void (*fp_mul)(struct fp *r, const struct fp *a, const struct fp *b);
    void (*fp_sqr)(struct fp *r, const struct fp *a);
};

/* The kernels in use: portable until field_init. Written by field_init only. */
extern struct field_ops field_ops;

extern const struct field_ops FIELD_OPS_PORTABLE;
#if defined(__x86_64__)
extern const struct field_ops FIELD_OPS_ADX; /* needs BMI2 and ADX */
#endif

/* Takes the kernels of cpu_path(). Call after cpu_init, before threads start; calling again follows a changed path (tests). */
void field_init(void);

#endif
