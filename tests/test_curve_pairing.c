/* The pairing: the reference's values, bilinearity, degenerate arguments; and the tower below it. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "cpu_paths.h"
#include "curve/pairing.h"
#include "det_fr.h"

static void multiples(struct g1_affine *p, struct g2_affine *q, const struct fr *a,
                      const struct fr *b)
{
    struct g1 s;
    struct g2 t;
    g1_from_affine(&s, &G1_GENERATOR);
    g1_mul_fr(&s, &s, a);
    g1_to_affine(p, &s);
    g2_from_affine(&t, &G2_GENERATOR);
    g2_mul_fr(&t, &t, b);
    g2_to_affine(q, &t);
}

/* "Gt(Fp12 { c0: Fp6 { c0: Fp2 { c0: Fp(0x...), c1: ...": the twelve coefficients in the tower's order. */
static void parse_display(struct fp12 *r, const char *text)
{
    struct fp *out = &r->c0.c0.c0;
    for (int i = 0; i < 12; i++) {
        uint8_t bytes[48];
        char hex[97] = {0};
        text = strstr(text, "0x");
        assert_non_null(text);
        memcpy(hex, text + 2, 96);
        hex_bytes(bytes, 48, hex);
        assert_int_equal(fp_from_bytes(&out[i], bytes), 0);
        text += 98;
    }
    assert_null(strstr(text, "0x"));
}

/* Torus compression (Naehrig et al., eprint 2007/429): (c0 + 1) / c1, six coefficients little-endian. */
static void compress(uint8_t out[288], const struct fp12 *a)
{
    struct fp6 t = a->c0, s;
    fp_add(&t.c0.c0, &t.c0.c0, &FP_ONE);
    fp6_inv(&s, &a->c1);
    fp6_mul(&t, &t, &s);
    const struct fp *c = &t.c0.c0;
    for (int i = 0; i < 6; i++) {
        uint8_t bytes[48];
        fp_to_bytes(bytes, &c[i]);
        for (int k = 0; k < 48; k++)
            out[48 * i + k] = bytes[47 - k];
    }
}

static void check_value(yajl_val root, const struct fr *a, const struct fr *b,
                        const char *compressed, const char *display)
{
    struct g1_affine p;
    struct g2_affine q;
    struct fp12 got, want;
    uint8_t bytes[288], want_bytes[288];
    multiples(&p, &q, a, b);
    pairing(&got, &p, &q);
    parse_display(&want, json_string(json_get(root, display)));
    assert_true(fp12_equal(&got, &want));
    compress(bytes, &got);
    json_hex(want_bytes, 288, json_get(root, compressed));
    assert_memory_equal(bytes, want_bytes, 288);
}

static void test_reference(void **state)
{
    yajl_val root = json_load("vectors/bls12_381.json");
    struct fr a, b;
    (void)state;
    FOR_EACH_CPU_PATH(path)
    {
        check_value(root, &FR_ONE, &FR_ONE, "e(g1,g2)", "gt_display");
        det_fr(&a, "bls a");
        det_fr(&b, "bls b");
        check_value(root, &a, &b, "e(a*g1,b*g2)", "e(a*g1,b*g2)_display");
    }
    yajl_tree_free(root);
}

static void check_bilinear(void)
{
    struct fr a, b, ab;
    struct g1_affine p;
    struct g2_affine q;
    struct fp12 base, one_side, both, power;
    uint64_t e[4];
    det_fr(&a, "pairing a");
    det_fr(&b, "pairing b");
    fr_mul(&ab, &a, &b);
    pairing(&base, &G1_GENERATOR, &G2_GENERATOR);
    assert_false(fp12_equal(&base, &FP12_ONE));
    multiples(&p, &q, &a, &b);
    pairing(&both, &p, &q);
    multiples(&p, &q, &ab, &FR_ONE);
    pairing(&one_side, &p, &q);
    assert_true(fp12_equal(&both, &one_side));
    fr_to_limbs(e, &ab);
    fp12_cyclotomic_pow(&power, &base, e, 4);
    assert_true(fp12_equal(&power, &both));
    fp12_cyclotomic_pow(&power, &base, FR_MODULUS, 4);
    assert_true(fp12_equal(&power, &FP12_ONE));
}

