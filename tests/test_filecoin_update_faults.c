/* EmptySectorUpdate vanilla proofs that must be refused: code, cause, message. */
/* ctest: quick */
/* ctest: asan */
#include "vanilla_checks.h"

#include "filecoin/synthetic_update.h"

struct fixture {
    yajl_val root;
    struct vanilla_list list; /* as it should be */
    struct update_request request;
};

static void load(struct fixture *f)
{
    struct error err;
    memset(f, 0, sizeof *f);
    f->root = json_load("proofs/update-2kib-1.json");
    f->list = fixture_list(json_get(f->root, "partition_vanilla_proofs"), "bincode_b64");
    assert_done(registered_update_of(&f->request.update, 0, &err), &err);
    json_hex(f->request.comm_r_old, 32, json_get(f->root, "comm_r_old"));
    json_hex(f->request.comm_r_new, 32, json_get(f->root, "comm_r_new"));
    json_hex(f->request.comm_d_new, 32, json_get(f->root, "comm_d_new"));
}

static void clean_up(struct fixture *f)
{
    vanilla_list_clean_up(&f->list);
    yajl_tree_free(f->root);
}

/* *v is the caller's only when it returns 0. */
static int decode(struct update_vanilla *v, const struct fixture *f, struct error *err)
{
    struct vanilla_list list = sub_list(&f->list, 0, f->list.len);
    int rc = update_vanilla_decode(v, &f->request, &list, err);
    assert_null(list.arena);
    if (rc != 0)
        assert_null(v->list.arena);
    return rc;
}

static void assert_undecodable(const struct fixture *f, const char *cause, const char *fragment)
{
    struct update_vanilla v;
    struct error err;
    assert_error(decode(&v, f, &err), &err, ERR_DATA, cause, fragment);
}

/* Decoded well, refused by the check. */
static void assert_refused(const struct fixture *f, const char *cause, const char *fragment)
{
    struct update_vanilla v;
    struct error err;
    assert_done(decode(&v, f, &err), &err);
    assert_error(update_vanilla_check(&v, NULL, NULL, &err), &err, ERR_DATA, cause, fragment);
    update_vanilla_clean_up(&v);
}

/* Byte offsets in the 2 KiB proof: comm_c 0, apex_leafs 32, challenge_proofs 296, then 10 of 1476 bytes: proof_r_old 556 (tag, root 4,
 * leaf 36, path 68, levels of 240 bytes from 76 on), proof_d_new 364 (path 68, levels of 48 bytes from 76 on), proof_r_new 556. */
enum {
    AT_APEX = 40,
    AT_CHALLENGES = 296,
    AT_CHALLENGE_0 = 304,
    CHALLENGE = 1476,
    PROOF_D = 556,
    PROOF_R_NEW = 556 + 364,
    ROOT = 4,
    LEAF = 36,
    PATH = 68,
    LEVEL_0 = 76
};

static uint8_t *at(struct fixture *f, size_t offset)
{
    assert_true(offset < f->list.proofs[0].len);
    return f->list.proofs[0].data + offset;
}

/* ---- How many, commitments ---- */

static void test_partitions(void **state)
{
    (void)state;
    struct fixture f;
    struct error err;
    load(&f);
    assert_done(registered_update_of(&f.request.update, 1, &err), &err);
    assert_undecodable(&f, "update-partitions",
                       "1 vanilla proof instead of 4: StackedDrg8MiBV1 needs one for each "
                       "partition");
    assert_done(registered_update_of(&f.request.update, 0, &err), &err);
    f.list.len = 0;
    assert_undecodable(&f, "update-partitions", "0 vanilla proofs instead of 1");
    struct vanilla_proof twice[2] = {f.list.proofs[0], f.list.proofs[0]}, *once = f.list.proofs;
    f.list.proofs = twice;
    f.list.len = 2;
    assert_undecodable(&f, "update-partitions", "2 vanilla proofs instead of 1");
    f.list.proofs = once;
    clean_up(&f);
}

