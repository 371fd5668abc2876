#include "service/wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *const wire_kind_names[CUZK_KINDS] = {"", "porep-c2", "snap-update", "window-post",
                                                 "winning-post"};
const char *const wire_kind_labels[CUZK_KINDS] = {"", "porep_c2", "snap_update", "window_post",
                                                  "winning_post"};

int wire_fail(struct cuzk_error *err, enum cuzk_status status, const char *cause, const char *fmt,
              ...)
{
    va_list args;
    *err = (struct cuzk_error){.status = status, .cause = cause};
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    return -1;
}

grpc_status_code wire_status(enum cuzk_status status)
{
    switch (status) {
    case CUZK_OK:
        return GRPC_STATUS_OK;
    case CUZK_INVALID_ARGUMENT:
        return GRPC_STATUS_INVALID_ARGUMENT;
    case CUZK_NOT_FOUND:
        return GRPC_STATUS_NOT_FOUND;
    case CUZK_FAILED_PRECONDITION:
        return GRPC_STATUS_FAILED_PRECONDITION;
    case CUZK_RESOURCE_EXHAUSTED:
        return GRPC_STATUS_RESOURCE_EXHAUSTED;
    case CUZK_UNAVAILABLE:
        return GRPC_STATUS_UNAVAILABLE;
    case CUZK_UNIMPLEMENTED:
        return GRPC_STATUS_UNIMPLEMENTED;
    case CUZK_DEADLINE_EXCEEDED:
        return GRPC_STATUS_DEADLINE_EXCEEDED;
    case CUZK_INTERNAL:
        break;
    }
    return GRPC_STATUS_INTERNAL;
}

/* ---- What protobuf-c is about to do with a message ---- */

/* It keeps some 90 bytes for each field that it meets, known to the type or not, and a field may be two bytes long. */
enum { FIELDS_MOST = 65536 };
enum { VARINT = 0, FIXED64 = 1, LENGTH_PREFIXED = 2, FIXED32 = 5 }; /* wire types */

struct scan {
    size_t fields; /* of all messages so far, the inner ones too */
    struct cuzk_error *err;
};

/* As protobuf-c, which takes at most 10 bytes for a value, 5 for a tag or a length. 0, or -1: there is none. */
static int take_varint(uint64_t *out, const uint8_t **at, const uint8_t *end, unsigned bytes_most)
{
    *out = 0;
    for (unsigned i = 0; i < bytes_most && *at < end; i++) {
        uint8_t byte = *(*at)++;
        *out |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80)
            return 0;
    }
    return -1;
}

/* The value's bytes: from *at, which follows the tag, *n. 0, or -1: malformed, or of a kind that protobuf-c refuses. */
static int find_value(size_t *n, const uint8_t **at, const uint8_t *end, unsigned wire_type)
{
    uint64_t length = wire_type == FIXED64 ? 8 : 4;
    const uint8_t *after = *at;
    switch (wire_type) {
    case VARINT:
        if (take_varint(&length, &after, end, 10) != 0)
            return -1;
        length = (uint64_t)(after - *at);
        break;
    case LENGTH_PREFIXED:
        if (take_varint(&length, at, end, 5) != 0)
            return -1;
        break;
    case FIXED64:
    case FIXED32:
        break;
    default:
        return -1;
    }
    *n = (size_t)length;
    return length <= (uint64_t)(end - *at) ? 0 : -1;
}

/* Well-formed UTF-8 without a NUL, at which the library's strings would end. */
static int is_text(const uint8_t *at, size_t n)
{
    while (n > 0) {
        char next[5] = {0};
        memcpy(next, at, n < 4 ? n : 4);
        size_t length = utf8_length(next);
        if (length == 0 || *next == '\0')
            return 0;
        at += length;
        n -= length;
    }
    return 1;
}

static int malformed(const ProtobufCMessageDescriptor *type, struct cuzk_error *err)
{
    return wire_fail(err, CUZK_INVALID_ARGUMENT, "message-malformed", "the message is no %s",
                     type->name);
}

