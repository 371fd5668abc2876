/* The larger WinningPoSt circuits row by row, and what the spec's count model gives for 64 GiB. */
#include "post_checks.h"

static void test_winning(void **state)
{
    (void)state;
    check_shape("winning-512mib", winning_circuit(SECTOR_512M));
    check_shape("winning-32gib", winning_circuit(SECTOR_32G));
}

static void test_winning_64gib(void **state)
{
    (void)state;
    static const struct shape_counts want = {.inputs = 133,
                                             .rows = 391314,
                                             .aux = 396000,
                                             .a_aux = 299838,
                                             .b_aux = 287694,
                                             .nnz_a = 2689501 - 133,
                                             .nnz_b = 397518,
                                             .nnz_c = 491040};
    check_counts(&want, winning_circuit(SECTOR_64G));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winning),
        cmocka_unit_test(test_winning_64gib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
