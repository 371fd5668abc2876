/* The 32 and 64 GiB PoRep circuits row by row, and every path on every partition of a non-interactive proof. */
/* ctest: long timeout=3600 */
#include "porep_checks.h"

static void test_32gib(void **state)
{
    (void)state;
    check_shape("porep-32gib", blank_porep_circuit(sector_shape(SECTOR_32G)));
}

static void test_64gib(void **state)
{
    (void)state;
    static const struct shape_counts want = {.inputs = 328,
                                             .rows = 131185849,
                                             .aux = 131076643,
                                             .a_aux = 130637542,
                                             .b_aux = 33386943,
                                             .nnz_a = 311892525 - 328,
                                             .nnz_b = 131235764,
                                             .nnz_c = 284512534};
    check_counts(&want, blank_porep_circuit(sector_shape(SECTOR_64G)));
}

static void test_non_interactive(void **state)
{
    (void)state;
    struct sealed s;
    struct assignment w = {0};
    sealed_load(&s, "porep-2kib-ni-s7");
    for (unsigned p = 0; p < s.v.partitions; p++)
        check_partition(&w, &s, p, NULL, 1);
    assignment_clean_up(&w);
    sealed_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_32gib),
        cmocka_unit_test(test_64gib),
        cmocka_unit_test(test_non_interactive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
