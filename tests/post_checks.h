/* What the tests of the PoSt circuits share. */
#ifndef CUZK_TESTS_POST_CHECKS_H
#define CUZK_TESTS_POST_CHECKS_H

#include "circuit_checks.h"

#include "circuit/post.h"
#include "vanilla_checks.h"

struct blank_post {
    const struct sector_shape *shape;
    unsigned sectors, challenges;
};

static inline void blank_post(struct cs *cs, void *ctx)
{
    const struct blank_post *b = ctx;
    struct error err;
    assert_ok(post_synthesize_blank(cs, b->shape, b->sectors, b->challenges, &err), &err);
}

static inline void blank_winning(struct cs *cs, void *ctx)
{
    struct error err;
    assert_ok(winning_synthesize_blank(cs, ctx, &err), &err);
}

static inline void blank_window(struct cs *cs, void *ctx)
{
    struct error err;
    assert_ok(window_synthesize_blank(cs, ctx, &err), &err);
}

static inline struct circuit_under_test winning_circuit(enum sector_size size)
{
    return (struct circuit_under_test){blank_winning, (void *)(uintptr_t)sector_shape(size)};
}

static inline struct circuit_under_test window_circuit(enum sector_size size)
{
    return (struct circuit_under_test){blank_window, (void *)(uintptr_t)sector_shape(size)};
}

/* A proof of the fixtures. */
struct post_proof {
    struct post_vanilla v;
    yajl_val fixture;
    unsigned partition; /* of the next synthesis */
};

static inline void post_partition(struct cs *cs, void *ctx)
{
    const struct post_proof *p = ctx;
    post_synthesize(cs, &p->v, p->partition);
}

static inline const struct registered_post *post_named(const char *name)
{
    const struct registered_post *post;
    struct error err;
    for (unsigned i = 0; i < 15; i++) {
        enum circuit_kind kind = i < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST;
        assert_ok(registered_post_of(&post, kind, i, &err), &err);
        if (strcmp(post->name, name) == 0)
            return post;
    }
    fail_msg("no registered PoSt proof %s", name);
    return NULL;
}

/* name: a file of tests/data/proofs without .json. */
static inline void post_proof_load(struct post_proof *p, const char *name)
{
    char file[100];
    struct error err;
    struct post_request request = {.partition = POST_ALL_PARTITIONS};
    snprintf(file, sizeof file, "proofs/%s.json", name);
    p->fixture = json_load(file);
    p->partition = 0;
    request.post = post_named(json_string(json_get(p->fixture, "registered_post_proof")));
    json_hex(request.randomness, 32, json_get(p->fixture, "randomness"));
    struct vanilla_list list =
        fixture_list(json_get(p->fixture, "sectors"), "vanilla_proof_bincode_b64");
    assert_ok(post_vanilla_decode(&p->v, &request, &list, &err), &err);
}

static inline void post_proof_free(struct post_proof *p)
{
    post_vanilla_clean_up(&p->v);
    yajl_tree_free(p->fixture);
}

#endif
