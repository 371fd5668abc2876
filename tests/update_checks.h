/* What the tests of the EmptySectorUpdate circuits share: sector sizes that only tests use, and blank circuits. */
#ifndef CUZK_TESTS_UPDATE_CHECKS_H
#define CUZK_TESTS_UPDATE_CHECKS_H

#include "circuit_checks.h"

#include "circuit/update.h"
#include "vanilla_checks.h"

/* Constants of a sector of 2^node_bits nodes by the reference's rules (constants.rs); tree R: one digit a level. */
struct update_case {
    struct sector_shape shape;
    struct registered_update update;
};

static inline void update_case_init(struct update_case *c, unsigned node_bits, const char *arities)
{
    struct registered_update *u = &c->update;
    c->shape = (struct sector_shape){.nodes = (uint64_t)1 << node_bits,
                                     .tree_d_levels = node_bits,
                                     .tree_r_levels = (unsigned)strlen(arities)};
    unsigned bits = 0;
    for (unsigned l = 0; l < c->shape.tree_r_levels; l++) {
        c->shape.tree_r_arity[l] = (uint8_t)(arities[l] - '0');
        bits += (unsigned)__builtin_ctz(c->shape.tree_r_arity[l]);
    }
    assert_int_equal(bits, node_bits);
    *u = (struct registered_update){.shape = &c->shape, .h_select = 1};
    u->partition_bits = node_bits <= 8 ? 0 : node_bits <= 10 ? 1 : node_bits <= 19 ? 2 : 4;
    u->partitions = 1u << u->partition_bits;
    u->challenges = node_bits <= 19 ? 10 : 86;
    u->apex_bits = node_bits <= 8 ? 3 : 7;
    u->apex_leafs = 1u << u->apex_bits;
    for (unsigned i = 0; i < UPDATE_HS; i++)
        u->hs[i] = (uint8_t)(node_bits <= 10 ? 1 : 7 + i);
    u->h = u->hs[3];
    u->h_select = node_bits <= 10 ? 1 : 8;
    u->challenge_bits = node_bits - u->partition_bits;
    u->per_digest = 254 / u->challenge_bits;
    u->digests = (u->challenges + u->per_digest - 1) / u->per_digest;
}

static inline void blank_update(struct cs *cs, void *ctx)
{
    update_synthesize_blank(cs, ctx);
}

static inline void blank_update_poseidon(struct cs *cs, void *ctx)
{
    struct error err;
    assert_ok(update_poseidon_synthesize_blank(cs, ctx, &err), &err);
}

static inline void blank_snap(struct cs *cs, void *ctx)
{
    struct error err;
    assert_ok(snap_synthesize_blank(cs, ctx, &err), &err);
}

static inline struct circuit_under_test snap_circuit(enum sector_size size)
{
    return (struct circuit_under_test){blank_snap, (void *)(uintptr_t)sector_shape(size)};
}

/* A proof of the fixtures. */
struct update_proof {
    struct update_vanilla v;
    yajl_val fixture;
    unsigned partition; /* of the next synthesis */
};

static inline void update_partition(struct cs *cs, void *ctx)
{
    const struct update_proof *p = ctx;
    update_synthesize(cs, &p->v, p->partition);
}

/* The 2 KiB proof. */
static inline void update_proof_load(struct update_proof *p)
{
    struct error err;
    struct update_request request;
    p->fixture = json_load("proofs/update-2kib-1.json");
    p->partition = 0;
    assert_ok(registered_update_of(&request.update, 0, &err), &err);
    json_hex(request.comm_r_old, 32, json_get(p->fixture, "comm_r_old"));
    json_hex(request.comm_r_new, 32, json_get(p->fixture, "comm_r_new"));
    json_hex(request.comm_d_new, 32, json_get(p->fixture, "comm_d_new"));
    struct vanilla_list list =
        fixture_list(json_get(p->fixture, "partition_vanilla_proofs"), "bincode_b64");
    assert_ok(update_vanilla_decode(&p->v, &request, &list, &err), &err);
}

static inline void update_proof_free(struct update_proof *p)
{
    update_vanilla_clean_up(&p->v);
    yajl_tree_free(p->fixture);
}

#endif
