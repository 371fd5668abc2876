#include "service/client.h"

#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "service/rpc.h"

struct client {
    grpc_channel *channel;
    char authorization[600]; /* "Bearer ..."; "" is none */
};

static int starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int make_credentials(grpc_channel_credentials **out, const char *address,
                            const char *ca_file, struct error *err)
{
    uint8_t *ca = NULL;
    size_t n;
    if (starts_with(address, "unix:") || (ca_file == NULL && !starts_with(address, "https://"))) {
        *out = grpc_insecure_credentials_create();
        return 0;
    }
    if (ca_file != NULL && file_read(&ca, &n, ca_file, 1 << 20, err) != 0)
        return err->code;
    if (ca != NULL && strstr((char *)ca, "-----BEGIN CERTIFICATE-----") == NULL) {
        free(ca);
        return error_set(err, ERR_CONFIG, "no-certificate", "%s: holds no certificate in PEM",
                         ca_file);
    }
    *out = grpc_ssl_credentials_create((const char *)ca, NULL, NULL, NULL);
    free(ca);
    return 0;
}

/* gRPC takes a port modulo 65536. */
static int check_port(const char *address, struct error *err)
{
    const char *colon = strrchr(address, ':');
    if (starts_with(address, "unix:") || colon == NULL || strtoul(colon + 1, NULL, 10) <= 65535)
        return 0;
    return error_set(err, ERR_USAGE, "address-port", "%s: expected a port from 0 to 65535",
                     address);
}

int client_new(struct client **out, const char *address, const char *ca_file, const char *token,
               struct error *err)
{
    char target[300];
    grpc_channel_credentials *credentials = NULL;
    if (check_port(address, err) != 0)
        return err->code;
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the client");
    if (token != NULL)
        snprintf(client->authorization, sizeof client->authorization, "Bearer %s", token);
    grpc_init();
    if (make_credentials(&credentials, address, ca_file, err) != 0) {
        grpc_shutdown();
        free(client);
        return err->code;
    }
    const char *scheme = strstr(address, "://");
    int local = starts_with(address, "unix:");
    snprintf(target, sizeof target, "%s%s", local ? "unix:" : "dns:///",
             scheme != NULL ? scheme + 3 : address + (local ? 5 : 0));
    grpc_arg args[] = {
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_MAX_SEND_MESSAGE_LENGTH},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_KEEPALIVE_TIME_MS},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL},
    };
    args[0].value.integer = args[1].value.integer = RPC_MESSAGE_MOST;
    args[2].value.integer = 60000; /* a daemon that vanished is noticed */
    args[3].value.integer = 1;     /* each client has its own connection */
    grpc_channel_args list = {sizeof args / sizeof *args, args};
    client->channel = grpc_channel_create(target, credentials, &list);
    grpc_channel_credentials_release(credentials);
    *out = client;
    return 0;
}

void client_destroy(struct client *client)
{
    if (client == NULL)
        return;
    grpc_channel_destroy(client->channel);
    grpc_shutdown();
    free(client);
}

/* What a call hears back. */
struct heard {
    grpc_metadata_array initial, trailing;
    grpc_byte_buffer *message;
    grpc_status_code status;
    grpc_slice details;
};

static void exchange(struct client *client, struct heard *heard, grpc_call *call,
                     grpc_completion_queue *queue, grpc_byte_buffer *request)
{
    grpc_op ops[6] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA},  {.op = GRPC_OP_SEND_MESSAGE},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}, {.op = GRPC_OP_RECV_INITIAL_METADATA},
        {.op = GRPC_OP_RECV_MESSAGE},           {.op = GRPC_OP_RECV_STATUS_ON_CLIENT}};
    grpc_metadata token;
    memset(&token, 0, sizeof token);
    token.key = grpc_slice_from_static_string("authorization");
    token.value = grpc_slice_from_static_string(client->authorization);
    ops[0].data.send_initial_metadata.metadata = &token;
    ops[0].data.send_initial_metadata.count = client->authorization[0] != '\0';
    ops[1].data.send_message.send_message = request;
    ops[3].data.recv_initial_metadata.recv_initial_metadata = &heard->initial;
    ops[4].data.recv_message.recv_message = &heard->message;
    ops[5].data.recv_status_on_client.trailing_metadata = &heard->trailing;
    ops[5].data.recv_status_on_client.status = &heard->status;
    ops[5].data.recv_status_on_client.status_details = &heard->details;
    grpc_call_error rc = grpc_call_start_batch(call, ops, 6, heard, NULL);
    if (rc == GRPC_CALL_OK)
        grpc_completion_queue_pluck(queue, heard, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
}

