#include "curve/fp2.h"

const struct fp2 FP2_ZERO = {{{0}}, {{0}}};
const struct fp2 FP2_ONE = {{{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba,
                              0x77ce585370525745, 0x5c071a97a256ec6d, 0x15f65ec3fa80e493}},
                            {{0}}};

/* Karatsuba: three multiplications. */
void fp2_mul(struct fp2 *r, const struct fp2 *a, const struct fp2 *b)
{
    struct fp v0, v1, sa, sb;
    fp_add(&sa, &a->c0, &a->c1);
    fp_add(&sb, &b->c0, &b->c1);
    fp_mul(&v0, &a->c0, &b->c0);
    fp_mul(&v1, &a->c1, &b->c1);
    fp_mul(&sa, &sa, &sb);
    fp_sub(&r->c0, &v0, &v1);
    fp_sub(&sa, &sa, &v0);
    fp_sub(&r->c1, &sa, &v1);
}

/* (c0 + c1 u)^2 = (c0 + c1)(c0 - c1) + 2 c0 c1 u */
void fp2_sqr(struct fp2 *r, const struct fp2 *a)
{
    struct fp sum, difference, twice;
    fp_add(&sum, &a->c0, &a->c1);
    fp_sub(&difference, &a->c0, &a->c1);
    fp_double(&twice, &a->c0);
    fp_mul(&r->c1, &twice, &a->c1);
    fp_mul(&r->c0, &sum, &difference);
}

void fp2_mul_fp(struct fp2 *r, const struct fp2 *a, const struct fp *b)
{
    struct fp t = *b;
    fp_mul(&r->c0, &a->c0, &t);
    fp_mul(&r->c1, &a->c1, &t);
}

static void norm(struct fp *r, const struct fp2 *a)
{
    struct fp t;
    fp_sqr(&t, &a->c0);
    fp_sqr(r, &a->c1);
    fp_add(r, r, &t);
}

void fp2_inv(struct fp2 *r, const struct fp2 *a)
{
    struct fp t;
    norm(&t, a);
    fp_inv(&t, &t);
    fp_mul(&r->c0, &a->c0, &t);
    fp_neg(&t, &t);
    fp_mul(&r->c1, &a->c1, &t);
}

/* c1 = 0: the root of c0 or of -c0 times u; -1 is no square in Fp, so one of them exists. */
static int sqrt_of_fp(struct fp2 *r, const struct fp *a)
{
    struct fp t;
    if (fp_sqrt(&t, a) == 0) {
        r->c0 = t;
        r->c1 = FP_ZERO;
        return 0;
    }
    fp_neg(&t, a);
    if (fp_sqrt(&t, &t) != 0)
        return -1;
    r->c0 = FP_ZERO;
    r->c1 = t;
    return 0;
}

/* The complex method: with s^2 = c0^2 + c1^2 the root is x + c1 / (2x) u where x^2 = (c0 +- s) / 2. */
int fp2_sqrt(struct fp2 *r, const struct fp2 *a)
{
    static const struct fp half = {{0x1804000000015554, 0x855000053ab00001, 0x633cb57c253c276f,
                                    0x6e22d1ec31ebb502, 0xd3916126f2d14ca2, 0x17fbb8571a006596}};
    struct fp s, t, x;
    if (fp_is_zero(&a->c1))
        return sqrt_of_fp(r, &a->c0);
    norm(&s, a);
    if (fp_sqrt(&s, &s) != 0)
        return -1;
    fp_add(&t, &a->c0, &s);
    fp_mul(&t, &t, &half);
    if (fp_sqrt(&x, &t) != 0) {
        fp_sub(&t, &t, &s);
        if (fp_sqrt(&x, &t) != 0)
            return -1;
    }
    fp_double(&t, &x);
    fp_inv(&t, &t);
    fp_mul(&r->c1, &a->c1, &t);
    r->c0 = x;
    return 0;
}

/* Montgomery's trick, as in field_template.h. */
void fp2_batch_inv(struct fp2 *a, size_t n, struct fp2 *scratch)
{
    struct fp2 acc = FP2_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!fp2_is_zero(&a[i]))
            fp2_mul(&acc, &acc, &a[i]);
    }
    fp2_inv(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (fp2_is_zero(&a[i]))
            continue;
        fp2_mul(&scratch[i], &scratch[i], &acc);
        fp2_mul(&acc, &acc, &a[i]);
        a[i] = scratch[i];
    }
}

void fp2_to_bytes(uint8_t out[96], const struct fp2 *a)
{
    fp_to_bytes(out, &a->c1);
    fp_to_bytes(out + 48, &a->c0);
}

int fp2_from_bytes(struct fp2 *r, const uint8_t in[96])
{
    struct fp2 t;
    if (fp_from_bytes(&t.c1, in) != 0 || fp_from_bytes(&t.c0, in + 48) != 0)
        return -1;
    *r = t;
    return 0;
}

size_t fp2_from_bytes_many(struct fp2 *r, const uint8_t *in, size_t n)
{
    size_t good = fp_from_bytes_many((struct fp *)r, in, 2 * n) / 2;
    for (size_t i = 0; i < good; i++) {
        struct fp c1 = r[i].c0;
        r[i].c0 = r[i].c1;
        r[i].c1 = c1;
    }
    return good;
}
