/* Shared by rpc.c (calls) and rpc_server.c (the server around them); nobody else includes it. */
#ifndef CUZK_SERVICE_RPC_INTERNAL_H
#define CUZK_SERVICE_RPC_INTERNAL_H

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "service/rpc.h"
#include "service/unix_socket.h"

struct rpc_call;

/* What the completion queue hands back: fn(call, ok) for that call. */
struct rpc_tag {
    void (*fn)(struct rpc_call *call, int ok);
    struct rpc_call *call;
};

struct rpc_outgoing {
    struct rpc_outgoing *next;
    struct rpc_bytes bytes;
};

struct rpc_call {
    struct rpc_server *server;
    grpc_call *call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    const struct rpc_method *method;
    struct rpc_tag arrived, received, sent, ended, closed;
    atomic_int
        refs; /* one until the status is out, one until the call is closed, one a batch under way */
    grpc_byte_buffer *incoming;
    struct rpc_bytes message;     /* what the handler sees */
    struct rpc_call *next_queued; /* in the slow queue */
    void *data;                   /* the handler's */
    int was_cancelled;            /* of the close batch; nothing reads it */

    pthread_mutex_t lock; /* the rest */
    struct rpc_outgoing *first_out, **last_out;
    int sending, receiving, half_closed, initial_sent, answered, status_sent, is_closed;
    grpc_status_code status;
    char status_message[700];
    uint64_t retry_after_ms;
    void (*gone)(void *ctx);
    void *gone_ctx;
};

enum { RPC_POLLERS = 2, RPC_WORKERS = 4 };

struct rpc_server {
    struct rpc_options options;
    grpc_server *server;
    grpc_completion_queue *queue;
    grpc_server_credentials *credentials; /* of TCP */
    struct unix_socket sockets[4];
    size_t sockets_n;
    pthread_t pollers[RPC_POLLERS], workers[RPC_WORKERS];
    unsigned pollers_n, workers_n;

    pthread_mutex_t lock; /* the rest */
    pthread_cond_t work, stopped_cond;
    struct rpc_call *slow; /* by size of the message */
    int stopping, is_stopped;
};

/* Asks for the next call from the network. */
void rpc_call_request(struct rpc_server *server);
/* Runs the handler of a unary call whose message is there, and gives back the batch's reference. */
void rpc_call_run(struct rpc_call *call);
/* Hands the call to a working thread. */
void rpc_server_queue(struct rpc_server *server, struct rpc_call *call);

#endif
