#include "service/rpc.h"

#include <assert.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/rpc_internal.h"

static void release(struct rpc_call *call)
{
    if (atomic_fetch_sub(&call->refs, 1) != 1)
        return;
    rpc_drop_message(call);
    if (call->incoming != NULL)
        grpc_byte_buffer_destroy(call->incoming);
    while (call->first_out != NULL) {
        struct rpc_outgoing *out = call->first_out;
        call->first_out = out->next;
        free(out->bytes.data);
        free(out);
    }
    if (call->call != NULL)
        grpc_call_unref(call->call);
    grpc_call_details_destroy(&call->details);
    grpc_metadata_array_destroy(&call->metadata);
    pthread_mutex_destroy(&call->lock);
    free(call);
}

static void start_batch(struct rpc_call *call, const grpc_op *ops, size_t n, struct rpc_tag *tag)
{
    atomic_fetch_add(&call->refs, 1);
    grpc_call_error rc = grpc_call_start_batch(call->call, ops, n, tag, NULL);
    assert(rc == GRPC_CALL_OK);
}

static grpc_op initial_metadata(void)
{
    return (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
}

/* Called with the lock: sends the status, which is the last. */
static void send_status(struct rpc_call *call)
{
    grpc_op ops[2];
    size_t n = 0;
    char number[24];
    grpc_metadata pushback;
    memset(&pushback, 0, sizeof pushback);
    snprintf(number, sizeof number, "%llu", (unsigned long long)call->retry_after_ms);
    pushback.key = grpc_slice_from_static_string("grpc-retry-pushback-ms");
    pushback.value = grpc_slice_from_copied_string(number);
    grpc_slice details = grpc_slice_from_copied_string(call->status_message);
    if (!call->initial_sent)
        ops[n++] = initial_metadata();
    ops[n] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER};
    ops[n].data.send_status_from_server.status = call->status;
    ops[n].data.send_status_from_server.status_details = &details;
    ops[n].data.send_status_from_server.trailing_metadata = &pushback;
    ops[n].data.send_status_from_server.trailing_metadata_count = call->retry_after_ms != 0;
    call->initial_sent = call->status_sent = 1;
    start_batch(call, ops, n + 1, &call->ended);
    grpc_slice_unref(details);
    grpc_slice_unref(pushback.value);
}

static void send_message(struct rpc_call *call)
{
    grpc_op ops[2];
    size_t n = 0;
    struct rpc_outgoing *out = call->first_out;
    grpc_slice slice = grpc_slice_new(out->bytes.data, out->bytes.n, free);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    call->first_out = out->next;
    if (call->first_out == NULL)
        call->last_out = &call->first_out;
    free(out);
    if (!call->initial_sent)
        ops[n++] = initial_metadata();
    ops[n] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE};
    ops[n].data.send_message.send_message = buffer;
    call->initial_sent = call->sending = 1;
    start_batch(call, ops, n + 1, &call->sent);
    grpc_byte_buffer_destroy(buffer);
}

static void receive(struct rpc_call *call)
{
    grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
    op.data.recv_message.recv_message = &call->incoming;
    call->receiving = 1;
    start_batch(call, &op, 1, &call->received);
}

/* Called with the lock whenever something has changed: starts what can be started. */
static void advance(struct rpc_call *call)
{
    if (!call->sending && call->first_out != NULL)
        send_message(call);
    else if (!call->sending && call->answered && !call->status_sent)
        send_status(call);
    if (call->method != NULL && call->method->style == RPC_STREAM && !call->sending &&
        !call->receiving && !call->half_closed && !call->answered)
        receive(call);
}

static void answer(struct rpc_call *call, struct rpc_outgoing *out, grpc_status_code status,
                   const char *message, uint64_t retry_after_ms)
{
    pthread_mutex_lock(&call->lock);
    assert(!call->answered);
    if (out != NULL) {
        *call->last_out = out;
        call->last_out = &out->next;
    }
    call->answered = 1;
    call->status = status;
    call->retry_after_ms = retry_after_ms;
    snprintf(call->status_message, sizeof call->status_message, "%s", message);
    advance(call);
    pthread_mutex_unlock(&call->lock);
    release(call);
}

static struct rpc_outgoing *outgoing(struct rpc_bytes data)
{
    struct rpc_outgoing *out = malloc(sizeof *out);
    if (out != NULL)
        *out = (struct rpc_outgoing){NULL, data};
    else
        free(data.data);
    return out;
}

