/* The 32 and 64 GiB WindowPoSt circuits. */
/* ctest: long timeout=3600 */
#include "post_checks.h"

static void test_32gib(void **state)
{
    (void)state;
    check_shape("window-32gib", window_circuit(SECTOR_32G));
}

static void test_64gib(void **state)
{
    (void)state;
    static const struct shape_counts want = {.inputs = 25301,
                                             .rows = 129887900,
                                             .aux = 131500200,
                                             .a_aux = 99624500,
                                             .b_aux = 95413200,
                                             .nnz_a = 893324601 - 25301,
                                             .nnz_b = 132008500,
                                             .nnz_c = 163088400};
    check_counts(&want, window_circuit(SECTOR_64G));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_32gib),
        cmocka_unit_test(test_64gib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
