/* C1 JSON in the shapes of 32 and 64 GiB, of which there is no sample: made here with nodes that tell where they stood. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include <inttypes.h>

#include "filecoin/porep_vanilla.h"

struct text {
    char *data;
    size_t n, cap;
};

static void put(struct text *t, const char *s)
{
    size_t n = strlen(s);
    if (t->n + n >= t->cap) {
        t->cap = 2 * t->cap + n + 1;
        t->data = realloc(t->data, t->cap);
        assert_non_null(t->data);
    }
    memcpy(t->data + t->n, s, n + 1);
    t->n += n;
}

static void put_number(struct text *t, const char *before, uint64_t v)
{
    char s[64];
    snprintf(s, sizeof s, "%s%" PRIu64, before, v);
    put(t, s);
}

/* A node whose first bytes are a and b. */
static void put_node(struct text *t, unsigned a, unsigned b)
{
    put_number(t, "[", a);
    put_number(t, ",", b);
    put(t, ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]");
}

static void put_nodes(struct text *t, unsigned a, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        put(t, i > 0 ? "," : "[");
        put_node(t, a, i);
    }
    put(t, "]");
}

static unsigned index_of_level(unsigned level, unsigned arity)
{
    return (5 * level + 1) % arity;
}

/* Levels [first, first + n) as the value of `key`; node i of level l is (l, i). */
static void put_levels(struct text *t, const char *key, const uint8_t *arity, unsigned first,
                       unsigned n)
{
    put(t, key);
    put(t, "{\"path\":[");
    for (unsigned l = first; l < first + n; l++) {
        put(t, l > first ? ",{\"hashes\":" : "{\"hashes\":");
        put_nodes(t, l, arity[l] - 1u);
        put_number(t, ",\"index\":", index_of_level(l, arity[l]));
        put(t, "}");
    }
    put(t, "]}");
}

static void put_path_r(struct text *t, const struct sector_shape *s)
{
    unsigned base = s->tree_r_levels - 1 - (s->top > 0);
    put(t, s->top > 0 ? "{\"data\":{\"Top\":{" : "{\"data\":{\"Sub\":{");
    if (s->top > 0) {
        put_levels(t, "\"top_proof\":", s->tree_r_arity, base + 1, 1);
        put(t, ",");
    }
    put_levels(t, "\"base_proof\":", s->tree_r_arity, 0, base);
    put_levels(t, ",\"sub_proof\":", s->tree_r_arity, base, 1);
    put(t, ",\"root\":");
    put_node(t, 201, 0);
    put(t, ",\"leaf\":");
    put_node(t, 202, 0);
    put(t, "}}}");
}

static void put_column(struct text *t, const struct sector_shape *s, unsigned index)
{
    put_number(t, "{\"column\":{\"index\":", index);
    put(t, ",\"rows\":");
    put_nodes(t, index, s->layers);
    put(t, ",\"_h\":null},\"inclusion_proof\":");
    put_path_r(t, s);
    put(t, "}");
}

static void put_columns(struct text *t, const struct sector_shape *s, const char *key,
                        unsigned first, unsigned n)
{
    put(t, key);
    for (unsigned i = 0; i < n; i++) {
        put(t, i > 0 ? "," : "[");
        put_column(t, s, first + i);
    }
    put(t, "]");
}

static void put_labeling(struct text *t, unsigned layer)
{
    put(t, "{\"parents\":");
    put_nodes(t, layer, POREP_LABEL_PARENTS);
    put_number(t, ",\"layer_index\":", layer);
    put(t, ",\"node\":4294967296}");
}

