/* cuzk-bench single and batch: proofs through a daemon. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hex.h"
#include "cmd/bench/commands.h"
#include "cmd/bench/remote.h"
#include "cmd/cli.h"

const char batch_usage[] =
    "usage: cuzk-bench single --type TYPE [input] [-a ADDR] [--json]\n"
    "       cuzk-bench batch  --type TYPE [input] [--count N] [--concurrency N] [-a ADDR] "
    "[--json]\n" REMOTE_REQUEST_USAGE
    "  -c, --count N         proofs (3);  -j, --concurrency N  at the same time (1)\n" REMOTE_USAGE;

struct options {
    struct remote remote;
    struct remote_request request;
    uint64_t count, concurrency, base;
    int json, several; /* several: --count or --concurrency is given */
};

enum { OPTION_JSON = 256 };

static int take_option(void *ctx, int option, const char *value)
{
    struct options *o = ctx;
    int rc = remote_request_option(&o->request, option, value);
    if (rc >= 0)
        return rc;
    o->several |= option == 'c' || option == 'j';
    switch (option) {
    case 'c':
        return cli_parse_u64(&o->count, "--count", value, 1000000);
    case 'j':
        return cli_parse_u64(&o->concurrency, "--concurrency", value, 256);
    case OPTION_JSON:
        o->json = 1;
        return 0;
    }
    return remote_option(&o->remote, option, value) ? 0 : -1;
}

static int parse(struct options *o, int argc, char **argv)
{
    static const struct option options[] = {
        {"count", required_argument, NULL, 'c'},
        {"concurrency", required_argument, NULL, 'j'},
        {"json", no_argument, NULL, OPTION_JSON},
        REMOTE_REQUEST_OPTIONS,
        REMOTE_OPTIONS,
        {NULL, 0, NULL, 0},
    };
    *o = (struct options){.remote.address = REMOTE_ADDRESS,
                          .request = REMOTE_REQUEST_DEFAULTS,
                          .count = 3,
                          .concurrency = 1};
    int rc = remote_parse(argc, argv, options, take_option, o);
    if (rc != 0)
        return rc;
    if (o->several && strcmp(argv[0], "single") == 0)
        return cli_usage("--count and --concurrency are for batch, not for single");
    if (o->count == 0 || o->concurrency == 0)
        return cli_usage("--count and --concurrency are at least 1");
    return remote_one_stdin(&o->remote, &o->request);
}

/* One proof, from the request to the answer. */
struct outcome {
    Cuzk__V1__ProveResponse *response;
    uint64_t wall_ns;
    struct error err;
    int failed; /* no answer: err says why */
};

static void prove(struct outcome *out, struct client *client,
                  const Cuzk__V1__SubmitProofRequest *message, uint64_t i)
{
    char id[37];
    Cuzk__V1__SubmitProofRequest submit = *message;
    Cuzk__V1__ProveRequest request = CUZK__V1__PROVE_REQUEST__INIT;
    remote_uuid(id);
    remote_make_distinct(&submit, i);
    submit.request_id = id;
    request.submit = &submit;
    uint64_t start = clock_monotonic_ns();
    out->failed = client_call(client, (ProtobufCMessage **)&out->response,
                              &cuzk__v1__prove_response__descriptor, "Prove", &request.base, 0,
                              &out->err) != 0;
    out->wall_ns = clock_monotonic_ns() - start;
    if (!out->failed && out->response->result == NULL) {
        cuzk__v1__prove_response__free_unpacked(out->response, NULL);
        out->response = NULL;
        error_set(&out->err, ERR_DATA, "rpc-answer", "Prove: the answer has no result");
        out->failed = 1;
    }
}

static void outcome_clean_up(struct outcome *out)
{
    if (out->response != NULL)
        cuzk__v1__prove_response__free_unpacked(out->response, NULL);
    out->response = NULL;
}

static int is_completed(const struct outcome *out)
{
    return out->response->result->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
}

static void print_hex(const ProtobufCBinaryData *proof)
{
    size_t n = proof->len > 256 ? 128 : proof->len;
    printf("proof:     %zu bytes (hex: ", proof->len);
    for (size_t i = 0; i < n; i++)
        printf("%02x", proof->data[i]);
    printf("%s)\n", proof->len > 256 ? "..." : "");
}

static int print_single(const struct outcome *out)
{
    const Cuzk__V1__AwaitProofResponse *r = out->response->result;
    printf("\n=== Proof Result ===\nstatus:    %s\njob_id:    %s\n", remote_status_name(r),
           r->job_id);
    if (is_completed(out)) {
        printf(
            "timings:   total=%llu ms (queue=%llu ms, srs=%llu ms, synth=%llu ms, gpu=%llu ms)\n",
            (unsigned long long)r->total_ms, (unsigned long long)r->queue_wait_ms,
            (unsigned long long)r->srs_load_ms, (unsigned long long)r->synthesis_ms,
            (unsigned long long)r->gpu_compute_ms);
        printf("wall time: %llu ms\n", (unsigned long long)(out->wall_ns / 1000000));
        print_hex(&r->proof);
    } else {
        printf("error:     %s\n", r->error_message);
    }
    return cli_flush();
}

