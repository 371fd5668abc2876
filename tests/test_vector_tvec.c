/* Typed vectors: what goes in comes out, by block and by element. */
/* ctest: quick asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vector/tvec.h"

static void append(struct tvec *v, struct fr *plain, const struct fr *value, int as_full)
{
    assert_true(v->len < v->cap);
    plain[v->len] = *value;
    v->small[v->len++] = as_full ? TVEC_FULL : tvec_small(value);
    if (as_full)
        v->full[v->full_len++] = *value;
}

/* Long stretches of one kind and mixtures; the full ones' share makes counters of every block differ. */
static void fill(struct tvec *v, struct fr *plain, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        struct fr value;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if ((i / 1000) % 3 == 2 || x % 50 == 0) {
            fr_from_u64(&value, x | 1 << 20);
            append(v, plain, &value, 1);
        } else {
            fr_from_i64(&value, (int64_t)(x >> 20) % 128);
            append(v, plain, &value, 0);
        }
    }
}

static void check_expansion(const struct tvec *v, const struct fr *plain, const uint32_t *index,
                            size_t first, size_t n)
{
    struct fr *out = malloc((n + 1) * sizeof *out);
    memset(out, 0xee, (n + 1) * sizeof *out);
    tvec_expand(out, v, index, first, n);
    for (size_t i = 0; i < n; i++)
        assert_true(fr_equal(&out[i], first + i < v->len ? &plain[first + i] : &FR_ZERO));
    for (size_t k = 0; k < sizeof *out; k++)
        assert_int_equal(((uint8_t *)&out[n])[k], 0xee);
    free(out);
}

static void expand_blocks(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 7, 8, 4095, 4096, 4097, 30001};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        struct error err;
        struct tvec v;
        size_t n = lengths[l], blocks = tvec_blocks(n);
        struct fr *plain = malloc((n + 1) * sizeof *plain);
        uint32_t *index = malloc((blocks + 1) * sizeof *index);
        assert_int_equal(tvec_init(&v, n, n, "test vector", &err), 0);
        fill(&v, plain, n);
        tvec_index(index, &v);
        assert_int_equal(index[0], 0);
        assert_int_equal(index[blocks], v.full_len);
        check_expansion(&v, plain, index, 0, n + 100);
        check_expansion(&v, plain, index, blocks * TVEC_BLOCK + TVEC_BLOCK, 10);
        for (size_t b = 0; b < blocks; b++)
            check_expansion(&v, plain, index, b * TVEC_BLOCK, b % 2 ? TVEC_BLOCK : 1000 + b);
        for (size_t i = 0; i < n + 2; i += i % 4096 < 20 ? 1 : 37) {
            struct fr value;
            tvec_get(&value, &v, index, i);
            assert_true(fr_equal(&value, i < n ? &plain[i] : &FR_ZERO));
        }
        free(index);
        free(plain);
        tvec_clean_up(&v);
    }
}

/* More than 255 words of nothing but full elements: the counters of eight bytes at a time must not overflow. */
static void index_all_full(void **state)
{
    (void)state;
    struct error err;
    struct tvec v;
    uint32_t index[4];
    assert_int_equal(tvec_init(&v, 3 * TVEC_BLOCK, 3 * TVEC_BLOCK, "test vector", &err), 0);
    memset(v.small, TVEC_FULL, 3 * TVEC_BLOCK);
    v.len = v.full_len = 3 * TVEC_BLOCK;
    tvec_index(index, &v);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(index[k], k * TVEC_BLOCK);
    tvec_clean_up(&v);
}

static void small_values(void **state)
{
    (void)state;
    for (int i = -400; i <= 400; i++) {
        struct fr value;
        fr_from_i64(&value, i);
        assert_int_equal(tvec_small(&value), i >= -127 && i <= 127 ? i : TVEC_FULL);
    }
    struct fr value = {{1}}; /* 1 / 2^256: tiny limbs, no small integer */
    assert_int_equal(tvec_small(&value), TVEC_FULL);
}

static void growth_keeps_elements(void **state)
{
    (void)state;
    struct error err;
    struct tvec v = {0};
    struct fr value;
    for (size_t i = 0; i < 200000; i++) {
        if (i == v.cap || v.full_len == v.full_cap)
            assert_int_equal(
                tvec_reserve(&v, i + i / 2 + 1, v.full_len * 2 + 1, "test vector", &err), 0);
        v.small[i] = i % 3 ? (int8_t)(i % 100) : TVEC_FULL;
        v.len++;
        if (i % 3 == 0)
            fr_from_u64(&v.full[v.full_len++], i);
    }
    memset(v.small + v.cap, 1, TVEC_SLACK);
    size_t full = 0;
    for (size_t i = 0; i < v.len; i++) {
        assert_int_equal(v.small[i], i % 3 ? (int)(i % 100) : TVEC_FULL);
        if (i % 3 == 0) {
            fr_from_u64(&value, i);
            assert_true(fr_equal(&v.full[full++], &value));
        }
    }
    tvec_clean_up(&v);
}

static void too_large(void **state)
{
    (void)state;
    static const size_t caps[][2] = {
        {SIZE_MAX, 0}, {SIZE_MAX / 2, 0}, {1, SIZE_MAX / 16}, {1, SIZE_MAX / 64}};
    for (int i = 0; i < 4; i++) {
        struct error err = {0};
        struct tvec v;
        assert_int_equal(tvec_init(&v, caps[i][0], caps[i][1], "test vector", &err), ERR_OS);
        assert_string_equal(err.cause, "out-of-memory");
        assert_non_null(strstr(err.text, "test vector"));
        assert_null(v.small);
        tvec_clean_up(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expand_blocks), cmocka_unit_test(index_all_full),
        cmocka_unit_test(small_values),  cmocka_unit_test(growth_keeps_elements),
        cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
