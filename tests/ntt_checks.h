/* What the tests of transforms share: direct evaluation, rows of a make-believe circuit, the definition of the quotient. */
#ifndef CUZK_TESTS_NTT_CHECKS_H
#define CUZK_TESTS_NTT_CHECKS_H

#include "json_data.h"

#include <stdio.h>

#include "det_fr.h"
#include "ntt/ntt.h"

static inline struct fr *new_vector(size_t n)
{
    struct fr *x = calloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline void reverse_order(struct fr *x, unsigned log2)
{
    for (size_t i = 0; i < (size_t)1 << log2; i++) {
        size_t j = 0;
        for (unsigned b = 0; b < log2; b++)
            j |= (i >> b & 1) << (log2 - 1 - b);
        if (i < j) {
            struct fr t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
}

/* x[i] *= base^i */
static inline void scale_by_powers(struct fr *x, size_t n, const struct fr *base)
{
    struct fr power = FR_ONE;
    for (size_t i = 0; i < n; i++) {
        fr_mul(&x[i], &x[i], &power);
        fr_mul(&power, &power, base);
    }
}

static inline void evaluate(struct fr *r, const struct fr *coeffs, size_t n, const struct fr *at)
{
    struct fr sum = FR_ZERO;
    for (size_t i = n; i-- > 0;) {
        fr_mul(&sum, &sum, at);
        fr_add(&sum, &sum, &coeffs[i]);
    }
    *r = sum;
}

/* Rows as circuits have them: mostly bits, some small, some full. */
struct rows {
    struct tvec v[3];
};

static inline void put(struct tvec *v, const struct fr *value)
{
    for (int i = -2; i <= 2; i++) {
        struct fr k;
        fr_from_i64(&k, i);
        if (fr_equal(&k, value)) {
            v->small[v->len++] = (int8_t)i;
            return;
        }
    }
    v->small[v->len++] = TVEC_FULL;
    v->full[v->full_len++] = *value;
}

static inline void rows_new(struct rows *rows, size_t len)
{
    struct error err;
    for (int k = 0; k < 3; k++)
        assert_int_equal(tvec_init(&rows->v[k], len, len, "rows", &err), 0);
    for (size_t i = 0; i < len; i++) {
        struct fr a, b, c;
        fr_from_i64(&a, (int64_t)(i * i % 5) - 2);
        fr_from_i64(&b, (int64_t)(i % 2));
        if (i % 7 == 0)
            det_fr(&a, "row %zu", i);
        if (i % 11 == 0)
            det_fr(&b, "row %zu", i);
        fr_mul(&c, &a, &b);
        put(&rows->v[0], &a);
        put(&rows->v[1], &b);
        put(&rows->v[2], &c);
    }
}

static inline void rows_free(struct rows *rows)
{
    for (int k = 0; k < 3; k++)
        tvec_clean_up(&rows->v[k]);
}

/* The polynomial that takes the values v on the domain, at one place. */
static inline void evaluate_rows(struct fr *r, const struct ntt_domain *d, const struct tvec *v,
                                 const struct fr *at)
{
    struct fr *x = new_vector(d->n);
    for (size_t i = 0, full = 0; i < v->len; i++) {
        if (v->small[i] == TVEC_FULL)
            x[i] = v->full[full++];
        else
            fr_from_i64(&x[i], v->small[i]);
    }
    reverse_order(x, d->log2);
    ntt_inverse(d, x, NULL);
    evaluate(r, x, d->n, at);
    free(x);
}

static inline void check_quotient(const struct ntt_domain *d, const struct rows *rows,
                                  const struct fr *h)
{
    struct fr at, v[3], z, hz;
    det_fr(&at, "somewhere");
    for (int k = 0; k < 3; k++)
        evaluate_rows(&v[k], d, &rows->v[k], &at);
    fr_pow_u64(&z, &at, d->n);
    fr_sub(&z, &z, &FR_ONE);
    evaluate(&hz, h, d->n, &at);
    fr_mul(&hz, &hz, &z);
    fr_mul(&v[0], &v[0], &v[1]);
    fr_sub(&v[0], &v[0], &v[2]);
    assert_true(fr_equal(&hz, &v[0]));
    assert_true(fr_is_zero(&h[d->n - 1]));
}

#endif
