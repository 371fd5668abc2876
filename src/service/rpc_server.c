#include <grpc/grpc_security.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "service/config_text.h"
#include "service/rpc_internal.h"

static void *poll_queue(void *arg)
{
    struct rpc_server *server = arg;
    for (;;) {
        grpc_event event =
            grpc_completion_queue_next(server->queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
        if (event.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
        if (event.tag == server) { /* the server has stopped */
            pthread_mutex_lock(&server->lock);
            server->is_stopped = 1;
            pthread_cond_broadcast(&server->stopped_cond);
            pthread_mutex_unlock(&server->lock);
            continue;
        }
        struct rpc_tag *tag = event.tag;
        tag->fn(tag->call, event.success);
    }
}

static void *work_slow(void *arg)
{
    struct rpc_server *server = arg;
    pthread_mutex_lock(&server->lock);
    for (;;) {
        while (server->slow == NULL && !server->is_stopped)
            pthread_cond_wait(&server->work, &server->lock);
        if (server->slow == NULL)
            break;
        struct rpc_call *call = server->slow;
        server->slow = call->next_queued;
        pthread_mutex_unlock(&server->lock);
        rpc_call_run(call);
        pthread_mutex_lock(&server->lock);
    }
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

void rpc_server_queue(struct rpc_server *server, struct rpc_call *call)
{
    size_t n = grpc_byte_buffer_length(call->incoming);
    pthread_mutex_lock(&server->lock);
    struct rpc_call **at = &server->slow;
    while (*at != NULL && grpc_byte_buffer_length((*at)->incoming) <= n)
        at = &(*at)->next_queued;
    call->next_queued = *at;
    *at = call;
    pthread_cond_signal(&server->work);
    pthread_mutex_unlock(&server->lock);
}

static grpc_arg int_arg(const char *key, int value)
{
    grpc_arg arg = {.type = GRPC_ARG_INTEGER, .key = (char *)key};
    arg.value.integer = value;
    return arg;
}

static grpc_server *make_server(uint64_t receive_budget)
{
    grpc_resource_quota *quota = grpc_resource_quota_create("cuzk");
    grpc_resource_quota_resize(quota, receive_budget);
    grpc_arg quota_arg = {.type = GRPC_ARG_POINTER, .key = (char *)GRPC_ARG_RESOURCE_QUOTA};
    quota_arg.value.pointer.p = quota;
    quota_arg.value.pointer.vtable = grpc_resource_quota_arg_vtable();
    grpc_arg args[] = {
        int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, RPC_MESSAGE_MOST),
        int_arg(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, RPC_MESSAGE_MOST),
        int_arg(GRPC_ARG_MAX_CONCURRENT_STREAMS, 4096),
        int_arg(GRPC_ARG_ALLOW_REUSEPORT, 0),
        int_arg(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10000),
        /* Calls stay open for a whole proof: hosts that vanished are found, clients may ping. */
        int_arg(GRPC_ARG_KEEPALIVE_TIME_MS, 120000),
        int_arg(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000),
        int_arg(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
        int_arg(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000),
        quota_arg,
    };
    grpc_channel_args list = {sizeof args / sizeof *args, args};
    grpc_server *server = grpc_server_create(&list, NULL);
    grpc_resource_quota_unref(quota);
    return server;
}

static int read_pem(char **out, const char *path, struct error *err)
{
    size_t n;
    return file_read((uint8_t **)out, &n, path, 1 << 20, err);
}

static int make_credentials(struct rpc_server *server, struct error *err)
{
    const struct rpc_options *o = &server->options;
    char *cert = NULL, *key = NULL, *ca = NULL;
    if (o->tls_cert == NULL || *o->tls_cert == '\0') {
        server->credentials = grpc_insecure_server_credentials_create();
        return 0;
    }
    int with_ca = o->tls_client_ca != NULL && *o->tls_client_ca != '\0';
    int rc = read_pem(&cert, o->tls_cert, err);
    if (rc == 0)
        rc = read_pem(&key, o->tls_key, err);
    if (rc == 0 && with_ca)
        rc = read_pem(&ca, o->tls_client_ca, err);
    if (rc == 0) {
        grpc_ssl_pem_key_cert_pair pair = {key, cert};
        server->credentials = grpc_ssl_server_credentials_create_ex(
            ca, &pair, 1,
            with_ca ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                    : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
            NULL);
    }
    free(cert);
    free(key);
    free(ca);
    return rc;
}

int rpc_server_new(struct rpc_server **out, const struct rpc_options *options, struct error *err)
{
    struct rpc_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the server");
    server->options = *options;
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->work, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&server->stopped_cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
    grpc_init();
    server->queue = grpc_completion_queue_create_for_next(NULL);
    server->server = make_server(options->receive_budget);
    grpc_server_register_completion_queue(server->server, server->queue, NULL);
    if (make_credentials(server, err) != 0) {
        rpc_server_abandon(server);
        return err->code;
    }
    *out = server;
    return 0;
}

static int listen_unix(struct rpc_server *server, const char *path, struct error *err)
{
    char target[sizeof server->sockets[0].path + 8];
    if (server->sockets_n == sizeof server->sockets / sizeof *server->sockets)
        return error_set(err, ERR_CONFIG, "listen-many", "too many unix sockets");
    struct unix_socket *place = &server->sockets[server->sockets_n];
    if (unix_socket_init(place, path, err) != 0)
        return err->code;
    server->sockets_n++;
    snprintf(target, sizeof target, "unix:%s", place->first_path);
    grpc_server_credentials *plain = grpc_insecure_server_credentials_create();
    mode_t before = umask(0117);
    int ok = grpc_server_add_http2_port(server->server, target, plain);
    umask(before);
    grpc_server_credentials_release(plain);
    if (!ok)
        return error_set(err, ERR_CANT_CREATE, "listen-failed", "%s: cannot listen", path);
    return unix_socket_put(place, err);
}

int rpc_server_listen(struct rpc_server *server, int *port, const char *address, struct error *err)
{
    struct address a = text_address(address);
    if (port != NULL)
        *port = 0;
    if (a.type == ADDRESS_BAD)
        return error_set(err, ERR_CONFIG, "listen-address",
                         "\"%.100s\" is not unix://PATH or IP:PORT", address);
    if (a.type == ADDRESS_UNIX)
        return listen_unix(server, a.path, err);
    int taken = grpc_server_add_http2_port(server->server, a.host_port, server->credentials);
    if (taken == 0)
        return error_set(err, ERR_UNAVAILABLE, "listen-failed",
                         "%s: cannot listen: the port is taken, the address is not this host's, or "
                         "certificate and key cannot be used",
                         address);
    if (port != NULL)
        *port = taken;
    return 0;
}

int rpc_server_start(struct rpc_server *server, struct error *err)
{
    grpc_server_start(server->server);
    for (; server->pollers_n < RPC_POLLERS; server->pollers_n++) {
        if (pthread_create(&server->pollers[server->pollers_n], NULL, poll_queue, server) != 0)
            return error_set(err, ERR_OS, "thread", "cannot start a thread");
    }
    for (; server->workers_n < RPC_WORKERS; server->workers_n++) {
        if (pthread_create(&server->workers[server->workers_n], NULL, work_slow, server) != 0)
            return error_set(err, ERR_OS, "thread", "cannot start a thread");
    }
    for (int i = 0; i < 64; i++)
        rpc_call_request(server);
    return 0;
}

static void wait_stopped(struct rpc_server *server, unsigned grace_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += grace_ms / 1000;
    until.tv_nsec += grace_ms % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&server->lock);
    int rc = 0;
    while (!server->is_stopped && rc == 0)
        rc = pthread_cond_timedwait(&server->stopped_cond, &server->lock, &until);
    pthread_mutex_unlock(&server->lock);
    if (rc != 0)
        grpc_server_cancel_all_calls(server->server);
    pthread_mutex_lock(&server->lock);
    while (!server->is_stopped)
        pthread_cond_wait(&server->stopped_cond, &server->lock);
    pthread_cond_broadcast(&server->work);
    pthread_mutex_unlock(&server->lock);
}

void rpc_server_stop(struct rpc_server *server, unsigned grace_ms)
{
    if (server->stopping)
        return;
    server->stopping = 1;
    grpc_server_shutdown_and_notify(server->server, server->queue, server);
    wait_stopped(server, grace_ms);
    for (unsigned i = 0; i < server->workers_n; i++)
        pthread_join(server->workers[i], NULL);
    grpc_completion_queue_shutdown(server->queue);
    for (unsigned i = 0; i < server->pollers_n; i++)
        pthread_join(server->pollers[i], NULL);
}

static void remove_sockets(struct rpc_server *server)
{
    for (size_t i = 0; i < server->sockets_n; i++)
        unix_socket_clean_up(&server->sockets[i]);
}

void rpc_server_abandon(struct rpc_server *server)
{
    if (server != NULL)
        remove_sockets(server);
}

void rpc_server_destroy(struct rpc_server *server)
{
    if (server == NULL)
        return;
    rpc_server_stop(server, 0);
    grpc_server_destroy(server->server);
    grpc_completion_queue_destroy(server->queue);
    if (server->credentials != NULL)
        grpc_server_credentials_release(server->credentials);
    remove_sockets(server);
    pthread_mutex_destroy(&server->lock);
    pthread_cond_destroy(&server->work);
    pthread_cond_destroy(&server->stopped_cond);
    grpc_shutdown();
    free(server);
}
