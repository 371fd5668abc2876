/* PoSt of all sector sizes, on trees whose leaves are all equal: shapes, lengths, partitions. */
/* ctest: quick */
/* ctest: asan */
#include "vanilla_checks.h"

#include "filecoin/post.h"
#include "hash/poseidon.h"

enum { MAX_LEVELS = 11, SECTOR = 4711 };

/* Node l is that of every node in level l. */
struct tree {
    struct node nodes[MAX_LEVELS + 1];
    struct node siblings[MAX_LEVELS][7];
};

static void make_tree(struct tree *t, const struct sector_shape *s)
{
    memset(t, 0, sizeof *t);
    t->nodes[0].b[0] = 42;
    for (unsigned l = 0; l < s->tree_r_levels; l++) {
        struct fr in[8], out;
        for (unsigned i = 0; i < 8; i++)
            node_to_fr(&in[i], &t->nodes[l]);
        for (unsigned i = 0; i < 7; i++)
            t->siblings[l][i] = t->nodes[l];
        poseidon_hash(&out, poseidon_constants(s->tree_r_arity[l], POSEIDON_MERKLE), in);
        node_from_fr(&t->nodes[l + 1], &out);
    }
}

static struct merkle_path open_leaf(struct tree *t, const struct sector_shape *s, uint64_t leaf)
{
    struct merkle_path p = {.levels = (uint8_t)s->tree_r_levels};
    p.leaf = t->nodes[0];
    p.root = t->nodes[p.levels];
    for (unsigned l = 0; l < p.levels; l++) {
        p.arity[l] = s->tree_r_arity[l];
        p.index[l] = (uint8_t)(leaf % p.arity[l]);
        p.siblings[l] = t->siblings[l];
        leaf /= p.arity[l];
    }
    assert_int_equal(leaf, 0);
    return p;
}

/* The vanilla proof of sector SECTOR, at place 0. */
static struct writer write_sector(const struct registered_post *post, const uint8_t randomness[32])
{
    const struct sector_shape *s = post->shape;
    struct tree t;
    struct writer w = {0};
    struct fr roots[2], hash;
    struct node comm_c = {{9}}, comm_r;
    uint64_t challenges[66];
    make_tree(&t, s);
    node_to_fr(&roots[0], &comm_c);
    node_to_fr(&roots[1], &t.nodes[s->tree_r_levels]);
    poseidon_hash(&hash, poseidon_constants(2, POSEIDON_MERKLE), roots);
    node_from_fr(&comm_r, &hash);
    post_challenges(challenges, post, randomness, SECTOR, 0);
    put_integer(&w, SECTOR, 8);
    put_bytes(&w, &comm_r, 32);
    put_integer(&w, 1, 8);
    put_integer(&w, post->paths, 8);
    for (unsigned i = 0; i < post->paths; i++) {
        struct merkle_path p = open_leaf(&t, s, challenges[i]);
        put_path(&w, &p, (unsigned)(s->sub > 0) + (s->top > 0));
    }
    put_bytes(&w, &comm_c, 32);
    put_bytes(&w, &t.nodes[s->tree_r_levels], 32);
    return w;
}

