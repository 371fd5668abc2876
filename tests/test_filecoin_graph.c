/* Parents against rust-fil-proofs' graphs; the wrong API version must not match. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "filecoin/graph.h"
#include "hash/sha256.h"

static enum api_version api_of(yajl_val graph)
{
    const char *v = json_string(json_get(graph, "api_version"));
    return strcmp(v, "1.0.0") == 0 ? API_1_0 : strcmp(v, "1.1.0") == 0 ? API_1_1 : API_1_2;
}

static void test_listed_parents(void **state)
{
    (void)state;
    yajl_val root = json_load("vectors/sdr_graph.json"), graphs = json_get(root, "graphs");
    size_t seen = 0;
    for (size_t i = 0; i < json_len(graphs); i++) {
        yajl_val want = json_at(graphs, i), nodes = json_get(want, "parents");
        const char *name = json_string(json_get(want, "registered_seal_proof"));
        const struct registered_seal *seal = registered_seal_by_name(name, strlen(name));
        assert_non_null(seal);
        assert_int_equal(seal->shape->nodes, json_u64(json_get(want, "nodes")));
        assert_int_equal(seal->api, api_of(want));
        uint8_t porep_id[32], drg_seed[28];
        json_hex(porep_id, 32, json_get(want, "porep_id"));
        assert_memory_equal(seal->porep_id, porep_id, 32);
        struct graph g;
        graph_init(&g, seal->shape->nodes, seal->api, seal->porep_id);
        json_hex(drg_seed, 28, json_get(want, "drg_seed_28"));
        assert_memory_equal(g.drg_seed, drg_seed, 28);
        for (size_t k = 0; k < json_len(nodes); k++, seen++) {
            yajl_val n = json_at(nodes, k);
            uint32_t drg[GRAPH_DRG_PARENTS], exp[GRAPH_EXP_PARENTS];
            graph_drg_parents(drg, &g, json_u64(json_get(n, "node")));
            graph_exp_parents(exp, &g, json_u64(json_get(n, "node")));
            for (size_t j = 0; j < GRAPH_DRG_PARENTS; j++)
                assert_int_equal(drg[j], json_u64(json_at(json_get(n, "drg"), j)));
            for (size_t j = 0; j < GRAPH_EXP_PARENTS; j++)
                assert_int_equal(exp[j], json_u64(json_at(json_get(n, "exp"), j)));
        }
    }
    assert_true(seen > 250);
    yajl_tree_free(root);
}

static void put_le32(struct sha256_stream *s, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t b[4] = {(uint8_t)v[i], (uint8_t)(v[i] >> 8), (uint8_t)(v[i] >> 16),
                        (uint8_t)(v[i] >> 24)};
        sha256_update(s, b, 4);
    }
}

static void test_whole_graphs(void **state)
{
    (void)state;
    yajl_val root = json_load("vectors/sdr_graph.json"), graphs = json_get(root, "graphs");
    size_t seen = 0;
    for (size_t i = 0; i < json_len(graphs); i++) {
        yajl_val want = json_at(graphs, i);
        if (json_u64(json_get(want, "nodes")) > 64)
            continue; /* seconds for each */
        uint8_t porep_id[32], got[32], expected[32];
        json_hex(porep_id, 32, json_get(want, "porep_id"));
        json_hex(expected, 32, json_get(want, "all_parents_u32le_sha256"));
        struct graph g;
        graph_init(&g, json_u64(json_get(want, "nodes")), api_of(want), porep_id);
        struct sha256_stream *s = sha256_new();
        for (uint64_t node = 0; node < g.nodes; node++) {
            uint32_t drg[GRAPH_DRG_PARENTS], exp[GRAPH_EXP_PARENTS];
            graph_drg_parents(drg, &g, node);
            graph_exp_parents(exp, &g, node);
            put_le32(s, drg, GRAPH_DRG_PARENTS);
            put_le32(s, exp, GRAPH_EXP_PARENTS);
        }
        sha256_finish(s, got);
        assert_memory_equal(got, expected, 32);
        seen++;
    }
    assert_int_equal(seen, 3);
    yajl_tree_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_parents),
        cmocka_unit_test(test_whole_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
