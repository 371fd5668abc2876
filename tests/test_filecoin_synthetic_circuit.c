/* Synthetic and sealed PoReps satisfy the circuit. */
#include "synthetic_checks.h"

#include "base/cpu.h"
#include "field/field.h"

static struct pool *pool;

/* Check mode finds every row satisfied, and the native evaluator has the same witness and row values. */
static void check_circuit(struct porep_vanilla *v, uint64_t rows)
{
    struct sealed s = {.v = *v};
    struct circuit_under_test circuit = {sealed_partition, &s};
    struct assignment native = {0}, typed = {0};
    struct error err;
    struct cs cs;
    run_native(&native, circuit, pool);
    assert_int_equal(rows_that_hold(&native), rows);
    assert_chain_inputs(&native, v, 0);
    cs_init_generic(&cs, CS_CHECK, NULL);
    sealed_partition(&cs, &s);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_int_equal(cs.num_rows, rows);
    assert_ok(cs_take_typed(&cs, &typed, &err), &err);
    assert_same(&native, &typed);
    cs_clean_up(&cs);
    assignment_clean_up(&native);
    assignment_clean_up(&typed);
}

static void test_2kib(void **state)
{
    (void)state;
    struct porep_vanilla v;
    make_synthetic(&v, V1, 11, pool);
    check_circuit(&v, 2687961);
    porep_vanilla_clean_up(&v);
    make_synthetic(&v, V1_1, 12, pool);
    check_circuit(&v, 2687961);
    porep_vanilla_clean_up(&v);
}

static void test_512mib(void **state)
{
    (void)state;
    struct porep_vanilla v;
    make_synthetic(&v, V1_1 + SECTOR_512M, 13, pool);
    check_circuit(&v, 4423473);
    porep_vanilla_clean_up(&v);
}

/* Really sealed, at the size where the set of synthetic challenges is as large as it gets. */
static void test_sealed_8mib(void **state)
{
    (void)state;
    struct porep_vanilla v;
    make_sealed(&v, SYNTHETIC + SECTOR_8M, 14, pool);
    through_a_file(&v, pool);
    check_circuit(&v, 3844969);
    porep_vanilla_clean_up(&v);
}

static int start(void **state)
{
    struct error err;
    (void)state;
    assert_ok(cpu_init(&err), &err);
    field_init();
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
        cmocka_unit_test(test_2kib),
        cmocka_unit_test(test_512mib),
        cmocka_unit_test(test_sealed_8mib),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
