/* The reference's EmptySectorUpdate proof of a 2 KiB sector: every path, its witness and row values; what a wrong value breaks. */
#include "update_checks.h"

static void check_update(struct pool *pool, int all_paths)
{
    struct update_proof p;
    struct assignment w = {0};
    update_proof_load(&p);
    struct circuit_under_test circuit = {update_partition, &p};
    run_native(&w, circuit, pool);
    assert_reference_values(&w, json_at(json_get(p.fixture, "partition_assignments"), 0),
                            json_at(json_get(p.fixture, "prover_traces"), 0));
    if (all_paths)
        check_paths(&w, circuit);
    assignment_clean_up(&w);
    update_proof_free(&p);
}

static void test_all_paths(void **state)
{
    (void)state;
    check_update(NULL, 1);
}

static void test_threads(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err;
    assert_ok(pool_new(&pool, 2, &err), &err);
    check_update(pool, 0);
    pool_destroy(pool);
}

/* Rows before the challenges, of a challenge's draw of the leaf's high bits and rho, and of a path in tree R. */
enum {
    KEY = 1 + 6 + 1, /* public input, its bits, their sum */
    TOP = KEY + 1 + 3 + 311 + 2 * (311 + 1) + 317654 + 568,
    RHO = 6 * 2 + 1 + 311,
    PATH_R = 2 * (22 + 505) + 1,
};

static void test_wrong_values(void **state)
{
    (void)state;
    struct update_proof p;
    update_proof_load(&p);
    struct circuit_under_test circuit = {update_partition, &p};
    struct update_partition *part = &p.v.partitions[0];
    part->challenges[0].r_new.siblings[0][0].b[0] ^= 1;
    assert_int_equal(first_bad_row(circuit), TOP + RHO + 2 + 2 * PATH_R - 1);
    part->challenges[0].r_old.leaf.b[0] ^= 1;
    assert_int_equal(first_bad_row(circuit), TOP + RHO + 2 + PATH_R - 1);
    part->apex_leafs[5].b[0] ^= 1;
    assert_int_equal(first_bad_row(circuit), TOP - 568 - 1);
    update_proof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_paths),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_wrong_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
