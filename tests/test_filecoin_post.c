/* PoSt vanilla proofs as rust-fil-proofs makes them: decoded, checked, split, their public inputs. */
/* ctest: quick */
/* ctest: asan */
#include "vanilla_checks.h"

#include "filecoin/params_names.h"
#include "filecoin/post.h"

static const struct registered_post *post_of(unsigned number)
{
    const struct registered_post *post;
    struct error err;
    enum circuit_kind kind = number < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST;
    assert_done(registered_post_of(&post, kind, number, &err), &err);
    return post;
}

static void test_registered(void **state)
{
    (void)state;
    struct error err;
    const struct registered_post *post;
    for (unsigned i = 0; i < 15; i++) {
        const struct registered_post *p = post_of(i);
        unsigned sectors, challenges;
        assert_int_equal(p->number, i);
        assert_ptr_equal(p->shape, sector_shape((enum sector_size)(i % 5)));
        assert_non_null(strstr(p->name, p->shape->name));
        assert_non_null(strstr(p->name, i < 5 ? "Winning" : "Window"));
        assert_int_equal(strstr(p->name, "V1_2") != NULL, i >= 10);
        assert_int_equal(p->api, i < 10 ? API_1_0 : API_1_2);
        post_counts(&sectors, &challenges, p->kind, p->shape->id);
        assert_int_equal(p->sectors, sectors);
        assert_int_equal(p->challenges, challenges);
        assert_int_equal(p->paths, i < 5 ? 66 : 10);
        assert_int_equal(post_public_inputs_len(p) + 1,
                         circuit_params(p->kind, p->shape->id)->inputs);
    }
    assert_string_equal(post_of(13)->name, "StackedDrgWindow32GiBV1_2");
    assert_string_equal(post_of(3)->name, "StackedDrgWinning32GiBV1");
    assert_error(registered_post_of(&post, CIRCUIT_WINNING, 8, &err), &err, ERR_USAGE,
                 "registered-proof-kind",
                 "8 is StackedDrgWindow32GiBV1, which is not one for winning");
    assert_error(registered_post_of(&post, CIRCUIT_WPOST, 4, &err), &err, ERR_USAGE,
                 "registered-proof-kind",
                 "4 is StackedDrgWinning64GiBV1, which is not one for window");
    assert_error(registered_post_of(&post, CIRCUIT_WPOST, 15, &err), &err, ERR_USAGE,
                 "registered-proof", "no registered PoSt proof 15");
}

/* ---- Challenges ---- */

static void assert_challenges(const uint64_t *got, size_t n, yajl_val want)
{
    assert_int_equal(json_len(want), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(got[i], json_u64(json_at(want, i)));
}

static void test_challenge_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned number;
    } proofs[] = {{"winning-2kib", 0},
                  {"window-2kib-v1", 5},
                  {"window-2kib-v1_2", 10},
                  {"winning-32gib", 3},
                  {"window-32gib", 13}};
    yajl_val root = json_load("vectors/challenges.json"), all = json_get(root, "post");
    uint8_t randomness[32];
    unsigned seen = 0;
    json_hex(randomness, 32, json_get(root, "post_randomness"));
    for (size_t i = 0; i < json_len(all); i++)
        for (unsigned j = 0; j < 5; j++) {
            yajl_val v = json_at(all, i);
            const struct registered_post *post = post_of(proofs[j].number);
            uint64_t got[66];
            if (strcmp(json_string(json_get(v, "name")), proofs[j].name) != 0)
                continue;
            assert_int_equal(json_u64(json_get(v, "sector_size")), post->shape->bytes);
            post_challenges(got, post, randomness, json_u64(json_get(v, "sector_id")), 0);
            assert_challenges(got, post->paths, json_get(v, "first_leaf_challenges_index_0_to_n"));
            seen++;
        }
    assert_int_equal(seen, json_len(all));
    yajl_tree_free(root);
}

/* The sector's place counts in API 1.0 only. */
static void test_challenge_index(void **state)
{
    (void)state;
    uint8_t randomness[32] = {7};
    uint64_t winning[66], first[10], third[10];
    post_challenges(winning, post_of(0), randomness, 9, 0);
    for (unsigned i = 0; i < 6; i++) {
        post_challenges(third, post_of(5), randomness, 9, i);
        assert_memory_equal(third, winning + 10 * i, sizeof third);
    }
    post_challenges(first, post_of(10), randomness, 9, 0);
    post_challenges(third, post_of(10), randomness, 9, 2);
    assert_memory_equal(first, third, sizeof first);
    assert_memory_equal(first, winning, sizeof first);
}

/* ---- The fixtures ---- */

static struct post_request request_of(yajl_val f, unsigned number, int partition)
{
    struct post_request request = {.post = post_of(number), .partition = partition};
    json_hex(request.randomness, 32, json_get(f, "randomness"));
    return request;
}

static void check_sectors(const struct post_vanilla *v, yajl_val sectors, size_t first)
{
    for (size_t i = 0; i < v->sectors_len; i++) {
        yajl_val want = json_at(sectors, first + i);
        const struct post_sector *s = &v->sectors[i];
        uint8_t comm_r[32];
        uint64_t challenges[66];
        assert_int_equal(s->id, json_u64(json_get(want, "sector_id")));
        json_hex(comm_r, 32, json_get(want, "comm_r"));
        assert_memory_equal(s->comm_r.b, comm_r, 32);
        post_challenges(challenges, v->post, v->randomness, s->id, first + i);
        assert_challenges(challenges, v->post->paths, json_get(want, "challenges"));
        for (unsigned n = 0; n < v->post->paths; n++)
            assert_int_equal(merkle_path_index(&s->paths[n]), challenges[n]);
    }
}