/* Deeper than our types are nested it does not go: none contains itself. */
static int scan_message(struct scan *scan, const ProtobufCMessageDescriptor *type,
                        const uint8_t *at, size_t size)
{
    const uint8_t *end = at + size;
    while (at < end) {
        uint64_t tag;
        size_t n;
        if (take_varint(&tag, &at, end, 5) != 0 || find_value(&n, &at, end, tag & 7) != 0)
            return malformed(type, scan->err);
        if (++scan->fields > FIELDS_MOST)
            return wire_fail(scan->err, CUZK_INVALID_ARGUMENT, "message-fields",
                             "the message has more than %d fields", FIELDS_MOST);
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
        if (field != NULL && (tag & 7) == LENGTH_PREFIXED) {
            if (field->type == PROTOBUF_C_TYPE_STRING && !is_text(at, n))
                return wire_fail(scan->err, CUZK_INVALID_ARGUMENT, "field-text",
                                 "%s: is not UTF-8, or holds a NUL", field->name);
            if (field->type == PROTOBUF_C_TYPE_MESSAGE &&
                scan_message(scan, field->descriptor, at, n) != 0)
                return -1;
        }
        at += n;
    }
    return 0;
}

/* The library answers NULL both ways. */
static void *note_failure(void *failed, size_t n)
{
    void *p = malloc(n);
    if (p == NULL)
        *(int *)failed = 1;
    return p;
}

static void release(void *failed, void *p)
{
    (void)failed;
    free(p);
}

ProtobufCMessage *wire_unpack(const ProtobufCMessageDescriptor *type, const void *data, size_t n,
                              struct cuzk_error *err)
{
    int failed = 0;
    struct scan scan = {.err = err};
    if (n > 0 && scan_message(&scan, type, data, n) != 0)
        return NULL;
    ProtobufCAllocator allocator = {note_failure, release, &failed};
    ProtobufCMessage *message = protobuf_c_message_unpack(type, &allocator, n, data);
    if (message == NULL && failed)
        wire_fail(err, CUZK_INTERNAL, "out-of-memory", "no memory for the request");
    else if (message == NULL)
        malformed(type, err);
    return message;
}

static struct cuzk_bytes bytes_of(ProtobufCBinaryData data)
{
    return (struct cuzk_bytes){data.data, data.len};
}

static int check_digest(const ProtobufCBinaryData *data, const char *field, struct cuzk_error *err)
{
    if (data->len == 32)
        return 0;
    return wire_fail(err, CUZK_INVALID_ARGUMENT, "field-length", "%s: must be 32 bytes, not %zu",
                     field, data->len);
}

static int check_porep(const Cuzk__V1__SubmitProofRequest *m, struct cuzk_error *err)
{
    if (m->vanilla_proof.len == 0)
        return wire_fail(err, CUZK_INVALID_ARGUMENT, "field-missing", "vanilla_proof: is empty");
    return 0;
}

static int check_list(const Cuzk__V1__SubmitProofRequest *m, struct cuzk_error *err)
{
    if (m->n_vanilla_proofs == 0)
        return wire_fail(err, CUZK_INVALID_ARGUMENT, "field-missing", "vanilla_proofs: is empty");
    for (size_t i = 0; i < m->n_vanilla_proofs; i++) {
        if (m->vanilla_proofs[i].len == 0)
            return wire_fail(err, CUZK_INVALID_ARGUMENT, "field-missing",
                             "vanilla_proofs[%zu]: is empty", i);
    }
    return 0;
}

