/* cuzk-bench stress: many clients, each with its own connection, that cancel, disconnect and ask with any priority. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/progress.h"
#include "cmd/bench/commands.h"
#include "cmd/bench/remote.h"
#include "cmd/bench/splitmix64.h"
#include "cmd/cli.h"

const char stress_usage[] =
    "usage: cuzk-bench stress --type TYPE [input] [--count N] [--clients N] [--cancel P]\n"
    "           [--disconnect P] [--within MS] [--seed N] [-a ADDR] [--json]\n" REMOTE_REQUEST_USAGE
    "  -c, --count N         jobs (100), each another input with the same proof\n"
    "  -j, --clients N       at the same time, each with its own connection (16)\n"
    "      --cancel P        per cent of the jobs that are cancelled at some moment (20)\n"
    "      --disconnect P    per cent of the calls that are left at some moment; the client comes "
    "back\n"
    "                        and asks for the same job again (20)\n"
    "      --within MS       those moments lie within MS milliseconds (2000)\n"
    "      --seed N          another choice of jobs, moments and priorities (1)\n" REMOTE_USAGE
    "Exit code 0: every job completed, or was cancelled as asked.\n";

enum { CLIENTS_MOST = 256, TRIES_MOST = 200, PRIORITIES = 5 };

struct options {
    struct remote remote;
    struct remote_request request;
    uint64_t count, clients, cancel, disconnect, within_ms, seed, base;
    int json;
};

/* What has come of the jobs so far. */
struct tally {
    uint64_t completed, cancelled, disconnects, put_off;
    uint64_t wrong; /* jobs that ended otherwise; the first is told */
    char first_wrong[300];
    uint64_t n[PRIORITIES], wall_ms_sum[PRIORITIES],
        wall_ms_most[PRIORITIES]; /* of completed ones */
};

struct stress {
    struct options *options;
    struct progress progress;
    pthread_mutex_t lock; /* the rest */
    uint64_t next;
    struct tally tally;
};

/* One job of one client. */
struct job {
    struct stress *stress;
    struct remote *remote; /* the client's */
    uint64_t random;       /* state */
    Cuzk__V1__SubmitProofRequest submit;
    char id[37];
};

static uint64_t draw(struct job *job, uint64_t n)
{
    return splitmix64(&job->random) % n;
}