static void test_commitments(void **state)
{
    (void)state;
    static const char *const names[] = {"comm_r_old", "comm_r_new", "comm_d_new"};
    static const char *const zero_causes[] = {"zero-comm-r", "zero-comm-r", "zero-comm-d"};
    struct fixture f;
    load(&f);
    uint8_t *commitments[] = {f.request.comm_r_old, f.request.comm_r_new, f.request.comm_d_new};
    for (unsigned i = 0; i < 3; i++) {
        char text[80];
        uint8_t before[32];
        memcpy(before, commitments[i], 32);
        put_modulus(commitments[i]);
        snprintf(text, sizeof text, "%s: is not below the field's modulus", names[i]);
        assert_undecodable(&f, "not-canonical", text);
        memset(commitments[i], 0, 32);
        snprintf(text, sizeof text, "%s is all zero", names[i]);
        assert_undecodable(&f, zero_causes[i], text);
        memcpy(commitments[i], before, 32);
    }
    clean_up(&f);
}

/* ---- Encoding ---- */

static void test_cuts(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    size_t whole = f.list.proofs[0].len;
    assert_int_equal(whole, AT_CHALLENGE_0 + 10 * CHALLENGE);
    for (size_t n = 0; n < whole; n++) {
        f.list.proofs[0].len = n;
        assert_undecodable(&f, "bincode-truncated", "vanilla proof 0: ");
    }
    assert_undecodable(&f, "bincode-truncated",
                       "challenge_proofs[9].proof_r_new.data.path[1].index: 7 bytes are left of 8");
    clean_up(&f);

    load(&f);
    uint8_t *longer = calloc(1, whole + 3);
    assert_non_null(longer);
    memcpy(longer, f.list.proofs[0].data, whole);
    f.list.proofs[0] = (struct vanilla_proof){longer, whole + 3};
    assert_undecodable(&f, "bincode-trailing",
                       "vanilla proof 0: 3 bytes are left over (byte 15064)");
    free(longer);
    clean_up(&f);
}

static void assert_changed(struct fixture *f, size_t offset, uint8_t value, const char *cause,
                           const char *fragment)
{
    uint8_t before = *at(f, offset);
    assert_int_not_equal(before, value);
    *at(f, offset) = value;
    assert_undecodable(f, cause, fragment);
    *at(f, offset) = before;
}

static void test_lengths_and_tags(void **state)
{
    (void)state;
    size_t third = AT_CHALLENGE_0 + 3 * CHALLENGE;
    struct fixture f;
    load(&f);
    assert_changed(&f, 32, 128, "bincode-length", "apex_leafs: 128 items instead of 8 (byte 32)");
    assert_changed(&f, AT_CHALLENGES, 86, "bincode-length",
                   "challenge_proofs: 86 items instead of 10");
    assert_changed(&f, third, 1, "bincode-tag",
                   "challenge_proofs[3].proof_r_old.data: tag 1 (Sub) instead of 0 (Single)");
    assert_changed(&f, third + PROOF_D, 2, "bincode-tag",
                   "challenge_proofs[3].proof_d_new.data: tag 2 (Top) instead of 0 (Single)");
    assert_changed(&f, third + PROOF_D + PATH, 7, "bincode-length",
                   "challenge_proofs[3].proof_d_new.data.path: 7 items instead of 6");
    assert_changed(&f, third + PROOF_D + LEVEL_0 + 48, 7, "bincode-length",
                   "proof_d_new.data.path[1].hashes: 7 items instead of 1");
    assert_changed(&f, third + PROOF_D + LEVEL_0 + 40, 2, "bincode-number",
                   "proof_d_new.data.path[0].index: 2 is not below 2");
    assert_changed(&f, third + PROOF_R_NEW + PATH, 10, "bincode-length",
                   "challenge_proofs[3].proof_r_new.data.path: 10 items instead of 2");
    assert_changed(&f, third + PROOF_R_NEW + LEVEL_0, 1, "bincode-length",
                   "proof_r_new.data.path[0].hashes: 1 items instead of 7");
    clean_up(&f);
}