static int status_error(const struct heard *heard, const char *method, struct error *err)
{
    int code = ERR_UNAVAILABLE;
    const char *cause = "rpc-failed";
    switch (heard->status) {
    case GRPC_STATUS_UNAVAILABLE:
    case GRPC_STATUS_RESOURCE_EXHAUSTED:
    case GRPC_STATUS_DEADLINE_EXCEEDED:
        code = ERR_TEMP_FAIL;
        cause = "rpc-try-again";
        break;
    case GRPC_STATUS_NOT_FOUND:
        code = ERR_NO_INPUT;
        cause = "rpc-not-found";
        break;
    case GRPC_STATUS_INVALID_ARGUMENT:
        code = ERR_DATA;
        cause = "rpc-invalid-argument";
        break;
    default:
        break;
    }
    return error_set(err, code, cause, "%s: %.*s (gRPC status %d)", method,
                     (int)GRPC_SLICE_LENGTH(heard->details),
                     (const char *)GRPC_SLICE_START_PTR(heard->details), (int)heard->status);
}

static int unpack(ProtobufCMessage **out, const ProtobufCMessageDescriptor *type,
                  const struct heard *heard, const char *method, struct error *err)
{
    grpc_byte_buffer_reader reader;
    *out = NULL;
    if (heard->status != GRPC_STATUS_OK)
        return status_error(heard, method, err);
    if (heard->message != NULL && grpc_byte_buffer_reader_init(&reader, heard->message)) {
        grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
        *out = protobuf_c_message_unpack(type, NULL, GRPC_SLICE_LENGTH(all),
                                         GRPC_SLICE_START_PTR(all));
        grpc_slice_unref(all);
        grpc_byte_buffer_reader_destroy(&reader);
    }
    return *out != NULL ? 0
                        : error_set(err, ERR_DATA, "rpc-answer", "%s: the answer is no %s", method,
                                    type->name);
}

static gpr_timespec deadline_after(uint64_t timeout_ms)
{
    if (timeout_ms == 0)
        return gpr_inf_future(GPR_CLOCK_MONOTONIC);
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                        gpr_time_from_millis((int64_t)timeout_ms, GPR_TIMESPAN));
}

static grpc_byte_buffer *pack(const ProtobufCMessage *request)
{
    size_t n = protobuf_c_message_get_packed_size(request);
    grpc_slice slice = grpc_slice_malloc_large(n);
    protobuf_c_message_pack(request, GRPC_SLICE_START_PTR(slice));
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

int client_call(struct client *client, ProtobufCMessage **out,
                const ProtobufCMessageDescriptor *type, const char *method,
                const ProtobufCMessage *request, uint64_t timeout_ms, struct error *err)
{
    char path[80];
    struct heard heard = {.message = NULL, .status = GRPC_STATUS_UNKNOWN};
    heard.details = grpc_empty_slice();
    grpc_metadata_array_init(&heard.initial);
    grpc_metadata_array_init(&heard.trailing);
    snprintf(path, sizeof path, "/cuzk.v1.ProvingEngine/%s", method);
    grpc_completion_queue *queue = grpc_completion_queue_create_for_pluck(NULL);
    grpc_byte_buffer *bytes = pack(request);
    grpc_call *call = grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS,
                                               queue, grpc_slice_from_copied_string(path), NULL,
                                               deadline_after(timeout_ms), NULL);
    exchange(client, &heard, call, queue, bytes);
    int rc = unpack(out, type, &heard, method, err);
    grpc_byte_buffer_destroy(bytes);
    if (heard.message != NULL)
        grpc_byte_buffer_destroy(heard.message);
    grpc_slice_unref(heard.details);
    grpc_metadata_array_destroy(&heard.initial);
    grpc_metadata_array_destroy(&heard.trailing);
    grpc_call_unref(call);
    grpc_completion_queue_shutdown(queue);
    while (
        grpc_completion_queue_pluck(queue, NULL, gpr_inf_future(GPR_CLOCK_REALTIME), NULL).type !=
        GRPC_QUEUE_SHUTDOWN)
        ;
    grpc_completion_queue_destroy(queue);
    return rc;
}
