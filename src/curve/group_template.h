/* The group law and the encodings of G1 and G2, written once. Included by g1.c and g2.c with
 *   GROUP        the prefix and struct name (g1, g2)
 *   BASE         the prefix and struct name of the base field (fp, fp2)
 *   BASE_ONE, BASE_BYTES (of an encoded coordinate)
 * after a static CURVE_B, the curve's constant b. Which endomorphism tells the subgroup is for g1.c and g2.c to say; the rest
 * is here. No include guard: once per group.
 *
 * Formulas: Explicit-Formulas Database, short Weierstrass, XYZZ coordinates with a = 0. */

#include <string.h>

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define G(name) CAT(GROUP, name)
#define B(name) CAT(BASE, name)
#define POINT struct GROUP
#define AFFINE_(g) struct g##_affine
#define AFFINE__(g) AFFINE_(g)
#define AFFINE AFFINE__(GROUP)
#define COORD struct BASE

void G(from_affine)(POINT *r, const AFFINE *a)
{
    if (G(affine_is_infinity)(a)) {
        G(set_infinity)(r);
        return;
    }
    COORD x = a->x, y = a->y;
    r->x = x;
    r->y = y;
    r->zz = r->zzz = BASE_ONE;
}

/* With i = 1 / ZZZ = Z^-3: x = X (ZZ i)^2, y = Y i. */
static void scale_to_affine(AFFINE *r, const POINT *a, const COORD *zzz_inverse)
{
    COORD t;
    B(mul)(&t, &a->zz, zzz_inverse);
    B(sqr)(&t, &t);
    B(mul)(&r->x, &a->x, &t);
    B(mul)(&r->y, &a->y, zzz_inverse);
}

void G(to_affine)(AFFINE *r, const POINT *a)
{
    COORD t;
    if (G(is_infinity)(a)) {
        G(affine_set_infinity)(r);
        return;
    }
    B(inv)(&t, &a->zzz);
    scale_to_affine(r, a, &t);
}

/* Montgomery's trick over ZZZ: scratch[i] = product of those before i. */
void G(batch_to_affine)(AFFINE *out, const POINT *in, size_t n, COORD *scratch)
{
    COORD acc = BASE_ONE, t;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!G(is_infinity)(&in[i]))
            B(mul)(&acc, &acc, &in[i].zzz);
    }
    B(inv)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (G(is_infinity)(&in[i])) {
            G(affine_set_infinity)(&out[i]);
            continue;
        }
        B(mul)(&t, &scratch[i], &acc);
        B(mul)(&acc, &acc, &in[i].zzz);
        scale_to_affine(&out[i], &in[i], &t);
    }
}

/* X, Y of the double given M = 3 x^2, S, and W y = wy (dbl-2008-s-1). */
static void finish_double(POINT *r, const COORD *m, const COORD *s, const COORD *wy)
{
    COORD x, t;
    B(sqr)(&x, m);
    B(sub)(&x, &x, s);
    B(sub)(&x, &x, s);
    B(sub)(&t, s, &x);
    B(mul)(&t, m, &t);
    B(sub)(&r->y, &t, wy);
    r->x = x;
}

void G(double)(POINT *r, const POINT *a)
{
    COORD u, v, w, s, m, wy;
    B(double)(&u, &a->y);
    B(sqr)(&v, &u);
    B(mul)(&w, &u, &v);
    B(mul)(&s, &a->x, &v);
    B(sqr)(&m, &a->x);
    B(double)(&u, &m);
    B(add)(&m, &m, &u);
    B(mul)(&wy, &w, &a->y);
    B(mul)(&r->zz, &v, &a->zz);
    B(mul)(&r->zzz, &w, &a->zzz);
    finish_double(r, &m, &s, &wy);
}

void G(double_affine)(POINT *r, const AFFINE *a)
{
    COORD u, s, m, wy, v, w;
    if (G(affine_is_infinity)(a)) {
        G(set_infinity)(r);
        return;
    }
    B(double)(&u, &a->y);
    B(sqr)(&v, &u);
    B(mul)(&w, &u, &v);
    B(mul)(&s, &a->x, &v);
    B(sqr)(&m, &a->x);
    B(double)(&u, &m);
    B(add)(&m, &m, &u);
    B(mul)(&wy, &w, &a->y);
    finish_double(r, &m, &s, &wy);
    r->zz = v;
    r->zzz = w;
}

