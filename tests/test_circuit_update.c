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

/* Draws in the reference's tests of gen_challenge_bits: 568 rows a digest. Trees without levels leave little else: a challenge
 * then has its 13 rows for the high bits, 311 for rho, 2 for the label and one comparison for each path. */
static void assert_draw(unsigned node_bits, const char *arities, uint64_t rows)
{
    struct update_case c;
    update_case_init(&c, node_bits, arities);
    c.shape.tree_r_levels = 0;
    c.update.partition_bits = 0; /* the Poseidon variant draws all bits of a leaf, */
    c.update.partitions = 1;     /* for all partitions */
    struct circuit_under_test circuit = {blank_update_poseidon, &c.update};
    uint64_t with = count_rows(circuit).rows, challenges = c.update.challenges;
    c.update.challenges = 0;
    assert_int_equal(with - count_rows(circuit).rows,
                     rows + challenges * (6 * 2 + 1 + 311 + 2 + 3));
}

static void test_draws(void **state)
{
    (void)state;
    assert_draw(5, "84", 568);
    assert_draw(6, "88", 568);
    assert_draw(7, "882", 568);
    assert_draw(8, "884", 568);
    assert_draw(9, "888", 568);
    assert_draw(10, "8882", 568);
    assert_draw(18, "888888", 568);
    assert_draw(19, "8888882", 568);
    assert_draw(24, "88888888", 4544);
    assert_draw(30, "8888888888", 5680);
    assert_draw(31, "88888888882", 5680);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_2kib_shape),
        cmocka_unit_test(test_poseidon_counts),
        cmocka_unit_test(test_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
