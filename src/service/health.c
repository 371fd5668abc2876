#include "service/health.h"

#include <grpc/health/v1/health.pb-c.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/service.h"
#include "service/wire.h"

#define serving_status Grpc__Health__V1__HealthCheckResponse__ServingStatus
#define STATUS(name) GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__##name

enum { SERVICES = CUZK_KINDS + 1 }; /* "", four kinds, the service's name */

/* A client that watches one service. */
struct watch {
    struct watch *next, **at; /* at NULL: its call was ended */
    struct health *health;
    struct rpc_call *call;
    int service; /* index, -1: unknown to us */
    serving_status told;
};

struct health {
    struct service *service;
    pthread_mutex_t lock;
    pthread_cond_t closing_cond;
    pthread_t looker;
    struct watch *first;
    int closing;
};

static int find_service(const char *name)
{
    for (int k = 0; k < CUZK_KINDS; k++) {
        if (strcmp(wire_kind_names[k], name) == 0) /* name of 0 is "" */
            return k;
    }
    return strcmp(name, "cuzk.v1.ProvingEngine") == 0 ? CUZK_KINDS : -1;
}

static void look(const struct service *s, serving_status out[SERVICES])
{
    struct cuzk_view view;
    struct cuzk_error err;
    char reason[200];
    int known = cuzk_view_take(s->engine, &view, &err) == 0;
    int whole = known && !view.draining && !atomic_load(&s->draining);
    out[0] = out[CUZK_KINDS] = whole ? STATUS(SERVING) : STATUS(NOT_SERVING);
    for (int k = 1; k < CUZK_KINDS; k++)
        out[k] = known && service_kind_ready(s, (enum cuzk_kind)k, &view, reason, sizeof reason)
                     ? STATUS(SERVING)
                     : STATUS(NOT_SERVING);
    if (known)
        cuzk_view_clean_up(&view);
}

static struct rpc_bytes pack(serving_status status)
{
    Grpc__Health__V1__HealthCheckResponse out = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    out.status = status;
    struct rpc_bytes bytes = {malloc(16), 0};
    if (bytes.data != NULL)
        bytes.n = grpc__health__v1__health_check_response__pack(&out, bytes.data);
    return bytes;
}

/* The service's index, -1 if it is unknown, -2 if the call was answered. */
static int asked_for(struct rpc_call *call, const struct rpc_bytes *message)
{
    struct cuzk_error err;
    ProtobufCMessage *m = wire_unpack(&grpc__health__v1__health_check_request__descriptor,
                                      message->data, message->n, &err);
    if (m == NULL) {
        rpc_fail(call, wire_status(err.status), err.message, 0);
        return -2;
    }
    int service = find_service(((Grpc__Health__V1__HealthCheckRequest *)m)->service);
    protobuf_c_message_free_unpacked(m, NULL);
    return service;
}

static void handle_check(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    serving_status now[SERVICES];
    int service = asked_for(call, message);
    if (service == -2)
        return;
    if (service == -1) {
        rpc_fail(call, GRPC_STATUS_NOT_FOUND, "unknown service", 0);
        return;
    }
    look(s, now);
    rpc_reply(call, pack(now[service]));
}

/* With the lock. */
static void unlist(struct watch *w)
{
    *w->at = w->next;
    if (w->next != NULL)
        w->next->at = w->at;
    w->at = NULL;
}

static void on_gone(void *ctx)
{
    struct watch *w = ctx;
    pthread_mutex_lock(&w->health->lock);
    if (w->at != NULL) {
        unlist(w);
        rpc_end(w->call);
    }
    pthread_mutex_unlock(&w->health->lock);
    free(w);
}

static void begin_watch(struct service *s, struct rpc_call *call, int service)
{
    struct health *h = s->health;
    serving_status now[SERVICES];
    struct watch *w = calloc(1, sizeof *w);
    if (w == NULL) {
        rpc_fail(call, GRPC_STATUS_INTERNAL, "no memory for a watch", 0);
        return;
    }
    look(s, now);
    *w = (struct watch){.health = h, .call = call, .service = service};
    w->told = service < 0 ? STATUS(SERVICE_UNKNOWN) : now[service];
    rpc_set_data(call, h);
    rpc_send(call, pack(w->told));
    pthread_mutex_lock(&h->lock);
    w->next = h->first;
    if (w->next != NULL)
        w->next->at = &w->next;
    w->at = &h->first;
    h->first = w;
    pthread_mutex_unlock(&h->lock);
    rpc_on_gone(call, on_gone, w);
}

/* Watching starts with the first message; further ones and the end of the client's side change nothing. */
static void handle_watch(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    if (rpc_data(call) != NULL)
        return;
    if (message->data == NULL) {
        rpc_fail(call, GRPC_STATUS_INVALID_ARGUMENT, "no message was sent", 0);
        return;
    }
    int service = asked_for(call, message);
    if (service != -2)
        begin_watch(ctx, call, service);
}

static void tell(struct health *h, const serving_status now[SERVICES])
{
    for (struct watch *w = h->first; w != NULL; w = w->next) {
        if (w->service < 0 || now[w->service] == w->told)
            continue;
        w->told = now[w->service];
        rpc_send(w->call, pack(w->told));
    }
}

static void *keep_looking(void *arg)
{
    struct health *h = arg;
    serving_status now[SERVICES];
    pthread_mutex_lock(&h->lock);
    while (!h->closing) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&h->closing_cond, &h->lock, &until);
        if (h->closing || h->first == NULL)
            continue;
        pthread_mutex_unlock(&h->lock);
        look(h->service, now);
        pthread_mutex_lock(&h->lock);
        tell(h, now);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

int health_new(struct health **out, struct service *service, struct error *err)
{
    struct health *h = calloc(1, sizeof *h);
    if (h == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for health checks");
    h->service = service;
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&h->closing_cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&h->looker, NULL, keep_looking, h) != 0) {
        pthread_cond_destroy(&h->closing_cond);
        pthread_mutex_destroy(&h->lock);
        free(h);
        return error_set(err, ERR_OS, "thread", "cannot start a thread");
    }
    *out = h;
    return 0;
}

void health_end_watches(struct health *health)
{
    pthread_mutex_lock(&health->lock);
    while (health->first != NULL) {
        struct watch *w = health->first;
        unlist(w);
        rpc_end(w->call);
    }
    pthread_mutex_unlock(&health->lock);
}

void health_destroy(struct health *health)
{
    if (health == NULL)
        return;
    pthread_mutex_lock(&health->lock);
    health->closing = 1;
    pthread_cond_signal(&health->closing_cond);
    pthread_mutex_unlock(&health->lock);
    pthread_join(health->looker, NULL);
    pthread_cond_destroy(&health->closing_cond);
    pthread_mutex_destroy(&health->lock);
    free(health);
}

const struct rpc_method health_check = {"/grpc.health.v1.Health/Check", RPC_FAST, handle_check};
const struct rpc_method health_watch = {"/grpc.health.v1.Health/Watch", RPC_STREAM, handle_watch};
