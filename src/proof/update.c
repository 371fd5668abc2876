/* EmptySectorUpdate as a proof kind. */
#include <string.h>

#include "circuit/update.h"
#include "proof/kind.h"

static int decode(struct proof_input *in, const struct proof_request *request, struct error *err)
{
    struct update_request update;
    struct vanilla_list list;
    int rc = registered_update_of(&update.update, request->registered_proof, err);
    if (rc == 0)
        rc = proof_request_vanilla(&list, request, err);
    if (rc != 0)
        return rc;
    memcpy(update.comm_r_old, request->comm_r_old, sizeof update.comm_r_old);
    memcpy(update.comm_r_new, request->comm_r_new, sizeof update.comm_r_new);
    memcpy(update.comm_d_new, request->comm_d_new, sizeof update.comm_d_new);
    rc = update_vanilla_decode(&in->update, &update, &list, err);
    if (rc != 0)
        return rc;
    in->size = update.update->shape->id;
    in->partitions = update.update->partitions;
    return 0;
}

static int check(struct proof_input *in, struct pool *pool, const struct progress_sink *sink,
                 struct error *err)
{
    return update_vanilla_check(&in->update, pool, sink, err);
}

static void synthesize(struct cs *cs, const struct proof_input *in, unsigned partition)
{
    update_synthesize(cs, &in->update, partition);
}

static int public_inputs(struct fr *out, const struct proof_input *in, unsigned partition,
                         struct error *err)
{
    (void)err;
    update_public_inputs(out, &in->update, partition);
    return 0;
}

static void clean_up(struct proof_input *in)
{
    update_vanilla_clean_up(&in->update);
}

const struct proof_kind snap_kind = {
    .name = "snap",
    .circuit = CIRCUIT_SNAP,
    .synthesize_blank = snap_synthesize_blank,
    .decode = decode,
    .check = check,
    .synthesize = synthesize,
    .public_inputs = public_inputs,
    .clean_up = clean_up,
};