/* The common end of the additions: differences p = U2 - U1 != 0 and q = S2 - S1; u1, s1 belong to the first point.
 * Leaves PP and PPP for the caller to form ZZ and ZZZ with. */
static void finish_add(POINT *r, COORD *pp, COORD *ppp, const COORD *p, const COORD *q,
                       const COORD *u1, const COORD *s1)
{
    COORD v, x, t;
    B(sqr)(pp, p);
    B(mul)(ppp, p, pp);
    B(mul)(&v, u1, pp);
    B(sqr)(&x, q);
    B(sub)(&x, &x, ppp);
    B(sub)(&x, &x, &v);
    B(sub)(&x, &x, &v);
    B(sub)(&v, &v, &x);
    B(mul)(&v, q, &v);
    B(mul)(&t, s1, ppp);
    B(sub)(&r->y, &v, &t);
    r->x = x;
}

void G(add)(POINT *r, const POINT *a, const POINT *b)
{
    COORD u1, s1, p, q, pp, ppp, zz, zzz;
    if (G(is_infinity)(a)) {
        *r = *b;
        return;
    }
    if (G(is_infinity)(b)) {
        *r = *a;
        return;
    }
    B(mul)(&u1, &a->x, &b->zz);
    B(mul)(&s1, &a->y, &b->zzz);
    B(mul)(&p, &b->x, &a->zz);
    B(mul)(&q, &b->y, &a->zzz);
    B(sub)(&p, &p, &u1);
    B(sub)(&q, &q, &s1);
    if (B(is_zero)(&p)) {
        if (B(is_zero)(&q))
            G(double)(r, a);
        else
            G(set_infinity)(r);
        return;
    }
    B(mul)(&zz, &a->zz, &b->zz);
    B(mul)(&zzz, &a->zzz, &b->zzz);
    finish_add(r, &pp, &ppp, &p, &q, &u1, &s1);
    B(mul)(&r->zz, &zz, &pp);
    B(mul)(&r->zzz, &zzz, &ppp);
}

void G(add_affine)(POINT *r, const POINT *a, const AFFINE *b)
{
    COORD p, q, pp, ppp, zz = a->zz, zzz = a->zzz;
    if (G(affine_is_infinity)(b)) {
        *r = *a;
        return;
    }
    if (G(is_infinity)(a)) {
        G(from_affine)(r, b);
        return;
    }
    B(mul)(&p, &b->x, &zz);
    B(mul)(&q, &b->y, &zzz);
    B(sub)(&p, &p, &a->x);
    B(sub)(&q, &q, &a->y);
    if (B(is_zero)(&p)) {
        if (B(is_zero)(&q))
            G(double_affine)(r, b);
        else
            G(set_infinity)(r);
        return;
    }
    finish_add(r, &pp, &ppp, &p, &q, &a->x, &a->y);
    B(mul)(&r->zz, &zz, &pp);
    B(mul)(&r->zzz, &zzz, &ppp);
}

void G(add_two_affine)(POINT *r, const AFFINE *a, const AFFINE *b)
{
    COORD p, q;
    if (G(affine_is_infinity)(a)) {
        G(from_affine)(r, b);
        return;
    }
    if (G(affine_is_infinity)(b)) {
        G(from_affine)(r, a);
        return;
    }
    B(sub)(&p, &b->x, &a->x);
    B(sub)(&q, &b->y, &a->y);
    if (B(is_zero)(&p)) {
        if (B(is_zero)(&q))
            G(double_affine)(r, a);
        else
            G(set_infinity)(r);
        return;
    }
    finish_add(r, &r->zz, &r->zzz, &p, &q, &a->x, &a->y);
}

void G(sub)(POINT *r, const POINT *a, const POINT *b)
{
    POINT t;
    G(neg)(&t, b);
    G(add)(r, a, &t);
}

