#include "service/proving.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/metrics.h"
#include "service/service.h"
#include "service/waiting.h"
#include "service/wire.h"

enum { STRIPES = 64 };

/* Between a submission and its entry into the waiting room no other input may be submitted under the same request_id: "the newest job
 * of this id" must still be the one submitted. */
struct proving {
    struct waiting_room *waiting;
    pthread_mutex_t stripes[STRIPES]; /* by hash of request_id */
};

int proving_new(struct proving **out, struct error *err)
{
    struct proving *p = calloc(1, sizeof *p);
    if (p == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the service");
    if (waiting_room_new(&p->waiting, err) != 0) {
        free(p);
        return err->code;
    }
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&p->stripes[i], NULL);
    *out = p;
    return 0;
}

void proving_abandon(struct proving *proving)
{
    waiting_room_abandon(proving->waiting);
}

void proving_destroy(struct proving *proving)
{
    if (proving == NULL)
        return;
    waiting_room_destroy(proving->waiting);
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_destroy(&proving->stripes[i]);
    free(proving);
}

static pthread_mutex_t *stripe_of(struct proving *proving, const char *request_id)
{
    unsigned hash = 5381;
    for (const unsigned char *c = (const unsigned char *)request_id; *c != '\0'; c++)
        hash = hash * 33 ^ *c;
    return &proving->stripes[hash % STRIPES];
}

static void fail(struct rpc_call *call, const struct cuzk_error *err)
{
    rpc_fail(call, wire_status(err->status), err->message, err->retry_after_ms);
}

static void reply(struct rpc_call *call, const ProtobufCMessage *message)
{
    struct rpc_bytes bytes = {.n = protobuf_c_message_get_packed_size(message)};
    bytes.data = malloc(bytes.n + 1);
    if (bytes.data == NULL) {
        rpc_fail(call, GRPC_STATUS_INTERNAL, "no memory for the answer", 0);
        return;
    }
    protobuf_c_message_pack(message, bytes.data);
    rpc_reply(call, bytes);
}

/* The message, decoded; NULL: the call was answered. */
static void *decode(struct rpc_call *call, const struct rpc_bytes *message,
                    const ProtobufCMessageDescriptor *type)
{
    struct cuzk_error err;
    void *decoded = wire_unpack(type, message->data, message->n, &err);
    rpc_drop_message(call); /* the bytes were copied: a C1 need not be there twice */
    if (decoded == NULL)
        fail(call, &err);
    return decoded;
}

static void log_call(struct service *s, const char *method, const char *job_id, const char *kind)
{
    log_write(s->log, LOG_INFO, "cuzk_server::service", method, "job_id", job_id, "proof_kind",
              kind, NULL);
}

static void log_refusal(struct service *s, const char *job_id, const struct cuzk_error *err)
{
    log_write(s->log, LOG_WARN, "cuzk_server::service", "request refused", "job_id", job_id,
              "cause", err->cause == NULL ? "unknown" : err->cause, "error", err->message, NULL);
}

/* Decodes, checks and submits; with wait the call enters the waiting room for the job. 0, or -1 with err filled. */
static int submit(struct service *s, struct rpc_call *call, char job_id[160],
                  uint32_t *queue_position, const Cuzk__V1__SubmitProofRequest *m,
                  waiting_answer *wait, struct cuzk_error *err)
{
    struct wire_request request;
    if (wire_request_init(&request, m, err) != 0)
        return -1;
    if (wait != NULL) /* the call that waits for the proof: its deadline is the job's */
        request.request.deadline_ms = rpc_time_left_ms(call);
    pthread_mutex_t *stripe = stripe_of(s->proving, m->request_id);
    pthread_mutex_lock(stripe);
    int rc = cuzk_submit(s->engine, job_id, queue_position, &request.request, err);
    if (rc == 0)
        log_call(s, "job enqueued", job_id, wire_kind_names[request.request.kind]);
    if (rc == 0 && wait != NULL)
        rc = waiting_room_enter(s->proving->waiting, s->engine, call, job_id, 0, wait, err);
    pthread_mutex_unlock(stripe);
    wire_request_clean_up(&request);
    return rc;
}

static void handle_submit(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_error err;
    char job_id[160] = "";
    uint32_t position = 0;
    Cuzk__V1__SubmitProofRequest *m =
        decode(call, message, &cuzk__v1__submit_proof_request__descriptor);
    if (m == NULL)
        return;
    int rc = submit(s, call, job_id, &position, m, NULL, &err);
    if (rc != 0)
        log_refusal(s, m->request_id, &err);
    protobuf_c_message_free_unpacked(&m->base, NULL);
    if (rc != 0) {
        fail(call, &err);
        return;
    }
    Cuzk__V1__SubmitProofResponse out = CUZK__V1__SUBMIT_PROOF_RESPONSE__INIT;
    out.job_id = job_id;
    out.queue_position = position;
    reply(call, &out.base);
}