void rpc_reply(struct rpc_call *call, struct rpc_bytes data)
{
    struct rpc_outgoing *out = outgoing(data);
    if (out == NULL)
        rpc_fail(call, GRPC_STATUS_INTERNAL, "no memory for the answer", 0);
    else
        answer(call, out, GRPC_STATUS_OK, "", 0);
}

void rpc_fail(struct rpc_call *call, grpc_status_code status, const char *message,
              uint64_t retry_after_ms)
{
    answer(call, NULL, status, message, retry_after_ms);
}

void rpc_send(struct rpc_call *call, struct rpc_bytes data)
{
    struct rpc_outgoing *out = outgoing(data);
    pthread_mutex_lock(&call->lock);
    if (out != NULL && !call->answered && !call->is_closed) {
        *call->last_out = out;
        call->last_out = &out->next;
        out = NULL;
        advance(call);
    }
    pthread_mutex_unlock(&call->lock);
    if (out != NULL)
        free(out->bytes.data);
    free(out);
}

void rpc_end(struct rpc_call *call)
{
    answer(call, NULL, GRPC_STATUS_OK, "", 0);
}

uint64_t rpc_time_left_ms(const struct rpc_call *call)
{
    gpr_timespec deadline = call->details.deadline;
    if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0)
        return 0;
    int64_t left = gpr_time_to_millis(gpr_time_sub(deadline, gpr_now(deadline.clock_type)));
    return left < 1 ? 1 : (uint64_t)left;
}

void rpc_drop_message(struct rpc_call *call)
{
    free(call->message.data);
    call->message = (struct rpc_bytes){NULL, 0};
}

void rpc_set_data(struct rpc_call *call, void *data)
{
    call->data = data;
}

void *rpc_data(const struct rpc_call *call)
{
    return call->data;
}

void rpc_on_gone(struct rpc_call *call, void (*gone)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&call->lock);
    int now = call->is_closed;
    if (!now) {
        call->gone = gone;
        call->gone_ctx = ctx;
    }
    pthread_mutex_unlock(&call->lock);
    if (now)
        gone(ctx);
}

static void on_sent(struct rpc_call *call, int ok)
{
    pthread_mutex_lock(&call->lock);
    call->sending = 0;
    if (!ok)
        call->half_closed = 1;
    advance(call);
    pthread_mutex_unlock(&call->lock);
    release(call);
}

static void on_ended(struct rpc_call *call, int ok)
{
    (void)ok; /* the client may be gone: nothing to do about it */
    release(call);
}

static void on_closed(struct rpc_call *call, int ok)
{
    (void)ok;
    pthread_mutex_lock(&call->lock);
    call->is_closed = 1;
    void (*gone)(void *ctx) = call->gone;
    pthread_mutex_unlock(&call->lock);
    if (gone != NULL)
        gone(call->gone_ctx);
    release(call);
}

/* The message in one piece. */
static int flatten(struct rpc_call *call)
{
    grpc_byte_buffer_reader reader;
    grpc_slice slice;
    size_t n = grpc_byte_buffer_length(call->incoming), used = 0;
    call->message.data = malloc(n + 1);
    if (call->message.data == NULL || !grpc_byte_buffer_reader_init(&reader, call->incoming))
        return -1;
    while (grpc_byte_buffer_reader_next(&reader, &slice)) {
        size_t piece = GRPC_SLICE_LENGTH(slice);
        assert(piece <= n - used);
        memcpy(call->message.data + used, GRPC_SLICE_START_PTR(slice), piece);
        used += piece;
        grpc_slice_unref(slice);
    }
    grpc_byte_buffer_reader_destroy(&reader);
    call->message.n = used;
    grpc_byte_buffer_destroy(call->incoming);
    call->incoming = NULL;
    return 0;
}

void rpc_call_run(struct rpc_call *call)
{
    if (flatten(call) != 0)
        rpc_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, "no memory for the message", 1000);
    else
        call->method->handle(call->server->options.ctx, call, &call->message);
    rpc_drop_message(call);
    release(call);
}

static void on_stream_message(struct rpc_call *call)
{
    const struct rpc_bytes end = {NULL, 0};
    if (call->incoming == NULL) {
        call->method->handle(call->server->options.ctx, call, &end);
    } else if (flatten(call) != 0) {
        rpc_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, "no memory for the message", 1000);
    } else {
        call->method->handle(call->server->options.ctx, call, &call->message);
        rpc_drop_message(call);
    }
    pthread_mutex_lock(&call->lock);
    advance(call);
    pthread_mutex_unlock(&call->lock);
    release(call);
}

