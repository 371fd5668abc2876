/* cuzk-bench status, preload and metrics: what a daemon says of itself. */
#include <stdio.h>
#include <string.h>

#include "cmd/bench/commands.h"
#include "cmd/bench/remote.h"
#include "cmd/cli.h"

const char daemon_usage[] =
    "usage: cuzk-bench status [-a ADDR]\n"
    "       cuzk-bench metrics [-a ADDR]\n"
    "       cuzk-bench preload --circuit-id ID [-a ADDR]\n" REMOTE_USAGE;

static void print_gpus(const Cuzk__V1__GetStatusResponse *s)
{
    if (s->n_gpus > 0)
        printf("\nGPUs:\n");
    for (size_t i = 0; i < s->n_gpus; i++) {
        const Cuzk__V1__GPUStatus *g = s->gpus[i];
        printf("  [%u] %s — %llu MiB / %llu MiB VRAM — ", g->ordinal, g->name,
               (unsigned long long)(g->vram_free_bytes >> 20),
               (unsigned long long)(g->vram_total_bytes >> 20));
        if (*g->current_job_id == '\0')
            printf("idle\n");
        else
            printf("proving %s (%.8s)\n", g->current_proof_kind, g->current_job_id);
    }
}

static void print_status(const Cuzk__V1__GetStatusResponse *s)
{
    printf(
        "=== cuzk daemon status ===\nuptime:           %llus\nproofs completed: %llu\n"
        "proofs failed:    %llu\npinned memory:    %llu / %llu bytes\n",
        (unsigned long long)s->uptime_seconds, (unsigned long long)s->total_proofs_completed,
        (unsigned long long)s->total_proofs_failed, (unsigned long long)s->pinned_memory_bytes,
        (unsigned long long)s->pinned_memory_limit_bytes);
    print_gpus(s);
    if (s->n_loaded_srs > 0)
        printf("\nLoaded SRS:\n");
    for (size_t i = 0; i < s->n_loaded_srs; i++)
        printf("  %s (tier=%d, size=%llu bytes, refs=%u)\n", s->loaded_srs[i]->circuit_id,
               (int)s->loaded_srs[i]->tier, (unsigned long long)s->loaded_srs[i]->size_bytes,
               s->loaded_srs[i]->ref_count);
    if (s->n_queues > 0)
        printf("\nQueues:\n");
    for (size_t i = 0; i < s->n_queues; i++)
        printf("  %s: pending=%u, in_progress=%u\n", s->queues[i]->proof_kind,
               s->queues[i]->pending, s->queues[i]->in_progress);
}

static int run_status(struct remote *remote, const char *circuit, struct error *err)
{
    Cuzk__V1__GetStatusRequest request = CUZK__V1__GET_STATUS_REQUEST__INIT;
    Cuzk__V1__GetStatusResponse *out;
    (void)circuit;
    if (client_call(remote->client, (ProtobufCMessage **)&out,
                    &cuzk__v1__get_status_response__descriptor, "GetStatus", &request.base, 10000,
                    err) != 0)
        return err->code;
    print_status(out);
    cuzk__v1__get_status_response__free_unpacked(out, NULL);
    return cli_flush();
}

static int run_metrics(struct remote *remote, const char *circuit, struct error *err)
{
    Cuzk__V1__GetMetricsRequest request = CUZK__V1__GET_METRICS_REQUEST__INIT;
    Cuzk__V1__GetMetricsResponse *out;
    (void)circuit;
    if (client_call(remote->client, (ProtobufCMessage **)&out,
                    &cuzk__v1__get_metrics_response__descriptor, "GetMetrics", &request.base, 10000,
                    err) != 0)
        return err->code;
    fputs(out->prometheus_text, stdout);
    cuzk__v1__get_metrics_response__free_unpacked(out, NULL);
    return cli_flush();
}

static int run_preload(struct remote *remote, const char *circuit, struct error *err)
{
    Cuzk__V1__PreloadSrsRequest request = CUZK__V1__PRELOAD_SRS_REQUEST__INIT;
    Cuzk__V1__PreloadSrsResponse *out;
    request.circuit_id = (char *)circuit;
    if (client_call(remote->client, (ProtobufCMessage **)&out,
                    &cuzk__v1__preload_srs_response__descriptor, "PreloadSRS", &request.base, 0,
                    err) != 0)
        return err->code;
    if (out->already_loaded)
        printf("%s already loaded\n", circuit);
    else
        printf("%s loaded in %llu ms\n", circuit, (unsigned long long)out->load_time_ms);
    cuzk__v1__preload_srs_response__free_unpacked(out, NULL);
    return cli_flush();
}

static int run(int argc, char **argv, int with_circuit,
               int (*body)(struct remote *remote, const char *circuit, struct error *err))
{
    static const struct option options[] = {
        {"circuit-id", required_argument, NULL, 'c'}, REMOTE_OPTIONS, {NULL, 0, NULL, 0}};
    struct remote remote = {.address = REMOTE_ADDRESS};
    struct error err;
    const char *circuit = NULL;
    int option;
    uint64_t seen = 0;
    while ((option = cli_option(argc, argv, "c:a:", options, &seen)) != -1) {
        if (option == 'c')
            circuit = optarg;
        else if (!remote_option(&remote, option, optarg))
            return -ERR_USAGE;
    }
    if (optind < argc || (circuit != NULL) != with_circuit)
        return cli_usage(with_circuit ? "preload takes --circuit-id ID and nothing else"
                                      : "%s takes no input",
                         argv[0]);
    int rc = remote_open(&remote, &err);
    if (rc == 0)
        rc = body(&remote, circuit, &err);
    remote_close(&remote);
    return rc < 0 ? cli_fail(&err) : rc;
}

int cmd_status(int argc, char **argv)
{
    return run(argc, argv, 0, run_status);
}

int cmd_metrics(int argc, char **argv)
{
    return run(argc, argv, 0, run_metrics);
}

int cmd_preload(int argc, char **argv)
{
    return run(argc, argv, 1, run_preload);
}
