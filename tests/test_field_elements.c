/* Fr and Fp as values: the reference's arithmetic, constants, conversions and refusals, powers, roots, batch inversion. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "cpu_paths.h"
#include "det_fr.h"
#include "field/fp.h"
#include "field/fr.h"

static void load_fr(struct fr *r, yajl_val object, const char *key)
{
    uint8_t b[32];
    json_hex(b, 32, json_get(object, key));
    assert_int_equal(fr_from_bytes(r, b), 0);
    uint8_t back[32];
    fr_to_bytes(back, r);
    assert_memory_equal(back, b, 32);
}

static void assert_fr(const struct fr *got, yajl_val object, const char *key)
{
    struct fr want;
    load_fr(&want, object, key);
    assert_memory_equal(got, &want, sizeof want);
}

static void check_reference(yajl_val v)
{
    struct fr a, b, r;
    load_fr(&a, v, "a");
    load_fr(&b, v, "b");
    fr_add(&r, &a, &b);
    assert_fr(&r, v, "a+b");
    fr_sub(&r, &a, &b);
    assert_fr(&r, v, "a-b");
    fr_mul(&r, &a, &b);
    assert_fr(&r, v, "a*b");
    fr_sqr(&r, &a);
    assert_fr(&r, v, "a^2");
    fr_pow_u64(&r, &a, 5);
    assert_fr(&r, v, "a^5");
    fr_inv(&r, &a);
    assert_fr(&r, v, "1/a");
    assert_fr(&FR_MINUS_ONE, v, "modulus_minus_1");
    assert_fr(&FR_GENERATOR, v, "multiplicative_generator");
    assert_fr(&FR_ROOT_OF_UNITY_2_32, v, "root_of_unity_2_32");
    /* delta = generator^(2^32) */
    fr_pow_u64(&r, &FR_GENERATOR, UINT64_C(1) << 32);
    assert_fr(&r, v, "delta");
}

static void test_fr_reference(void **state)
{
    yajl_val root = json_load("vectors/bls12_381.json");
    (void)state;
    FOR_EACH_CPU_PATH(path)
    check_reference(json_get(root, "fr"));
    yajl_tree_free(root);
}

static void check_fr_powers(void)
{
    struct fr a, r, s;
    uint64_t e[4];
    det_fr(&a, "power");
    s = FR_ONE;
    for (uint64_t k = 0; k < 40; k++) {
        fr_pow_u64(&r, &a, k);
        assert_true(fr_equal(&r, &s));
        fr_mul(&s, &s, &a);
    }
    memcpy(e, FR_MODULUS, sizeof e);
    fr_pow(&r, &a, e, 4); /* a^r = a, a^(r-2) = 1/a */
    assert_true(fr_equal(&r, &a));
    e[0] -= 1;
    fr_pow(&r, &a, e, 4);
    assert_true(fr_equal(&r, &FR_ONE));
    fr_pow(&r, &FR_ZERO, e, 4);
    assert_true(fr_is_zero(&r));
    fr_pow(&r, &FR_ZERO, e, 0);
    assert_true(fr_equal(&r, &FR_ONE));
    /* The root has order 2^32 exactly. */
    fr_pow_u64(&r, &FR_ROOT_OF_UNITY_2_32, UINT64_C(1) << 31);
    assert_true(fr_equal(&r, &FR_MINUS_ONE));
}

static void check_fr_integers(void)
{
    struct fr r, s, two_64;
    uint64_t l[4];
    fr_from_u64(&r, 1);
    assert_true(fr_equal(&r, &FR_ONE));
    fr_from_i64(&r, -1);
    assert_true(fr_equal(&r, &FR_MINUS_ONE));
    fr_from_i64(&r, INT64_MIN);
    fr_from_u64(&s, UINT64_C(1) << 63);
    fr_add(&r, &r, &s);
    assert_true(fr_is_zero(&r));
    fr_from_u64(&r, UINT64_MAX);
    fr_to_limbs(l, &r);
    assert_true(l[0] == UINT64_MAX && l[1] == 0 && l[2] == 0 && l[3] == 0);
    fr_add(&two_64, &r, &FR_ONE);
    /* Limbs up to 2^256 - 1 against Horner's rule. */
    for (int i = 0; i < 3; i++) {
        uint64_t in[4];
        for (int k = 0; k < 4; k++)
            in[k] = i == 0   ? UINT64_MAX
                    : i == 1 ? FR_MODULUS[k]
                             : UINT64_C(0x0123456789abcdef) * (uint64_t)(k + 1);
        s = FR_ZERO;
        for (int k = 3; k >= 0; k--) {
            fr_mul(&s, &s, &two_64);
            fr_from_u64(&r, in[k]);
            fr_add(&s, &s, &r);
        }
        fr_from_limbs(&r, in);
        assert_memory_equal(&r, &s, sizeof r);
    }
    /* 64 bytes: byte by byte. */
    uint8_t wide[64];
    struct fr byte, radix;
    fr_from_u64(&radix, 256);
    for (int fill = 0; fill < 2; fill++) {
        s = FR_ZERO;
        for (int i = 63; i >= 0; i--) {
            wide[i] = fill ? 0xff : (uint8_t)(i * 37 + 11);
            fr_from_u64(&byte, wide[i]);
            fr_mul(&s, &s, &radix);
            fr_add(&s, &s, &byte);
        }
        fr_from_bytes_wide(&r, wide);
        assert_memory_equal(&r, &s, sizeof r);
    }
}