static void put_proof(struct text *t, const struct sector_shape *s)
{
    static const uint8_t binary[MERKLE_MAX_LEVELS] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                                      2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                                      2, 2, 2, 2, 2, 2, 2, 2, 2};
    put(t, "{\"comm_d_proofs\":{\"data\":{\"Single\":{\"root\":");
    put_node(t, 203, 0);
    put(t, ",\"leaf\":");
    put_node(t, 204, 0);
    put_levels(t, ",\"path\":", binary, 0, s->tree_d_levels);
    put(t, "}}},\"comm_r_last_proof\":");
    put_path_r(t, s);
    put(t, ",\"replica_column_proofs\":{\"c_x\":");
    put_column(t, s, 100);
    put_columns(t, s, ",\"drg_parents\":", 110, POREP_DRG_PARENTS);
    put_columns(t, s, ",\"exp_parents\":", 120, POREP_EXP_PARENTS);
    put(t, "},\"labeling_proofs\":[");
    for (unsigned l = 1; l <= s->layers; l++) {
        put(t, l > 1 ? "," : "");
        put_labeling(t, l);
    }
    put(t, "],\"encoding_proof\":");
    put_labeling(t, 77);
    put(t, "}");
}

static void put_output(struct text *t, const struct registered_seal *seal, unsigned partitions)
{
    static const char *const keys[] = {"comm_r", "comm_d", "replica_id", "seed", "ticket"};
    struct text proof = {0};
    put_proof(&proof, seal->shape);
    put(t, "{\"registered_proof\":\"");
    put(t, seal->name);
    put(t, "\",\"vanilla_proofs\":{\"StackedDrg");
    put(t, seal->shape->name);
    put(t, "V1\":[");
    for (unsigned p = 0; p < partitions; p++) {
        for (unsigned c = 0; c < seal->shape->challenges; c++) {
            put(t, c > 0 ? "," : p > 0 ? ",[" : "[");
            put(t, proof.data);
        }
        put(t, "]");
    }
    put(t, "]}");
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        put(t, ",\"");
        put(t, keys[i]);
        put(t, "\":");
        put_node(t, 210 + i, 0);
    }
    put(t, "}");
    free(proof.data);
}

static void assert_node(const struct node *n, unsigned a, unsigned b)
{
    struct node want = {{(uint8_t)a, (uint8_t)b}};
    assert_memory_equal(n->b, want.b, 32);
}

static void assert_path(const struct merkle_path *p, unsigned root, unsigned leaf)
{
    assert_node(&p->root, root, 0);
    assert_node(&p->leaf, leaf, 0);
    uint64_t index = 0, weight = 1;
    for (unsigned l = 0; l < p->levels; l++) {
        assert_int_equal(p->index[l], index_of_level(l, p->arity[l]));
        index += p->index[l] * weight;
        weight *= p->arity[l];
        for (unsigned i = 0; i + 1 < p->arity[l]; i++)
            assert_node(&p->siblings[l][i], l, i);
    }
    assert_int_equal(merkle_path_index(p), index);
}

static void assert_column(const struct porep_column *c, const struct sector_shape *s,
                          unsigned index)
{
    assert_int_equal(c->index, index);
    for (unsigned l = 0; l < s->layers; l++)
        assert_node(&c->rows[l], index, l);
    assert_int_equal(c->inclusion.levels, s->tree_r_levels);
    assert_memory_equal(c->inclusion.arity, s->tree_r_arity, s->tree_r_levels);
    assert_path(&c->inclusion, 201, 202);
}

static void assert_labeling(const struct porep_labeling *l, unsigned layer)
{
    assert_int_equal(l->layer_index, layer);
    assert_true(l->node == 4294967296u);
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++)
        assert_node(&l->parents[i], layer, i);
}

static void assert_proof(const struct porep_challenge_proof *p, const struct sector_shape *s)
{
    assert_int_equal(p->comm_d.levels, s->tree_d_levels);
    assert_path(&p->comm_d, 203, 204);
    assert_int_equal(p->comm_r_last.levels, s->tree_r_levels);
    assert_path(&p->comm_r_last, 201, 202);
    assert_column(&p->c_x, s, 100);
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        assert_column(&p->drg_parents[i], s, 110 + i);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        assert_column(&p->exp_parents[i], s, 120 + i);
    for (unsigned l = 0; l < s->layers; l++)
        assert_labeling(&p->labeling[l], l + 1);
    assert_labeling(&p->encoding, 77);
}

