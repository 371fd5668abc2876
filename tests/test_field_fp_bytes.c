/* Many encoded elements of Fp at once, on each CPU path, and the eight-lane kernel in plain C on every machine: as one by one. */
/* ctest: quick */
/* ctest: asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu_paths.h"
#include "field/fp.h"
#include "ifma_stand_in.h"

#define fp_from_bytes_8_ifma fp_from_bytes_8_stand_in
#include "field/x86_64/fp_bytes_ifma.c"
#undef fp_from_bytes_8_ifma

enum { N = 43, BYTES = 48 };

/* 0, 1, the values around p - 1 that are canonical, and others, at places that change with the seed. */
static void fill(uint8_t in[N * BYTES], unsigned seed)
{
    struct fp last;
    srand(seed);
    fp_neg(&last, &FP_ONE);
    for (unsigned i = 0; i < N; i++) {
        uint8_t *b = in + i * BYTES;
        for (unsigned k = 0; k < BYTES; k++)
            b[k] = (uint8_t)(rand() >> 8);
        b[0] %= 0x1a; /* p begins with 0x1a 0x01 */
        unsigned special = (i + seed) % 9;
        if (special < 2)
            memset(b, 0, BYTES);
        if (special == 1)
            b[BYTES - 1] = 1;
        if (special == 2 || special == 3)
            fp_to_bytes(b, &last);
        if (special == 3)
            b[BYTES - 1]--;
    }
}

/* At least p: p itself, more, and with the bits that points use as flags. */
static void spoil(uint8_t b[BYTES], unsigned how)
{
    static const uint8_t tops[] = {0x1b, 0x20, 0x40, 0x80, 0xff};
    struct fp last;
    fp_neg(&last, &FP_ONE);
    fp_to_bytes(b, &last);
    if (how == 0)
        b[BYTES - 1]++;
    else
        b[0] = tops[how - 1];
}

static void test_paths(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    for (unsigned seed = 0; seed < N; seed++) {
        uint8_t in[N * BYTES];
        struct fp r[N], want;
        fill(in, seed);
        assert_int_equal(fp_from_bytes_many(r, in, N), N);
        for (unsigned i = 0; i < N; i++) {
            assert_int_equal(fp_from_bytes(&want, in + i * BYTES), 0);
            assert_memory_equal(&r[i], &want, sizeof want);
        }
        spoil(in + seed * BYTES, seed % 6);
        spoil(in + (N - 1) * BYTES, 0);
        assert_int_equal(fp_from_bytes_many(r, in, N), seed);
        assert_int_equal(fp_from_bytes_many(r, in, 0), 0);
    }
}

static void test_kernel(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 64; seed++) {
        uint8_t in[N * BYTES];
        struct fp r[8], want;
        fill(in, seed);
        assert_int_equal(fp_from_bytes_8_stand_in(r, in), 0);
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(fp_from_bytes(&want, in + i * BYTES), 0);
            assert_memory_equal(&r[i], &want, sizeof want);
        }
        spoil(in + seed % 8 * BYTES, seed / 8 % 6);
        assert_int_equal(fp_from_bytes_8_stand_in(r, in), 1u << seed % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_kernel),
    };
    field_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
