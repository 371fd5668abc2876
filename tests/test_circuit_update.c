/* The EmptySectorUpdate circuit of 2 KiB row by row, and counts of the Poseidon variant. */
/* ctest: quick */
#include "update_checks.h"

static void test_2kib_shape(void **state)
{
    (void)state;
    check_shape("update-2kib", snap_circuit(SECTOR_2K));
}

static void assert_poseidon_counts(unsigned node_bits, const char *arities, uint64_t rows)
{
    struct update_case c;
    update_case_init(&c, node_bits, arities);
    struct counts n = count_rows((struct circuit_under_test){blank_update_poseidon, &c.update});
    assert_int_equal(n.rows, rows);
    assert_int_equal(n.inputs, 5);
}

static void test_poseidon_counts(void **state)
{
    (void)state;
    assert_poseidon_counts(5, "84", 32164);
    assert_poseidon_counts(8, "884", 47974);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_2kib_shape),
        cmocka_unit_test(test_poseidon_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
