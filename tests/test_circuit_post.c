/* The PoSt circuits: counts of the reference's tests, and the small circuits row by row. */
/* ctest: quick */
/* ctest: asan */
#include "post_checks.h"

/* arities: one digit a level. */
static struct sector_shape tree(const char *arities)
{
    struct sector_shape s = {.tree_r_levels = (unsigned)strlen(arities)};
    for (unsigned l = 0; l < s.tree_r_levels; l++)
        s.tree_r_arity[l] = (uint8_t)(arities[l] - '0');
    return s;
}

static void assert_counts(const char *arities, unsigned sectors, unsigned challenges, uint64_t rows,
                          uint64_t inputs)
{
    struct sector_shape s = tree(arities);
    struct blank_post b = {&s, sectors, challenges};
    struct counts n = count_rows((struct circuit_under_test){blank_post, &b});
    assert_int_equal(n.rows, rows);
    assert_int_equal(n.inputs, inputs);
}

/* The reference's own tests: base trees of 64 leaves. */
static void test_counts_of_the_reference(void **state)
{
    (void)state;
    assert_counts("88", 3, 5, 16869, 19);
    assert_counts("884", 3, 5, 22674, 19);
    assert_counts("8842", 3, 5, 27384, 19);
    assert_counts("88", 2, 5, 11246, 13);
    assert_counts("8888888888", 5, 10, 266665, 5 * 11 + 1);
}

static void test_winning(void **state)
{
    (void)state;
    check_shape("winning-2kib", winning_circuit(SECTOR_2K));
    check_shape("winning-8mib", winning_circuit(SECTOR_8M));
}

static void test_window(void **state)
{
    (void)state;
    check_shape("window-2kib", window_circuit(SECTOR_2K));
    check_shape("window-8mib", window_circuit(SECTOR_8M));
    check_shape("window-512mib", window_circuit(SECTOR_512M));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_of_the_reference),
        cmocka_unit_test(test_winning),
        cmocka_unit_test(test_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
