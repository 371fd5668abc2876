#include "service/reflection.h"

#include <grpc/reflection/v1/reflection.pb-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/descriptors.h"
#include "service/wire.h"

#define MESSAGE(name) GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_##name
#define RESPONSE(name) GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_##name

static const char *const services[] = {"cuzk.v1.ProvingEngine", "grpc.health.v1.Health",
                                       "grpc.reflection.v1.ServerReflection"};
enum { SERVICES_N = sizeof services / sizeof *services };

/* Everything that an answer points to. */
struct parts {
    Grpc__Reflection__V1__ServerReflectionResponse response;
    Grpc__Reflection__V1__FileDescriptorResponse files;
    ProtobufCBinaryData file;
    Grpc__Reflection__V1__ListServiceResponse list;
    Grpc__Reflection__V1__ServiceResponse names[SERVICES_N], *name_list[SERVICES_N];
    Grpc__Reflection__V1__ErrorResponse error;
};

static void put_error(struct parts *p, int code, const char *message)
{
    grpc__reflection__v1__error_response__init(&p->error);
    p->error.error_code = code;
    p->error.error_message = (char *)message;
    p->response.message_response_case = RESPONSE(ERROR_RESPONSE);
    p->response.error_response = &p->error;
}

static void put_file(struct parts *p, const struct descriptor *d)
{
    p->file = (ProtobufCBinaryData){d->n, (uint8_t *)d->data};
    grpc__reflection__v1__file_descriptor_response__init(&p->files);
    p->files.n_file_descriptor_proto = 1;
    p->files.file_descriptor_proto = &p->file;
    p->response.message_response_case = RESPONSE(FILE_DESCRIPTOR_RESPONSE);
    p->response.file_descriptor_response = &p->files;
}

static void put_list(struct parts *p)
{
    grpc__reflection__v1__list_service_response__init(&p->list);
    for (int i = 0; i < SERVICES_N; i++) {
        grpc__reflection__v1__service_response__init(&p->names[i]);
        p->names[i].name = (char *)services[i];
        p->name_list[i] = &p->names[i];
    }
    p->list.n_service = SERVICES_N;
    p->list.service = p->name_list;
    p->response.message_response_case = RESPONSE(LIST_SERVICES_RESPONSE);
    p->response.list_services_response = &p->list;
}

static void put_answer(struct parts *p, const Grpc__Reflection__V1__ServerReflectionRequest *m)
{
    struct descriptor d;
    switch (m->message_request_case) {
    case MESSAGE(FILE_BY_FILENAME):
        if (descriptor_by_file(&d, m->file_by_filename))
            put_file(p, &d);
        else
            put_error(p, GRPC_STATUS_NOT_FOUND, "no such file");
        return;
    case MESSAGE(FILE_CONTAINING_SYMBOL):
        if (descriptor_by_symbol(&d, m->file_containing_symbol))
            put_file(p, &d);
        else
            put_error(p, GRPC_STATUS_NOT_FOUND, "no such symbol");
        return;
    case MESSAGE(LIST_SERVICES):
        put_list(p);
        return;
    case MESSAGE(FILE_CONTAINING_EXTENSION):
    case MESSAGE(ALL_EXTENSION_NUMBERS_OF_TYPE):
        put_error(p, GRPC_STATUS_NOT_FOUND, "there are no extensions");
        return;
    default:
        put_error(p, GRPC_STATUS_INVALID_ARGUMENT, "the request asks for nothing");
    }
}

static void handle(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    (void)ctx;
    struct parts parts;
    if (message->data == NULL) {
        rpc_end(call);
        return;
    }
    struct cuzk_error err;
    ProtobufCMessage *base =
        wire_unpack(&grpc__reflection__v1__server_reflection_request__descriptor, message->data,
                    message->n, &err);
    if (base == NULL) {
        rpc_fail(call, wire_status(err.status), err.message, 0);
        return;
    }
    Grpc__Reflection__V1__ServerReflectionRequest *m = (void *)base;
    grpc__reflection__v1__server_reflection_response__init(&parts.response);
    parts.response.valid_host = m->host;
    parts.response.original_request = m;
    put_answer(&parts, m);
    struct rpc_bytes out = {NULL, protobuf_c_message_get_packed_size(&parts.response.base)};
    out.data = malloc(out.n + 1);
    if (out.data == NULL) {
        rpc_fail(call, GRPC_STATUS_INTERNAL, "no memory for the answer", 0);
    } else {
        protobuf_c_message_pack(&parts.response.base, out.data);
        rpc_send(call, out);
    }
    protobuf_c_message_free_unpacked(base, NULL);
}

const struct rpc_method reflection_v1 = {
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", RPC_STREAM, handle};
const struct rpc_method reflection_v1alpha = {
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", RPC_STREAM, handle};
