/* What the tests of synthetic PoSt and snap proofs in their circuits share. Circuits of fewer sectors or challenges than registered
 * have the same rows for each. */
#ifndef CUZK_TESTS_SYNTHETIC_CIRCUITS_H
#define CUZK_TESTS_SYNTHETIC_CIRCUITS_H

#include "circuit_checks.h"

#include "circuit/post.h"
#include "circuit/update.h"
#include "filecoin/synthetic_post.h"
#include "filecoin/synthetic_update.h"

struct synthetic_post {
    struct registered_post post;
    struct post_vanilla v;
};

static inline void synthesize_post(struct cs *cs, void *ctx)
{
    const struct synthetic_post *s = ctx;
    post_synthesize(cs, &s->v, 0);
}

/* sectors: how many the circuit and the proof have; 0: as registered, and one in the proof. */
static inline void make_post(struct synthetic_post *s, unsigned number, unsigned sectors,
                             struct pool *pool)
{
    const struct registered_post *post;
    struct post_request request = {.post = &s->post, .partition = POST_ALL_PARTITIONS};
    struct post_synthetic q = {.post = &s->post, .miner_id = 1000, .seed = 3, .first_sector = 9};
    struct vanilla_list list;
    struct error err;
    enum circuit_kind kind = number < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST;
    assert_ok(registered_post_of(&post, kind, number, &err), &err);
    s->post = *post;
    if (sectors > 0)
        s->post.sectors = sectors;
    q.sectors = sectors > 0 ? sectors : 1;
    post_synthetic_randomness(q.randomness, q.miner_id, q.seed);
    memcpy(request.randomness, q.randomness, 32);
    assert_ok(post_synthetic(&list, &q, pool, NULL, &err), &err);
    assert_ok(post_vanilla_decode(&s->v, &request, &list, &err), &err);
    assert_ok(post_vanilla_check(&s->v, pool, NULL, &err), &err);
}

struct synthetic_update {
    struct registered_update update;
    struct update_vanilla v;
    unsigned partition; /* of the next synthesis */
};

static inline void synthesize_update(struct cs *cs, void *ctx)
{
    const struct synthetic_update *s = ctx;
    update_synthesize(cs, &s->v, s->partition);
}

/* challenges: how many a partition has; 0: as registered. */
static inline void make_update(struct synthetic_update *s, unsigned number, unsigned challenges,
                               struct pool *pool)
{
    const struct registered_update *update;
    struct update_request request = {.update = &s->update};
    struct vanilla_list list;
    struct error err;
    assert_ok(registered_update_of(&update, number, &err), &err);
    s->update = *update;
    if (challenges > 0) {
        s->update.challenges = challenges;
        s->update.digests = (challenges + update->per_digest - 1) / update->per_digest;
    }
    assert_ok(update_synthetic(&list, &request, 3, NULL, pool, &err), &err);
    assert_ok(update_vanilla_decode(&s->v, &request, &list, &err), &err);
    assert_ok(update_vanilla_check(&s->v, pool, NULL, &err), &err);
}

#endif
