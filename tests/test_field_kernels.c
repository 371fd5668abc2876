/* Every kernel of every path against a bit-by-bit product, and the inlined additions against their portable twins: on random values
 * and on those that stress carries. */
/* ctest: quick */
/* ctest: asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu_paths.h"
#include "field/fp.h"
#include "field/fr.h"

static uint64_t state = 0x9e3779b97f4a7c15;

/* xorshift64* (Vigna): reproducible, and quick enough for the sanitizers. */
static uint64_t next(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1d;
}

/* i < 2^n: limbs of all ones or zero by the bits of i; then m - 1, m - 2, 1, 2; then random, with stretches of equal bits. Reduced
 * below m by clearing top bits. */
enum { FIXED = 64 + 8, VALUES = FIXED + 40 };

static void value(uint64_t *r, int i, const uint64_t *m, int n)
{
    const uint64_t top = m[n - 1] >> 1; /* any top limb below it is below m */
    if (i < 64) {
        for (int k = 0; k < n; k++)
            r[k] = i >> k & 1 ? UINT64_MAX : 0;
        r[n - 1] = i >> (n - 1) & 1 ? m[n - 1] - 1 : 0;
        return;
    }
    if (i < FIXED) {
        uint64_t small[LIMBS_MAX] = {(uint64_t)(i - 64) / 2 + 1};
        if (i % 2)
            memcpy(r, small, (size_t)n * 8);
        else
            limbs_sub(r, m, small, n);
        return;
    }
    for (int k = 0; k < n; k++) {
        uint64_t shape = next() % 4;
        r[k] = shape == 0 ? next() >> next() % 64 : shape == 1 ? ~(next() >> next() % 64) : next();
    }
    r[n - 1] %= top;
}

/* r = a b mod m by doubling and adding: shares nothing with Montgomery's method. */
static void slow_product(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                         int n)
{
    uint64_t acc[LIMBS_MAX] = {0};
    for (int i = 64 * n; i-- > 0;) {
        if (n == 4)
            limbs_add_mod(acc, acc, acc, m, 4);
        else
            limbs_add_mod(acc, acc, acc, m, 6);
        if (b[i / 64] >> i % 64 & 1) {
            if (n == 4)
                limbs_add_mod(acc, acc, a, m, 4);
            else
                limbs_add_mod(acc, acc, a, m, 6);
        }
    }
    memcpy(r, acc, (size_t)n * 8);
}

