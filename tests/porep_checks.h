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

/* Partition p natively against the reference; all paths against one another if wanted. */
static inline void check_partition(struct assignment *w, struct sealed *s, unsigned p,
                                   struct pool *pool, int all_paths)
{
    struct circuit_under_test circuit = {sealed_partition, s};
    s->partition = p;
    assignment_reset(w);
    run_native(w, circuit, pool);
    yajl_val traces = json_get(s->fixture, "prover_traces");
    assert_reference_values(w, json_at(json_get(s->fixture, "partition_assignments"), p),
                            p < json_len(traces) ? json_at(traces, p) : NULL);
    if (all_paths)
        check_paths(w, circuit);
}

#endif