static void fill_result(Cuzk__V1__AwaitProofResponse *out, const char *job_id,
                        const struct cuzk_result *result)
{
    if (result != NULL) {
        wire_result(out, result, job_id);
        return;
    }
    cuzk__v1__await_proof_response__init(out);
    out->job_id = (char *)job_id;
    out->status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT;
    out->error_message = (char *)"not finished within timeout_ms; the job goes on";
}

static void answer_await(struct rpc_call *call, const char *job_id,
                         const struct cuzk_result *result)
{
    Cuzk__V1__AwaitProofResponse out;
    fill_result(&out, job_id, result);
    reply(call, &out.base);
}

static void answer_prove(struct rpc_call *call, const char *job_id,
                         const struct cuzk_result *result)
{
    Cuzk__V1__AwaitProofResponse inner;
    Cuzk__V1__ProveResponse out = CUZK__V1__PROVE_RESPONSE__INIT;
    fill_result(&inner, job_id, result);
    out.result = &inner;
    reply(call, &out.base);
}

static void handle_await(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_error err;
    char text[200];
    Cuzk__V1__AwaitProofRequest *m =
        decode(call, message, &cuzk__v1__await_proof_request__descriptor);
    if (m == NULL)
        return;
    log_call(s, "AwaitProof", m->job_id, "");
    uint64_t left = rpc_time_left_ms(call);
    if (left != 0)
        cuzk_hasten(s->engine, m->job_id, left, &err); /* an unknown job is answered below */
    int rc = waiting_room_enter(s->proving->waiting, s->engine, call, m->job_id, m->timeout_ms,
                                answer_await, &err);
    if (rc != 0 && err.status == CUZK_NOT_FOUND) {
        snprintf(text, sizeof text, "job not found: %.160s", m->job_id);
        rpc_fail(call, GRPC_STATUS_NOT_FOUND, text, 0);
    } else if (rc != 0) {
        fail(call, &err);
    }
    protobuf_c_message_free_unpacked(&m->base, NULL);
}

static void handle_prove(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_error err;
    char job_id[160];
    uint32_t position;
    Cuzk__V1__ProveRequest *m = decode(call, message, &cuzk__v1__prove_request__descriptor);
    if (m == NULL)
        return;
    if (m->submit == NULL) {
        rpc_fail(call, GRPC_STATUS_INVALID_ARGUMENT, "missing submit field", 0);
    } else if (submit(s, call, job_id, &position, m->submit, answer_prove, &err) != 0) {
        log_refusal(s, m->submit->request_id, &err);
        fail(call, &err);
    }
    protobuf_c_message_free_unpacked(&m->base, NULL);
}

static void handle_cancel(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_error err;
    int was_running = 0;
    Cuzk__V1__CancelProofResponse out = CUZK__V1__CANCEL_PROOF_RESPONSE__INIT;
    Cuzk__V1__CancelProofRequest *m =
        decode(call, message, &cuzk__v1__cancel_proof_request__descriptor);
    if (m == NULL)
        return;
    log_call(s, "CancelProof", m->job_id, "");
    int rc = cuzk_cancel(s->engine, &was_running, m->job_id, &err);
    if (rc != 0 && err.status == CUZK_NOT_FOUND)
        snprintf(err.message, sizeof err.message, "job not found: %.160s", m->job_id);
    protobuf_c_message_free_unpacked(&m->base, NULL);
    out.was_running = was_running;
    if (rc != 0)
        fail(call, &err);
    else
        reply(call, &out.base);
}

static void put_queues(Cuzk__V1__QueueStatus *queues, const struct cuzk_view *view)
{
    for (int k = 1; k < CUZK_KINDS; k++) {
        Cuzk__V1__QueueStatus *q = &queues[k - 1];
        cuzk__v1__queue_status__init(q);
        q->proof_kind = (char *)wire_kind_names[k];
        q->pending = view->kind[k].pending;
        q->in_progress = view->kind[k].running;
    }
}

/* Parameters are mapped: the page cache may hold them (WARM), and does while a job uses them (HOT). */
static void put_srs(Cuzk__V1__SRSStatus *out, const struct cuzk_srs_view *srs)
{
    cuzk__v1__srsstatus__init(out);
    out->circuit_id = (char *)srs->circuit_id;
    out->tier = srs->users > 0 ? CUZK__V1__SRSSTATUS__TIER__HOT : CUZK__V1__SRSSTATUS__TIER__WARM;
    out->size_bytes = srs->bytes;
    out->ref_count = srs->users;
}

