/* Between the wire's messages and the engine's structs. */
#ifndef CUZK_SERVICE_WIRE_H
#define CUZK_SERVICE_WIRE_H

#include <cuzk/v1/proving.pb-c.h>
#include <grpc/status.h>

#include "cuzk/engine.h"

/* Names of kinds on the wire ("porep-c2") and in metrics ("porep_c2"); index: enum cuzk_kind. */
extern const char *const wire_kind_names[CUZK_KINDS];
extern const char *const wire_kind_labels[CUZK_KINDS];

/* The message; free it with protobuf_c_message_free_unpacked. NULL with err filled: it is none, it has more than 65,536 fields, or a
 * string of it is not UTF-8 or holds a NUL (INVALID_ARGUMENT); no memory (INTERNAL). Its strings hold no NUL, so they end where they
 * ended on the wire. type must not contain itself. */
ProtobufCMessage *wire_unpack(const ProtobufCMessageDescriptor *type, const void *data, size_t n,
                              struct cuzk_error *err);

/* A request as the engine takes it; it points into the message. */
struct wire_request {
    struct cuzk_request request;
    struct cuzk_bytes *vanilla_proofs;
};
/* Also what the wire alone can get wrong: kind, lengths, control characters in the id. 0, or -1 with err filled (INVALID_ARGUMENT, INTERNAL). */
int wire_request_init(struct wire_request *out, const Cuzk__V1__SubmitProofRequest *message,
                      struct cuzk_error *err);
void wire_request_clean_up(struct wire_request *request);

/* *out points into result and job_id. */
void wire_result(Cuzk__V1__AwaitProofResponse *out, const struct cuzk_result *result,
                 const char *job_id);

grpc_status_code wire_status(enum cuzk_status status);

/* Fills err. Returns -1. */
int wire_fail(struct cuzk_error *err, enum cuzk_status status, const char *cause, const char *fmt,
              ...) __attribute__((format(printf, 4, 5)));

#endif
