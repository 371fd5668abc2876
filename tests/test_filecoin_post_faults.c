/* PoSt vanilla proofs that must be refused: code, cause, message. */
/* ctest: quick */
/* ctest: asan tsan */
#include "vanilla_checks.h"

#include "filecoin/post.h"

struct fixture {
    yajl_val root;
    struct vanilla_list list; /* as it should be */
    struct post_request request;
};

static void load(struct fixture *f, const char *name, unsigned number)
{
    struct error err;
    enum circuit_kind kind = number < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST;
    f->root = json_load(name);
    f->list = fixture_list(json_get(f->root, "sectors"), "vanilla_proof_bincode_b64");
    f->request.partition = POST_ALL_PARTITIONS;
    json_hex(f->request.randomness, 32, json_get(f->root, "randomness"));
    assert_done(registered_post_of(&f->request.post, kind, number, &err), &err);
}

static void clean_up(struct fixture *f)
{
    vanilla_list_clean_up(&f->list);
    yajl_tree_free(f->root);
}

static void load_three(struct fixture *f)
{
    load(f, "proofs/window-2kib-v1_2-3sectors.json", 10);
}

/* Decodes a copy of some of the fixture's proofs; *v is the caller's only when it returns 0. */
static int decode(struct post_vanilla *v, const struct fixture *f, size_t first, size_t n,
                  struct error *err)
{
    struct vanilla_list list = sub_list(&f->list, first, n);
    int rc = post_vanilla_decode(v, &f->request, &list, err);
    assert_null(list.arena);
    if (rc != 0)
        assert_null(v->list.arena);
    return rc;
}

static void assert_undecodable(const struct fixture *f, size_t first, size_t n, const char *cause,
                               const char *fragment)
{
    struct post_vanilla v;
    struct error err;
    assert_error(decode(&v, f, first, n, &err), &err, ERR_DATA, cause, fragment);
}

/* Decoded well, refused by the check; the caller cleans v up. */
static void assert_refused(struct post_vanilla *v, const struct fixture *f, size_t n,
                           const char *cause, const char *fragment)
{
    struct error err;
    assert_done(decode(v, f, 0, n, &err), &err);
    assert_error(post_vanilla_check(v, NULL, NULL, &err), &err, ERR_DATA, cause, fragment);
}

/* ---- How many ---- */

static void test_counts(void **state)
{
    (void)state;
    struct fixture f;
    load_three(&f);
    assert_undecodable(&f, 0, 0, "post-no-sectors", "no vanilla proof at all");
    f.request.partition = 0;
    assert_undecodable(&f, 0, 0, "post-no-sectors", "no vanilla proof at all");
    assert_undecodable(&f, 0, 3, "post-too-many-sectors",
                       "3 vanilla proofs are given: one partition of StackedDrgWindow2KiBV1_2 has "
                       "at most 2 sectors");
    clean_up(&f);
    load(&f, "proofs/winning-2kib-1.json", 0);
    f.list.proofs[1] = f.list.proofs[0];
    f.list.len = 2;
    assert_undecodable(&f, 0, 2, "post-too-many-sectors",
                       "2 vanilla proofs are given: one partition of StackedDrgWinning2KiBV1 has "
                       "at most 1 sector");
    f.request.partition = 1;
    assert_undecodable(&f, 0, 1, "partition-number", "partition 1 does not exist");
    clean_up(&f);
}

/* ---- Encoding ---- */

static void test_cuts(void **state)
{
    (void)state;
    struct fixture f;
    load(&f, "proofs/window-2kib-v1_2-1sector.json", 10);
    size_t whole = f.list.proofs[0].len;
    for (size_t n = 0; n < whole; n++) {
        f.list.proofs[0].len = n;
        assert_undecodable(&f, 0, 1, "bincode-truncated",
                           n < 8 ? "vanilla proof 0: sector_id: "
                                 : "vanilla proof 0 (sector 21): ");
    }
    clean_up(&f);
    load_three(&f);
    f.list.proofs[2].len -= 32;
    assert_undecodable(&f, 0, 3, "bincode-truncated",
                       "vanilla proof 2 (sector 23): vanilla_proof.sectors[0].comm_r_last: 0 bytes "
                       "are left of 32 (byte 5648)");
    clean_up(&f);
}

static void test_trailing(void **state)
{
    (void)state;
    struct fixture f;
    load(&f, "proofs/window-2kib-v1_2-1sector.json", 10);
    uint8_t *longer = calloc(1, f.list.proofs[0].len + 1);
    assert_non_null(longer);
    memcpy(longer, f.list.proofs[0].data, f.list.proofs[0].len);
    f.list.proofs[0].data = longer;
    f.list.proofs[0].len++;
    assert_undecodable(&f, 0, 1, "bincode-trailing", "1 bytes are left over (byte 5680)");
    free(longer);
    clean_up(&f);
}