static void sleep_ms(uint64_t ms)
{
    struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

static void count(struct job *job, uint64_t *which)
{
    pthread_mutex_lock(&job->stress->lock);
    ++*which;
    pthread_mutex_unlock(&job->stress->lock);
}

static int reconnect(struct remote *remote, struct error *err)
{
    remote_close(remote);
    return remote_open(remote, err);
}

/* Calls until the daemon takes it: a full queue or a lost connection is only put off. With leave_ms the first call is left then. */
static int call(struct job *job, ProtobufCMessage **out, const ProtobufCMessageDescriptor *type,
                const char *method, const ProtobufCMessage *request, uint64_t leave_ms,
                struct error *err)
{
    struct tally *tally = &job->stress->tally;
    int rc = client_call(job->remote->client, out, type, method, request, leave_ms, err);
    if (rc != 0 && leave_ms != 0) {
        count(job, &tally->disconnects);
        if (reconnect(job->remote, err) != 0)
            return err->code;
        rc = client_call(job->remote->client, out, type, method, request, 0, err);
    }
    for (int tries = 0; rc == ERR_TEMP_FAIL && tries < TRIES_MOST; tries++) {
        count(job, &tally->put_off);
        sleep_ms(50 + draw(job, 400));
        rc = client_call(job->remote->client, out, type, method, request, 0, err);
    }
    return rc;
}

static int prove(struct job *job, Cuzk__V1__AwaitProofResponse **out, uint64_t leave_ms,
                 struct error *err)
{
    Cuzk__V1__ProveRequest request = CUZK__V1__PROVE_REQUEST__INIT;
    Cuzk__V1__ProveResponse *response;
    request.submit = &job->submit;
    *out = NULL;
    if (call(job, (ProtobufCMessage **)&response, &cuzk__v1__prove_response__descriptor, "Prove",
             &request.base, leave_ms, err) != 0)
        return err->code;
    *out = response->result;
    response->result = NULL;
    cuzk__v1__prove_response__free_unpacked(response, NULL);
    return *out != NULL ? 0 : error_set(err, ERR_DATA, "rpc-answer", "Prove: no result");
}

static int submit_and_cancel(struct job *job, Cuzk__V1__AwaitProofResponse **out, struct error *err)
{
    Cuzk__V1__SubmitProofResponse *submitted;
    Cuzk__V1__CancelProofResponse *cancelled;
    Cuzk__V1__CancelProofRequest cancel = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    Cuzk__V1__AwaitProofRequest await = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;
    if (call(job, (ProtobufCMessage **)&submitted, &cuzk__v1__submit_proof_response__descriptor,
             "SubmitProof", &job->submit.base, 0, err) != 0)
        return err->code;
    cuzk__v1__submit_proof_response__free_unpacked(submitted, NULL);
    sleep_ms(draw(job, job->stress->options->within_ms + 1));
    cancel.job_id = await.job_id = job->id;
    if (call(job, (ProtobufCMessage **)&cancelled, &cuzk__v1__cancel_proof_response__descriptor,
             "CancelProof", &cancel.base, 0, err) != 0)
        return err->code;
    cuzk__v1__cancel_proof_response__free_unpacked(cancelled, NULL);
    return call(job, (ProtobufCMessage **)out, &cuzk__v1__await_proof_response__descriptor,
                "AwaitProof", &await.base, 0, err);
}

/* Adds the job's end to the tally. response NULL: err says why there is none. */
static void settle(struct job *job, const Cuzk__V1__AwaitProofResponse *response, int may_cancel,
                   uint64_t wall_ms, const struct error *err)
{
    struct tally *t = &job->stress->tally;
    int p = (int)job->submit.priority;
    int completed = response != NULL &&
                    response->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED &&
                    response->proof.len > 0;
    int cancelled = response != NULL && may_cancel &&
                    response->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED;
    pthread_mutex_lock(&job->stress->lock);
    t->completed += (uint64_t)completed;
    t->cancelled += (uint64_t)cancelled;
    if (completed) {
        t->n[p]++;
        t->wall_ms_sum[p] += wall_ms;
        t->wall_ms_most[p] = wall_ms > t->wall_ms_most[p] ? wall_ms : t->wall_ms_most[p];
    } else if (!cancelled && t->wrong++ == 0) {
        snprintf(t->first_wrong, sizeof t->first_wrong, "job %s: %s %.200s", job->id,
                 response != NULL ? remote_status_name(response) : "no answer:",
                 response != NULL ? response->error_message : err->text);
    }
    pthread_mutex_unlock(&job->stress->lock);
}

static void run_job(struct stress *s, struct remote *remote, uint64_t i)
{
    struct options *o = s->options;
    struct error err = {.code = 0};
    Cuzk__V1__AwaitProofResponse *response = NULL;
    struct job job = {
        .stress = s, .remote = remote, .random = o->seed << 32 ^ i, .submit = o->request.message};
    remote_uuid(job.id);
    remote_make_distinct(&job.submit, o->base + i);
    job.submit.request_id = job.id;
    job.submit.priority = (Cuzk__V1__Priority)draw(&job, PRIORITIES);
    int cancels = draw(&job, 100) < o->cancel;
    int leaves = draw(&job, 100) < o->disconnect;
    uint64_t start = clock_monotonic_ns();
    int rc = cancels ? submit_and_cancel(&job, &response, &err)
                     : prove(&job, &response, leaves ? 1 + draw(&job, o->within_ms + 1) : 0, &err);
    settle(&job, rc == 0 ? response : NULL, cancels, (clock_monotonic_ns() - start) / 1000000,
           &err);
    if (response != NULL)
        cuzk__v1__await_proof_response__free_unpacked(response, NULL);
    progress_add(&s->progress, 1);
}

static void *run_client(void *arg)
{
    struct stress *s = arg;
    struct remote remote = s->options->remote;
    struct error err;
    if (remote_open(&remote, &err) != 0) /* the files that it needs were read once already */
        return NULL;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        uint64_t i = s->next++;
        pthread_mutex_unlock(&s->lock);
        if (i >= s->options->count)
            break;
        run_job(s, &remote, i);
    }
    remote_close(&remote);
    return NULL;
}

static const char *const priority_names[PRIORITIES] = {"by kind", "low", "normal", "high",
                                                       "critical"};

static int print_json(const struct tally *t, double total_s)
{
    yajl_gen g = cli_json_open();
    cli_json_u64(g, "completed", t->completed);
    cli_json_u64(g, "cancelled", t->cancelled);
    cli_json_u64(g, "wrong", t->wrong);
    cli_json_string(g, "first_wrong", t->first_wrong);
    cli_json_u64(g, "disconnects", t->disconnects);
    cli_json_u64(g, "put_off", t->put_off);
    cli_json_double(g, "total_s", total_s);
    cli_json_begin(g, "priorities");
    for (int p = 0; p < PRIORITIES; p++) {
        cli_json_begin(g, priority_names[p]);
        cli_json_u64(g, "completed", t->n[p]);
        cli_json_u64(g, "wall_avg_ms", t->n[p] ? t->wall_ms_sum[p] / t->n[p] : 0);
        cli_json_u64(g, "wall_max_ms", t->wall_ms_most[p]);
        cli_json_end(g);
    }
    cli_json_end(g);
    return cli_json_close(g);
}

