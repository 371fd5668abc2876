/* Sums and multiples in both groups: random and boundary scalars, degenerate points, typed values, slices, on every CPU path. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "cpu_paths.h"
#include "det_fr.h"
#include "msm/msm.h"
#include "vector/tvec.h"

/* 0 threads: no pool at all. */
static struct pool *new_pool(unsigned threads)
{
    struct error err;
    struct pool *pool = NULL;
    if (threads > 0)
        assert_int_equal(pool_new(&pool, threads, &err), 0);
    return pool;
}

static struct fr *random_scalars(size_t n, const char *tag)
{
    struct fr *s = malloc((n + 1) * sizeof *s);
    for (size_t i = 0; i < n; i++)
        det_fr(&s[i], "%s %zu", tag, i);
    return s;
}

/* 0, and 2^k - 1, 2^k, 2^k + 1, 1/2 +- 2^k for every k below 255, each with its negative (1/2 is (r + 1) / 2). */
static struct fr *boundary_scalars(size_t *n)
{
    struct fr *s = malloc(3000 * sizeof *s), power = FR_ONE, half;
    fr_from_u64(&half, 2);
    fr_inv(&half, &half);
    size_t k = 0;
    s[k++] = FR_ZERO;
    for (int bit = 0; bit < 255; bit++, fr_double(&power, &power)) {
        size_t first = k;
        fr_sub(&s[k++], &power, &FR_ONE);
        s[k++] = power;
        fr_add(&s[k++], &power, &FR_ONE);
        fr_add(&s[k++], &half, &power);
        fr_sub(&s[k++], &half, &power);
        for (size_t i = first, end = k; i < end; i++)
            fr_neg(&s[k++], &s[i]);
    }
    *n = k;
    return s;
}

/* A reproducible value: in 256 so many dense ones of all kinds, the others units and zeros. */
static int8_t typed_value(size_t i, unsigned dense_of_256)
{
    static const int8_t dense[] = {TVEC_FULL, 2, -2, 127, -127, TVEC_FULL, 3, TVEC_FULL};
    static const int8_t light[] = {0, 1, 0, 1, -1, 1, 0, 1};
    uint32_t x = (uint32_t)i * UINT32_C(2654435761) + 12345;
    x ^= x >> 15;
    x *= UINT32_C(2246822519);
    x ^= x >> 13;
    return (x & 255) < dense_of_256 ? dense[x >> 8 & 7] : light[x >> 8 & 7];
}

#define GROUP g1
#define COORD_PREFIX fp
#define GENERATOR G1_GENERATOR
#include "msm_group_tests.h"
#undef GROUP
#undef COORD_PREFIX
#undef GENERATOR

#define GROUP g2
#define COORD_PREFIX fp2
#define GENERATOR G2_GENERATOR
#include "msm_group_tests.h"
#undef GROUP
#undef COORD_PREFIX
#undef GENERATOR

static void test_random_scalars(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    {
        g1_test_random_scalars(600, 0);
        g1_test_random_scalars(0, 3);
        g2_test_random_scalars(60, 2);
    }
    for (unsigned threads = 1; threads <= 3; threads++)
        g1_test_random_scalars(100, threads);
    g2_test_random_scalars(600, 3);
}

static void test_many_slices(void **state)
{
    (void)state;
    g1_test_many_slices(1);
    g1_test_many_slices(3);
    g2_test_many_slices(2);
}

static void test_typed_edges(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    {
        g1_test_typed_edges();
        g2_test_typed_edges();
    }
}

/* Windows of every width from 4 to 15; the wider ones need memory, not time, and G2 shares the code. */
static void test_boundary_scalars(void **state)
{
    (void)state;
    for (size_t expected = 1; expected <= 1 << 18; expected *= 4)
        g1_test_boundary_scalars(expected);
    g2_test_boundary_scalars(1000);
}

/* R33: sums of what the additions treat apart. */
static void test_degenerate_points(void **state)
{
    (void)state;
    for (size_t expected = 1; expected <= 1 << 14; expected *= 128) {
        g1_test_degenerate_points(expected);
        g2_test_degenerate_points(expected);
    }
}

static void test_one_bucket(void **state)
{
    (void)state;
    g1_test_one_bucket(40000);
    g2_test_one_bucket(17000);
}

/* Enough threads that a window's buckets are summed up in parts. */
static void test_parts(void **state)
{
    (void)state;
    g1_test_random_scalars(1 << 18, 10);
}

static void test_typed(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    for (unsigned threads = 1; threads <= 3; threads++) {
        g1_test_typed(100, threads, 9000, 9000, 10);
        g1_test_typed(1000, threads, 9000, 1999, 100);
        g2_test_typed(50, threads, 5000, 5000, 10);
    }
    g1_test_typed(0, 2, 13000, 13000, 256);
}

static void test_typed_sparse(void **state)
{
    (void)state;
    g1_test_typed_sparse();
    g2_test_typed_sparse();
}

static void test_reference_sum(void **state)
{
    yajl_val root = json_load("vectors/bls12_381.json"), sums = json_get(root, "msm100");
    (void)state;
    FOR_EACH_CPU_PATH(path)
    {
        g1_test_reference_sum(json_string(json_get(sums, "g1")));
        g2_test_reference_sum(json_string(json_get(sums, "g2")));
    }
    yajl_tree_free(root);
}

static void test_fixed_base(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    for (unsigned threads = 0; threads <= 3; threads++)
        g1_test_fixed_base((size_t)1 << 4 * threads, threads);
    g2_test_fixed_base(1000, 2);
}

/* The memory bill grows with what is expected, and stays bounded. */
static void test_bytes(void **state)
{
    (void)state;
    for (size_t n = 1; n <= (size_t)1 << 27; n *= 2) {
        assert_true(n < 1 << 16 || msm_g1_bytes(n, 2) >= msm_g1_bytes(n / 2, 2));
        assert_true(msm_g1_bytes(n, 8) > msm_g1_bytes(n, 2));
        assert_true(msm_g2_bytes(n, 2) > msm_g1_bytes(n, 2));
    }
    assert_true(msm_g1_bytes((size_t)1 << 27, 16) < (size_t)800 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_sum),
        cmocka_unit_test(test_random_scalars),
        cmocka_unit_test(test_many_slices),
        cmocka_unit_test(test_boundary_scalars),
        cmocka_unit_test(test_degenerate_points),
        cmocka_unit_test(test_one_bucket),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_typed_edges),
        cmocka_unit_test(test_typed_sparse),
        cmocka_unit_test(test_fixed_base),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
