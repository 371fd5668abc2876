#include "proof/kind.h"

#include <assert.h>

#include "base/file.h"

static int choose_partitions(struct proof_input *in, const struct proof_request *request,
                             struct error *err)
{
    if (request->partition == ALL_PARTITIONS) {
        in->first = 0;
        in->count = in->partitions;
        return 0;
    }
    assert(request->partition >= 0);
    unsigned number = (unsigned)request->partition;
    if (number < in->first_number || number - in->first_number >= in->partitions)
        return error_set(err, ERR_USAGE, "partition-out-of-range",
                         "partition %u asked for, but %s has %u", number,
                         request->path != NULL ? request->path : "the input", in->partitions);
    in->first = number - in->first_number;
    in->count = 1;
    return 0;
}

int proof_input_decode(struct proof_input *out, const struct proof_kind *kind,
                       const struct proof_request *request, int claims_code, struct error *err)
{
    *out = (struct proof_input){.kind = kind};
    int rc = kind->decode(out, request, err);
    if (rc != 0)
        return rc;
    rc = choose_partitions(out, request, err);
    if (rc == 0 && kind->check_claims != NULL) {
        rc = kind->check_claims(out, &request->claims, claims_code, err);
        if (rc != 0)
            file_blame(err, request->path);
    }
    if (rc != 0)
        proof_input_clean_up(out);
    return rc;
}

int proof_input_check(struct proof_input *in, struct pool *pool, const struct progress_sink *sink,
                      struct error *err)
{
    return in->kind->check(in, pool, sink, err);
}

void proof_input_clean_up(struct proof_input *in)
{
    if (in->kind != NULL)
        in->kind->clean_up(in);
    *in = (struct proof_input){0};
}

int proof_request_vanilla(struct vanilla_list *out, const struct proof_request *request,
                          struct error *err)
{
    return request->path != NULL
               ? vanilla_list_read(out, request->path, err)
               : vanilla_list_copy(out, request->proofs, request->proofs_len, err);
}
