#include "curve/fp12.h"

#include <string.h>

const struct fp12 FP12_ONE = {
    .c0.c0.c0 = {{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba, 0x77ce585370525745,
                  0x5c071a97a256ec6d, 0x15f65ec3fa80e493}},
};

void fp6_add(struct fp6 *r, const struct fp6 *a, const struct fp6 *b)
{
    fp2_add(&r->c0, &a->c0, &b->c0);
    fp2_add(&r->c1, &a->c1, &b->c1);
    fp2_add(&r->c2, &a->c2, &b->c2);
}

void fp6_sub(struct fp6 *r, const struct fp6 *a, const struct fp6 *b)
{
    fp2_sub(&r->c0, &a->c0, &b->c0);
    fp2_sub(&r->c1, &a->c1, &b->c1);
    fp2_sub(&r->c2, &a->c2, &b->c2);
}

void fp6_neg(struct fp6 *r, const struct fp6 *a)
{
    fp2_neg(&r->c0, &a->c0);
    fp2_neg(&r->c1, &a->c1);
    fp2_neg(&r->c2, &a->c2);
}

void fp6_mul_by_v(struct fp6 *r, const struct fp6 *a)
{
    struct fp2 t;
    fp2_mul_by_nonresidue(&t, &a->c2);
    r->c2 = a->c1;
    r->c1 = a->c0;
    r->c0 = t;
}

/* r = (a + b)(c + d) - ac - bd = ad + bc */
static void cross(struct fp2 *r, const struct fp2 *a, const struct fp2 *b, const struct fp2 *c,
                  const struct fp2 *d, const struct fp2 *ac, const struct fp2 *bd)
{
    struct fp2 s, t;
    fp2_add(&s, a, b);
    fp2_add(&t, c, d);
    fp2_mul(&s, &s, &t);
    fp2_sub(&s, &s, ac);
    fp2_sub(r, &s, bd);
}

/* Karatsuba, six multiplications (Devegili et al., eprint 2006/471). */
void fp6_mul(struct fp6 *r, const struct fp6 *a, const struct fp6 *b)
{
    struct fp2 v0, v1, v2, t01, t02, t12;
    fp2_mul(&v0, &a->c0, &b->c0);
    fp2_mul(&v1, &a->c1, &b->c1);
    fp2_mul(&v2, &a->c2, &b->c2);
    cross(&t01, &a->c0, &a->c1, &b->c0, &b->c1, &v0, &v1);
    cross(&t02, &a->c0, &a->c2, &b->c0, &b->c2, &v0, &v2);
    cross(&t12, &a->c1, &a->c2, &b->c1, &b->c2, &v1, &v2);
    fp2_mul_by_nonresidue(&t12, &t12);
    fp2_add(&r->c0, &v0, &t12);
    fp2_mul_by_nonresidue(&t12, &v2);
    fp2_add(&r->c1, &t01, &t12);
    fp2_add(&r->c2, &t02, &v1);
}

/* r = a * (b0 + b1 v) */
static void mul_by_01(struct fp6 *r, const struct fp6 *a, const struct fp2 *b0,
                      const struct fp2 *b1)
{
    struct fp2 v0, v1, t01, t;
    fp2_mul(&v0, &a->c0, b0);
    fp2_mul(&v1, &a->c1, b1);
    cross(&t01, &a->c0, &a->c1, b0, b1, &v0, &v1);
    fp2_mul(&t, &a->c2, b0);
    fp2_add(&t, &t, &v1);
    fp2_mul(&v1, &a->c2, b1);
    fp2_mul_by_nonresidue(&v1, &v1);
    fp2_add(&r->c0, &v0, &v1);
    r->c1 = t01;
    r->c2 = t;
}

/* r = a * b v */
static void mul_by_1(struct fp6 *r, const struct fp6 *a, const struct fp2 *b)
{
    struct fp2 t;
    fp2_mul(&t, &a->c2, b);
    fp2_mul(&r->c2, &a->c1, b);
    fp2_mul(&r->c1, &a->c0, b);
    fp2_mul_by_nonresidue(&r->c0, &t);
}

/* With A = c0^2 - n c1 c2, B = n c2^2 - c0 c1, C = c1^2 - c0 c2 (n the non-residue): 1/a = (A + B v + C v^2) / F,
 * F = c0 A + n (c2 B + c1 C). */
