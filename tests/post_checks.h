/* What the tests of the PoSt circuits share. */
#ifndef CUZK_TESTS_POST_CHECKS_H
#define CUZK_TESTS_POST_CHECKS_H

#include "circuit_checks.h"

#include "circuit/post.h"

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

#endif