int G(equal)(const POINT *a, const POINT *b)
{
    COORD s, t;
    if (G(is_infinity)(a) || G(is_infinity)(b))
        return G(is_infinity)(a) && G(is_infinity)(b);
    B(mul)(&s, &a->x, &b->zz);
    B(mul)(&t, &b->x, &a->zz);
    if (!B(equal)(&s, &t))
        return 0;
    B(mul)(&s, &a->y, &b->zzz);
    B(mul)(&t, &b->y, &a->zzz);
    return B(equal)(&s, &t);
}

enum { WINDOW_BITS = 5, WINDOWS = 52, WINDOW_TABLE = 1 << (WINDOW_BITS - 1) };

static unsigned window_bits(const uint64_t scalar[4], int w)
{
    int from = w * WINDOW_BITS, limb = from / 64, shift = from % 64;
    if (limb >= 4)
        return 0;
    uint64_t bits = scalar[limb] >> shift;
    if (shift > 64 - WINDOW_BITS && limb < 3)
        bits |= scalar[limb + 1] << (64 - shift);
    return bits & ((1 << WINDOW_BITS) - 1);
}

/* Signed windows of 5 bits, digits -16 .. 16 (52 * 5 > 256: the last one takes no carry out). */
void G(mul)(POINT *r, const POINT *a, const uint64_t scalar[4])
{
    POINT table[WINDOW_TABLE], acc, t;
    int digits[WINDOWS], carry = 0;
    for (int w = 0; w < WINDOWS; w++) {
        digits[w] = (int)window_bits(scalar, w) + carry;
        carry = digits[w] > WINDOW_TABLE;
        digits[w] -= carry << WINDOW_BITS;
    }
    table[0] = *a;
    for (int i = 1; i < WINDOW_TABLE; i++) /* table[i] = (i + 1) a */
        G(add)(&table[i], &table[i - 1], a);
    G(set_infinity)(&acc);
    for (int w = WINDOWS; w-- > 0;) {
        for (int i = 0; i < WINDOW_BITS; i++)
            G(double)(&acc, &acc);
        if (digits[w] > 0) {
            G(add)(&acc, &acc, &table[digits[w] - 1]);
        } else if (digits[w] < 0) {
            G(neg)(&t, &table[-digits[w] - 1]);
            G(add)(&acc, &acc, &t);
        }
    }
    *r = acc;
}

void G(mul_fr)(POINT *r, const POINT *a, const struct fr *scalar)
{
    uint64_t l[4];
    fr_to_limbs(l, scalar);
    G(mul)(r, a, l);
}

/* r = |x| a with the curve's parameter x = -0xd201000000010000. */
static void mul_by_abs_x(POINT *r, const POINT *a)
{
    const uint64_t abs_x = UINT64_C(0xd201000000010000);
    POINT acc = *a, base = *a;
    for (int i = 62; i >= 0; i--) {
        G(double)(&acc, &acc);
        if (abs_x >> i & 1)
            G(add)(&acc, &acc, &base);
    }
    *r = acc;
}

/* r = x^3 + b */
static void curve_equation(COORD *r, const COORD *x)
{
    COORD t;
    B(sqr)(&t, x);
    B(mul)(&t, &t, x);
    B(add)(r, &t, &CURVE_B);
}

int G(is_on_curve)(const AFFINE *a)
{
    COORD s, t;
    if (G(affine_is_infinity)(a))
        return 1;
    curve_equation(&s, &a->x);
    B(sqr)(&t, &a->y);
    return B(equal)(&s, &t);
}

void G(to_compressed)(uint8_t out[BASE_BYTES], const AFFINE *a)
{
    if (G(affine_is_infinity)(a)) {
        memset(out, 0, BASE_BYTES);
        out[0] = POINT_FLAG_COMPRESSED | POINT_FLAG_INFINITY;
        return;
    }
    B(to_bytes)(out, &a->x);
    out[0] |= POINT_FLAG_COMPRESSED | (B(is_above_half)(&a->y) ? POINT_FLAG_LARGER_Y : 0);
}