/* Byte offsets in a window proof of 2 KiB: sector_id 0, comm_r 8, sectors 40, inclusion_proofs 48, then paths of 556 bytes: tag,
 * root 4, leaf 36, path 68, levels of 240 bytes at 76 (hashes, 7 nodes, index), comm_c and comm_r_last at the end. */
enum { AT_COMM_R = 8, AT_SECTORS = 40, AT_PATHS = 48, AT_PATH_0 = 56, PATH = 556, LEVEL = 240 };

static void assert_changed(const struct fixture *f, size_t at, uint8_t value, const char *cause,
                           const char *fragment)
{
    uint8_t *byte = &f->list.proofs[0].data[at], before = *byte;
    assert_int_not_equal(before, value);
    *byte = value;
    assert_undecodable(f, 0, 1, cause, fragment);
    *byte = before;
}

static void test_lengths_and_tags(void **state)
{
    (void)state;
    struct fixture f;
    size_t path_3 = AT_PATH_0 + 3 * PATH;
    load_three(&f);
    assert_changed(&f, AT_SECTORS, 2, "bincode-length",
                   "vanilla proof 0 (sector 21): vanilla_proof.sectors: 2 items instead of 1");
    assert_changed(&f, AT_SECTORS, 0, "bincode-length", "sectors: 0 items instead of 1");
    assert_changed(&f, AT_PATHS, 9, "bincode-length",
                   "vanilla_proof.sectors[0].inclusion_proofs: 9 items instead of 10 (byte 48)");
    assert_changed(&f, AT_PATHS + 7, 0x80, "bincode-length", "items instead of 10");
    assert_changed(&f, path_3, 1, "bincode-tag",
                   "inclusion_proofs[3].data: tag 1 (Sub) instead of 0 (Single)");
    assert_changed(&f, path_3 + 3, 7, "bincode-tag", "(unknown) instead of 0 (Single)");
    assert_changed(&f, path_3 + 68, 3, "bincode-length",
                   "inclusion_proofs[3].data.path: 3 items instead of 2");
    assert_changed(&f, path_3 + 76 + LEVEL, 1, "bincode-length",
                   "inclusion_proofs[3].data.path[1].hashes: 1 items instead of 7");
    assert_changed(&f, path_3 + 76 + LEVEL + 232, 8, "bincode-number",
                   "inclusion_proofs[3].data.path[1].index: 8 is not below 8");
    assert_changed(&f, path_3 + 76 + LEVEL + 239, 1, "bincode-number", "is not below 8");
    clean_up(&f);
}

static void test_other_proofs(void **state)
{
    (void)state;
    static const struct {
        unsigned number;
        const char *cause, *fragment;
    } others[] = {
        {11, "bincode-length", "inclusion_proofs[0].data.path: 2 items instead of 6"},
        {12, "bincode-length", "inclusion_proofs[0].data.path: 2 items instead of 8"},
        {13, "bincode-tag", "inclusion_proofs[0].data: tag 0 (Single) instead of 1 (Sub)"},
        {14, "bincode-tag", "inclusion_proofs[0].data: tag 0 (Single) instead of 2 (Top)"},
        {0, "bincode-length", "inclusion_proofs: 10 items instead of 66"},
    };
    struct fixture f;
    struct error err;
    load_three(&f);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        enum circuit_kind kind = others[i].number < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST;
        assert_done(registered_post_of(&f.request.post, kind, others[i].number, &err), &err);
        assert_undecodable(&f, 0, 1, others[i].cause, others[i].fragment);
    }
    clean_up(&f);
}

static void assert_not_canonical(const struct fixture *f, size_t at, const char *fragment)
{
    uint8_t before[32], *field = f->list.proofs[0].data + at;
    memcpy(before, field, 32);
    put_modulus(field);
    assert_undecodable(f, 0, 1, "not-canonical", fragment);
    memset(field, 0xff, 32);
    assert_undecodable(f, 0, 1, "not-canonical", fragment);
    memcpy(field, before, 32);
}

static void test_not_canonical(void **state)
{
    (void)state;
    struct fixture f;
    load_three(&f);
    assert_not_canonical(&f, AT_COMM_R, "vanilla proof 0 (sector 21): comm_r: is not below");
    assert_not_canonical(&f, AT_PATH_0 + PATH + 4, "inclusion_proofs[1].data.root: is not below");
    assert_not_canonical(&f, AT_PATH_0 + PATH + 36, "inclusion_proofs[1].data.leaf: is not below");
    assert_not_canonical(&f, AT_PATH_0 + 76 + LEVEL + 8 + 5 * 32,
                         "inclusion_proofs[0].data.path[1].hashes[5]: is not below the field's "
                         "modulus (byte 540)");
    assert_not_canonical(&f, AT_PATH_0 + 10 * PATH, "vanilla_proof.sectors[0].comm_c: is not");
    assert_not_canonical(&f, AT_PATH_0 + 10 * PATH + 32, "sectors[0].comm_r_last: is not below");
    clean_up(&f);
}

