/* Linear combinations against a naive sum by variable. */
/* ctest: quick asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "r1cs/lc.h"

static uint64_t random_state = 1;

static uint64_t random_u64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void random_coeff(struct fr *out)
{
    switch (random_u64() % 5) {
    case 0:
        *out = FR_ONE;
        break;
    case 1:
        *out = FR_MINUS_ONE;
        break;
    case 2:
        *out = FR_ZERO;
        break;
    default:
        fr_from_u64(out, random_u64());
    }
}

static int by_var(const void *x, const void *y)
{
    uint32_t a = ((const struct term *)x)->var, b = ((const struct term *)y)->var;
    return a < b ? -1 : a > b;
}

/* Sorts, then sums neighbours. */
static size_t naive(struct term *out, const struct lc *lc)
{
    size_t n = 0, kept = 0;
    if (lc->len == 0)
        return 0;
    struct term *t = malloc(lc->len * sizeof *t);
    memcpy(t, lc->term, lc->len * sizeof *t);
    qsort(t, lc->len, sizeof *t, by_var);
    for (size_t i = 0; i < lc->len; i++) {
        if (n > 0 && out[n - 1].var == t[i].var)
            fr_add(&out[n - 1].coeff, &out[n - 1].coeff, &t[i].coeff);
        else
            out[n++] = t[i];
    }
    for (size_t i = 0; i < n; i++)
        if (!fr_is_zero(&out[i].coeff))
            out[kept++] = out[i];
    free(t);
    return kept;
}

static void check(struct lc *lc)
{
    struct term *want = malloc((lc->len + 1) * sizeof *want);
    size_t n = naive(want, lc);
    lc_normalise(lc);
    assert_int_equal(lc->failed, 0);
    assert_int_equal(lc->len, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(lc->term[i].var, want[i].var);
        assert_true(fr_equal(&lc->term[i].coeff, &want[i].coeff));
    }
    free(want);
}

/* Variables of few kinds, so that duplicates, cancellations and ascending runs all occur, of lengths on both sides of every switch of
 * method. */
static void normalise_random(void **state)
{
    (void)state;
    struct lc lc = {0};
    static const uint32_t range[] = {1, 3, 40, 1000, 70000, 0x7fffffff};
    for (int round = 0; round < 4000; round++) {
        size_t n = random_u64() % (round % 10 == 0 ? 1200 : 40);
        uint32_t span = range[random_u64() % 6], base = random_u64() % 2 ? VAR_AUX : 0;
        int mixed = random_u64() % 4 == 0;
        uint32_t run = (uint32_t)(random_u64() % span);
        for (size_t i = 0; i < n; i++) {
            struct fr k;
            random_coeff(&k);
            uint32_t var = base | (round % 3 == 0 ? run++ % span : (uint32_t)(random_u64() % span));
            if (mixed)
                var ^= random_u64() % 2 ? VAR_AUX : 0;
            lc_add(&lc, random_u64() % 8 == 0 ? VAR_ONE : var, &k);
        }
        check(&lc);
        lc_reset(&lc);
    }
    lc_clean_up(&lc);
}

/* The row that MultiEq makes: ascending runs of 32 with powers of two, constants between them. */
static void normalise_runs(void **state)
{
    (void)state;
    struct lc lc = {0};
    struct fr k = FR_ONE;
    for (int sum = 0; sum < 7; sum++)
        for (int operand = 0; operand < 7; operand++)
            for (uint32_t bit = 0; bit < 32; bit++) {
                uint32_t var =
                    VAR_AUX | (uint32_t)(9000 + (operand * 977 + sum * 161) % 5000 + bit);
                lc_add(&lc, operand == 3 ? VAR_ONE : var, &k);
                fr_double(&k, &k);
            }
    check(&lc);
    assert_int_equal(lc.term[0].var, VAR_ONE);
    lc_clean_up(&lc);
}

static void normalise_is_stable(void **state)
{
    (void)state;
    struct lc lc = {0};
    lc_normalise(&lc);
    assert_int_equal(lc.len, 0);
    for (uint32_t i = 0; i < 100; i++)
        lc_add_i64(&lc, VAR_AUX | i, i % 3);
    check(&lc);
    assert_int_equal(lc.len, 66);
    check(&lc);
    assert_int_equal(lc.len, 66);
    lc_clean_up(&lc);
}

static void add_integers(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, -1, 2, -2, 3, 1 << 20, INT64_MAX, INT64_MIN};
    struct lc lc = {0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct fr want;
        lc_add_i64(&lc, (uint32_t)i, values[i]);
        fr_from_i64(&want, values[i]);
        assert_true(fr_equal(&lc.term[i].coeff, &want));
    }
    lc_add_one(&lc, 7);
    assert_true(fr_equal(&lc.term[lc.len - 1].coeff, &FR_ONE));
    lc_clean_up(&lc);
}

static void add_scaled(void **state)
{
    (void)state;
    struct lc from = {0}, to = {0};
    struct fr factors[4] = {FR_ONE, FR_MINUS_ONE, FR_ZERO};
    fr_from_u64(&factors[3], 12345678901234567u);
    lc_add_scaled(&to, &from, &factors[3]);
    assert_int_equal(to.len, 0);
    for (uint32_t i = 0; i < 50; i++) {
        struct fr k;
        random_coeff(&k);
        lc_add(&from, i, &k);
    }
    for (int f = 0; f < 4; f++) {
        lc_reset(&to);
        lc_add_one(&to, 99);
        lc_add_scaled(&to, &from, &factors[f]);
        assert_int_equal(to.len, 51);
        for (uint32_t i = 0; i < 50; i++) {
            struct fr want;
            fr_mul(&want, &from.term[i].coeff, &factors[f]);
            assert_int_equal(to.term[i + 1].var, i);
            assert_true(fr_equal(&to.term[i + 1].coeff, &want));
        }
    }
    from.failed = 1;
    lc_add_scaled(&to, &from, &FR_ONE);
    assert_int_equal(to.failed, 1);
    lc_clean_up(&from);
    lc_clean_up(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalise_random),    cmocka_unit_test(normalise_runs),
        cmocka_unit_test(normalise_is_stable), cmocka_unit_test(add_integers),
        cmocka_unit_test(add_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
