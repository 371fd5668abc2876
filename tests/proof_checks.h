/* What tests of proofs share: one circuit's parameters opened once, proofs of the fixtures as requests, sums and bytes against the
 * reference's, and proofs that must be refused. */
#ifndef CUZK_TESTS_PROOF_CHECKS_H
#define CUZK_TESTS_PROOF_CHECKS_H

#include "circuit_checks.h"
#include "vanilla_checks.h"

#include "base/cpu.h"
#include "groth16/prove.h"
#include "proof/job.h"

/* ---- Parameters ---- */

struct proof_rig {
    struct pool *pool;
    struct circuit_keys keys;
    struct prover *prover;
    struct assignment w;
};

static const struct keys_request test_keys = {.param_dir = CUZK_TEST_PARAMS};

static inline void rig_open(struct proof_rig *rig, enum circuit_kind kind, enum sector_size size)
{
    struct error err;
    assert_ok(cpu_init(&err), &err);
    field_init();
    assert_ok(pool_new(&rig->pool, 0, &err), &err);
    assert_ok(
        circuit_keys_open(&rig->keys, circuit_of(kind, size), &test_keys, rig->pool, NULL, &err),
        &err);
    assert_ok(prover_new(&rig->prover, &rig->keys.params, &rig->keys.stats.density,
                         circuit_names(rig->keys.circuit)->log2_domain, rig->pool, &err),
              &err);
}

static inline void rig_close(struct proof_rig *rig)
{
    assignment_clean_up(&rig->w);
    prover_destroy(rig->prover);
    circuit_keys_close(&rig->keys);
    pool_destroy(rig->pool);
}

/* ---- Requests ---- */

/* A fixture, the request for its proof, and its input. */
struct proof_case {
    yajl_val fixture;
    struct vanilla_list list;
    char path[1024];
    struct proof_request request;
    struct proof_input in;
};

static inline void case_decode(struct proof_case *c, const struct proof_kind *kind)
{
    struct error err;
    c->request.partition = ALL_PARTITIONS;
    if (c->request.path == NULL) {
        c->request.proofs = c->list.proofs;
        c->request.proofs_len = c->list.len;
    }
    assert_ok(proof_input_decode(&c->in, kind, &c->request, ERR_DATA, &err), &err);
}

/* name: a file of tests/data/proofs without .json. */
static inline void case_fixture(struct proof_case *c, const char *name)
{
    char file[100];
    *c = (struct proof_case){0};
    snprintf(file, sizeof file, "proofs/%s.json", name);
    c->fixture = json_load(file);
}

static inline void case_porep(struct proof_case *c, const char *name)
{
    case_fixture(c, name);
    snprintf(c->path, sizeof c->path, "%s/proofs/%s.c1out.json", CUZK_TEST_DATA, name);
    c->request.path = c->path;
    case_decode(c, &porep_kind);
}

static inline void case_post(struct proof_case *c, const char *name, const struct proof_kind *kind,
                             unsigned registered_proof)
{
    case_fixture(c, name);
    c->list = fixture_list(json_get(c->fixture, "sectors"), "vanilla_proof_bincode_b64");
    c->request.registered_proof = registered_proof;
    json_hex(c->request.randomness, 32, json_get(c->fixture, "randomness"));
    case_decode(c, kind);
}

static inline void case_snap(struct proof_case *c, const char *name)
{
    case_fixture(c, name);
    c->list = fixture_list(json_get(c->fixture, "partition_vanilla_proofs"), "bincode_b64");
    json_hex(c->request.comm_r_old, 32, json_get(c->fixture, "comm_r_old"));
    json_hex(c->request.comm_r_new, 32, json_get(c->fixture, "comm_r_new"));
    json_hex(c->request.comm_d_new, 32, json_get(c->fixture, "comm_d_new"));
    case_decode(c, &snap_kind);
}

static inline void case_free(struct proof_case *c)
{
    proof_input_clean_up(&c->in);
    vanilla_list_clean_up(&c->list);
    yajl_tree_free(c->fixture);
}

/* ---- Proving, by step ---- */

struct case_partition {
    const struct proof_case *c;
    unsigned partition;
};

static inline void case_synthesize(struct cs *cs, void *ctx)
{
    const struct case_partition *p = ctx;
    p->c->in.kind->synthesize(cs, &p->c->in, p->partition);
}

static inline void rig_synthesize(struct proof_rig *rig, const struct proof_case *c,
                                  unsigned partition)
{
    struct case_partition p = {c, partition};
    assignment_reset(&rig->w);
    run_native(&rig->w, (struct circuit_under_test){case_synthesize, &p}, rig->pool);
}

static inline void assert_g1(const struct g1_affine *p, yajl_val trace, const char *key)
{
    uint8_t bytes[G1_COMPRESSED_BYTES];
    g1_to_compressed(bytes, p);
    assert_hex(bytes, sizeof bytes, json_string(json_get(trace, key)), key);
}

static inline void assert_g2(const struct g2_affine *p, yajl_val trace, const char *key)
{
    uint8_t bytes[G2_COMPRESSED_BYTES];
    g2_to_compressed(bytes, p);
    assert_hex(bytes, sizeof bytes, json_string(json_get(trace, key)), key);
}