/* e(2G, 3H) e(-6G, H) e(inf, H) e(G, inf) = 1, and not when any part is off by one. */
static void check_product(void)
{
    static struct g2_prepared h, h3, infinity;
    struct fr k;
    struct g1_affine p[4];
    struct g2_affine q;
    const struct g2_prepared *list[4] = {&h3, &h, &h, &infinity};
    g2_prepare(&h, &G2_GENERATOR);
    fr_from_u64(&k, 3);
    multiples(&p[0], &q, &k, &k);
    g2_prepare(&h3, &q);
    g2_affine_set_infinity(&q);
    g2_prepare(&infinity, &q);
    fr_from_i64(&k, -6);
    multiples(&p[1], &q, &k, &k);
    fr_from_u64(&k, 2);
    multiples(&p[0], &q, &k, &k);
    g1_affine_set_infinity(&p[2]);
    p[3] = G1_GENERATOR;
    assert_true(pairing_product_is_one(p, list, 4));
    assert_true(pairing_product_is_one(p, list, 2));
    assert_true(pairing_product_is_one(p + 2, list + 2, 2));
    assert_true(pairing_product_is_one(p, list, 0));
    assert_false(pairing_product_is_one(p, list, 1));
    p[2] = G1_GENERATOR;
    assert_false(pairing_product_is_one(p, list, 4));
    g1_affine_neg(&p[0], &p[0]);
    assert_false(pairing_product_is_one(p, list, 2));
}

/* A full Fp12 element from the reference's pairing value and a Miller loop that is outside the cyclotomic subgroup. */
static void check_tower(void)
{
    static struct g2_prepared h;
    const struct g2_prepared *list[1] = {&h};
    struct fp12 f, g, s, t, line = {0};
    g2_prepare(&h, &G2_GENERATOR);
    miller_loop(&f, &G1_GENERATOR, list, 1);
    fp12_inv(&t, &f);
    fp12_mul(&t, &t, &f);
    assert_true(fp12_equal(&t, &FP12_ONE));
    fp12_sqr(&s, &f);
    fp12_mul(&t, &f, &f);
    assert_true(fp12_equal(&s, &t));
    fp12_cyclotomic_sqr(&s, &f);
    assert_false(fp12_equal(&s, &t));
    final_exponentiation(&g, &f);
    fp12_sqr(&s, &g);
    fp12_cyclotomic_sqr(&t, &g);
    assert_true(fp12_equal(&s, &t));
    /* Frobenius: a ring map whose sixth power is the conjugation. */
    fp12_frobenius(&s, &f);
    fp12_frobenius(&t, &g);
    fp12_mul(&s, &s, &t);
    fp12_mul(&t, &f, &g);
    fp12_frobenius(&t, &t);
    assert_true(fp12_equal(&s, &t));
    s = f;
    for (int i = 0; i < 6; i++)
        fp12_frobenius(&s, &s);
    fp12_conj(&t, &f);
    assert_true(fp12_equal(&s, &t));
    line.c0.c0 = g.c0.c2;
    line.c0.c1 = g.c1.c0;
    line.c1.c1 = g.c1.c2;
    fp12_mul(&s, &f, &line);
    fp12_mul_by_line(&t, &f, &line.c0.c0, &line.c0.c1, &line.c1.c1);
    assert_true(fp12_equal(&s, &t));
    memset(&s, 0, sizeof s);
    fp12_inv(&t, &s);
    assert_true(fp12_equal(&t, &s));
}

static void check_fp2(void)
{
    struct fp2 a[20], b[20], scratch[20], r, s;
    int squares = 0;
    for (uint64_t i = 0; i < 20; i++) {
        fp_from_u64(&a[i].c0, i % 5);
        fp_from_u64(&a[i].c1, i / 5);
        if (fp2_sqrt(&r, &a[i]) == 0) {
            squares++;
            fp2_sqr(&s, &r);
            assert_true(fp2_equal(&s, &a[i]));
        } else { /* then a (1 + u) is a square, 1 + u being none */
            fp2_mul_by_nonresidue(&s, &a[i]);
            assert_int_equal(fp2_sqrt(&r, &s), 0);
        }
        fp2_mul(&s, &a[i], &a[i]);
        fp2_sqr(&r, &a[i]);
        assert_true(fp2_equal(&r, &s));
        fp2_neg(&s, &a[i]);
        assert_int_equal(fp2_is_above_half(&a[i]) + fp2_is_above_half(&s), i != 0);
    }
    assert_in_range(squares, 5, 15);
    memcpy(b, a, sizeof b);
    fp2_batch_inv(b, 20, scratch);
    for (int i = 0; i < 20; i++) {
        fp2_mul(&r, &a[i], &b[i]);
        assert_true(fp2_equal(&r, i == 0 ? &FP2_ZERO : &FP2_ONE));
    }
}

static void test_laws(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    {
        check_fp2();
        check_tower();
        check_bilinear();
        check_product();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
