/* The PoRep circuit: counts of its parts, the 2 KiB circuit row by row, and one sealed sector. */
/* ctest: quick */
#include "porep_checks.h"

/* A shape with path levels of the reference's tests; arities: one digit a level. */
static struct sector_shape small_shape(unsigned layers, unsigned challenges, unsigned tree_d_levels,
                                       const char *arities)
{
    struct sector_shape s = {.layers = layers, .challenges = challenges};
    s.tree_d_levels = tree_d_levels;
    s.tree_r_levels = (unsigned)strlen(arities);
    for (unsigned l = 0; l < s.tree_r_levels; l++)
        s.tree_r_arity[l] = (uint8_t)(arities[l] - '0');
    return s;
}

static void assert_counts(unsigned layers, unsigned challenges, unsigned tree_d_levels,
                          const char *arities, uint64_t rows, uint64_t inputs)
{
    struct sector_shape s = small_shape(layers, challenges, tree_d_levels, arities);
    struct counts n = count_rows(blank_porep_circuit(&s));
    assert_int_equal(n.rows, rows);
    assert_int_equal(n.inputs, inputs);
}

/* The reference's own tests: 2 layers, 1 challenge. */
static void test_counts_of_the_reference(void **state)
{
    (void)state;
    assert_counts(2, 1, 3, "222", 1206212, 22);
    assert_counts(2, 1, 3, "8", 1199620, 22);
    assert_counts(2, 1, 5, "84", 1296576, 22);
    assert_counts(2, 1, 6, "842", 1346982, 22);
}

static void test_counts_of_parts(void **state)
{
    (void)state;
    assert_counts(2, 0, 6, "88", 571, 4); /* the prelude */
    enum { LABEL = 522269, PATH = 530 + 2 };
    uint64_t rest = 571 + 45382 + 2 + 65 + 1 + 1536;
    assert_counts(2, 1, 1, "8", rest + 14 * (311 + PATH) + 3584 + 2 * LABEL + PATH + 311 + PATH,
                  22);
    assert_counts(11, 1, 1, "8",
                  rest + 14 * (598 + PATH) + 10 * 3584 + 11 * LABEL + PATH + 598 + PATH, 22);
}

static void test_2kib_shape(void **state)
{
    (void)state;
    check_shape("porep-2kib", blank_porep_circuit(sector_shape(SECTOR_2K)));
}

static void test_sealed_sector(void **state)
{
    (void)state;
    struct sealed s;
    struct assignment w = {0};
    sealed_load(&s, "porep-2kib-v1_1-s1");
    check_partition(&w, &s, 0, NULL, 0);
    assignment_clean_up(&w);
    sealed_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_of_the_reference),
        cmocka_unit_test(test_counts_of_parts),
        cmocka_unit_test(test_2kib_shape),
        cmocka_unit_test(test_sealed_sector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
