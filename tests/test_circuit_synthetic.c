/* Synthetic PoSt and snap proofs satisfy their circuits: every row, and native synthesis is the same. */
/* ctest: timeout=900 */
#include "synthetic_circuits.h"

static void check_post(unsigned number, unsigned sectors, uint64_t rows)
{
    struct synthetic_post s;
    make_post(&s, number, sectors, NULL);
    struct circuit_under_test circuit = {synthesize_post, &s};
    assert_int_equal(count_rows(circuit).rows, rows);
    check_modes(circuit);

    /* A sibling at the top that is wrong, in the last sector's last challenge. */
    struct post_sector *last = &s.v.sectors[s.v.sectors_len - 1];
    struct merkle_path *path = &last->paths[s.post.paths - 1];
    path->siblings[path->levels - 1][0].b[0] ^= 1;
    assert_true(first_bad_row(circuit) > rows - rows / 20);
    post_vanilla_clean_up(&s.v);
}

static void test_winning_32gib(void **state)
{
    (void)state;
    check_post(3, 0, 66 * 5615);
}

static void test_winning_64gib(void **state)
{
    (void)state;
    check_post(4, 0, 391314);
}

/* Three sectors: the hash of the commitments and ten paths of ten levels each. */
static void test_window_32gib(void **state)
{
    (void)state;
    check_post(8, 3, 3 * (313 + 10 * (5615 - 313)));
}

static void test_snap_2kib(void **state)
{
    (void)state;
    struct synthetic_update s = {.partition = 0};
    make_update(&s, 0, 0, NULL);
    struct circuit_under_test circuit = {synthesize_update, &s};
    assert_int_equal(count_rows(circuit).rows, 1705044 - 5);
    check_modes(circuit);
    update_vanilla_clean_up(&s.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winning_32gib),
        cmocka_unit_test(test_winning_64gib),
        cmocka_unit_test(test_window_32gib),
        cmocka_unit_test(test_snap_2kib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
