/* EmptySectorUpdate vanilla proofs as rust-fil-proofs makes them: decoded, checked, their public inputs */
/* ctest: quick */
/* ctest: asan */
#include "vanilla_checks.h"

#include "filecoin/update.h"

static const struct registered_update *update_of(unsigned number)
{
    const struct registered_update *update;
    struct error err;
    assert_done(registered_update_of(&update, number, &err), &err);
    return update;
}

static void test_registered(void **state)
{
    (void)state;
    struct error err;
    const struct registered_update *u;
    for (unsigned i = 0; i < 5; i++) {
        u = update_of(i);
        unsigned position = 0;
        while (u->hs[position] != u->h)
            position++;
        assert_int_equal(u->number, i);
        assert_ptr_equal(u->shape, sector_shape((enum sector_size)i));
        assert_non_null(strstr(u->name, u->shape->name));
        assert_int_equal(u->h_select, 1 << position);
        assert_int_equal(u->partitions, 1 << u->partition_bits);
        assert_int_equal(u->apex_leafs, 1 << u->apex_bits);
        assert_int_equal(u->challenge_bits, u->shape->tree_d_levels - u->partition_bits);
        assert_int_equal(u->per_digest, 254 / u->challenge_bits);
        assert_int_equal(u->digests, (u->challenges + u->per_digest - 1) / u->per_digest);
        assert_true(u->challenges <= UPDATE_MAX_CHALLENGES);
        assert_true(u->partitions <= UPDATE_MAX_PARTITIONS);
    }
    assert_string_equal(update_of(3)->name, "StackedDrg32GiBV1");
    assert_error(registered_update_of(&u, 5, &err), &err, ERR_USAGE, "registered-proof",
                 "no registered update proof 5");
}

/* ---- Vectors ---- */

static const struct registered_update *update_of_nodes(uint64_t nodes)
{
    unsigned i = 0;
    while (update_of(i)->shape->nodes != nodes)
        i++;
    return update_of(i);
}

static void test_vectors(void **state)
{
    (void)state;
    yajl_val root = json_load("vectors/challenges.json"), all = json_get(root, "update");
    struct node comm_r_new, comm_d, comm_r;
    uint8_t want[32], got[32];
    uint32_t challenges[UPDATE_MAX_CHALLENGES];
    struct fr phi, rho;
    json_hex(comm_r_new.b, 32, json_get(root, "update_comm_r_new"));
    for (size_t i = 0; i < json_len(all); i++) {
        yajl_val v = json_at(all, i), list = json_get(v, "challenges");
        const struct registered_update *u = update_of_nodes(json_u64(json_get(v, "sector_nodes")));
        assert_int_equal(u->partitions, json_u64(json_get(v, "partitions")));
        assert_int_equal(u->challenges, json_len(list));
        update_challenges(challenges, u, &comm_r_new, (unsigned)json_u64(json_get(v, "k")));
        for (unsigned n = 0; n < u->challenges; n++)
            assert_int_equal(challenges[n], json_u64(json_at(list, n)));
    }

    yajl_val v = json_get(root, "phi");
    json_hex(comm_d.b, 32, json_get(v, "comm_d_new"));
    json_hex(comm_r.b, 32, json_get(v, "comm_r_old"));
    update_phi(&phi, &comm_d, &comm_r);
    json_hex(want, 32, json_get(v, "phi"));
    fr_to_bytes(got, &phi);
    assert_memory_equal(got, want, 32);

    v = json_get(root, "rho");
    unsigned seen = 0;
    for (size_t i = 0; i < json_len(v); i++) {
        uint64_t high = json_u64(json_get(json_at(v, i), "high"));
        if (high >= 1 << 10)
            continue;
        for (unsigned size = 1; size < 5; size++) {
            const struct registered_update *u = update_of(size);
            unsigned low = u->shape->tree_d_levels - 10;
            update_rho(&rho, u, &phi, (uint32_t)((high << low) + ((1u << low) - 1)));
            json_hex(want, 32, json_get(json_at(v, i), "rho"));
            fr_to_bytes(got, &rho);
            assert_memory_equal(got, want, 32);
            seen++;
        }
    }
    assert_int_equal(seen, 12);
    v = json_get(root, "h_default");
    for (size_t i = 0; i < json_len(v); i++) {
        yajl_val row = json_at(v, i);
        const struct registered_update *u = update_of_nodes(json_u64(json_at(row, 0)));
        assert_int_equal(u->h, json_u64(json_at(row, 1)));
        for (unsigned k = 0; k < UPDATE_HS; k++)
            assert_int_equal(u->hs[k], json_u64(json_at(json_at(row, 2), k)));
    }
    yajl_tree_free(root);
}

/* The reference's own test vectors. */
static void test_reference_challenges(void **state)
{
    (void)state;
    static const struct {
        unsigned number, partition;
        uint32_t challenges[5];
    } rows[] = {
        {0, 0, {53, 51, 56, 3, 0}},
        {1, 0, {36085, 32783, 44060, 10950, 3731}},
        {1, 1, {78878, 130797, 112892, 93994, 78379}},
        {2, 15, {16388544, 15794686, 16637142, 16319148, 16328348}},
        {3, 0, {1019125, 27985696, 15282860, 11586600, 44651330}},
        {3, 15, {1038629497, 1053983614, 1030421316, 1027373887, 1068685433}},
        {4, 14, {1997053129, 1920414070, 2003609080, 1900492803, 1963254685}},
        {4, 15, {2045262457, 2036941247, 2136653521, 2091356007, 2147167623}},
    };
    static const char big_endian[] =
        "6c0740d6edb22eb13054f4587d6d2dcbc688f796c303c7044f60429c4bbe1c10";
    struct node comm_r_new;
    uint8_t bytes[32];
    hex_bytes(bytes, 32, big_endian);
    for (unsigned i = 0; i < 32; i++)
        comm_r_new.b[i] = bytes[31 - i];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t got[UPDATE_MAX_CHALLENGES];
        update_challenges(got, update_of(rows[i].number), &comm_r_new, rows[i].partition);
        assert_memory_equal(got, rows[i].challenges, sizeof rows[i].challenges);
    }
}

/* ---- The fixture ---- */

static void test_fixture(void **state)
{
    (void)state;
    yajl_val f = json_load("proofs/update-2kib-1.json");
    struct vanilla_list list = fixture_list(json_get(f, "partition_vanilla_proofs"), "bincode_b64");
    struct update_request request = {.update = update_of(0)};
    struct update_vanilla v;
    struct error err;
    struct fr inputs[UPDATE_PUBLIC_INPUTS];
    json_hex(request.comm_r_old, 32, json_get(f, "comm_r_old"));
    json_hex(request.comm_r_new, 32, json_get(f, "comm_r_new"));
    json_hex(request.comm_d_new, 32, json_get(f, "comm_d_new"));
    assert_string_equal(request.update->name, json_string(json_get(f, "registered_update_proof")));
    assert_int_equal(request.update->partitions, json_u64(json_get(f, "partitions")));
    assert_int_equal(request.update->h, json_u64(json_get(f, "h")));
    assert_done(update_vanilla_decode(&v, &request, &list, &err), &err);
    assert_null(list.arena);
    assert_done(update_vanilla_check(&v, NULL, NULL, &err), &err);
    update_public_inputs(inputs, &v, 0);
    assert_inputs(inputs, UPDATE_PUBLIC_INPUTS, json_at(json_get(f, "partition_assignments"), 0));
    update_vanilla_clean_up(&v);
    yajl_tree_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_reference_challenges),
        cmocka_unit_test(test_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
