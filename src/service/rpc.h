/* A gRPC server over libgrpc's C core: methods from a table, unary or streaming, TLS and bearer tokens. It knows no engine. */
#ifndef CUZK_SERVICE_RPC_H
#define CUZK_SERVICE_RPC_H

#include <grpc/grpc.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "service/log.h"

enum { RPC_MESSAGE_MOST = 256 << 20 };

struct rpc_server;
struct rpc_call;

struct rpc_bytes {
    uint8_t *data;
    size_t n;
};

enum rpc_style {
    RPC_FAST,   /* unary; the handler returns within milliseconds and runs on a polling thread */
    RPC_SLOW,   /* unary; runs on one of a few working threads, small messages first */
    RPC_STREAM, /* both ways: the handler is called for each message, with the last time data NULL */
};

struct rpc_method {
    const char *path; /* "/cuzk.v1.ProvingEngine/Prove" */
    enum rpc_style style;
    /* Must see to it that the call is answered once, then or later, from any thread. The message lives until the handler returns or
     * rpc_drop_message. */
    void (*handle)(void *ctx, struct rpc_call *call, const struct rpc_bytes *message);
};

struct rpc_options {
    const struct rpc_method *const *methods; /* ends with NULL */
    void *ctx;                               /* for the handlers */
    struct log *log;
    char *const *tokens; /* accepted from TCP peers; ends with NULL; NULL: none is asked for */
    const char *tls_cert, *tls_key, *tls_client_ca; /* files; "" is none */
    uint64_t receive_budget; /* bytes that messages under way may take together */
};

int rpc_server_new(struct rpc_server **out, const struct rpc_options *options, struct error *err);
/* unix://PATH (socket mode 0660, see unix_socket.h) or IP:PORT, before the start. port gets the TCP port taken; may be NULL. */
int rpc_server_listen(struct rpc_server *server, int *port, const char *address, struct error *err);
int rpc_server_start(struct rpc_server *server, struct error *err); /* failed: no call was taken */
/* Takes no more calls, gives those that run grace_ms to be answered, cancels the rest, joins the threads. */
void rpc_server_stop(struct rpc_server *server, unsigned grace_ms);
void rpc_server_destroy(struct rpc_server *server); /* NULL is harmless */
/* Of a program that ends because it could not start: gives back the places of unix sockets and leaves the rest, as gRPC would wait
 * for threads of its own, which it may not have got. NULL is harmless. */
void rpc_server_abandon(struct rpc_server *server);

/* Answers. data is the call's to free() from here on, except that a failed call sends none. */
void rpc_reply(struct rpc_call *call, struct rpc_bytes data);
/* retry_after_ms other than 0 goes along as grpc-retry-pushback-ms. */
void rpc_fail(struct rpc_call *call, grpc_status_code status, const char *message,
              uint64_t retry_after_ms);
/* Streams: one more message; rpc_end closes the call with OK. */
void rpc_send(struct rpc_call *call, struct rpc_bytes data);
void rpc_end(struct rpc_call *call);

/* Until the client's deadline, at least 1; 0: the client has none. */
uint64_t rpc_time_left_ms(const struct rpc_call *call);

/* Frees the message that a handler was given, before the handler returns. */
void rpc_drop_message(struct rpc_call *call);

/* A pointer for a stream's handler from one message to the next; NULL at first. */
void rpc_set_data(struct rpc_call *call, void *data);
void *rpc_data(const struct rpc_call *call);

/* gone(ctx) is called once when the client has gone, the deadline has passed or the call was answered; at once if so already. The call
 * lives until then. */
void rpc_on_gone(struct rpc_call *call, void (*gone)(void *ctx), void *ctx);

#endif
