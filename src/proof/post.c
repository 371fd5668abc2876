/* Winning and WindowPoSt as proof kinds. */
#include <inttypes.h>
#include <string.h>

#include "circuit/post.h"
#include "proof/kind.h"

static int decode(struct proof_input *in, const struct proof_request *request, struct error *err)
{
    struct post_request post = {.partition = request->partition == ALL_PARTITIONS
                                                 ? POST_ALL_PARTITIONS
                                                 : request->partition};
    struct vanilla_list list;
    int rc = registered_post_of(&post.post, in->kind->circuit, request->registered_proof, err);
    if (rc == 0)
        rc = proof_request_vanilla(&list, request, err);
    if (rc != 0)
        return rc;
    memcpy(post.randomness, request->randomness, sizeof post.randomness);
    rc = post_vanilla_decode(&in->post, &post, &list, err);
    if (rc != 0)
        return rc;
    in->size = post.post->shape->id;
    in->partitions = in->post.partitions;
    in->first_number = in->post.first_partition;
    return 0;
}

/* Winning proves one sector, and who was challenged for it is known; window proves many. */
static int check_winning_claims(const struct proof_input *in, const struct proof_claims *claims,
                                int code, struct error *err)
{
    uint64_t id = in->post.sectors[0].id;
    if (!claims->has_sector || claims->sector == id)
        return 0;
    return error_set(err, code, "other-sector", "sector %" PRIu64 " instead of %" PRIu64, id,
                     claims->sector);
}

static int check(struct proof_input *in, struct pool *pool, const struct progress_sink *sink,
                 struct error *err)
{
    return post_vanilla_check(&in->post, pool, sink, err);
}

static void synthesize(struct cs *cs, const struct proof_input *in, unsigned partition)
{
    post_synthesize(cs, &in->post, partition);
}

static int public_inputs(struct fr *out, const struct proof_input *in, unsigned partition,
                         struct error *err)
{
    (void)err;
    post_public_inputs(out, &in->post, partition);
    return 0;
}

static void clean_up(struct proof_input *in)
{
    post_vanilla_clean_up(&in->post);
}

const struct proof_kind winning_kind = {
    .name = "winning",
    .circuit = CIRCUIT_WINNING,
    .synthesize_blank = winning_synthesize_blank,
    .decode = decode,
    .check_claims = check_winning_claims,
    .check = check,
    .synthesize = synthesize,
    .public_inputs = public_inputs,
    .clean_up = clean_up,
};

const struct proof_kind window_kind = {
    .name = "window",
    .circuit = CIRCUIT_WPOST,
    .synthesize_blank = window_synthesize_blank,
    .decode = decode,
    .check = check,
    .synthesize = synthesize,
    .public_inputs = public_inputs,
    .clean_up = clean_up,
};
