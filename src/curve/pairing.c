#include "curve/pairing.h"

/* The curve's parameter is -ABS_X. */
static const uint64_t ABS_X = UINT64_C(0xd201000000010000);
enum { ABS_X_TOP_BIT = 63 };

/* A multiple of Q in Jacobian coordinates: x = X / Z^2, y = Y / Z^3. */
struct jacobian {
    struct fp2 x, y, z;
};

/* t = 2t and the tangent at the old t. The slope is 3X^2 / 2YZ on the twist; multiplied by 2YZ^3 and brought to the curve by w^3, the
 * tangent at P is (3X^3 - 2Y^2) - 3X^2 Z^2 x_P v + 2YZ^3 y_P v w (factors in Fp2 vanish in the final exponentiation). */
static void double_step(struct g2_line *line, struct jacobian *t)
{
    struct fp2 a, b, c, d, e, zz, s;
    fp2_sqr(&a, &t->x);
    fp2_sqr(&b, &t->y);
    fp2_sqr(&c, &b);
    fp2_sqr(&zz, &t->z);
    fp2_double(&e, &a);
    fp2_add(&e, &e, &a); /* 3 X^2 */
    fp2_mul(&line->cx, &e, &zz);
    fp2_neg(&line->cx, &line->cx);
    fp2_mul(&line->c0, &e, &t->x);
    fp2_double(&s, &b);
    fp2_sub(&line->c0, &line->c0, &s);

    fp2_mul(&d, &t->x, &b);
    fp2_double(&d, &d);
    fp2_double(&d, &d); /* 4 X Y^2 */
    fp2_mul(&t->z, &t->z, &t->y);
    fp2_double(&t->z, &t->z);
    fp2_mul(&line->cy, &t->z, &zz);
    fp2_sqr(&t->x, &e);
    fp2_sub(&t->x, &t->x, &d);
    fp2_sub(&t->x, &t->x, &d);
    fp2_sub(&d, &d, &t->x);
    fp2_mul(&d, &d, &e);
    fp2_double(&c, &c);
    fp2_double(&c, &c);
    fp2_double(&c, &c);
    fp2_sub(&t->y, &d, &c);
}

/* t = t + q and the line through them. With H = x_Q Z^2 - X, R = y_Q Z^3 - Y the slope is R / ZH; multiplied by ZH the line is
 * (R x_Q - ZH y_Q) - R x_P v + ZH y_P v w. t != +-q, which holds below the order of Q. */
static void add_step(struct g2_line *line, struct jacobian *t, const struct g2_affine *q)
{
    struct fp2 zz, h, r, hh, hhh, v;
    fp2_sqr(&zz, &t->z);
    fp2_mul(&h, &q->x, &zz);
    fp2_sub(&h, &h, &t->x);
    fp2_mul(&r, &zz, &t->z);
    fp2_mul(&r, &r, &q->y);
    fp2_sub(&r, &r, &t->y);
    fp2_mul(&t->z, &t->z, &h);
    line->cy = t->z;
    fp2_neg(&line->cx, &r);
    fp2_mul(&line->c0, &r, &q->x);
    fp2_mul(&v, &t->z, &q->y);
    fp2_sub(&line->c0, &line->c0, &v);

    fp2_sqr(&hh, &h);
    fp2_mul(&hhh, &hh, &h);
    fp2_mul(&v, &t->x, &hh);
    fp2_sqr(&t->x, &r);
    fp2_sub(&t->x, &t->x, &hhh);
    fp2_sub(&t->x, &t->x, &v);
    fp2_sub(&t->x, &t->x, &v);
    fp2_sub(&v, &v, &t->x);
    fp2_mul(&v, &v, &r);
    fp2_mul(&hhh, &hhh, &t->y);
    fp2_sub(&t->y, &v, &hhh);
}