static int print_summary(const struct tally *t, double total_s)
{
    printf(
        "\n=== Stress Summary ===\ntotal time:    %.1fs\ncompleted:     %llu\ncancelled:     "
        "%llu\nwrong:         %llu%s%s\ndisconnects:   %llu\nput off:       %llu\n",
        total_s, (unsigned long long)t->completed, (unsigned long long)t->cancelled,
        (unsigned long long)t->wrong, t->wrong ? " " : "", t->first_wrong,
        (unsigned long long)t->disconnects, (unsigned long long)t->put_off);
    for (int p = 0; p < PRIORITIES; p++) {
        if (t->n[p] > 0)
            printf("%-9s      %llu, wall time avg=%.1fs max=%.1fs\n", priority_names[p],
                   (unsigned long long)t->n[p], (double)t->wall_ms_sum[p] / (double)t->n[p] / 1e3,
                   (double)t->wall_ms_most[p] / 1e3);
    }
    return cli_flush();
}

static int run(struct options *o, struct error *err)
{
    struct stress s = {.options = o};
    pthread_t threads[CLIENTS_MOST];
    uint64_t started = 0;
    if (!o->json)
        printf(
            "=== Stress ===\nproof type:  %s\ncount:       %llu\nclients:     %llu\nseed:        "
            "%llu\n",
            o->request.type, (unsigned long long)o->count, (unsigned long long)o->clients,
            (unsigned long long)o->seed);
    pthread_mutex_init(&s.lock, NULL);
    progress_begin(&s.progress, &progress_stderr, "stress", o->count);
    uint64_t start = clock_monotonic_ns();
    while (started < o->clients && pthread_create(&threads[started], NULL, run_client, &s) == 0)
        started++;
    for (uint64_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    double total_s = (double)(clock_monotonic_ns() - start) / 1e9;
    progress_end(&s.progress);
    pthread_mutex_destroy(&s.lock);
    if (started == 0)
        return error_set(err, ERR_OS, "thread", "cannot start a thread");
    int rc = o->json ? print_json(&s.tally, total_s) : print_summary(&s.tally, total_s);
    return rc != 0 || s.tally.completed + s.tally.cancelled == o->count ? rc : -ERR_UNAVAILABLE;
}

enum { OPTION_CANCEL = 256, OPTION_DISCONNECT, OPTION_WITHIN, OPTION_SEED, OPTION_JSON };

static int take_option(void *ctx, int option, const char *value)
{
    struct options *o = ctx;
    int rc = remote_request_option(&o->request, option, value);
    if (rc >= 0)
        return rc;
    switch (option) {
    case 'c':
        return cli_parse_u64(&o->count, "--count", value, 1000000);
    case 'j':
        return cli_parse_u64(&o->clients, "--clients", value, CLIENTS_MOST);
    case OPTION_CANCEL:
        return cli_parse_u64(&o->cancel, "--cancel", value, 100);
    case OPTION_DISCONNECT:
        return cli_parse_u64(&o->disconnect, "--disconnect", value, 100);
    case OPTION_WITHIN:
        return cli_parse_u64(&o->within_ms, "--within", value, 3600000);
    case OPTION_SEED:
        return cli_parse_u64(&o->seed, "--seed", value, UINT32_MAX);
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
        {"clients", required_argument, NULL, 'j'},
        {"cancel", required_argument, NULL, OPTION_CANCEL},
        {"disconnect", required_argument, NULL, OPTION_DISCONNECT},
        {"within", required_argument, NULL, OPTION_WITHIN},
        {"seed", required_argument, NULL, OPTION_SEED},
        {"json", no_argument, NULL, OPTION_JSON},
        REMOTE_REQUEST_OPTIONS,
        REMOTE_OPTIONS,
        {NULL, 0, NULL, 0},
    };
    int rc = remote_parse(argc, argv, options, take_option, o);
    if (rc != 0)
        return rc;
    if (o->count == 0 || o->clients == 0)
        return cli_usage("--count and --clients are at least 1");
    return remote_one_stdin(&o->remote, &o->request);
}

int cmd_stress(int argc, char **argv)
{
    struct error err;
    struct options o = {.remote.address = REMOTE_ADDRESS,
                        .request = REMOTE_REQUEST_DEFAULTS,
                        .count = 100,
                        .clients = 16,
                        .cancel = 20,
                        .disconnect = 20,
                        .within_ms = 2000,
                        .seed = 1,
                        .base = remote_distinct_base()};
    int rc = parse(&o, argc, argv);
    if (rc != 0)
        return rc;
    rc = remote_request_fill(&o.request, &err);
    if (rc == 0)
        rc =
            remote_open(&o.remote, &err); /* reads the certificate and the token, or says why not */
    remote_close(&o.remote);
    if (rc == 0)
        rc = run(&o, &err);
    remote_request_clean_up(&o.request);
    return rc < 0 ? cli_fail(&err) : rc;
}