/* ---- What the check finds ---- */

/* R7, R8 */
static void test_faulty_among_good(void **state)
{
    (void)state;
    struct fixture f;
    struct post_vanilla v;
    load(&f, "proofs/window-2kib-faulty.json", 10);
    struct vanilla_proof tampered =
        json_base64(json_get(json_at(json_get(f.root, "sectors"), 1), "tampered_b64"));
    assert_int_equal(tampered.len, f.list.proofs[1].len);
    memcpy(f.list.proofs[1].data, tampered.data, tampered.len);
    free(tampered.data);
    assert_refused(&v, &f, 4, "post-faulty-sectors",
                   "1 of 4 sectors is faulty: 22; sector 22: inclusion_proofs[5]: leaf and hashes "
                   "do not lead to the root");
    assert_int_equal(v.faults_len, 1);
    assert_int_equal(v.faults[0].sector, 1);
    assert_int_equal(v.faults[0].id, 22);
    assert_string_equal(v.faults[0].cause, "wrong-path");
    post_vanilla_clean_up(&v);

    /* All that are faulty, each with its first reason. */
    f.list.proofs[3].data[AT_COMM_R] ^= 1;
    f.list.proofs[3].data[AT_PATH_0 + 4] ^= 1;
    assert_refused(&v, &f, 4, "post-faulty-sectors",
                   "2 of 4 sectors are faulty: 22, 24; sector 22: inclusion_proofs[5]: leaf and "
                   "hashes do not lead to the root; sector 24: comm_r is not the hash of comm_c "
                   "and comm_r_last");
    assert_int_equal(v.faults_len, 2);
    assert_int_equal(v.faults[1].sector, 3);
    assert_string_equal(v.faults[1].cause, "wrong-comm-r");

    /* The same on threads; and a second check does not add to the first. */
    struct pool *pool;
    struct error err;
    assert_done(pool_new(&pool, 3, &err), &err);
    assert_error(post_vanilla_check(&v, pool, NULL, &err), &err, ERR_DATA, "post-faulty-sectors",
                 "2 of 4 sectors are faulty: 22, 24; sector 22: inclusion_proofs[5]: leaf");
    assert_int_equal(v.faults_len, 2);
    pool_destroy(pool);
    post_vanilla_clean_up(&v);
    clean_up(&f);
}

static void test_reasons(void **state)
{
    (void)state;
    struct fixture f;
    struct post_vanilla v;
    load_three(&f);
    f.list.proofs[2].data[AT_PATH_0 + 4 * PATH + 76 + 232] ^= 1; /* index of level 0 */
    assert_refused(&v, &f, 3, "post-faulty-sectors",
                   "1 of 3 sectors is faulty: 23; sector 23: inclusion_proofs[4]: opens leaf ");
    assert_string_equal(v.faults[0].cause, "wrong-challenge");
    post_vanilla_clean_up(&v);
    memset(f.list.proofs[0].data + AT_COMM_R, 0, 32);
    assert_refused(&v, &f, 3, "post-faulty-sectors",
                   "2 of 3 sectors are faulty: 21, 23; sector 21: comm_r is all zero; sector 23: ");
    assert_string_equal(v.faults[0].cause, "zero-comm-r");
    post_vanilla_clean_up(&v);
    clean_up(&f);

    /* A whole and right path, but in another tree. */
    load_three(&f);
    memcpy(f.list.proofs[1].data + AT_PATH_0 + 10 * PATH,
           f.list.proofs[0].data + AT_PATH_0 + 10 * PATH, 64);
    memcpy(f.list.proofs[1].data + AT_COMM_R, f.list.proofs[0].data + AT_COMM_R, 32);
    assert_refused(&v, &f, 3, "post-faulty-sectors",
                   "1 of 3 sectors is faulty: 22; sector 22: inclusion_proofs[0]: the root is not "
                   "comm_r_last");
    assert_string_equal(v.faults[0].cause, "wrong-root");
    post_vanilla_clean_up(&v);
    clean_up(&f);
}