static int print_single_json(const struct outcome *out)
{
    const Cuzk__V1__AwaitProofResponse *r = out->response->result;
    yajl_gen g = cli_json_open();
    cli_json_string(g, "status", remote_status_name(r));
    cli_json_string(g, "job_id", r->job_id);
    cli_json_string(g, "error", r->error_message);
    cli_json_u64(g, "total_ms", r->total_ms);
    cli_json_u64(g, "queue_wait_ms", r->queue_wait_ms);
    cli_json_u64(g, "srs_load_ms", r->srs_load_ms);
    cli_json_u64(g, "synthesis_ms", r->synthesis_ms);
    cli_json_u64(g, "gpu_compute_ms", r->gpu_compute_ms);
    cli_json_u64(g, "wall_ms", out->wall_ns / 1000000);
    char *hex = malloc(2 * r->proof.len + 1);
    if (hex != NULL) {
        hex_encode(hex, r->proof.data, r->proof.len);
        cli_json_string(g, "proof", hex);
    }
    free(hex);
    return cli_json_close(g);
}

static int run_single(struct options *o, struct error *err)
{
    struct outcome out = {.response = NULL};
    prove(&out, o->remote.client, &o->request.message, 0);
    if (out.failed) {
        *err = out.err;
        return err->code;
    }
    int rc = o->json ? print_single_json(&out) : print_single(&out);
    if (rc == 0 && !is_completed(&out))
        rc = -ERR_UNAVAILABLE;
    outcome_clean_up(&out);
    return rc;
}

/* A batch under way: threads take the next number; the printer waits for them in order. */
struct batch {
    struct options *options;
    struct outcome *outcomes;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next;
    int stop;   /* a call failed: no more are started */
    char *done; /* [count] */
};