void fp6_inv(struct fp6 *r, const struct fp6 *a)
{
    struct fp2 x, y, z, f, t;
    fp2_sqr(&x, &a->c0);
    fp2_mul(&t, &a->c1, &a->c2);
    fp2_mul_by_nonresidue(&t, &t);
    fp2_sub(&x, &x, &t);
    fp2_sqr(&y, &a->c2);
    fp2_mul_by_nonresidue(&y, &y);
    fp2_mul(&t, &a->c0, &a->c1);
    fp2_sub(&y, &y, &t);
    fp2_sqr(&z, &a->c1);
    fp2_mul(&t, &a->c0, &a->c2);
    fp2_sub(&z, &z, &t);
    fp2_mul(&f, &a->c2, &y);
    fp2_mul(&t, &a->c1, &z);
    fp2_add(&f, &f, &t);
    fp2_mul_by_nonresidue(&f, &f);
    fp2_mul(&t, &a->c0, &x);
    fp2_add(&f, &f, &t);
    fp2_inv(&f, &f);
    fp2_mul(&r->c0, &x, &f);
    fp2_mul(&r->c1, &y, &f);
    fp2_mul(&r->c2, &z, &f);
}

void fp12_mul(struct fp12 *r, const struct fp12 *a, const struct fp12 *b)
{
    struct fp6 v0, v1, s, t;
    fp6_mul(&v0, &a->c0, &b->c0);
    fp6_mul(&v1, &a->c1, &b->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_add(&t, &b->c0, &b->c1);
    fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &v0);
    fp6_sub(&r->c1, &s, &v1);
    fp6_mul_by_v(&v1, &v1);
    fp6_add(&r->c0, &v0, &v1);
}

/* Complex squaring: c0' = (c0 + c1)(c0 + v c1) - c0 c1 - v c0 c1, c1' = 2 c0 c1. */
void fp12_sqr(struct fp12 *r, const struct fp12 *a)
{
    struct fp6 s, t, m;
    fp6_mul(&m, &a->c0, &a->c1);
    fp6_add(&s, &a->c0, &a->c1);
    fp6_mul_by_v(&t, &a->c1);
    fp6_add(&t, &t, &a->c0);
    fp6_mul(&s, &s, &t);
    fp6_sub(&s, &s, &m);
    fp6_add(&r->c1, &m, &m);
    fp6_mul_by_v(&m, &m);
    fp6_sub(&r->c0, &s, &m);
}

/* 1 / (c0 + c1 w) = (c0 - c1 w) / (c0^2 - v c1^2) */
void fp12_inv(struct fp12 *r, const struct fp12 *a)
{
    struct fp6 s, t;
    fp6_mul(&s, &a->c0, &a->c0);
    fp6_mul(&t, &a->c1, &a->c1);
    fp6_mul_by_v(&t, &t);
    fp6_sub(&s, &s, &t);
    fp6_inv(&s, &s);
    fp6_mul(&r->c0, &a->c0, &s);
    fp6_neg(&s, &s);
    fp6_mul(&r->c1, &a->c1, &s);
}

void fp12_conj(struct fp12 *r, const struct fp12 *a)
{
    r->c0 = a->c0;
    fp6_neg(&r->c1, &a->c1);
}