void g2_prepare(struct g2_prepared *r, const struct g2_affine *q)
{
    struct jacobian t = {q->x, q->y, FP2_ONE};
    struct g2_line *line = r->lines;
    r->infinity = g2_affine_is_infinity(q);
    if (r->infinity)
        return;
    for (int i = ABS_X_TOP_BIT; i-- > 0;) {
        double_step(line++, &t);
        if (ABS_X >> i & 1)
            add_step(line++, &t, q);
    }
}

static void multiply_lines(struct fp12 *f, const struct g1_affine *p,
                           const struct g2_prepared *const *q, size_t n, int line)
{
    for (size_t k = 0; k < n; k++) {
        struct fp2 cx, cy;
        if (q[k]->infinity || g1_affine_is_infinity(&p[k]))
            continue;
        const struct g2_line *l = &q[k]->lines[line];
        fp2_mul_fp(&cx, &l->cx, &p[k].x);
        fp2_mul_fp(&cy, &l->cy, &p[k].y);
        fp12_mul_by_line(f, f, &l->c0, &cx, &cy);
    }
}

void miller_loop(struct fp12 *r, const struct g1_affine *p, const struct g2_prepared *const *q,
                 size_t n)
{
    struct fp12 f = FP12_ONE;
    int line = 0;
    for (int i = ABS_X_TOP_BIT; i-- > 0;) {
        fp12_sqr(&f, &f);
        multiply_lines(&f, p, q, n, line++);
        if (ABS_X >> i & 1)
            multiply_lines(&f, p, q, n, line++);
    }
    fp12_conj(r, &f); /* the parameter is negative */
}

/* r = a^x in the cyclotomic subgroup, where the conjugate is the inverse. */
static void pow_x(struct fp12 *r, const struct fp12 *a)
{
    fp12_cyclotomic_pow(r, a, &ABS_X, 1);
    fp12_conj(r, r);
}

/* The hard part by 3 (p^4 - p^2 + 1) / r = (x - 1)^2 (x + p) (x^2 + p^2 - 1) + 3 (Hayashida, Hayasaka, Teruya, eprint 2020/875). */
void final_exponentiation(struct fp12 *r, const struct fp12 *f)
{
    struct fp12 m, s, t;
    fp12_inv(&t, f);
    fp12_conj(&m, f);
    fp12_mul(&m, &m, &t); /* f^(p^6 - 1) */
    fp12_frobenius(&t, &m);
    fp12_frobenius(&t, &t);
    fp12_mul(&m, &m, &t); /* ^(p^2 + 1) */

    for (int i = 0; i < 2; i++) { /* s = m^((x - 1)^2) */
        const struct fp12 *base = i == 0 ? &m : &s;
        pow_x(&t, base);
        fp12_conj(&s, base);
        fp12_mul(&s, &s, &t);
    }
    pow_x(&t, &s);
    fp12_frobenius(&s, &s);
    fp12_mul(&s, &s, &t); /* ^(x + p) */
    pow_x(&t, &s);
    pow_x(&t, &t);
    struct fp12 u;
    fp12_frobenius(&u, &s);
    fp12_frobenius(&u, &u);
    fp12_mul(&t, &t, &u);
    fp12_conj(&u, &s);
    fp12_mul(&t, &t, &u); /* ^(x^2 + p^2 - 1) */
    fp12_cyclotomic_sqr(&u, &m);
    fp12_mul(&u, &u, &m);
    fp12_mul(r, &t, &u);
}

void pairing(struct fp12 *r, const struct g1_affine *p, const struct g2_affine *q)
{
    struct g2_prepared prepared;
    const struct g2_prepared *list[1] = {&prepared};
    g2_prepare(&prepared, q);
    miller_loop(r, p, list, 1);
    final_exponentiation(r, r);
}

int pairing_product_is_one(const struct g1_affine *p, const struct g2_prepared *const *q, size_t n)
{
    struct fp12 f;
    miller_loop(&f, p, q, n);
    final_exponentiation(&f, &f);
    return fp12_equal(&f, &FP12_ONE);
}