static void reply_status(struct rpc_call *call, const struct cuzk_view *view)
{
    Cuzk__V1__GetStatusResponse out = CUZK__V1__GET_STATUS_RESPONSE__INIT;
    Cuzk__V1__QueueStatus queues[CUZK_KINDS - 1];
    Cuzk__V1__QueueStatus *queue_list[CUZK_KINDS - 1];
    size_t n = view->srs_n;
    Cuzk__V1__SRSStatus *srs = calloc(n + 1, sizeof *srs), **list = calloc(n + 1, sizeof *list);
    if (srs == NULL || list == NULL) {
        rpc_fail(call, GRPC_STATUS_INTERNAL, "no memory for the answer", 0);
    } else {
        put_queues(queues, view);
        for (int k = 1; k < CUZK_KINDS; k++) {
            queue_list[k - 1] = &queues[k - 1];
            out.total_proofs_completed += view->kind[k].completed;
            out.total_proofs_failed += view->kind[k].failed;
        }
        for (size_t i = 0; i < n; i++) {
            put_srs(&srs[i], &view->srs[i]);
            list[i] = &srs[i];
        }
        out.queues = queue_list;
        out.n_queues = CUZK_KINDS - 1;
        out.loaded_srs = list;
        out.n_loaded_srs = n;
        out.uptime_seconds = view->uptime_ms / 1000;
        out.pinned_memory_bytes = view->memory_used; /* the one budget that there is */
        out.pinned_memory_limit_bytes = view->memory_total;
        reply(call, &out.base);
    }
    free(srs);
    free(list);
}

static void handle_status(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_view view;
    struct cuzk_error err;
    (void)message;
    if (cuzk_view_take(s->engine, &view, &err) != 0) {
        fail(call, &err);
        return;
    }
    reply_status(call, &view);
    cuzk_view_clean_up(&view);
}

static void handle_metrics(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_view view;
    struct cuzk_error err;
    Cuzk__V1__GetMetricsResponse out = CUZK__V1__GET_METRICS_RESPONSE__INIT;
    (void)message;
    if (cuzk_view_take(s->engine, &view, &err) != 0) {
        fail(call, &err);
        return;
    }
    out.prometheus_text = view_text(metrics_write, &view);
    cuzk_view_clean_up(&view);
    if (out.prometheus_text == NULL)
        rpc_fail(call, GRPC_STATUS_INTERNAL, "no memory for the answer", 0);
    else
        reply(call, &out.base);
    free(out.prometheus_text);
}

static void name_circuit(struct cuzk_error *err, const char *id)
{
    if (err->status == CUZK_NOT_FOUND)
        snprintf(err->message, sizeof err->message, "unknown circuit ID: %.80s", id);
}

static void handle_preload(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_error err;
    int already = 0;
    uint64_t ms = 0;
    Cuzk__V1__PreloadSrsResponse out = CUZK__V1__PRELOAD_SRS_RESPONSE__INIT;
    Cuzk__V1__PreloadSrsRequest *m =
        decode(call, message, &cuzk__v1__preload_srs_request__descriptor);
    if (m == NULL)
        return;
    int rc = cuzk_preload(s->engine, &already, &ms, m->circuit_id, &err);
    if (rc != 0)
        name_circuit(&err, m->circuit_id);
    log_write(s->log, rc == 0 ? LOG_INFO : LOG_WARN, "cuzk_server::service", "PreloadSRS",
              "circuit_id", m->circuit_id, "result", rc == 0 ? "loaded" : err.message, NULL);
    protobuf_c_message_free_unpacked(&m->base, NULL);
    out.already_loaded = already;
    out.load_time_ms = already ? 0 : ms;
    if (rc != 0)
        fail(call, &err);
    else
        reply(call, &out.base);
}

static void handle_evict(void *ctx, struct rpc_call *call, const struct rpc_bytes *message)
{
    struct service *s = ctx;
    struct cuzk_error err;
    int was_loaded = 0;
    uint64_t freed = 0;
    Cuzk__V1__EvictSrsResponse out = CUZK__V1__EVICT_SRS_RESPONSE__INIT;
    Cuzk__V1__EvictSrsRequest *m = decode(call, message, &cuzk__v1__evict_srs_request__descriptor);
    if (m == NULL)
        return;
    int rc = cuzk_evict(s->engine, &was_loaded, &freed, m->circuit_id, &err);
    if (rc != 0)
        name_circuit(&err, m->circuit_id);
    log_write(s->log, rc == 0 ? LOG_INFO : LOG_WARN, "cuzk_server::service", "EvictSRS",
              "circuit_id", m->circuit_id, "result", rc == 0 ? "done" : err.message, NULL);
    protobuf_c_message_free_unpacked(&m->base, NULL);
    out.was_loaded = was_loaded;
    out.freed_bytes = freed;
    if (rc != 0)
        fail(call, &err);
    else
        reply(call, &out.base);
}

#define METHOD(name) "/cuzk.v1.ProvingEngine/" name
const struct rpc_method proving_submit = {METHOD("SubmitProof"), RPC_SLOW, handle_submit};
const struct rpc_method proving_await = {METHOD("AwaitProof"), RPC_FAST, handle_await};
const struct rpc_method proving_prove = {METHOD("Prove"), RPC_SLOW, handle_prove};
const struct rpc_method proving_cancel = {METHOD("CancelProof"), RPC_FAST, handle_cancel};
const struct rpc_method proving_status = {METHOD("GetStatus"), RPC_FAST, handle_status};
const struct rpc_method proving_metrics = {METHOD("GetMetrics"), RPC_FAST, handle_metrics};
const struct rpc_method proving_preload = {METHOD("PreloadSRS"), RPC_SLOW, handle_preload};
const struct rpc_method proving_evict = {METHOD("EvictSRS"), RPC_SLOW, handle_evict};