static inline void assert_sums(const struct groth16_sums *s, yajl_val trace)
{
    assert_g1(&s->h, trace, "msm_h");
    assert_g1(&s->l, trace, "msm_l");
    assert_g1(&s->a_inputs, trace, "msm_a_inputs");
    assert_g1(&s->a_aux, trace, "msm_a_aux");
    assert_g1(&s->b_g1_inputs, trace, "msm_b_g1_inputs");
    assert_g1(&s->b_g1_aux, trace, "msm_b_g1_aux");
    assert_g2(&s->b_g2_inputs, trace, "msm_b_g2_inputs");
    assert_g2(&s->b_g2_aux, trace, "msm_b_g2_aux");
}

/* The bytes of one partition in a fixture's proof. */
static inline void partition_bytes(uint8_t out[PROOF_BYTES], yajl_val proof, unsigned partition)
{
    char hex[2 * PROOF_BYTES + 1];
    size_t at = (size_t)partition * 2 * PROOF_BYTES;
    assert_true(strlen(json_string(proof)) >= at + 2 * PROOF_BYTES);
    snprintf(hex, sizeof hex, "%s", json_string(proof) + at);
    hex_bytes(out, PROOF_BYTES, hex);
}

static inline void fixture_rs(struct proof_rs *out, yajl_val variant, unsigned partition)
{
    uint8_t bytes[32];
    json_hex(bytes, 32, json_at(json_get(variant, "r_le"), partition));
    assert_int_equal(fr_from_bytes(&out->r, bytes), 0);
    json_hex(bytes, 32, json_at(json_get(variant, "s_le"), partition));
    assert_int_equal(fr_from_bytes(&out->s, bytes), 0);
}

static inline struct fr *case_inputs(size_t *n, const struct proof_rig *rig,
                                     const struct proof_case *c, unsigned partition)
{
    struct error err;
    *n = circuit_names(rig->keys.circuit)->inputs - 1;
    struct fr *inputs = calloc(*n, sizeof *inputs);
    assert_non_null(inputs);
    assert_ok(c->in.kind->public_inputs(inputs, &c->in, partition, &err), &err);
    return inputs;
}

static inline int rig_verify(const struct proof_rig *rig, const uint8_t bytes[PROOF_BYTES],
                             const struct fr *inputs, size_t n, struct error *err)
{
    struct proof proof;
    int rc = proof_from_bytes(&proof, bytes, err);
    return rc != 0 ? rc : groth16_verify(rig->keys.pvk, &proof, inputs, n, err);
}

/* The reference's bytes for each r, s of the fixture, from one set of sums. */
static inline void assert_variants(const struct proof_rig *rig, const struct groth16_sums *sums,
                                   const struct proof_case *c, unsigned partition)
{
    struct error err;
    size_t n;
    struct fr *inputs = case_inputs(&n, rig, c, partition);
    yajl_val variants = json_get(c->fixture, "fixed_rs_proofs");
    assert_true(json_len(variants) >= 1);
    for (size_t i = 0; i < json_len(variants); i++) {
        yajl_val v = json_at(variants, i);
        struct proof_rs rs;
        struct proof proof;
        uint8_t bytes[PROOF_BYTES], want[PROOF_BYTES];
        fixture_rs(&rs, v, partition);
        groth16_assemble(&proof, sums, &rig->keys.params.vk, &rs.r, &rs.s);
        proof_to_bytes(bytes, &proof);
        partition_bytes(want, json_get(v, "proof"), partition);
        assert_memory_equal(bytes, want, PROOF_BYTES);
        assert_ok(rig_verify(rig, bytes, inputs, n, &err), &err);
    }
    free(inputs);
}

/* A partition from its input to the reference's bytes. trace NULL: the fixture has none. */
static inline void check_proofs(struct proof_rig *rig, const struct proof_case *c,
                                unsigned partition, yajl_val trace)
{
    struct error err;
    struct groth16_sums sums;
    struct groth16_timings timings = {0};
    rig_synthesize(rig, c, partition);
    assert_ok(prover_sums(&sums, &timings, rig->prover, &rig->w, NULL, &err), &err);
    if (trace != NULL)
        assert_sums(&sums, trace);
    assert_variants(rig, &sums, c, partition);
}

/* ---- Refusals ---- */

static inline void assert_refused(const struct proof_rig *rig, const uint8_t bytes[PROOF_BYTES],
                                  const struct fr *inputs, size_t n)
{
    struct error err;
    assert_int_equal(rig_verify(rig, bytes, inputs, n, &err), ERR_INVALID_PROOF);
}

/* The reference's proof of a partition verifies; with one of every `step` bits flipped, or with one input changed, it does not. */
static inline void check_mutations(const struct proof_rig *rig, const struct proof_case *c,
                                   const char *key, unsigned partition, size_t step)
{
    struct error err;
    uint8_t bytes[PROOF_BYTES];
    size_t n;
    struct fr *inputs = case_inputs(&n, rig, c, partition);
    partition_bytes(bytes, json_get(c->fixture, key), partition);
    assert_ok(rig_verify(rig, bytes, inputs, n, &err), &err);
    for (size_t bit = 0; bit < 8 * PROOF_BYTES; bit += step) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_refused(rig, bytes, inputs, n);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t i = 0; i < n; i++) {
        struct fr kept = inputs[i];
        fr_add(&inputs[i], &inputs[i], &FR_ONE);
        assert_refused(rig, bytes, inputs, n);
        inputs[i] = kept;
    }
    assert_int_not_equal(rig_verify(rig, bytes, inputs, n - 1, &err), 0);
    free(inputs);
}

#endif