int fp12_equal(const struct fp12 *a, const struct fp12 *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* The coefficient of w^i is conjugated and multiplied by (1 + u)^(i (p-1)/6). */
void fp12_frobenius(struct fp12 *r, const struct fp12 *a)
{
    static const struct fp2 factor[5] = {
        {{{0x07089552b319d465, 0xc6695f92b50a8313, 0x97e83cccd117228f, 0xa35baecab2dc29ee,
           0x1ce393ea5daace4d, 0x08f2220fb0fb66eb}},
         {{0xb2f66aad4ce5d646, 0x5842a06bfc497cec, 0xcf4895d42599d394, 0xc11b9cba40a8e8d0,
           0x2e3813cbe5a0de89, 0x110eefda88847faf}}},
        {{{0}},
         {{0xcd03c9e48671f071, 0x5dab22461fcda5d2, 0x587042afd3851b95, 0x8eb60ebe01bacb9e,
           0x03f97d6e83d050d2, 0x18f0206554638741}}},
        {{{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7,
           0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}},
         {{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7,
           0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}}},
        {{{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024,
           0x14e4f04fe2db9068, 0x14e56d3f1564853a}},
         {{0}}},
        {{{0x82d83cf50dbce43f, 0xa2813e53df9d018f, 0xc6f0caa53c65e181, 0x7525cf528d50fe95,
           0x4a85ed50f4798a6b, 0x171da0fd6cf8eebd}},
         {{0x3726c30af242c66c, 0x7c2ac1aad1b6fe70, 0xa04007fbba4b14a2, 0xef517c3266341429,
           0x0095ba654ed2226b, 0x02e370eccc86f7dd}}},
    };
    struct fp2 *const out[5] = {&r->c1.c0, &r->c0.c1, &r->c1.c1, &r->c0.c2, &r->c1.c2};
    const struct fp2 *const in[5] = {&a->c1.c0, &a->c0.c1, &a->c1.c1, &a->c0.c2, &a->c1.c2};
    fp2_conj(&r->c0.c0, &a->c0.c0);
    for (int i = 0; i < 5; i++) {
        fp2_conj(out[i], in[i]);
        fp2_mul(out[i], out[i], &factor[i]);
    }
}

void fp12_mul_by_line(struct fp12 *r, const struct fp12 *a, const struct fp2 *c0,
                      const struct fp2 *c1, const struct fp2 *c4)
{
    struct fp6 v0, v1, s;
    struct fp2 t;
    mul_by_01(&v0, &a->c0, c0, c1);
    mul_by_1(&v1, &a->c1, c4);
    fp6_add(&s, &a->c0, &a->c1);
    fp2_add(&t, c1, c4);
    mul_by_01(&s, &s, c0, &t);
    fp6_sub(&s, &s, &v0);
    fp6_sub(&r->c1, &s, &v1);
    fp6_mul_by_v(&v1, &v1);
    fp6_add(&r->c0, &v0, &v1);
}

/* (a + b s)^2 in Fp4 = Fp2[s] / (s^2 - (1 + u)) */
static void fp4_sqr(struct fp2 *r0, struct fp2 *r1, const struct fp2 *a, const struct fp2 *b)
{
    struct fp2 s, t, m;
    fp2_sqr(&s, a);
    fp2_sqr(&t, b);
    fp2_add(&m, a, b);
    fp2_sqr(&m, &m);
    fp2_sub(&m, &m, &s);
    fp2_sub(r1, &m, &t);
    fp2_mul_by_nonresidue(&t, &t);
    fp2_add(r0, &s, &t);
}

/* r = 3 t - 2 a, r = 3 t + 2 a */
static void triple_minus(struct fp2 *r, const struct fp2 *t, const struct fp2 *a)
{
    struct fp2 d;
    fp2_sub(&d, t, a);
    fp2_double(&d, &d);
    fp2_add(r, &d, t);
}

static void triple_plus(struct fp2 *r, const struct fp2 *t, const struct fp2 *a)
{
    struct fp2 d;
    fp2_add(&d, t, a);
    fp2_double(&d, &d);
    fp2_add(r, &d, t);
}

void fp12_cyclotomic_sqr(struct fp12 *r, const struct fp12 *a)
{
    struct fp2 t0, t1, t2, t3, t4, t5;
    fp4_sqr(&t0, &t1, &a->c0.c0, &a->c1.c1);
    fp4_sqr(&t2, &t3, &a->c1.c0, &a->c0.c2);
    fp4_sqr(&t4, &t5, &a->c0.c1, &a->c1.c2);
    fp2_mul_by_nonresidue(&t5, &t5);
    triple_minus(&r->c0.c0, &t0, &a->c0.c0);
    triple_plus(&r->c1.c1, &t1, &a->c1.c1);
    triple_minus(&r->c0.c1, &t2, &a->c0.c1);
    triple_plus(&r->c1.c2, &t3, &a->c1.c2);
    triple_minus(&r->c0.c2, &t4, &a->c0.c2);
    triple_plus(&r->c1.c0, &t5, &a->c1.c0);
}

void fp12_cyclotomic_pow(struct fp12 *r, const struct fp12 *a, const uint64_t *e, size_t limbs)
{
    struct fp12 acc = FP12_ONE, base = *a;
    int started = 0;
    for (size_t i = 64 * limbs; i-- > 0;) {
        if (started)
            fp12_cyclotomic_sqr(&acc, &acc);
        if (e[i / 64] >> i % 64 & 1) {
            fp12_mul(&acc, &acc, &base);
            started = 1;
        }
    }
    *r = acc;
}