static void *work(void *arg)
{
    struct batch *b = arg;
    pthread_mutex_lock(&b->lock);
    while (b->next < b->options->count && !b->stop) {
        uint64_t i = b->next++;
        pthread_mutex_unlock(&b->lock);
        prove(&b->outcomes[i], b->options->remote.client, &b->options->request.message,
              b->options->base + i);
        pthread_mutex_lock(&b->lock);
        b->done[i] = 1;
        b->stop |= b->outcomes[i].failed;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

struct summary {
    uint64_t completed, failed;
    double wall_sum, wall_min, wall_max, prove_sum, prove_min, prove_max, total;
};

static void add(struct summary *s, const struct outcome *out)
{
    if (!is_completed(out)) {
        s->failed++;
        return;
    }
    double wall = (double)out->wall_ns / 1e9;
    double compute = (double)out->response->result->gpu_compute_ms / 1e3;
    int first = s->completed++ == 0;
    s->wall_sum += wall;
    s->prove_sum += compute;
    s->wall_min = first || wall < s->wall_min ? wall : s->wall_min;
    s->wall_max = wall > s->wall_max ? wall : s->wall_max;
    s->prove_min = first || compute < s->prove_min ? compute : s->prove_min;
    s->prove_max = compute > s->prove_max ? compute : s->prove_max;
}

static void print_line(const struct options *o, uint64_t i, const struct outcome *out)
{
    const Cuzk__V1__AwaitProofResponse *r = out->response->result;
    if (isatty(STDERR_FILENO)) {
        unsigned filled = (unsigned)(30 * (i + 1) / o->count);
        fprintf(stderr, "\r[%.*s%.*s] %llu/%llu%s", (int)filled, "##############################",
                (int)(30 - filled), "..............................", (unsigned long long)i + 1,
                (unsigned long long)o->count, i + 1 == o->count ? "\n" : "");
    }
    if (o->json)
        return;
    printf("  [%llu/%llu] %s — %.1fs (prove=%llu ms, queue=%llu ms)%s%s\n",
           (unsigned long long)i + 1, (unsigned long long)o->count, remote_status_name(r),
           (double)out->wall_ns / 1e9, (unsigned long long)r->gpu_compute_ms,
           (unsigned long long)r->queue_wait_ms, is_completed(out) ? "" : " ", r->error_message);
    fflush(stdout);
}

static int print_summary(const struct options *o, const struct summary *s)
{
    double n = (double)s->completed;
    if (o->json) {
        yajl_gen g = cli_json_open();
        cli_json_u64(g, "completed", s->completed);
        cli_json_u64(g, "failed", s->failed);
        cli_json_double(g, "total_s", s->total);
        cli_json_double(g, "wall_avg_s", s->completed ? s->wall_sum / n : 0);
        cli_json_double(g, "wall_min_s", s->wall_min);
        cli_json_double(g, "wall_max_s", s->wall_max);
        cli_json_double(g, "prove_avg_s", s->completed ? s->prove_sum / n : 0);
        cli_json_double(g, "proofs_per_min", n * 60 / s->total);
        return cli_json_close(g);
    }
    printf(
        "\n=== Batch Summary ===\ntotal time:    %.1fs\ncompleted:     %llu\nfailed:        %llu\n",
        s->total, (unsigned long long)s->completed, (unsigned long long)s->failed);
    if (s->completed > 0) {
        printf("wall time:     avg=%.1fs min=%.1fs max=%.1fs\n", s->wall_sum / n, s->wall_min,
               s->wall_max);
        printf("prove time:    avg=%.1fs min=%.1fs max=%.1fs\n", s->prove_sum / n, s->prove_min,
               s->prove_max);
        printf("throughput:    %.3f proofs/min (%.1fs/proof)\n", n * 60 / s->total, s->total / n);
    }
    return cli_flush();
}

/* Prints outcomes in their order as they come. 0, or the error of the first call that failed. */
static int collect(struct batch *b, struct summary *s, struct error *err)
{
    int rc = 0;
    for (uint64_t i = 0; i < b->options->count && rc == 0; i++) {
        pthread_mutex_lock(&b->lock);
        while (!b->done[i] && !(b->stop && b->next <= i))
            pthread_cond_wait(&b->changed, &b->lock);
        int done = b->done[i];
        pthread_mutex_unlock(&b->lock);
        if (!done)
            break;
        if (b->outcomes[i].failed) {
            *err = b->outcomes[i].err;
            rc = err->code;
        } else {
            add(s, &b->outcomes[i]);
            print_line(b->options, i, &b->outcomes[i]);
        }
    }
    return rc;
}

static int run_threads(struct batch *b, struct summary *s, struct error *err)
{
    struct options *o = b->options;
    uint64_t n = o->concurrency < o->count ? o->concurrency : o->count, started = 0;
    pthread_t threads[256];
    uint64_t start = clock_monotonic_ns();
    while (started < n && pthread_create(&threads[started], NULL, work, b) == 0)
        started++;
    if (started == 0)
        return error_set(err, ERR_OS, "thread", "cannot start a thread");
    int rc = collect(b, s, err);
    for (uint64_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    s->total = (double)(clock_monotonic_ns() - start) / 1e9;
    return rc;
}

static int run_batch(struct options *o, struct error *err)
{
    struct summary summary = {0};
    o->base = remote_distinct_base();
    struct batch b = {.options = o,
                      .outcomes = calloc(o->count, sizeof *b.outcomes),
                      .done = calloc(o->count, 1)};
    pthread_mutex_init(&b.lock, NULL);
    pthread_cond_init(&b.changed, NULL);
    int rc = ERR_OS;
    if (b.outcomes == NULL || b.done == NULL) {
        error_set(err, ERR_OS, "out-of-memory", "no memory for %llu proofs",
                  (unsigned long long)o->count);
    } else {
        if (!o->json)
            printf(
                "=== Batch Benchmark ===\nproof type:  %s\ncount:       %llu\nconcurrency: "
                "%llu\n\n",
                o->request.type, (unsigned long long)o->count, (unsigned long long)o->concurrency);
        rc = run_threads(&b, &summary, err);
        if (rc == 0)
            rc = print_summary(o, &summary);
        for (uint64_t i = 0; i < o->count; i++)
            outcome_clean_up(&b.outcomes[i]);
    }
    pthread_cond_destroy(&b.changed);
    pthread_mutex_destroy(&b.lock);
    free(b.outcomes);
    free(b.done);
    if (rc == 0 && summary.failed > 0)
        return -ERR_UNAVAILABLE;
    return rc;
}

static int run(int argc, char **argv, int (*body)(struct options *o, struct error *err))
{
    struct options o;
    struct error err;
    int rc = parse(&o, argc, argv);
    if (rc != 0)
        return rc;
    rc = remote_request_fill(&o.request, &err);
    if (rc == 0)
        rc = remote_open(&o.remote, &err);
    if (rc == 0)
        rc = body(&o, &err);
    remote_close(&o.remote);
    remote_request_clean_up(&o.request);
    return rc < 0 ? cli_fail(&err) : rc;
}

int cmd_single(int argc, char **argv)
{
    return run(argc, argv, run_single);
}

int cmd_batch(int argc, char **argv)
{
    return run(argc, argv, run_batch);
}
