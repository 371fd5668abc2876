/* What the tests of the PoRep circuit share: blank circuits, and partitions of sealed sectors against the reference's digests. */
#ifndef CUZK_TESTS_POREP_CHECKS_H
#define CUZK_TESTS_POREP_CHECKS_H

#include "circuit_checks.h"

#include "circuit/porep.h"

static inline void blank_porep(struct cs *cs, void *ctx)
{
    struct error err;
    assert_ok(porep_synthesize_blank(cs, ctx, &err), &err);
}

static inline struct circuit_under_test blank_porep_circuit(const struct sector_shape *shape)
{
    return (struct circuit_under_test){blank_porep, (void *)(uintptr_t)shape};
}

struct sealed {
    struct porep_vanilla v;
    yajl_val fixture;
    unsigned partition; /* of the next synthesis */
};

static inline void sealed_partition(struct cs *cs, void *ctx)
{
    const struct sealed *s = ctx;
    porep_synthesize(cs, &s->v, s->partition);
}

static inline void sealed_load(struct sealed *s, const char *name)
{
    char file[100], path[1024];
    struct error err;
    snprintf(file, sizeof file, "proofs/%s.json", name);
    s->fixture = json_load(file);
    snprintf(path, sizeof path, "%s/proofs/%s.c1out.json", CUZK_TEST_DATA, name);
    assert_ok(porep_vanilla_read(&s->v, path, &err), &err);
    s->partition = 0;
}

static inline void sealed_free(struct sealed *s)
{
    porep_vanilla_clean_up(&s->v);
    yajl_tree_free(s->fixture);
}

static inline void assert_tvec(const struct tvec *v, const struct fr *prefix, size_t n,
                               yajl_val object, const char *key)
{
    uint8_t digest[32];
    tvec_sha256(digest, v, prefix, n);
    assert_hex(digest, 32, json_string(json_get(object, key)), key);
}

/* The first block of the witness that differs from the reference's. */
static inline void assert_prefixes(const struct tvec *aux, yajl_val prefixes)
{
    uint64_t good = 0;
    for (size_t i = 0; i < json_len(prefixes); i++) {
        struct tvec head = *aux;
        uint8_t digest[32], want[32];
        head.len = json_u64(json_at(json_at(prefixes, i), 0));
        json_hex(want, 32, json_at(json_at(prefixes, i), 1));
        tvec_sha256(digest, &head, NULL, 0);
        if (memcmp(digest, want, 32) != 0)
            fail_msg("the first differing variable is among [%llu, %zu)", (unsigned long long)good,
                     head.len);
        good = head.len;
    }
}

/* Inputs, witness and row values of partition s->partition. */
static inline void assert_reference_values(const struct assignment *w, const struct sealed *s)
{
    yajl_val want = json_at(json_get(s->fixture, "partition_assignments"), s->partition);
    yajl_val inputs = json_get(want, "public_inputs_le"), aux_hash = json_get(want, "aux_sha256");
    struct tvec none = {0};
    uint8_t a[32], b[32];
    assert_int_equal(w->num_inputs, json_u64(json_get(want, "num_inputs")));
    assert_int_equal(w->aux.len, json_u64(json_get(want, "num_aux")));
    for (size_t i = 1; i < w->num_inputs; i++) {
        fr_to_bytes(a, &w->inputs[i]);
        json_hex(b, 32, json_at(inputs, i - 1));
        assert_memory_equal(a, b, 32);
    }
    tvec_sha256(a, &w->aux, NULL, 0);
    json_hex(b, 32, aux_hash);
    if (memcmp(a, b, 32) != 0)
        assert_prefixes(&w->aux, json_get(want, "aux_prefix_sha256"));
    assert_tvec(&w->aux, NULL, 0, want, "aux_sha256");
    assert_tvec(&none, w->inputs, w->num_inputs, want, "inputs_sha256");
    assert_tvec(&w->aux, w->inputs, w->num_inputs, want, "assignment_sha256");

    yajl_val traces = json_get(s->fixture, "prover_traces");
    if (s->partition >= json_len(traces))
        return;
    yajl_val trace = json_at(traces, s->partition);
    assert_int_equal(w->a.len, json_u64(json_get(trace, "num_rows_with_input_constraints")));
    assert_tvec(&w->a, NULL, 0, trace, "sha256_a_evals");
    assert_tvec(&w->b, NULL, 0, trace, "sha256_b_evals");
    assert_tvec(&w->c, NULL, 0, trace, "sha256_c_evals");
}

/* Partition p natively against the reference; all paths against one another if wanted. */
static inline void check_partition(struct assignment *w, struct sealed *s, unsigned p,
                                   struct pool *pool, int all_paths)
{
    struct circuit_under_test circuit = {sealed_partition, s};
    s->partition = p;
    assignment_reset(w);
    run_native(w, circuit, pool);
    assert_reference_values(w, s);
    if (all_paths)
        check_paths(w, circuit);
}

#endif