/* Leaves that other randomness, another API version or another partition challenge. */
static void test_wrong_challenges(void **state)
{
    (void)state;
    struct fixture f;
    struct post_vanilla v;
    struct error err;
    load_three(&f);
    f.request.randomness[0] ^= 1;
    assert_refused(&v, &f, 3, "post-faulty-sectors",
                   "3 of 3 sectors are faulty: 21-23; sector 21: inclusion_proofs[0]: opens leaf ");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(v.faults[i].cause, "wrong-challenge");
    post_vanilla_clean_up(&v);
    f.request.randomness[0] ^= 1;
    assert_done(registered_post_of(&f.request.post, CIRCUIT_WPOST, 5, &err), &err);
    assert_refused(&v, &f, 3, "post-faulty-sectors", "2 of 3 sectors are faulty: 22-23; ");
    post_vanilla_clean_up(&v);
    clean_up(&f);

    load(&f, "proofs/window-2kib-v1-3sectors.json", 5);
    f.request.partition = 1;
    assert_refused(&v, &f, 2, "post-faulty-sectors", "2 of 2 sectors are faulty: 21-22; ");
    post_vanilla_clean_up(&v);
    clean_up(&f);

    load(&f, "proofs/winning-2kib-1.json", 0);
    f.request.randomness[5] ^= 1;
    assert_refused(&v, &f, 1, "post-faulty-sectors", "1 of 1 sectors is faulty: 21; ");
    post_vanilla_clean_up(&v);
    clean_up(&f);
}

static void test_order(void **state)
{
    (void)state;
    struct fixture f;
    struct post_vanilla v;
    load_three(&f);
    struct vanilla_proof first = f.list.proofs[0];
    f.list.proofs[0] = f.list.proofs[1];
    f.list.proofs[1] = first;
    assert_refused(&v, &f, 3, "post-sector-order",
                   "vanilla proof 1: sector 21 after sector 22: the chain goes through them in "
                   "ascending order");
    assert_int_equal(v.sectors[0].id, 22); /* as given */
    assert_int_equal(v.sectors[1].id, 21);
    post_vanilla_clean_up(&v);
    f.list.proofs[0] = first;
    assert_refused(&v, &f, 3, "post-sector-order", "vanilla proofs 0 and 1: sector 21 twice");
    post_vanilla_clean_up(&v);
    clean_up(&f);
}

/* More faulty sectors than a message holds: the list has them all. */
static void test_long_report(void **state)
{
    (void)state;
    enum { N = 300 };
    struct fixture f;
    struct post_vanilla v;
    struct error err;
    load(&f, "proofs/window-2kib-v1_2-1sector.json", 10);
    static struct vanilla_proof many[N];
    struct vanilla_list list;
    for (size_t i = 0; i < N; i++)
        many[i] = f.list.proofs[0];
    assert_done(vanilla_list_copy(&list, many, N, &err), &err);
    for (size_t i = 0; i < N; i++) {
        uint64_t id = i < 5 ? 1000 + i : UINT64_MAX - 2 * N + 2 * i;
        for (unsigned b = 0; b < 8; b++)
            list.proofs[i].data[b] = (uint8_t)(id >> (8 * b));
    }
    assert_done(post_vanilla_decode(&v, &f.request, &list, &err), &err);
    assert_int_equal(v.partitions, N / 2);
    assert_error(post_vanilla_check(&v, NULL, NULL, &err), &err, ERR_DATA, "post-faulty-sectors",
                 "300 of 300 sectors are faulty: 1000-1004, 18446744073709551025, ");
    assert_non_null(strstr(err.text, " and 2"));
    assert_non_null(strstr(err.text, " more; sector 1000: inclusion_proofs[0]: opens leaf "));
    assert_non_null(strstr(err.text, "; ..."));
    assert_int_equal(v.faults_len, N);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(v.faults[i].sector, i);
        assert_int_equal(v.faults[i].id, v.sectors[i].id);
    }
    post_vanilla_clean_up(&v);
    clean_up(&f);
}

/* No byte can change without notice. */
static void test_flips(void **state)
{
    (void)state;
    struct fixture f;
    load(&f, "proofs/window-2kib-v1_2-1sector.json", 10);
    for (size_t at = 0; at < f.list.proofs[0].len; at += at < 64 ? 1 : 13) {
        struct post_vanilla v;
        struct error err;
        uint8_t bit = (uint8_t)(1u << at % 8);
        f.list.proofs[0].data[at] ^= bit;
        if (decode(&v, &f, 0, 1, &err) == 0) {
            if (post_vanilla_check(&v, NULL, NULL, &err) == 0)
                fail_msg("byte %zu may be anything", at);
            post_vanilla_clean_up(&v);
        }
        f.list.proofs[0].data[at] ^= bit;
    }
    clean_up(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_trailing),
        cmocka_unit_test(test_lengths_and_tags),
        cmocka_unit_test(test_other_proofs),
        cmocka_unit_test(test_not_canonical),
        cmocka_unit_test(test_faulty_among_good),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_wrong_challenges),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_long_report),
        cmocka_unit_test(test_flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
