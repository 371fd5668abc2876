/* Partitions of sealed 2 KiB sectors: every path, the reference's witness and row values, with and without threads. */
#include "porep_checks.h"

static struct pool *pool;

static void check_sector(const char *name)
{
    struct sealed s;
    struct assignment w = {0};
    sealed_load(&s, name);
    check_partition(&w, &s, 0, pool, 1);
    for (unsigned p = 1; p < s.v.partitions; p++)
        check_partition(&w, &s, p, pool, 0);
    assignment_clean_up(&w);
    sealed_free(&s);
}

static void test_interactive(void **state)
{
    (void)state;
    check_sector("porep-2kib-v1_1-s1");
    check_sector("porep-2kib-v1_1-s2");
    check_sector("porep-2kib-v1-s5");
    check_sector("porep-2kib-m1000-s11");
    check_sector("porep-2kib-m1000-s12");
}

static void test_synthetic(void **state)
{
    (void)state;
    check_sector("porep-2kib-synth-s6");
}

static void test_non_interactive(void **state)
{
    (void)state;
    check_sector("porep-2kib-ni-s7");
}

/* A wrong label of a parent: its column's path to comm_c is the first thing that fails. */
static void test_wrong_label(void **state)
{
    (void)state;
    struct sealed s;
    sealed_load(&s, "porep-2kib-v1_1-s1");
    s.v.proofs[0][0].drg_parents[0].rows[1].b[0] ^= 1;
    struct circuit_under_test circuit = {sealed_partition, &s};
    assert_int_equal(first_bad_row(circuit), 571 + 6 * 45382 + 2 + 311 + 2 * 530 + 1);
    sealed_free(&s);
}

static int start(void **state)
{
    struct error err;
    (void)state;
    return pool_new(&pool, 2, &err);
}

static int stop(void **state)
{
    (void)state;
    pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interactive),
        cmocka_unit_test(test_synthetic),
        cmocka_unit_test(test_non_interactive),
        cmocka_unit_test(test_wrong_label),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