static void assert_not_canonical(struct fixture *f, size_t offset, const char *fragment)
{
    uint8_t before[32];
    memcpy(before, at(f, offset), 32);
    put_modulus(at(f, offset));
    assert_undecodable(f, "not-canonical", fragment);
    memcpy(at(f, offset), before, 32);
}

static void test_not_canonical(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    assert_not_canonical(&f, 0, "vanilla proof 0: comm_c: is not below the field's modulus");
    assert_not_canonical(&f, AT_APEX + 7 * 32, "apex_leafs[7]: is not below");
    assert_not_canonical(&f, AT_CHALLENGE_0 + ROOT, "challenge_proofs[0].proof_r_old.data.root: ");
    assert_not_canonical(&f, AT_CHALLENGE_0 + PROOF_D + LEAF, "proof_d_new.data.leaf: is not");
    assert_not_canonical(&f, AT_CHALLENGE_0 + PROOF_D + LEVEL_0 + 8,
                         "proof_d_new.data.path[0].hashes[0]: is not below");
    assert_not_canonical(&f, AT_CHALLENGE_0 + PROOF_R_NEW + LEVEL_0 + 8 + 6 * 32,
                         "proof_r_new.data.path[0].hashes[6]: is not below");
    clean_up(&f);
}

/* ---- What the check finds ---- */

static void test_wrong_commitments(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    f.request.comm_d_new[0] ^= 1;
    assert_refused(&f, "wrong-comm-d",
                   "partition 0: comm_d_new: is not the root of the new data's tree");
    f.request.comm_d_new[0] ^= 1;
    f.request.comm_r_old[0] ^= 1;
    assert_refused(&f, "wrong-comm-r",
                   "partition 0: comm_r_old: is not the hash of comm_c and the tree's root");
    f.request.comm_r_old[0] ^= 1;
    f.request.comm_r_new[0] ^= 1;
    assert_refused(&f, "wrong-comm-r", "partition 0: comm_r_new: is not the hash of comm_c");
    f.request.comm_r_new[0] ^= 1;
    *at(&f, 0) ^= 1;
    assert_refused(&f, "wrong-comm-r", "partition 0: comm_r_old: is not the hash of comm_c");
    *at(&f, 0) ^= 1;
    memcpy(f.request.comm_d_new, at(&f, AT_APEX), 32);
    assert_refused(&f, "wrong-comm-d", "partition 0: comm_d_new: is not the root");
    clean_up(&f);
}

static void assert_flip(struct fixture *f, size_t offset, const char *cause, const char *fragment)
{
    *at(f, offset) ^= 1;
    assert_refused(f, cause, fragment);
    *at(f, offset) ^= 1;
}

static void test_wrong_fields(void **state)
{
    (void)state;
    size_t second = AT_CHALLENGE_0 + 2 * CHALLENGE;
    struct fixture f;
    load(&f);
    assert_flip(&f, AT_APEX + 32, "wrong-apex",
                "partition 0: apex_leafs: do not lead to comm_d_new");
    assert_flip(&f, second + LEVEL_0 + 232, "wrong-challenge",
                "partition 0: challenge 2: proof_r_old: opens leaf ");
    assert_flip(&f, second + PROOF_D + LEVEL_0 + 40, "wrong-challenge",
                "challenge 2: proof_d_new: opens leaf ");
    assert_flip(&f, second + PROOF_R_NEW + LEVEL_0 + 232, "wrong-challenge",
                "challenge 2: proof_r_new: opens leaf ");
    assert_flip(&f, second + LEAF, "wrong-path",
                "challenge 2: proof_r_old: leaf and hashes do not lead to the root");
    assert_flip(&f, second + PROOF_D + LEVEL_0 + 48 * 5 + 8, "wrong-path",
                "challenge 2: proof_d_new: leaf and hashes do not lead to the root");
    assert_flip(&f, second + PROOF_R_NEW + ROOT, "wrong-path",
                "challenge 2: proof_r_new: leaf and hashes do not lead to the root");
    clean_up(&f);
}

