#include "service/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "service/config_text.h"
#include "service/embedded.h"
#include "service/metrics.h"
#include "service/wire.h"

/* Requests are short and answered at once, so whoever holds a connection open keeps nobody out: the oldest goes when there are too many.
 * Some more may be open while those that were told to go do so. */
enum { CONNECTIONS = 256, CONNECTIONS_MORE = 64, IDLE_SECONDS = 5 };

/* Of the server's one thread. */
struct connection {
    struct connection *older, *newer;
    int socket;
    int leaving; /* in no list any more */
};

struct http_server {
    struct service *service;
    char *const *tokens;
    struct MHD_Daemon *daemon;
    struct connection *oldest, *newest;
    unsigned connections;
};

/* What a path answers: text to free(), or NULL after an out-of-memory or engine error. */
struct answer {
    unsigned status;
    const char *type;
    char *text;
    size_t n;
};

static struct answer plain(unsigned status, const char *text)
{
    return (struct answer){status, "text/plain; charset=utf-8", strdup(text), strlen(text)};
}

static struct answer of_view(struct service *s, const char *type,
                             void (*write)(FILE *f, const struct cuzk_view *view))
{
    struct cuzk_view view;
    struct cuzk_error err;
    if (cuzk_view_take(s->engine, &view, &err) != 0)
        return plain(500, "{\"error\":\"the engine does not answer\"}\n");
    struct answer a = {200, type, view_text(write, &view), 0};
    cuzk_view_clean_up(&view);
    a.n = a.text == NULL ? 0 : strlen(a.text);
    return a;
}

static struct answer status(struct service *s, struct MHD_Connection *connection)
{
    (void)connection;
    return of_view(s, "application/json", status_json_write);
}

static struct answer metrics(struct service *s, struct MHD_Connection *connection)
{
    (void)connection;
    return of_view(s, "text/plain; version=0.0.4; charset=utf-8", metrics_write);
}

static struct answer healthz(struct service *s, struct MHD_Connection *connection)
{
    struct cuzk_view view;
    struct cuzk_error err;
    (void)connection;
    if (cuzk_view_take(s->engine, &view, &err) != 0)
        return plain(500, "the engine does not answer\n");
    cuzk_view_clean_up(&view);
    return plain(200, "ok\n");
}

/* 200 when at least one kind can be proven; a line a kind says which. */
static struct answer readyz(struct service *s, struct MHD_Connection *connection)
{
    struct cuzk_view view;
    struct cuzk_error err;
    char text[2048], reason[300];
    size_t used = 0;
    int ready = 0;
    (void)connection;
    if (cuzk_view_take(s->engine, &view, &err) != 0)
        return plain(503, "the engine does not answer\n");
    for (int k = 1; k < CUZK_KINDS; k++) {
        int one = service_kind_ready(s, (enum cuzk_kind)k, &view, reason, sizeof reason);
        ready |= one;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s%s\n", wire_kind_names[k],
                                 one ? "ready" : "not ready: ", reason);
    }
    cuzk_view_clean_up(&view);
    return plain(ready ? 200 : 503, text);
}

static struct answer trace(struct service *s, struct MHD_Connection *connection)
{
    const char *job = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "job");
    struct answer a = {200, "application/json", timeline_trace(s->timeline, job), 0};
    if (a.text == NULL)
        return plain(404, "nothing is known of this job\n");
    a.n = strlen(a.text);
    return a;
}

static struct answer page(struct service *s, struct MHD_Connection *connection)
{
    (void)s;
    (void)connection;
    struct answer a = {200, "text/html; charset=utf-8", NULL,
                       (size_t)(embedded_page_end - embedded_page)};
    a.text = malloc(a.n + 1);
    if (a.text != NULL)
        memcpy(a.text, embedded_page, a.n);
    return a;
}

static const struct {
    const char *path;
    struct answer (*answer)(struct service *s, struct MHD_Connection *connection);
    int open; /* without a token */
} paths[] = {
    {"/", page, 1},           {"/status", status, 0}, {"/metrics", metrics, 0},
    {"/healthz", healthz, 1}, {"/readyz", readyz, 1}, {"/trace", trace, 0},
};

static int is_authorised(const struct http_server *server, struct MHD_Connection *connection)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    int found = 0;
    if (server->tokens == NULL)
        return 1;
    if (value == NULL || strncmp(value, "Bearer ", 7) != 0)
        return 0;
    for (size_t i = 0; server->tokens[i] != NULL; i++)
        found |= strlen(server->tokens[i]) == strlen(value + 7) &&
                 CRYPTO_memcmp(server->tokens[i], value + 7, strlen(value + 7)) == 0;
    return found;
}