static void on_received(struct rpc_call *call, int ok)
{
    pthread_mutex_lock(&call->lock);
    call->receiving = 0;
    if (!ok || call->incoming == NULL)
        call->half_closed = 1;
    /* A stream's handler may have been answered meanwhile. */
    int answered = call->answered;
    pthread_mutex_unlock(&call->lock);
    if (answered) {
        release(call);
    } else if (call->method->style == RPC_STREAM) {
        on_stream_message(call);
    } else if (call->incoming == NULL) {
        int failed = grpc_call_failed_before_recv_message(call->call);
        rpc_fail(call, failed ? GRPC_STATUS_RESOURCE_EXHAUSTED : GRPC_STATUS_INVALID_ARGUMENT,
                 failed ? "the message is longer than 256 MiB or was cut" : "no message was sent",
                 0);
        release(call);
    } else if (call->method->style == RPC_SLOW) {
        rpc_server_queue(call->server, call);
    } else {
        rpc_call_run(call);
    }
}

static int token_matches(char *const *tokens, const grpc_slice *value)
{
    static const char scheme[] = "Bearer ";
    const size_t prefix = sizeof scheme - 1;
    const uint8_t *text = GRPC_SLICE_START_PTR(*value);
    size_t n = GRPC_SLICE_LENGTH(*value);
    int found = 0;
    if (n <= prefix || memcmp(text, scheme, prefix) != 0)
        return 0;
    for (size_t i = 0; tokens[i] != NULL; i++)
        found |= strlen(tokens[i]) == n - prefix &&
                 CRYPTO_memcmp(tokens[i], text + prefix, n - prefix) == 0;
    return found;
}

/* Who may connect to the unix socket is the file system's affair. */
static int is_authorised(const struct rpc_call *call)
{
    char *const *tokens = call->server->options.tokens;
    if (tokens == NULL)
        return 1;
    char *peer = grpc_call_get_peer(call->call);
    int local = strncmp(peer, "unix", 4) == 0;
    gpr_free(peer);
    int found = local;
    for (size_t i = 0; i < call->metadata.count; i++) {
        const grpc_metadata *m = &call->metadata.metadata[i];
        if (grpc_slice_str_cmp(m->key, "authorization") == 0)
            found |= token_matches(tokens, &m->value);
    }
    return found;
}

static const struct rpc_method *find_method(const struct rpc_call *call)
{
    for (const struct rpc_method *const *m = call->server->options.methods; *m != NULL; m++) {
        if (grpc_slice_str_cmp(call->details.method, (*m)->path) == 0)
            return *m;
    }
    return NULL;
}

static void on_arrived(struct rpc_call *call, int ok)
{
    if (!ok) { /* the server stops */
        release(call);
        return;
    }
    rpc_call_request(call->server);
    grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
    close.data.recv_close_on_server.cancelled = &call->was_cancelled;
    start_batch(call, &close, 1, &call->closed);
    const struct rpc_method *method = find_method(call);
    if (!is_authorised(call)) {
        rpc_fail(call, GRPC_STATUS_UNAUTHENTICATED,
                 "a bearer token that this daemon knows is needed: authorization: Bearer ...", 0);
    } else if (method == NULL) {
        rpc_fail(call, GRPC_STATUS_UNIMPLEMENTED, "no such method", 0);
    } else {
        pthread_mutex_lock(&call->lock);
        call->method = method;
        receive(call);
        pthread_mutex_unlock(&call->lock);
    }
}

void rpc_call_request(struct rpc_server *server)
{
    struct rpc_call *call = calloc(1, sizeof *call);
    if (call == NULL)
        abort();
    call->server = server;
    atomic_init(&call->refs, 1);
    pthread_mutex_init(&call->lock, NULL);
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->metadata);
    call->last_out = &call->first_out;
    call->arrived = (struct rpc_tag){on_arrived, call};
    call->received = (struct rpc_tag){on_received, call};
    call->sent = (struct rpc_tag){on_sent, call};
    call->ended = (struct rpc_tag){on_ended, call};
    call->closed = (struct rpc_tag){on_closed, call};
    grpc_call_error rc =
        grpc_server_request_call(server->server, &call->call, &call->details, &call->metadata,
                                 server->queue, server->queue, &call->arrived);
    if (rc != GRPC_CALL_OK)
        release(call);
}