/* Whole paths that are right by themselves but not those of this partition. */
static void test_other_trees(void **state)
{
    (void)state;
    size_t second = AT_CHALLENGE_0 + 2 * CHALLENGE;
    struct fixture f;
    load(&f);
    memcpy(at(&f, second), at(&f, second + PROOF_R_NEW), 556);
    assert_refused(&f, "wrong-root",
                   "challenge 2: proof_r_old: the root is not that of the partition");
    clean_up(&f);
    load(&f);
    memcpy(at(&f, second + PROOF_R_NEW), at(&f, second), 556);
    assert_refused(&f, "wrong-root",
                   "challenge 2: proof_r_new: the root is not that of the partition");
    clean_up(&f);
    load(&f);
    memcpy(at(&f, second), at(&f, second + CHALLENGE), CHALLENGE);
    assert_refused(&f, "wrong-challenge", "challenge 2: proof_r_old: opens leaf ");
    clean_up(&f);
}

/* The proofs of a synthetic sector; phi as in update_synthetic. */
static struct vanilla_list synthetic(struct update_request *request, unsigned number,
                                     const struct fr *phi)
{
    struct vanilla_list list;
    struct error err;
    assert_done(registered_update_of(&request->update, number, &err), &err);
    assert_done(update_synthetic(&list, request, 0, phi, NULL, &err), &err);
    return list;
}

/* Trees that agree in everything but the labels. */
static void test_wrong_encoding(void **state)
{
    (void)state;
    struct update_request request;
    struct update_vanilla v;
    struct error err;
    struct vanilla_list list = synthetic(&request, 0, NULL);
    assert_done(update_vanilla_decode(&v, &request, &list, &err), &err);
    assert_done(update_vanilla_check(&v, NULL, NULL, &err), &err);
    update_vanilla_clean_up(&v);
    list = synthetic(&request, 0, &FR_ONE);
    assert_done(update_vanilla_decode(&v, &request, &list, &err), &err);
    assert_error(update_vanilla_check(&v, NULL, NULL, &err), &err, ERR_DATA, "wrong-encoding",
                 "partition 0: challenge 0: proof_r_new: the leaf is not the old label plus "
                 "data times rho");
    update_vanilla_clean_up(&v);
}

/* Four partitions' proofs, two of them exchanged. */
static void test_exchanged_partitions(void **state)
{
    (void)state;
    struct update_request request;
    struct update_vanilla v;
    struct error err;
    struct vanilla_list list = synthetic(&request, 1, NULL);
    struct vanilla_proof second = list.proofs[1];
    list.proofs[1] = list.proofs[2];
    list.proofs[2] = second;
    assert_done(update_vanilla_decode(&v, &request, &list, &err), &err);
    assert_error(update_vanilla_check(&v, NULL, NULL, &err), &err, ERR_DATA, "wrong-apex",
                 "partition 1: apex_leafs: do not lead to comm_d_new");
    update_vanilla_clean_up(&v);
}

/* No byte can change without notice. */
static void test_flips(void **state)
{
    (void)state;
    struct fixture f;
    load(&f);
    for (size_t i = 0; i < f.list.proofs[0].len; i += i < 64 ? 1 : 41) {
        struct update_vanilla v;
        struct error err;
        uint8_t bit = (uint8_t)(1u << i % 8);
        *at(&f, i) ^= bit;
        if (decode(&v, &f, &err) == 0) {
            if (update_vanilla_check(&v, NULL, NULL, &err) == 0)
                fail_msg("byte %zu may be anything", i);
            update_vanilla_clean_up(&v);
        }
        *at(&f, i) ^= bit;
    }
    clean_up(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partitions),     cmocka_unit_test(test_commitments),
        cmocka_unit_test(test_cuts),           cmocka_unit_test(test_lengths_and_tags),
        cmocka_unit_test(test_not_canonical),  cmocka_unit_test(test_wrong_commitments),
        cmocka_unit_test(test_wrong_fields),   cmocka_unit_test(test_other_trees),
        cmocka_unit_test(test_wrong_encoding), cmocka_unit_test(test_exchanged_partitions),
        cmocka_unit_test(test_flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
