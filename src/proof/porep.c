/* PoRep as a proof kind. */
#include <inttypes.h>
#include <string.h>

#include "circuit/porep.h"
#include "proof/kind.h"

static int decode(struct proof_input *in, const struct proof_request *request, struct error *err)
{
    int rc;
    if (request->path != NULL)
        rc = porep_vanilla_read(&in->porep, request->path, err);
    else if (request->proofs_len != 1)
        rc = error_set(err, ERR_DATA, "c1-count", "%zu C1 outputs instead of one",
                       request->proofs_len);
    else
        rc = porep_vanilla_parse(&in->porep, request->proofs[0].data, request->proofs[0].len, err);
    if (rc != 0)
        return rc;
    in->size = in->porep.seal->shape->id;
    in->partitions = (unsigned)in->porep.partitions;
    return 0;
}

static int check_claims(const struct proof_input *in, const struct proof_claims *claims, int code,
                        struct error *err)
{
    const struct porep_vanilla *v = &in->porep;
    struct node expected;
    if (!claims->has_prover && !claims->has_sector)
        return 0;
    if (!v->has_wrapper && !(claims->has_prover && claims->has_sector))
        return error_set(err, ERR_DATA, "no-sector-number",
                         "a bare SealCommitPhase1Output names no sector: its replica_id can be "
                         "checked if both sector number and prover are given, not one of them");
    const uint64_t sector = v->has_wrapper ? v->sector_number : claims->sector;
    if (claims->has_sector && claims->sector != sector)
        return error_set(err, code, "other-sector", "sector %" PRIu64 " instead of %" PRIu64,
                         sector, claims->sector);
    if (!claims->has_prover)
        return 0;
    porep_replica_id(&expected, v->seal, claims->prover_id, sector, v->ticket, &v->comm_d);
    if (memcmp(&expected, &v->replica_id, sizeof expected) == 0)
        return 0;
    return error_set(err, code, "replica-id-other-prover",
                     "replica_id does not follow from this prover, sector %" PRIu64
                     ", ticket and comm_d",
                     sector);
}

static int check(struct proof_input *in, struct pool *pool, const struct progress_sink *sink,
                 struct error *err)
{
    return porep_vanilla_check(&in->porep, pool, sink, err);
}

static void synthesize(struct cs *cs, const struct proof_input *in, unsigned partition)
{
    porep_synthesize(cs, &in->porep, partition);
}

static int public_inputs(struct fr *out, const struct proof_input *in, unsigned partition,
                         struct error *err)
{
    const struct porep_vanilla *v = &in->porep;
    struct porep_statement s = {
        .seal = v->seal, .replica_id = v->replica_id, .comm_d = v->comm_d, .comm_r = v->comm_r};
    memcpy(s.seed, v->seed, sizeof s.seed);
    return porep_public_inputs(out, &s, partition, err);
}

static void clean_up(struct proof_input *in)
{
    porep_vanilla_clean_up(&in->porep);
}

const struct proof_kind porep_kind = {
    .name = "porep",
    .circuit = CIRCUIT_POREP,
    .synthesize_blank = porep_synthesize_blank,
    .decode = decode,
    .check_claims = check_claims,
    .check = check,
    .synthesize = synthesize,
    .public_inputs = public_inputs,
    .clean_up = clean_up,
};