static void check_fr_refusals(void)
{
    uint8_t b[32];
    struct fr r = FR_GENERATOR;
    fr_to_bytes(b, &FR_MINUS_ONE);
    assert_int_equal(fr_from_bytes(&r, b), 0);
    assert_true(fr_equal(&r, &FR_MINUS_ONE));
    r = FR_GENERATOR;
    b[0]++; /* r - 1 ends in ...00 */
    assert_int_equal(fr_from_bytes(&r, b), -1);
    memset(b, 0xff, 32);
    assert_int_equal(fr_from_bytes(&r, b), -1);
    memset(b, 0, 32);
    b[31] = 0x74;
    assert_int_equal(fr_from_bytes(&r, b), -1);
    assert_true(fr_equal(&r, &FR_GENERATOR));
}

static void check_batch_inv(void)
{
    struct fr a[7], b[7], scratch[7];
    struct fp c[7], d[7], scratch_p[7];
    for (int i = 0; i < 7; i++) {
        fr_from_u64(&a[i], i % 3 == 0 ? 0 : (uint64_t)i + 5);
        fp_from_u64(&c[i], i % 3 == 0 ? 0 : (uint64_t)i + 5);
    }
    memcpy(b, a, sizeof b);
    memcpy(d, c, sizeof d);
    fr_batch_inv(b, 7, scratch);
    fp_batch_inv(d, 7, scratch_p);
    for (int i = 0; i < 7; i++) {
        fr_inv(&a[i], &a[i]);
        fp_inv(&c[i], &c[i]);
        assert_memory_equal(&a[i], &b[i], sizeof a[i]);
        assert_memory_equal(&c[i], &d[i], sizeof c[i]);
    }
    fr_batch_inv(b, 0, scratch);
    fp_batch_inv(d, 0, scratch_p);
}

static void check_fp_roots(void)
{
    struct fp a, r, s;
    int squares = 0;
    for (uint64_t k = 0; k < 60; k++) {
        fp_from_u64(&a, k);
        r = FP_ONE;
        if (fp_sqrt(&r, &a) == 0) {
            squares++;
            fp_sqr(&s, &r);
            assert_true(fp_equal(&s, &a));
        } else {
            assert_true(fp_equal(&r, &FP_ONE));
            fp_neg(&s, &a); /* -1 is no square, so -a must be one */
            assert_int_equal(fp_sqrt(&r, &s), 0);
        }
        fp_neg(&s, &a);
        assert_int_equal(fp_is_above_half(&a) + fp_is_above_half(&s), k != 0);
    }
    assert_in_range(squares, 20, 40);
}

static void check_fp_bytes(void)
{
    uint8_t b[48], back[48];
    uint64_t l[6];
    struct fp a, r;
    for (int i = 0; i < 48; i++)
        b[i] = (uint8_t)(i * 5 + 1);
    assert_int_equal(fp_from_bytes(&a, b), 0);
    fp_to_bytes(back, &a);
    assert_memory_equal(back, b, 48);
    fp_to_limbs(l, &a);
    assert_true(l[0] == UINT64_C(0xc9ced3d8dde2e7ec));
    assert_int_equal(fp_from_limbs(&r, l), 0);
    assert_true(fp_equal(&r, &a));
    fp_neg(&r, &FP_ONE);
    fp_to_bytes(b, &r);
    r = a;
    b[47]++; /* p itself */
    assert_int_equal(fp_from_bytes(&r, b), -1);
    memset(b, 0xff, 48);
    assert_int_equal(fp_from_bytes(&r, b), -1);
    assert_int_equal(fp_from_limbs(&r, FP_MODULUS), -1);
    assert_true(fp_equal(&r, &a));
    fp_from_u64(&r, 1);
    assert_true(fp_equal(&r, &FP_ONE));
}

static void test_values(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    {
        check_fr_powers();
        check_fr_integers();
        check_fr_refusals();
        check_batch_inv();
        check_fp_roots();
        check_fp_bytes();
    }
}

/* Draws differ and are canonical. */
static void test_random(void **state)
{
    struct fr draws[16];
    (void)state;
    for (int i = 0; i < 16; i++) {
        assert_int_equal(fr_random(&draws[i]), 0);
        assert_true(limbs_less(draws[i].l, FR_MODULUS, 4));
        for (int j = 0; j < i; j++)
            assert_false(fr_equal(&draws[i], &draws[j]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fr_reference),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
