/* Synthetic PoSt proofs of all registered kinds, and vanilla proofs written as they are read. */
/* ctest: quick */
/* ctest: asan */
#include "path_checks.h"

#include <unistd.h>

#include "base/file.h"
#include "filecoin/bincode_write.h"
#include "filecoin/synthetic_post.h"

static struct post_synthetic request_of(unsigned number, size_t sectors)
{
    struct post_synthetic q = {.miner_id = 1000, .first_sector = 41, .sectors = sectors};
    struct error err;
    enum circuit_kind kind = number < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST;
    assert_done(registered_post_of(&q.post, kind, number, &err), &err);
    post_synthetic_randomness(q.randomness, q.miner_id, q.seed);
    return q;
}

static struct vanilla_list make(const struct post_synthetic *q)
{
    struct vanilla_list list;
    struct error err;
    assert_done(post_synthetic(&list, q, NULL, NULL, &err), &err);
    assert_int_equal(list.len, q->sectors);
    return list;
}

static struct post_vanilla decoded(const struct post_synthetic *q, struct vanilla_list *list)
{
    struct post_request request = {.post = q->post, .partition = POST_ALL_PARTITIONS};
    struct post_vanilla v;
    struct error err;
    memcpy(request.randomness, q->randomness, 32);
    assert_done(post_vanilla_decode(&v, &request, list, &err), &err);
    return v;
}

static void test_all(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 15; number++) {
        struct post_synthetic q = request_of(number, number < 5 ? 1 : 2);
        struct vanilla_list list = make(&q);
        struct post_vanilla v = decoded(&q, &list);
        struct error err;
        assert_done(post_vanilla_check(&v, NULL, NULL, &err), &err);
        for (size_t i = 0; i < q.sectors; i++) {
            assert_int_equal(v.sectors[i].id, 41 + i);
            for (unsigned p = 0; p < q.post->paths; p++)
                assert_siblings_differ(&v.sectors[i].paths[p]);
        }
        v.sectors[q.sectors - 1].paths[0].siblings[0][0].b[0] ^= 1;
        assert_error(post_vanilla_check(&v, NULL, NULL, &err), &err, ERR_DATA,
                     "post-faulty-sectors", "inclusion_proofs[0]: leaf and hashes");
        post_vanilla_clean_up(&v);
    }
}

/* Each number that goes in makes other proofs; the upper bits of the randomness don't. */
static void test_what_counts(void **state)
{
    (void)state;
    struct post_synthetic q = request_of(6, 2), other[4] = {q, q, q, q};
    struct vanilla_list list = make(&q), again = make(&q);
    assert_same_list(&list, &again);
    vanilla_list_clean_up(&again);
    other[0].seed = 1;
    other[1].miner_id = 1001;
    other[2].first_sector = 43;
    other[3].randomness[0] ^= 1;
    for (unsigned i = 0; i < 4; i++) {
        again = make(&other[i]);
        assert_other_list(&list, &again);
        vanilla_list_clean_up(&again);
    }
    q.randomness[31] ^= 0xc0;
    again = make(&q);
    assert_same_list(&list, &again);
    vanilla_list_clean_up(&again);
    vanilla_list_clean_up(&list);
}

static void assert_too_many(unsigned number, size_t sectors, const char *fragment)
{
    struct post_synthetic q = request_of(number, sectors);
    struct vanilla_list list;
    struct error err;
    assert_error(post_synthetic(&list, &q, NULL, NULL, &err), &err, ERR_USAGE, "synthetic-sectors",
                 fragment);
    assert_null(list.arena);
}

static void test_sectors(void **state)
{
    (void)state;
    assert_too_many(3, 2, "2 sectors are asked for: StackedDrgWinning32GiBV1 takes 1 to 1");
    assert_too_many(10, 3, "takes 1 to 2");
    assert_too_many(13, 2350, "takes 1 to 2349");
    assert_too_many(13, 0, "0 sectors are asked for");
}

