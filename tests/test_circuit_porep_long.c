/* The 32 and 64 GiB PoRep circuits row by row, and every path on every partition of a non-interactive proof. */
/* ctest: long timeout=3600 */
#include "porep_checks.h"

static void test_32gib(void **state)
{
    (void)state;
    check_shape("porep-32gib", blank_porep_circuit(sector_shape(SECTOR_32G)));
}

/* The reference's figures for 64 GiB aren't at hand; these follow from a count model that gives its figures for the other sizes. */
static void test_64gib(void **state)
{
    (void)state;
    struct error err;
    struct shape_stats s = {0};
    struct row_sink sink = shape_stats_sink(&s);
    struct cs cs;
    cs_init_shape(&cs, &sink);
    assert_ok(porep_synthesize_blank(&cs, sector_shape(SECTOR_64G), &err), &err);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_ok(shape_stats_finish(&s, &cs, &err), &err);
    assert_int_equal(s.num_inputs, 328);
    assert_int_equal(s.num_constraints, 131185849);
    assert_int_equal(s.num_aux, 131076643);
    assert_int_equal(bitmap_popcount(&s.density.a_aux), 130637542);
    assert_int_equal(bitmap_popcount(&s.density.b_aux), 33386943);
    assert_int_equal(bitmap_popcount(&s.density.b_input), 1);
    assert_int_equal(s.nnz_a, 311892525 - 328);
    assert_int_equal(s.nnz_b, 131235764);
    assert_int_equal(s.nnz_c, 284512534);
    shape_stats_clean_up(&s);
    cs_clean_up(&cs);
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