static void test_sizes(void **state)
{
    (void)state;
    for (unsigned number = 0; number < 15; number++) {
        struct post_request request = {.partition = POST_ALL_PARTITIONS, .randomness = {3, 1}};
        enum circuit_kind kind = number < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST;
        struct vanilla_list list;
        struct post_vanilla v;
        struct error err;
        assert_done(registered_post_of(&request.post, kind, number, &err), &err);
        struct writer w = write_sector(request.post, request.randomness);
        struct vanilla_proof proof = {w.data, w.len};
        if (number == 13)
            assert_int_equal(w.len, 24960); /* as the reference's */
        assert_done(vanilla_list_copy(&list, &proof, 1, &err), &err);
        free(w.data);
        assert_done(post_vanilla_decode(&v, &request, &list, &err), &err);
        assert_int_equal(v.partitions, 1);
        assert_done(post_vanilla_check(&v, NULL, NULL, &err), &err);

        /* The last copy in the circuit and in its public inputs. */
        const struct registered_post *post = request.post;
        struct post_circuit_sector s = post_circuit_sector(&v, 0, post->sectors - 1);
        size_t n = post_public_inputs_len(post), last = n - 1 - post->challenges;
        struct fr *inputs = malloc(n * sizeof *inputs), want;
        assert_non_null(inputs);
        post_public_inputs(inputs, &v, 0);
        node_to_fr(&want, s.comm_r);
        assert_memory_equal(&inputs[last], &want, sizeof want);
        for (unsigned i = 0; i < post->challenges; i++) {
            fr_from_u64(&want, merkle_path_index(&s.paths[i]));
            assert_memory_equal(&inputs[last + 1 + i], &want, sizeof want);
        }
        free(inputs);

        /* A wrong hash in the topmost level. */
        v.sectors[0].paths[1].siblings[post->shape->tree_r_levels - 1][0].b[0] ^= 1;
        assert_error(post_vanilla_check(&v, NULL, NULL, &err), &err, ERR_DATA,
                     "post-faulty-sectors", "sector 4711: inclusion_proofs[1]: leaf and hashes");
        post_vanilla_clean_up(&v);
    }
}

static void assert_input(const struct fr *got, uint64_t want)
{
    struct fr v;
    fr_from_u64(&v, want);
    assert_memory_equal(got, &v, sizeof v);
}

/* 2350 sectors of 32 GiB: one more than a partition has. API 1.0 counts on. */
static void test_partitions(void **state)
{
    (void)state;
    enum { N = 2350 };
    struct post_request request = {.partition = POST_ALL_PARTITIONS};
    struct vanilla_list list;
    struct post_vanilla v;
    struct error err;
    uint64_t challenges[10];
    static struct vanilla_proof proofs[N];
    assert_done(registered_post_of(&request.post, CIRCUIT_WPOST, 8, &err), &err);
    struct writer w = write_sector(request.post, request.randomness);
    for (size_t i = 0; i < N; i++)
        proofs[i] = (struct vanilla_proof){w.data, w.len};
    assert_done(vanilla_list_copy(&list, proofs, N, &err), &err);
    for (size_t i = 0; i < N; i++) {
        list.proofs[i].data[0] = (uint8_t)i;
        list.proofs[i].data[1] = (uint8_t)(i >> 8);
    }
    assert_done(post_vanilla_decode(&v, &request, &list, &err), &err);
    assert_int_equal(v.sectors_len, N);
    assert_int_equal(v.partitions, 2);

    size_t n = post_public_inputs_len(request.post);
    struct fr *inputs = malloc(n * sizeof *inputs);
    assert_non_null(inputs);
    assert_int_equal(n, 2349 * 11);
    post_public_inputs(inputs, &v, 0);
    post_challenges(challenges, request.post, v.randomness, 2348, 2348);
    for (unsigned i = 0; i < 10; i++)
        assert_input(&inputs[2348 * 11 + 1 + i], challenges[i]);
    post_public_inputs(inputs, &v, 1);
    post_challenges(challenges, request.post, v.randomness, 2349, 2349);
    for (unsigned j = 0; j < 2349; j += 587)
        for (unsigned i = 0; i < 10; i++)
            assert_input(&inputs[j * 11 + 1 + i], challenges[i]);
    assert_ptr_equal(post_circuit_sector(&v, 0, 2348).paths, v.sectors[2348].paths);
    assert_ptr_equal(post_circuit_sector(&v, 1, 0).paths, v.sectors[2349].paths);
    assert_ptr_equal(post_circuit_sector(&v, 1, 2348).paths, v.sectors[2349].paths);
    free(inputs);
    free(w.data);
    post_vanilla_clean_up(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_partitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
