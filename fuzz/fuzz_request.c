/* A SubmitProofRequest from the wire to what the engine is given: decoded and mapped, or refused with the field's name. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "service/wire.h"

static size_t sum_of(const struct cuzk_bytes *b)
{
    size_t sum = 0;
    for (size_t i = 0; i < b->n; i++)
        sum += b->data[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_error err;
    ProtobufCMessage *base =
        wire_unpack(&cuzk__v1__submit_proof_request__descriptor, data, size, &err);
    if (base == NULL) {
        assert(err.status == CUZK_INVALID_ARGUMENT && err.message[0] != '\0');
        return 0;
    }
    const Cuzk__V1__SubmitProofRequest *m = (const Cuzk__V1__SubmitProofRequest *)base;
    struct wire_request request;
    if (wire_request_init(&request, m, &err) == 0) {
        const struct cuzk_request *r = &request.request;
        size_t sum = sum_of(&r->vanilla_proof) + sum_of(&r->randomness);
        for (size_t i = 0; i < r->vanilla_proofs_n; i++) {
            sum += sum_of(&r->vanilla_proofs[i]);
            assert(r->kind == CUZK_POREP || r->vanilla_proofs[i].n > 0);
        }
        assert(r->kind >= CUZK_POREP && r->kind <= CUZK_WINNING_POST);
        assert(r->priority <= CUZK_CRITICAL && strlen(r->request_id) <= 128);
        assert(r->kind != CUZK_SNAP || r->comm_r_old.n == 32);
        (void)*(volatile size_t *)&sum;
    } else {
        assert(err.status == CUZK_INVALID_ARGUMENT && err.message[0] != '\0');
    }
    assert(base->n_unknown_fields + m->n_vanilla_proofs <= 65536);
    wire_request_clean_up(&request);
    protobuf_c_message_free_unpacked(base, NULL);
    return 0;
}
