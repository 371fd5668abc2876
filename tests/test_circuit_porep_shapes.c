/* The 8 MiB and 512 MiB PoRep circuits row by row. */
#include "porep_checks.h"

static void test_8mib(void **state)
{
    (void)state;
    check_shape("porep-8mib", blank_porep_circuit(sector_shape(SECTOR_8M)));
}

static void test_512mib(void **state)
{
    (void)state;
    check_shape("porep-512mib", blank_porep_circuit(sector_shape(SECTOR_512M)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_8mib),
        cmocka_unit_test(test_512mib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
