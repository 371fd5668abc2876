/* Real C1 outputs of every kind: read, checked, and their public inputs against the reference's. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "filecoin/porep_vanilla.h"

static const char *const names[] = {"m1000-s11", "m1000-s12", "ni-s7",  "synth-s6",
                                    "v1-s5",     "v1_1-s1",   "v1_1-s2"};
enum { NAMES = sizeof names / sizeof names[0] };

static void assert_bytes(const uint8_t *got, yajl_val want)
{
    uint8_t b[32];
    json_hex(b, 32, want);
    assert_memory_equal(got, b, 32);
}

static void check_public_inputs(const struct porep_statement *s, yajl_val partition)
{
    struct error err;
    yajl_val want = json_get(partition, "public_inputs_le");
    unsigned k = (unsigned)json_u64(json_get(partition, "partition"));
    size_t n = porep_public_inputs_len(s->seal);
    assert_int_equal(n, json_len(want));
    struct fr *got = calloc(n, sizeof *got);
    assert_non_null(got);
    assert_int_equal(porep_public_inputs(got, s, k, &err), 0);
    for (size_t i = 0; i < n; i++) {
        uint8_t b[32];
        fr_to_bytes(b, &got[i]);
        assert_bytes(b, json_at(want, i));
    }
    free(got);
}

static void check_fixture(const struct porep_vanilla *v, const char *name, struct pool *pool)
{
    struct error err;
    char file[128];
    snprintf(file, sizeof file, "proofs/porep-2kib-%s.json", name);
    yajl_val want = json_load(file);
    const char *seal = json_string(json_get(want, "registered_seal_proof"));
    assert_string_equal(v->seal->name, seal);
    assert_int_equal(v->partitions, json_u64(json_get(want, "partitions")));
    assert_int_equal(v->challenges, 2);
    assert_bytes(v->comm_r.b, json_get(want, "comm_r"));
    assert_bytes(v->comm_d.b, json_get(want, "comm_d"));
    assert_bytes(v->replica_id.b, json_get(want, "replica_id"));
    assert_bytes(v->seed, json_get(want, "seed"));
    assert_bytes(v->ticket, json_get(want, "ticket"));
    if (porep_vanilla_check(v, pool, NULL, &err) != 0)
        fail_msg("%s: %s", name, err.text);

    uint8_t prover_id[32];
    struct node replica_id;
    json_hex(prover_id, 32, json_get(want, "prover_id"));
    porep_replica_id(&replica_id, v->seal, prover_id, json_u64(json_get(want, "sector_id")),
                     v->ticket, &v->comm_d);
    assert_memory_equal(replica_id.b, v->replica_id.b, 32);

    struct porep_statement s = {v->seal, v->replica_id, v->comm_d, v->comm_r, {0}};
    memcpy(s.seed, v->seed, 32);
    yajl_val partitions = json_get(want, "partition_assignments");
    assert_int_equal(json_len(partitions), v->partitions);
    for (size_t k = 0; k < v->partitions; k++)
        check_public_inputs(&s, json_at(partitions, k));
    struct fr unused;
    assert_int_equal(porep_public_inputs(&unused, &s, (unsigned)v->partitions, &err), ERR_DATA);
    assert_string_equal(err.cause, "partition-number");
    memset(s.comm_d.b, 0xff, 32);
    struct fr three[3];
    assert_int_equal(porep_public_inputs(three, &s, 0, &err), ERR_DATA);
    assert_string_equal(err.cause, "not-canonical");
    yajl_tree_free(want);
}

static void test_inner(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err;
    assert_int_equal(pool_new(&pool, 2, &err), 0);
    for (size_t i = 0; i < NAMES; i++) {
        char path[1024];
        struct porep_vanilla v;
        snprintf(path, sizeof path, "%s/proofs/porep-2kib-%s.c1out.json", CUZK_TEST_DATA, names[i]);
        if (porep_vanilla_read(&v, path, &err) != 0)
            fail_msg("%s", err.text);
        assert_false(v.has_wrapper);
        check_fixture(&v, names[i], pool);
        porep_vanilla_clean_up(&v);
        porep_vanilla_clean_up(&v);
    }
    pool_destroy(pool);
}

static void check_wrapped(const char *path, const char *name, uint64_t sector)
{
    struct porep_vanilla v;
    struct error err;
    if (porep_vanilla_read(&v, path, &err) != 0)
        fail_msg("%s", err.text);
    assert_true(v.has_wrapper);
    assert_int_equal(v.sector_number, sector);
    assert_int_equal(v.sector_size, 2048);
    check_fixture(&v, name, NULL);
    porep_vanilla_clean_up(&v);
}

static void test_wrapped(void **state)
{
    (void)state;
    check_wrapped(CUZK_TEST_DATA "/proofs/porep-2kib-m1000-s11.c1.json", "m1000-s11", 11);
    check_wrapped(CUZK_TEST_DATA "/proofs/porep-2kib-v1_1-s1.c1.json", "v1_1-s1", 1);
}

static void test_unreadable(void **state)
{
    (void)state;
    struct porep_vanilla v;
    struct error err;
    assert_int_equal(porep_vanilla_read(&v, CUZK_TEST_DATA "/none.json", &err), ERR_NO_INPUT);
    assert_null(v.arena);
    assert_int_equal(porep_vanilla_read(&v, CUZK_TEST_DATA "/vectors/poseidon.json", &err),
                     ERR_DATA);
    assert_string_equal(err.cause, "c1-missing-key");
    assert_non_null(strstr(err.text, "vectors/poseidon.json: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inner),
        cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
