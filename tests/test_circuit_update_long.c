/* The large EmptySectorUpdate circuits: 512 MiB and 32 GiB row by row, counts of 64 GiB and of the Poseidon variant at 32 GiB. */
/* ctest: long timeout=3600 */
#include "update_checks.h"

static void test_512mib(void **state)
{
    (void)state;
    check_shape("update-512mib", snap_circuit(SECTOR_512M));
}

static void test_32gib(void **state)
{
    (void)state;
    check_shape("update-32gib", snap_circuit(SECTOR_32G));
}

static void test_64gib(void **state)
{
    (void)state;
    static const struct shape_counts want = {.inputs = 5,
                                             .rows = 85006101,
                                             .aux = 84931220,
                                             .a_aux = 84682725,
                                             .b_aux = 22012683,
                                             .nnz_a = 199699032 - 5,
                                             .nnz_b = 85077653,
                                             .nnz_c = 180585650};
    check_counts(&want, snap_circuit(SECTOR_64G));
}

static void test_poseidon_32gib(void **state)
{
    (void)state;
    struct update_case c;
    update_case_init(&c, 30, "8888888888");
    struct counts n = count_rows((struct circuit_under_test){blank_update_poseidon, &c.update});
    assert_int_equal(n.rows, 22305906);
    assert_int_equal(n.inputs, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_512mib),
        cmocka_unit_test(test_32gib),
        cmocka_unit_test(test_64gib),
        cmocka_unit_test(test_poseidon_32gib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
