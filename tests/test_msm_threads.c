/* Sums and multiples are the same on any number of threads, and threads share no memory without order. */
/* ctest: quick */
/* ctest: tsan */
#include "json_data.h"

#include "cpu_paths.h"
#include "det_fr.h"
#include "msm/msm.h"

enum { N = 9000, DENSE = 700 };

struct sums {
    struct g1_affine *multiples; /* [N] */
    struct g1 typed, plain;
};

static void compute(struct sums *out, const struct fr *logs, const int8_t *small,
                    const struct fr *full, unsigned threads)
{
    struct error err;
    struct pool *pool;
    struct fixed_base_g1 *base;
    struct msm_g1 *m;
    static uint64_t limbs[N][4];
    assert_int_equal(pool_new(&pool, threads, &err), 0);
    assert_int_equal(fixed_base_g1_new(&base, &G1_GENERATOR, 100, &err), 0);
    out->multiples = malloc(N * sizeof *out->multiples);
    fixed_base_g1_mul(base, out->multiples, logs, N, pool);
    assert_int_equal(msm_g1_new(&m, DENSE, pool, &err), 0);
    msm_g1_add_typed(m, out->multiples, small, full, N);
    msm_g1_finish(m, &out->typed);
    for (size_t i = 0; i < DENSE; i++)
        fr_to_limbs(limbs[i], &full[i]);
    msm_g1_add(m, out->multiples, (const uint64_t(*)[4])limbs, DENSE);
    msm_g1_finish(m, &out->plain);
    msm_g1_destroy(m);
    fixed_base_g1_destroy(base);
    pool_destroy(pool);
}

static void test_threads_agree(void **state)
{
    struct fr logs[N], full[DENSE];
    int8_t small[N];
    struct sums one, many;
    (void)state;
    cpu_path_use(CPU_PORTABLE);
    for (size_t i = 0, k = 0; i < N; i++) {
        det_fr(&logs[i], "threads %zu", i);
        small[i] = i % 13 == 5 ? -128 : (int8_t)(i % 4) - 1;
        if (small[i] == -128) {
            det_fr(&full[k], "threads full %zu", k);
            k++;
        }
    }
    compute(&one, logs, small, full, 1);
    assert_false(g1_is_infinity(&one.typed));
    assert_false(g1_is_infinity(&one.plain));
    for (unsigned threads = 2; threads <= 4; threads++) {
        compute(&many, logs, small, full, threads);
        assert_memory_equal(many.multiples, one.multiples, N * sizeof *one.multiples);
        assert_true(g1_equal(&many.typed, &one.typed));
        assert_true(g1_equal(&many.plain, &one.plain));
        free(many.multiples);
    }
    free(one.multiples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