static struct answer answer_to(const struct http_server *server, struct MHD_Connection *connection,
                               const char *url, const char *method)
{
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return plain(405, "only GET is served here\n");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (strcmp(paths[i].path, url) != 0)
            continue;
        if (!paths[i].open && !is_authorised(server, connection))
            return plain(401, "a bearer token is needed\n");
        return paths[i].answer(server->service, connection);
    }
    return plain(404, "404 Not Found\n");
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_n, void **state)
{
    (void)version;
    (void)upload;
    (void)state;
    if (*upload_n != 0) { /* a body: read and dropped */
        *upload_n = 0;
        return MHD_YES;
    }
    struct answer a = answer_to(cls, connection, url, method);
    if (a.text == NULL)
        return MHD_NO;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(a.n, a.text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(a.text);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", a.type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (a.status != 404)
        MHD_add_response_header(response, "Access-Control-Allow-Origin", "*");
    if (strcmp(url, "/") == 0)
        MHD_add_response_header(response, "Content-Security-Policy",
                                "default-src 'none'; style-src 'unsafe-inline'; script-src "
                                "'unsafe-inline'; connect-src 'self'; img-src data:");
    if (a.status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    enum MHD_Result rc = MHD_queue_response(connection, a.status, response);
    MHD_destroy_response(response);
    return rc;
}

static void unlink_connection(struct http_server *server, struct connection *c)
{
    *(c->older == NULL ? &server->oldest : &c->older->newer) = c->newer;
    *(c->newer == NULL ? &server->newest : &c->newer->older) = c->older;
    server->connections--;
    c->leaving = 1;
}

static void open_connection(struct http_server *server, struct MHD_Connection *connection,
                            void **socket_context)
{
    struct connection *c = calloc(1, sizeof *c), *oldest = server->oldest;
    if (c == NULL)
        return; /* served all the same */
    *c = (struct connection){.older = server->newest};
    c->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    *(c->older == NULL ? &server->oldest : &c->older->newer) = c;
    server->newest = c;
    *socket_context = c;
    if (++server->connections <= CONNECTIONS)
        return;
    unlink_connection(server, oldest);
    shutdown(oldest->socket, SHUT_RDWR); /* the library finds its end and closes it */
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct http_server *server = cls;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        open_connection(server, connection, socket_context);
        return;
    }
    struct connection *c = *socket_context;
    if (c != NULL && !c->leaving)
        unlink_connection(server, c);
    free(c);
}

static void socket_address(struct sockaddr_storage *out, const char *host_port)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    char host[64];
    const char *colon = strrchr(host_port, ':');
    uint64_t port = 0;
    int bracketed = host_port[0] == '[';
    *out = (struct sockaddr_storage){0};
    snprintf(host, sizeof host, "%.*s", (int)(colon - host_port) - 2 * bracketed,
             host_port + bracketed);
    text_number(&port, colon + 1);
    if (bracketed) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        inet_pton(AF_INET6, host, &v6->sin6_addr);
    } else {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        inet_pton(AF_INET, host, &v4->sin_addr);
    }
}

static int refused(const char *address, int cause, struct error *err)
{
    if (cause == EAGAIN || cause == ENOMEM)
        return error_set(err, ERR_OS, "listen-failed", "%s: no thread or memory to serve it: %s",
                         address, strerror(cause));
    return error_set(err, ERR_UNAVAILABLE, "listen-failed", "%s: cannot listen: %s", address,
                     cause == 0 ? "the system says no more" : strerror(cause));
}

int http_server_new(struct http_server **out, int *port, struct service *service,
                    const char *address, char *const *tokens, struct error *err)
{
    struct address a = text_address(address);
    struct sockaddr_storage bound;
    if (a.type != ADDRESS_TCP)
        return error_set(err, ERR_CONFIG, "listen-address", "\"%.100s\" is not IP:PORT", address);
    struct http_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the HTTP server");
    *server = (struct http_server){.service = service, .tokens = tokens};
    socket_address(&bound, a.host_port);
    unsigned flags = MHD_USE_AUTO_INTERNAL_THREAD;
    if (bound.ss_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    errno = 0;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, &bound,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS + CONNECTIONS_MORE,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, server, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_END);
    if (server->daemon == NULL) {
        int cause = errno; /* 0: the library set none */
        free(server);
        return refused(address, cause, err);
    }
    if (port != NULL)
        *port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    *out = server;
    return 0;
}

void http_server_destroy(struct http_server *server)
{
    if (server == NULL)
        return;
    MHD_stop_daemon(server->daemon);
    free(server);
}