void G(to_uncompressed)(uint8_t out[2 * BASE_BYTES], const AFFINE *a)
{
    if (G(affine_is_infinity)(a)) {
        memset(out, 0, 2 * BASE_BYTES);
        out[0] = POINT_FLAG_INFINITY;
        return;
    }
    B(to_bytes)(out, &a->x);
    B(to_bytes)(out + BASE_BYTES, &a->y);
}

/* The flags and, when they say so, infinity: POINT_OK means that coordinates follow. */
static enum point_status read_flags(AFFINE *r, const uint8_t *in, size_t bytes, unsigned expected)
{
    unsigned flags = in[0] & POINT_FLAGS;
    if ((flags & POINT_FLAG_COMPRESSED) != expected)
        return POINT_BAD_FLAGS;
    if (flags & POINT_FLAG_INFINITY) {
        uint8_t rest = in[0] & (uint8_t) ~(POINT_FLAG_COMPRESSED | POINT_FLAG_INFINITY);
        for (size_t i = 1; i < bytes; i++)
            rest |= in[i];
        if (rest != 0)
            return POINT_BAD_FLAGS;
        G(affine_set_infinity)(r);
        return POINT_INFINITY;
    }
    if (!expected && (flags & POINT_FLAG_LARGER_Y))
        return POINT_BAD_FLAGS;
    return POINT_OK;
}

enum point_status G(from_compressed)(AFFINE *r, const uint8_t in[BASE_BYTES],
                                     enum point_check check)
{
    enum point_status status = read_flags(r, in, BASE_BYTES, POINT_FLAG_COMPRESSED);
    uint8_t x[BASE_BYTES];
    AFFINE p;
    if (status != POINT_OK)
        return status;
    memcpy(x, in, BASE_BYTES);
    x[0] &= (uint8_t)~POINT_FLAGS;
    if (B(from_bytes)(&p.x, x) != 0)
        return POINT_NOT_CANONICAL;
    curve_equation(&p.y, &p.x);
    if (B(sqrt)(&p.y, &p.y) != 0)
        return POINT_NOT_ON_CURVE;
    if (B(is_above_half)(&p.y) != !!(in[0] & POINT_FLAG_LARGER_Y))
        B(neg)(&p.y, &p.y);
    if (check == POINT_CHECK_SUBGROUP && !G(in_subgroup)(&p))
        return POINT_NOT_IN_SUBGROUP;
    *r = p;
    return POINT_OK;
}

enum point_status G(from_uncompressed)(AFFINE *r, const uint8_t in[2 * BASE_BYTES],
                                       enum point_check check)
{
    enum point_status status = read_flags(r, in, 2 * BASE_BYTES, 0);
    AFFINE p;
    if (status != POINT_OK)
        return status;
    if (B(from_bytes)(&p.x, in) != 0 || B(from_bytes)(&p.y, in + BASE_BYTES) != 0)
        return POINT_NOT_CANONICAL;
    if (check != POINT_CHECK_NONE && (G(affine_is_infinity)(&p) || !G(is_on_curve)(&p)))
        return POINT_NOT_ON_CURVE;
    if (check == POINT_CHECK_SUBGROUP && !G(in_subgroup)(&p))
        return POINT_NOT_IN_SUBGROUP;
    *r = p;
    return POINT_OK;
}

/* Flags make the first coordinate larger than p. */
size_t G(from_uncompressed_many)(AFFINE *r, enum point_status *status, const uint8_t *in, size_t n)
{
    _Static_assert(sizeof *r == 2 * sizeof(COORD), "coordinates lie side by side");
    size_t good = B(from_bytes_many)((COORD *)r, in, 2 * n) / 2;
    *status = POINT_OK;
    if (good < n)
        *status = G(from_uncompressed)(&r[good], in + 2 * BASE_BYTES * good, POINT_CHECK_NONE);
    return good;
}

#undef CAT_
#undef CAT
#undef G
#undef B
#undef POINT
#undef AFFINE_
#undef AFFINE__
#undef AFFINE
#undef COORD