static void check_seal(const char *name)
{
    const struct registered_seal *seal = registered_seal_by_name(name, strlen(name));
    struct porep_vanilla v;
    struct error err;
    struct text t = {0};
    put_output(&t, seal, seal->shape->partitions);
    if (porep_vanilla_parse(&v, t.data, t.n, &err) != 0)
        fail_msg("%s", err.text);
    assert_ptr_equal(v.seal, seal);
    assert_int_equal(v.partitions, 10);
    assert_int_equal(v.challenges, 18);
    assert_proof(&v.proofs[0][0], seal->shape);
    assert_proof(&v.proofs[9][17], seal->shape);
    assert_node(&v.comm_r, 210, 0);
    assert_node(&v.comm_d, 211, 0);
    assert_node(&v.replica_id, 212, 0);
    assert_int_equal(v.seed[0], 213);
    assert_int_equal(v.ticket[0], 214);
    /* None of it is true. */
    assert_int_equal(porep_vanilla_check(&v, NULL, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "wrong-challenge");
    porep_vanilla_clean_up(&v);
    free(t.data);
}

static void test_32g(void **state)
{
    (void)state;
    check_seal("StackedDrg32GiBV1_1");
}

static void test_64g(void **state)
{
    (void)state;
    check_seal("StackedDrg64GiBV1_1_Feat_SyntheticPoRep");
}

static void expect(const struct text *t, const char *find, const char *with, const char *cause,
                   const char *message)
{
    struct porep_vanilla v;
    struct error err;
    struct text bad = {0};
    char *at = strstr(t->data, find), keep = *at;
    *at = 0;
    put(&bad, t->data);
    *at = keep;
    put(&bad, with);
    put(&bad, at + strlen(find));
    assert_int_equal(porep_vanilla_parse(&v, bad.data, bad.n, &err), ERR_DATA);
    if (strcmp(err.cause, cause) != 0 || strstr(err.text, message) == NULL)
        fail_msg("%s: %s; should be %s: %s", err.cause, err.text, cause, message);
    free(bad.data);
}

static void test_damaged(void **state)
{
    (void)state;
    struct text t = {0};
    put_output(&t, registered_seal_by_number(9), 1); /* 64 GiB, V1_1 */
    expect(&t, "V1_1\"", "V1\"", "c1-length", "vanilla_proofs: 1 items instead of 10");
    expect(&t, "\"Top\":", "\"Sub\":", "c1-tag",
           "comm_r_last_proof.data: path of kind Sub instead of Top");
    expect(&t, "\"top_proof\"", "\"Top_proof\"", "c1-missing-key",
           "comm_r_last_proof.data: key \"top_proof\" is missing");
    expect(&t, "\"sub_proof\"", "\"subproof\"", "c1-missing-key",
           "comm_r_last_proof.data: key \"sub_proof\" is missing");
    expect(&t, "\"top_proof\":{\"path\":[", "\"top_proof\":{\"path\":[],\"x\":[", "c1-length",
           "top_proof.path: 0 items instead of 1");
    expect(&t, "\"base_proof\":{\"path\":[", "\"base_proof\":{\"path\":[],\"x\":[", "c1-length",
           "base_proof.path: 0 items instead of 9");
    expect(&t, "\"sub_proof\":{\"path\":[{\"hashes\":[",
           "\"sub_proof\":{\"path\":[{\"hashes\":[],\"x\":[", "c1-length",
           "sub_proof.path[0].hashes: 0 items instead of 7");
    expect(&t, "64GiBV1\":", "32GiBV1\":", "c1-registered-proof", "proofs for 32GiB sectors");
    free(t.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_32g),
        cmocka_unit_test(test_64g),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