static int check_fields(const Cuzk__V1__SubmitProofRequest *m, struct cuzk_error *err)
{
    enum { ID_MOST = 128 };
    size_t id = strlen(m->request_id);
    if (id > ID_MOST)
        return wire_fail(err, CUZK_INVALID_ARGUMENT, "field-length",
                         "request_id: has %zu bytes, at most %d are allowed", id, ID_MOST);
    if (text_has_controls(m->request_id))
        return wire_fail(err, CUZK_INVALID_ARGUMENT, "field-text",
                         "request_id: holds a control character");
    switch ((enum cuzk_kind)m->proof_kind) {
    case CUZK_POREP:
        return check_porep(m, err);
    case CUZK_SNAP:
        return check_list(m, err) != 0 || check_digest(&m->comm_r_old, "comm_r_old", err) != 0 ||
                       check_digest(&m->comm_r_new, "comm_r_new", err) != 0 ||
                       check_digest(&m->comm_d_new, "comm_d_new", err) != 0
                   ? -1
                   : 0;
    case CUZK_WINDOW_POST:
    case CUZK_WINNING_POST:
        return check_list(m, err) != 0 || check_digest(&m->randomness, "randomness", err) != 0 ? -1
                                                                                               : 0;
    }
    return wire_fail(err, CUZK_INVALID_ARGUMENT, "proof-kind", "invalid proof_kind: %d",
                     (int)m->proof_kind);
}

/* Other numbers count as NORMAL, as clients are used to. */
static enum cuzk_priority priority_of(int wire)
{
    return wire < CUZK_BY_KIND || wire > CUZK_CRITICAL ? CUZK_NORMAL : (enum cuzk_priority)wire;
}

int wire_request_init(struct wire_request *out, const Cuzk__V1__SubmitProofRequest *m,
                      struct cuzk_error *err)
{
    *out = (struct wire_request){.vanilla_proofs = NULL};
    if (check_fields(m, err) != 0)
        return -1;
    out->vanilla_proofs = calloc(m->n_vanilla_proofs + 1, sizeof *out->vanilla_proofs);
    if (out->vanilla_proofs == NULL)
        return wire_fail(err, CUZK_INTERNAL, "out-of-memory", "no memory for the request");
    for (size_t i = 0; i < m->n_vanilla_proofs; i++)
        out->vanilla_proofs[i] = bytes_of(m->vanilla_proofs[i]);
    out->request = (struct cuzk_request){
        .request_id = m->request_id,
        .kind = (enum cuzk_kind)m->proof_kind,
        .priority = priority_of((int)m->priority),
        .registered_proof = m->registered_proof,
        .vanilla_proof = bytes_of(m->vanilla_proof),
        .vanilla_proofs = out->vanilla_proofs,
        .vanilla_proofs_n = m->n_vanilla_proofs,
        .sector_number = m->sector_number,
        .miner_id = m->miner_id,
        .has_miner = m->proof_kind == CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT,
        .randomness = bytes_of(m->randomness),
        .partition_index = m->partition_index,
        .comm_r_old = bytes_of(m->comm_r_old),
        .comm_r_new = bytes_of(m->comm_r_new),
        .comm_d_new = bytes_of(m->comm_d_new),
    };
    return 0;
}

void wire_request_clean_up(struct wire_request *request)
{
    free(request->vanilla_proofs);
    *request = (struct wire_request){.vanilla_proofs = NULL};
}

void wire_result(Cuzk__V1__AwaitProofResponse *out, const struct cuzk_result *result,
                 const char *job_id)
{
    cuzk__v1__await_proof_response__init(out);
    out->job_id = (char *)job_id;
    if (result->state == CUZK_CANCELLED) {
        out->status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED;
        out->error_message = (char *)(*result->message != '\0' ? result->message : "cancelled");
    } else if (result->state == CUZK_FAILED) {
        out->status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED;
        out->error_message = (char *)result->message;
    } else if (result->state == CUZK_COMPLETED) {
        out->status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
        out->proof = (ProtobufCBinaryData){result->proof_n, result->proof};
        out->queue_wait_ms = result->queue_wait_ms;
        out->srs_load_ms = result->srs_load_ms;
        out->synthesis_ms = result->synthesis_ms;
        out->gpu_compute_ms = result->compute_ms;
        out->total_ms = result->total_ms;
    }
}
