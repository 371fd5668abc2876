/* Registered proofs, ids and challenges against rust-fil-proofs. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "filecoin/challenges.h"
#include "filecoin/porep_vanilla.h"

enum { MAX_CHALLENGES = 18 };

static void test_registered_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        const struct registered_seal *s = registered_seal_by_number(i);
        assert_non_null(s);
        assert_int_equal(s->number, i);
        assert_int_equal(s->porep_id[0], i);
        assert_ptr_equal(s->shape, sector_shape((enum sector_size)(i % 5)));
        assert_ptr_equal(registered_seal_by_name(s->name, strlen(s->name)), s);
        assert_ptr_equal(sector_shape_by_suffix(s->shape->suffix), s->shape);
        assert_non_null(strstr(s->name, s->shape->name));
        uint64_t leaves = 1;
        for (unsigned l = 0; l < s->shape->tree_r_levels; l++)
            leaves *= s->shape->tree_r_arity[l];
        assert_int_equal(leaves, s->shape->nodes);
        assert_int_equal((uint64_t)1 << s->shape->tree_d_levels, s->shape->nodes);
    }
    assert_null(registered_seal_by_number(20));
    assert_null(registered_seal_by_name("StackedDrg2KiBV1_", 17));
    assert_null(registered_seal_by_name("StackedDrg2KiBV1_1", 15));
    assert_null(sector_shape_by_suffix("3k"));
    assert_string_equal(registered_seal_by_number(8)->name, "StackedDrg32GiBV1_1");
    assert_string_equal(registered_seal_by_number(13)->name,
                        "StackedDrg32GiBV1_1_Feat_SyntheticPoRep");
    assert_int_equal(registered_seal_partitions(registered_seal_by_number(13)), 10);
    assert_int_equal(registered_seal_partitions(registered_seal_by_number(18)), 126);
    assert_int_equal(registered_seal_partitions(registered_seal_by_number(15)), 13);
}

static void test_ids(void **state)
{
    (void)state;
    uint8_t id[32], want[32] = {0xe8, 0x07};
    prover_id_of_miner(id, 1000);
    assert_memory_equal(id, want, 32);
    memset(want, 0, 32);
    prover_id_of_miner(id, 0);
    assert_memory_equal(id, want, 32);
    prover_id_of_miner(id, UINT64_MAX);
    memset(want, 0xff, 9);
    want[9] = 1;
    assert_memory_equal(id, want, 32);

    yajl_val root = json_load("vectors/challenges.json");
    yajl_val v = json_get(root, "replica_id_derivation");
    struct registered_seal seal = *registered_seal_by_number(0);
    struct node comm_d, got;
    uint8_t ticket[32];
    json_hex(seal.porep_id, 32, json_get(v, "porep_id"));
    json_hex(id, 32, json_get(v, "prover_id"));
    json_hex(ticket, 32, json_get(v, "ticket"));
    json_hex(comm_d.b, 32, json_get(v, "comm_d"));
    porep_replica_id(&got, &seal, id, json_u64(json_get(v, "sector_id")), ticket, &comm_d);
    json_hex(want, 32, json_get(v, "out"));
    assert_memory_equal(got.b, want, 32);
    yajl_tree_free(root);
}

static void check_partitions(const struct registered_seal *seal, yajl_val want,
                             const uint8_t replica_id[32], const uint8_t comm_r[32],
                             const uint8_t seed[32])
{
    assert_true(json_len(want) <= registered_seal_partitions(seal));
    assert_true(json_len(want) > 0);
    for (unsigned k = 0; k < json_len(want); k++) {
        uint32_t got[MAX_CHALLENGES];
        assert_int_equal(json_len(json_at(want, k)), seal->shape->challenges);
        porep_challenges(got, seal, replica_id, comm_r, seed, k);
        for (size_t i = 0; i < seal->shape->challenges; i++)
            assert_int_equal(got[i], json_u64(json_at(json_at(want, k), i)));
    }
}

static void test_vectors(void **state)
{
    (void)state;
    yajl_val root = json_load("vectors/challenges.json"), all = json_get(root, "porep");
    uint8_t replica_id[32], comm_r[32], seed[32];
    json_hex(replica_id, 32, json_get(root, "replica_id"));
    json_hex(comm_r, 32, json_get(root, "comm_r"));
    json_hex(seed, 32, json_get(root, "seed"));
    assert_int_equal(json_len(all), SECTOR_SIZES);
    for (unsigned i = 0; i < SECTOR_SIZES; i++) {
        yajl_val want = json_at(all, i);
        assert_int_equal(sector_shape((enum sector_size)i)->nodes,
                         json_u64(json_get(want, "sector_nodes")));
        check_partitions(registered_seal_by_number(5 + i), json_get(want, "interactive"),
                         replica_id, comm_r, seed);
        check_partitions(registered_seal_by_number(10 + i), json_get(want, "synthetic_selected"),
                         replica_id, comm_r, seed);
        check_partitions(registered_seal_by_number(15 + i), json_get(want, "non_interactive"),
                         replica_id, comm_r, seed);
    }
    yajl_tree_free(root);
}

/* The reference's own test vector. */
static void test_synthetic_set(void **state)
{
    (void)state;
    static const uint32_t set[21] = {178, 297, 869, 211, 875, 477, 94,  781, 124, 332, 856,
                                     801, 176, 692, 429, 691, 290, 204, 986, 210, 973};
    static const uint32_t selected[10] = {176, 781, 801, 986, 290, 211, 692, 856, 986, 332};
    const uint8_t replica_id[32] = {55}, comm_r[32] = {101};
    uint8_t seed[32];
    memset(seed, 1, 32);
    uint32_t got[21];
    challenges_synthetic_set(got, 21, 1 << 10, replica_id, comm_r, 0);
    assert_memory_equal(got, set, sizeof set);
    challenges_synthetic_set(got, 4, 1 << 10, replica_id, comm_r, 17);
    assert_memory_equal(got, set + 17, 4 * sizeof *set);
    challenges_synthetic(got, 10, 1 << 10, 21, replica_id, comm_r, seed, 0);
    assert_memory_equal(got, selected, sizeof selected);
    challenges_synthetic(got, 2, 1 << 10, 21, replica_id, comm_r, seed, 7);
    assert_memory_equal(got, selected + 7, 2 * sizeof *selected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered_names),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_synthetic_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
