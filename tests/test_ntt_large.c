/* ctest: long timeout=1200 */
/* The sizes that need one full strided pass (2^22) and two (2^23). */
#include "ntt_checks.h"

#include "base/buffer.h"
#include "cpu_paths.h"

static void check_size(unsigned log2)
{
    size_t n = (size_t)1 << log2;
    struct error err;
    struct pool *pool;
    struct ntt_domain d;
    struct buffer h, tmp;
    struct rows rows;
    assert_int_equal(pool_new(&pool, 0, &err), 0);
    assert_int_equal(buffer_init(&h, n * sizeof(struct fr), "h", &err), 0);
    assert_int_equal(buffer_init(&tmp, n * sizeof(struct fr), "tmp", &err), 0);
    assert_int_equal(ntt_domain_init(&d, log2, pool, &err), 0);
    rows_new(&rows, n - n / 3);
    assert_int_equal(
        ntt_quotient(h.data, tmp.data, &d, &rows.v[0], &rows.v[1], &rows.v[2], pool, NULL, &err),
        0);
    buffer_clean_up(&tmp);
    check_quotient(&d, &rows, h.data);
    rows_free(&rows);
    ntt_domain_clean_up(&d);
    buffer_clean_up(&h);
    pool_destroy(pool);
}

static void one_full_strided_pass(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    check_size(22);
}

static void two_strided_passes(void **state)
{
    (void)state;
    check_size(23); /* on the path that was in use last, the fastest */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_full_strided_pass),
        cmocka_unit_test(two_strided_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