static void check_inputs(const struct post_vanilla *v, yajl_val assignments)
{
    size_t n = post_public_inputs_len(v->post);
    struct fr *inputs = malloc(n * sizeof *inputs);
    assert_non_null(inputs);
    for (unsigned k = 0; k < v->partitions; k++) {
        post_public_inputs(inputs, v, k);
        assert_inputs(inputs, n, json_at(assignments, v->first_partition + k));
    }
    free(inputs);
}

/* Also partition by partition. */
static void check_fixture(const char *name, unsigned number, unsigned partitions)
{
    yajl_val f = json_load(name), sectors = json_get(f, "sectors"),
             assignments = json_get(f, "partition_assignments");
    struct vanilla_list all = fixture_list(sectors, "vanilla_proof_bincode_b64"), list;
    struct post_request request = request_of(f, number, POST_ALL_PARTITIONS);
    struct post_vanilla v;
    struct error err;
    size_t fit = request.post->kind == CIRCUIT_WINNING ? 1 : request.post->sectors;
    assert_string_equal(request.post->name, json_string(json_get(f, "registered_post_proof")));
    list = sub_list(&all, 0, all.len);
    assert_done(post_vanilla_decode(&v, &request, &list, &err), &err);
    assert_null(list.arena);
    assert_int_equal(v.partitions, partitions);
    assert_int_equal(json_len(assignments), partitions);
    check_sectors(&v, sectors, 0);
    assert_done(post_vanilla_check(&v, NULL, NULL, &err), &err);
    assert_int_equal(v.faults_len, 0);
    check_inputs(&v, assignments);
    post_vanilla_clean_up(&v);

    for (unsigned k = 0; k < partitions; k++) {
        size_t left = all.len - k * fit;
        request.partition = (int)k;
        list = sub_list(&all, k * fit, left < fit ? left : fit);
        assert_done(post_vanilla_decode(&v, &request, &list, &err), &err);
        assert_int_equal(v.partitions, 1);
        assert_int_equal(v.first_partition, k);
        check_sectors(&v, sectors, k * fit);
        assert_done(post_vanilla_check(&v, NULL, NULL, &err), &err);
        check_inputs(&v, assignments);
        post_vanilla_clean_up(&v);
    }
    vanilla_list_clean_up(&all);
    yajl_tree_free(f);
}

static void test_fixtures(void **state)
{
    (void)state;
    check_fixture("proofs/winning-2kib-1.json", 0, 1);
    check_fixture("proofs/window-2kib-v1-3sectors.json", 5, 2);
    check_fixture("proofs/window-2kib-v1_2-1sector.json", 10, 1);
    check_fixture("proofs/window-2kib-v1_2-3sectors.json", 10, 2);
}

static void test_circuit_sectors(void **state)
{
    (void)state;
    yajl_val f = json_load("proofs/window-2kib-v1_2-3sectors.json");
    struct vanilla_list list = fixture_list(json_get(f, "sectors"), "vanilla_proof_bincode_b64");
    struct post_request request = request_of(f, 10, POST_ALL_PARTITIONS);
    struct post_vanilla v;
    struct error err;
    static const unsigned places[2][2] = {{0, 1}, {2, 2}};
    assert_done(post_vanilla_decode(&v, &request, &list, &err), &err);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < 2; i++) {
            struct post_circuit_sector s = post_circuit_sector(&v, k, i);
            const struct post_sector *want = &v.sectors[places[k][i]];
            assert_ptr_equal(s.comm_r, &want->comm_r);
            assert_ptr_equal(s.comm_c, &want->comm_c);
            assert_ptr_equal(s.comm_r_last, &want->comm_r_last);
            assert_ptr_equal(s.paths, want->paths);
        }
    post_vanilla_clean_up(&v);
    yajl_tree_free(f);

    f = json_load("proofs/winning-2kib-1.json");
    list = fixture_list(json_get(f, "sectors"), "vanilla_proof_bincode_b64");
    request = request_of(f, 0, POST_ALL_PARTITIONS);
    assert_done(post_vanilla_decode(&v, &request, &list, &err), &err);
    for (unsigned i = 0; i < 66; i++) {
        struct post_circuit_sector s = post_circuit_sector(&v, 0, i);
        assert_ptr_equal(s.comm_r, &v.sectors[0].comm_r);
        assert_ptr_equal(s.paths, &v.sectors[0].paths[i]);
    }
    post_vanilla_clean_up(&v);
    yajl_tree_free(f);
}

/* The chain clears the two top bits; here they may still be set. */
static void test_randomness(void **state)
{
    (void)state;
    yajl_val f = json_load("proofs/window-2kib-v1_2-1sector.json");
    struct vanilla_list list = fixture_list(json_get(f, "sectors"), "vanilla_proof_bincode_b64");
    struct post_request request = request_of(f, 10, POST_ALL_PARTITIONS);
    struct post_vanilla v;
    struct error err;
    request.randomness[31] |= 0xc0;
    assert_done(post_vanilla_decode(&v, &request, &list, &err), &err);
    assert_done(post_vanilla_check(&v, NULL, NULL, &err), &err);
    check_inputs(&v, json_get(f, "partition_assignments"));
    post_vanilla_clean_up(&v);
    yajl_tree_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered),      cmocka_unit_test(test_challenge_vectors),
        cmocka_unit_test(test_challenge_index), cmocka_unit_test(test_fixtures),
        cmocka_unit_test(test_circuit_sectors), cmocka_unit_test(test_randomness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
