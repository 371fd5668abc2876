/* Counts of the EmptySectorUpdate circuits of the reference's tests, and 8 MiB row by row. */
#include "update_checks.h"

static void assert_counts(unsigned node_bits, const char *arities, uint64_t rows)
{
    struct update_case c;
    update_case_init(&c, node_bits, arities);
    struct counts n = count_rows((struct circuit_under_test){blank_update, &c.update});
    assert_int_equal(n.rows, rows);
    assert_int_equal(n.inputs, 5);
}

static void test_counts_of_the_reference(void **state)
{
    (void)state;
    assert_counts(5, "84", 1248389);
    assert_counts(6, "88", 1705039);
    assert_counts(7, "882", 2165109);
    assert_counts(8, "884", 2620359);
    assert_counts(9, "888", 6300021);
    assert_counts(10, "8882", 6760091);
}

static void test_8mib(void **state)
{
    (void)state;
    check_shape("update-8mib", snap_circuit(SECTOR_8M));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_of_the_reference),
        cmocka_unit_test(test_8mib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