static void check_fr_pair(const struct fr *a, const struct fr *b)
{
    static const struct fr radix = {{0x00000001fffffffe, 0x5884b7fa00034802, 0x998c4fefecbc4ff5,
                                     0x1824b159acc5056f}}; /* 2^256 mod r */
    struct fr product, got, want, back;
    /* mul gives a b / R: times R it must be the plain product. */
    slow_product(product.l, a->l, b->l, FR_MODULUS, 4);
    fr_mul(&got, a, b);
    assert_true(limbs_less(got.l, FR_MODULUS, 4));
    slow_product(back.l, got.l, radix.l, FR_MODULUS, 4);
    assert_memory_equal(&back, &product, sizeof back);
    back = *a;
    fr_mul(&back, &back, b);
    assert_memory_equal(&back, &got, sizeof back);
    back = *b;
    fr_mul(&back, a, &back);
    assert_memory_equal(&back, &got, sizeof back);
    limbs_add_mod(want.l, a->l, b->l, FR_MODULUS, 4);
    fr_add(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
    limbs_sub_mod(want.l, a->l, b->l, FR_MODULUS, 4);
    fr_sub(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
}

static void check_fr_single(const struct fr *a)
{
    struct fr got, want;
    fr_mul(&want, a, a);
    fr_sqr(&got, a);
    assert_memory_equal(&got, &want, sizeof got);
    got = *a;
    fr_sqr(&got, &got);
    assert_memory_equal(&got, &want, sizeof got);
    fr_neg(&got, a);
    assert_true(limbs_less(got.l, FR_MODULUS, 4));
    fr_add(&got, &got, a);
    assert_true(fr_is_zero(&got));
    fr_add(&want, a, a);
    fr_double(&got, a);
    assert_true(fr_equal(&got, &want));
    fr_inv(&got, a);
    fr_mul(&got, &got, a);
    assert_memory_equal(&got, fr_is_zero(a) ? &FR_ZERO : &FR_ONE, sizeof got);
}

static void test_fr(void **unused)
{
    struct fr v[VALUES];
    (void)unused;
    for (int i = 0; i < VALUES; i++)
        value(v[i].l, i, FR_MODULUS, 4);
    FOR_EACH_CPU_PATH(path)
    {
        for (int i = 0; i < VALUES; i++) {
            check_fr_single(&v[i]);
            for (int j = i % 3; j < VALUES; j += 3)
                check_fr_pair(&v[i], &v[j]);
        }
    }
}

/* Sums of 1 to 16 products, the largest among them. */
static void test_fr_dot(void **unused)
{
    struct fr a[FR_DOT_MAX], b[FR_DOT_MAX], want, product, got;
    (void)unused;
    FOR_EACH_CPU_PATH(path)
    {
        for (int i = 0; i < 20000; i++) {
            size_t n = (size_t)i % FR_DOT_MAX + 1;
            want = FR_ZERO;
            for (size_t k = 0; k < n; k++) {
                value(a[k].l,
                      i % 7 == 0   ? 64
                      : i % 5 == 0 ? (int)next() & 63
                                   : FIXED,
                      FR_MODULUS, 4);
                value(b[k].l,
                      i % 7 == 0   ? 64
                      : i % 3 == 0 ? (int)next() & 63
                                   : FIXED,
                      FR_MODULUS, 4);
                fr_mul(&product, &a[k], &b[k]);
                limbs_add_mod(want.l, want.l, product.l, FR_MODULUS, 4);
            }
            fr_dot(&got, a, b, n);
            assert_memory_equal(&got, &want, sizeof got);
            fr_dot(&a[n / 2], a, b, n);
            assert_memory_equal(&a[n / 2], &want, sizeof want);
        }
    }
}

static void check_fp_pair(const struct fp *a, const struct fp *b)
{
    static const struct fp radix = {{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba,
                                     0x77ce585370525745, 0x5c071a97a256ec6d,
                                     0x15f65ec3fa80e493}}; /* 2^384 mod p */
    struct fp product, got, want, back;
    slow_product(product.l, a->l, b->l, FP_MODULUS, 6);
    fp_mul(&got, a, b);
    assert_true(limbs_less(got.l, FP_MODULUS, 6));
    slow_product(back.l, got.l, radix.l, FP_MODULUS, 6);
    assert_memory_equal(&back, &product, sizeof back);
    back = *a;
    fp_mul(&back, &back, b);
    assert_memory_equal(&back, &got, sizeof back);
    back = *b;
    fp_mul(&back, a, &back);
    assert_memory_equal(&back, &got, sizeof back);
    limbs_add_mod(want.l, a->l, b->l, FP_MODULUS, 6);
    fp_add(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
    limbs_sub_mod(want.l, a->l, b->l, FP_MODULUS, 6);
    fp_sub(&got, a, b);
    assert_memory_equal(&got, &want, sizeof got);
}

static void check_fp_single(const struct fp *a)
{
    struct fp got, want;
    fp_mul(&want, a, a);
    fp_sqr(&got, a);
    assert_memory_equal(&got, &want, sizeof got);
    got = *a;
    fp_sqr(&got, &got);
    assert_memory_equal(&got, &want, sizeof got);
    fp_neg(&got, a);
    assert_true(limbs_less(got.l, FP_MODULUS, 6));
    fp_add(&got, &got, a);
    assert_true(fp_is_zero(&got));
    fp_add(&want, a, a);
    fp_double(&got, a);
    assert_true(fp_equal(&got, &want));
    fp_inv(&got, a);
    fp_mul(&got, &got, a);
    assert_memory_equal(&got, fp_is_zero(a) ? &FP_ZERO : &FP_ONE, sizeof got);
}

static void test_fp(void **unused)
{
    struct fp v[VALUES];
    (void)unused;
    for (int i = 0; i < VALUES; i++)
        value(v[i].l, i, FP_MODULUS, 6);
    FOR_EACH_CPU_PATH(path)
    {
        for (int i = 0; i < VALUES; i++) {
            check_fp_single(&v[i]);
            for (int j = i % 3; j < VALUES; j += 3)
                check_fp_pair(&v[i], &v[j]);
        }
    }
}

/* Many random values: the fast paths against the portable one. */
static void test_paths_agree(void **unused)
{
    (void)unused;
    FOR_EACH_CPU_PATH(path)
    {
        for (int i = 0; i < 20000; i++) {
            struct fr a, b, r, s;
            struct fp c, d, t, u;
            value(a.l, FIXED, FR_MODULUS, 4);
            value(b.l, FIXED, FR_MODULUS, 4);
            value(c.l, FIXED, FP_MODULUS, 6);
            value(d.l, FIXED, FP_MODULUS, 6);
            FIELD_OPS_PORTABLE.fr_mul(&r, &a, &b);
            fr_mul(&s, &a, &b);
            assert_memory_equal(&r, &s, sizeof r);
            FIELD_OPS_PORTABLE.fr_sqr(&r, &a);
            fr_sqr(&s, &a);
            assert_memory_equal(&r, &s, sizeof r);
            FIELD_OPS_PORTABLE.fp_mul(&t, &c, &d);
            fp_mul(&u, &c, &d);
            assert_memory_equal(&t, &u, sizeof t);
            FIELD_OPS_PORTABLE.fp_sqr(&t, &c);
            fp_sqr(&u, &c);
            assert_memory_equal(&t, &u, sizeof t);
        }
    }
}

/* field_init follows cpu_path(): otherwise the tests above would compare the portable kernels with themselves. */
static void test_table_follows_path(void **unused)
{
    (void)unused;
    assert_true(cpu_path_use(CPU_PORTABLE));
    assert_memory_equal(&field_ops, &FIELD_OPS_PORTABLE, sizeof field_ops);
#if defined(__x86_64__)
    if (cpu_path_use(CPU_ADX)) {
        assert_memory_equal(&field_ops, &FIELD_OPS_ADX, sizeof field_ops);
        assert_memory_not_equal(&FIELD_OPS_PORTABLE, &FIELD_OPS_ADX, sizeof field_ops);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fr),
        cmocka_unit_test(test_fr_dot),
        cmocka_unit_test(test_fp),
        cmocka_unit_test(test_paths_agree),
        cmocka_unit_test(test_table_follows_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