/* ---- Writing ---- */

static void assert_written(struct bincode_writer *w, const struct vanilla_proof *want)
{
    struct vanilla_proof got;
    struct error err;
    assert_done(bincode_writer_end(&got, w, &err), &err);
    assert_int_equal(got.len, want->len);
    assert_memory_equal(got.data, want->data, want->len);
    free(got.data);
}

/* The reference's proofs come out as they went in. */
static void test_fixtures(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        unsigned number;
    } posts[] = {{"proofs/winning-2kib-1.json", 0}, {"proofs/window-2kib-v1_2-3sectors.json", 10}};
    struct error err;
    struct bincode_writer w = {0};
    for (unsigned i = 0; i < 2; i++) {
        yajl_val f = json_load(posts[i].file);
        struct post_synthetic q = request_of(posts[i].number, 1);
        struct vanilla_list list =
            fixture_list(json_get(f, "sectors"), "vanilla_proof_bincode_b64");
        struct post_vanilla v = decoded(&q, &list);
        for (size_t k = 0; k < v.sectors_len; k++) {
            bincode_put_post_sector(&w, &v.sectors[k], q.post);
            assert_written(&w, &v.list.proofs[k]);
        }
        post_vanilla_clean_up(&v);
        yajl_tree_free(f);
    }
    struct update_request request = {.comm_r_old = {1}, .comm_r_new = {1}, .comm_d_new = {1}};
    struct update_vanilla v;
    yajl_val f = json_load("proofs/update-2kib-1.json");
    struct vanilla_list list = fixture_list(json_get(f, "partition_vanilla_proofs"), "bincode_b64");
    assert_done(registered_update_of(&request.update, 0, &err), &err);
    assert_done(update_vanilla_decode(&v, &request, &list, &err), &err);
    bincode_put_update_partition(&w, &v.partitions[0], v.update);
    assert_written(&w, &v.list.proofs[0]);
    update_vanilla_clean_up(&v);
    yajl_tree_free(f);
}

/* A list's file is read as the same list, and has the bytes of the reference's file. */
static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/cuzk-synthetic-XXXXXX";
    static const struct vanilla_list none;
    struct post_synthetic q = request_of(5, 2);
    struct vanilla_list list = make(&q), again;
    struct error err;
    uint64_t bytes;
    uint8_t *text, *reference;
    size_t n, reference_len;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_done(vanilla_list_write(&bytes, &list, path, FILE_REPLACE, &err), &err);
    assert_done(vanilla_list_read(&again, path, &err), &err);
    assert_same_list(&list, &again);
    vanilla_list_clean_up(&again);
    vanilla_list_clean_up(&list);
    assert_int_equal(vanilla_list_write(&bytes, &none, path, FILE_KEEP, &err), ERR_CANT_CREATE);
    assert_done(vanilla_list_write(&bytes, &none, path, FILE_REPLACE, &err), &err);
    assert_int_equal(bytes, 2);
    assert_done(vanilla_list_read(&again, path, &err), &err);
    assert_int_equal(again.len, 0);
    vanilla_list_clean_up(&again);

    const char *name = CUZK_TEST_DATA "/proofs/winning-2kib-1.vanilla.json";
    assert_done(vanilla_list_read(&list, name, &err), &err);
    assert_done(file_read(&reference, &reference_len, name, 1 << 20, &err), &err);
    assert_done(vanilla_list_write(&bytes, &list, path, FILE_REPLACE, &err), &err);
    assert_done(file_read(&text, &n, path, 1 << 20, &err), &err);
    assert_int_equal(n, bytes);
    assert_int_equal(n, reference_len);
    assert_memory_equal(text, reference, n);
    free(text);
    free(reference);
    vanilla_list_clean_up(&list);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),     cmocka_unit_test(test_what_counts),
        cmocka_unit_test(test_sectors), cmocka_unit_test(test_fixtures),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
