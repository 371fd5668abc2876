/* Poseidon against neptune: every derived constant by digest, hashes by value. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include <pthread.h>

#include "hash/poseidon.h"
#include "hash/sha256.h"

static void assert_fr(const struct fr *got, yajl_val want)
{
    uint8_t a[32], b[32];
    fr_to_bytes(a, got);
    json_hex(b, 32, want);
    assert_memory_equal(a, b, 32);
}

static void put_fr(struct sha256_stream *s, const struct fr *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t b[32];
        fr_to_bytes(b, &x[i]);
        sha256_update(s, b, 32);
    }
}

static void assert_digest(struct sha256_stream *s, yajl_val want)
{
    uint8_t a[32], b[32];
    sha256_finish(s, a);
    json_hex(b, 32, want);
    assert_memory_equal(a, b, 32);
}

static void check_constants(const struct poseidon_constants *c, yajl_val want)
{
    assert_int_equal(c->width, json_u64(json_get(want, "width")));
    assert_int_equal(c->partial_rounds, json_u64(json_get(want, "partial_rounds")));
    assert_fr(&c->tag, json_get(want, "domain_tag_le"));

    struct sha256_stream *s = sha256_new();
    for (unsigned i = 0; i < c->width; i++)
        put_fr(s, c->mds[i], c->width);
    assert_digest(s, json_get(want, "mds_sha256_row_major"));

    s = sha256_new();
    for (unsigned i = 0; i < c->width; i++)
        for (unsigned j = 0; j < c->width; j++)
            put_fr(s, &c->pre_sparse[j][i], 1);
    assert_digest(s, json_get(want, "pre_sparse_matrix_sha256_row_major"));

    s = sha256_new();
    for (unsigned i = 0; i < c->partial_rounds; i++) {
        put_fr(s, c->sparse[i].w_hat, c->width);
        put_fr(s, c->sparse[i].v_rest, c->width - 1);
    }
    assert_digest(s, json_get(want, "sparse_sha256_w_hat_then_v_rest"));

    assert_int_equal(c->keys_len, json_u64(json_get(want, "compressed_round_constants_len")));
    s = sha256_new();
    put_fr(s, c->keys, c->keys_len);
    assert_digest(s, json_get(want, "compressed_round_constants_sha256"));
}

static void check_hashes(const struct poseidon_constants *c, yajl_val want)
{
    struct fr in[POSEIDON_MAX_WIDTH], out;
    for (unsigned i = 0; i < c->arity; i++)
        fr_from_u64(&in[i], i);
    poseidon_hash(&out, c, in);
    assert_fr(&out, json_get(want, "hash_0_to_n"));
    for (unsigned i = 0; i < c->arity; i++)
        in[i] = FR_ZERO;
    poseidon_hash(&out, c, in);
    assert_fr(&out, json_get(want, "hash_zeros"));
    for (unsigned i = 0; i < c->arity; i++)
        in[i] = FR_MINUS_ONE;
    poseidon_hash(&out, c, in);
    assert_fr(&out, json_get(want, "hash_all_minus_one"));
    for (unsigned i = 0; i < c->arity; i++) {
        uint8_t b[32];
        json_hex(b, 32, json_at(json_get(want, "big_inputs"), i));
        assert_int_equal(fr_from_bytes(&in[i], b), 0);
    }
    poseidon_hash(&out, c, in);
    assert_fr(&out, json_get(want, "hash_big"));
    poseidon_hash(&in[0], c, in); /* aliased */
    assert_true(fr_equal(&in[0], &out));
}

static void *first_use(void *arity)
{
    return (void *)poseidon_constants(*(unsigned *)arity, POSEIDON_MERKLE);
}

/* The first use, from several threads at once. Runs before the other tests. */
static void test_threads(void **state)
{
    (void)state;
    static unsigned arities[4] = {8, 2, 8, 2};
    pthread_t t[4];
    void *c[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, first_use, &arities[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], &c[i]);
    assert_ptr_equal(c[0], c[2]);
    assert_ptr_equal(c[1], c[3]);
    assert_int_equal(((struct poseidon_constants *)c[0])->width, 9);
}

static void test_vectors(void **state)
{
    (void)state;
    yajl_val root = json_load("vectors/poseidon.json");
    yajl_val all = json_get(root, "constants");
    unsigned seen = 0;
    for (size_t i = 0; i < json_len(all); i++) {
        yajl_val want = json_at(all, i);
        unsigned arity = (unsigned)json_u64(json_get(want, "arity"));
        if (arity > 11)
            continue; /* not used by these proofs */
        int merkle = strcmp(json_string(json_get(want, "label")), "merkle-tree") == 0;
        const struct poseidon_constants *c =
            poseidon_constants(arity, merkle ? POSEIDON_MERKLE : POSEIDON_SNAP);
        check_constants(c, want);
        check_hashes(c, want);
        seen++;
    }
    assert_int_equal(seen, 5);

    yajl_val h2 = json_get(root, "hash2");
    struct fr in[2], out;
    uint8_t b[32];
    json_hex(b, 32, json_get(h2, "a"));
    assert_int_equal(fr_from_bytes(&in[0], b), 0);
    json_hex(b, 32, json_get(h2, "b"));
    assert_int_equal(fr_from_bytes(&in[1], b), 0);
    poseidon_hash(&out, poseidon_constants(2, POSEIDON_MERKLE), in);
    assert_fr(&out, json_get(h2, "out"));
    yajl_tree_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
