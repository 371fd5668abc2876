/* Partitions of the reference's PoSt proofs: every path, its witness and row values, with and without threads; padding by
 * repetition; what a wrong value breaks. */
/* ctest: quick */
/* ctest: asan */
#include "post_checks.h"

static struct pool *pool;

static void check_post(const char *name)
{
    struct post_proof p;
    struct assignment w = {0};
    post_proof_load(&p, name);
    yajl_val want = json_get(p.fixture, "partition_assignments");
    yajl_val trace = json_get(p.fixture, "prover_trace_partition0");
    struct circuit_under_test circuit = {post_partition, &p};
    assert_int_equal(p.v.partitions, json_len(want));
    for (p.partition = 0; p.partition < p.v.partitions; p.partition++) {
        assignment_reset(&w);
        run_native(&w, circuit, pool);
        assert_reference_values(&w, json_at(want, p.partition),
                                p.partition == 0 && !YAJL_IS_NULL(trace) ? trace : NULL);
        check_paths(&w, circuit);
    }
    assignment_clean_up(&w);
    post_proof_free(&p);
}

static void test_winning(void **state)
{
    (void)state;
    check_post("winning-2kib-1");
}

/* The second partition of three sectors has one sector twice. */
static void test_window(void **state)
{
    (void)state;
    check_post("window-2kib-v1-3sectors");
    check_post("window-2kib-v1_2-1sector");
    check_post("window-2kib-v1_2-3sectors");
}

/* In a sector's rows: inputize, 311 of the hash, comparison; then two levels of 530 a path, packing, comparison. */
static void test_wrong_values(void **state)
{
    (void)state;
    enum { SECTOR = 313, PATH = 2 * 530 + 2, CHALLENGES = 10 };
    struct post_proof p;
    post_proof_load(&p, "window-2kib-v1_2-3sectors");
    struct circuit_under_test circuit = {post_partition, &p};
    p.v.sectors[1].paths[3].leaf.b[0] ^= 1;
    assert_int_equal(first_bad_row(circuit), SECTOR + CHALLENGES * PATH + SECTOR + 4 * PATH - 1);
    p.v.sectors[0].comm_c.b[0] ^= 1;
    assert_int_equal(first_bad_row(circuit), SECTOR - 1);
    post_proof_free(&p);
}

static struct field_ops kernels;
static uint64_t multiplications;

static void counting_mul(struct fr *r, const struct fr *a, const struct fr *b)
{
    multiplications++;
    kernels.fr_mul(r, a, b);
}

static void counting_sqr(struct fr *r, const struct fr *a)
{
    multiplications++;
    kernels.fr_sqr(r, a);
}

static void counting_dot(struct fr *r, const struct fr *a, const struct fr *b, size_t n)
{
    multiplications += n;
    kernels.fr_dot(r, a, b, n);
}

/* Native synthesis multiplies little more often than it must. */
static void check_multiplications(const char *name)
{
    struct post_proof p;
    struct assignment w = {0};
    post_proof_load(&p, name);
    run_native(&w, (struct circuit_under_test){post_partition, &p}, NULL); /* derives constants */
    assignment_reset(&w);
    kernels = field_ops;
    field_ops.fr_mul = counting_mul;
    field_ops.fr_sqr = counting_sqr;
    field_ops.fr_dot = counting_dot;
    multiplications = 0;
    run_native(&w, (struct circuit_under_test){post_partition, &p}, NULL);
    field_ops = kernels;
    uint64_t limit = post_multiplications(p.v.post);
    assert_true(multiplications > limit / 2);
    if (multiplications > limit + limit / 50)
        fail_msg("%llu multiplications where %llu would do", (unsigned long long)multiplications,
                 (unsigned long long)limit);
    assignment_clean_up(&w);
    post_proof_free(&p);
}

static void test_multiplications(void **state)
{
    (void)state;
    check_multiplications("winning-2kib-1");
    check_multiplications("window-2kib-v1_2-1sector");
}

static int start(void **state)
{
    struct error err;
    (void)state;
    return pool_new(&pool, 2, &err);
}

static int stop(void **state)
{
    (void)state;
    pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winning),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_multiplications),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
