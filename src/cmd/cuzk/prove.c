/* cuzk prove KIND ... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/meminfo.h"
#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "cmd/input.h"
#include "proof/job.h"

const char prove_usage[] =
    "usage: cuzk prove porep|winning|window|snap INPUT [--param-cache DIR] [-o FILE] [--threads "
    "N]\n"
    "                  [--r HEX --s HEX] [--check-points] [--json]\n" INPUT_USAGE
    "  --param-cache DIR     parameter directory (else CUZK_PARAM_CACHE, "
    "FIL_PROOFS_PARAMETER_CACHE,\n"
    "                        /var/tmp/filecoin-proof-parameters)\n"
    "  -o FILE               write the proof's bytes there\n"
    "  --r HEX --s HEX       fixed randomness (64 hex digits, little-endian): reproducible, NOT "
    "zero-knowledge; for tests\n"
    "  --check-points        check every point of the parameter file first\n"
    "  --json                one JSON object on stdout\n";

struct prove_options {
    struct input_options input;
    struct proof_job job;
    const char *cache, *output;
    unsigned threads;
    int have_r, have_s, json;
};

enum { OPT_CACHE = INPUT_END, OPT_THREADS, OPT_R, OPT_S, OPT_CHECK_POINTS, OPT_JSON };

static int take_option(struct prove_options *o, int opt, const char *value)
{
    uint64_t n;
    int rc;
    switch (opt) {
    case OPT_CACHE:
        o->cache = value;
        return 0;
    case OPT_THREADS:
        rc = cli_parse_u64(&n, "--threads", value, POOL_MAX_THREADS);
        if (rc == 0)
            o->threads = (unsigned)n;
        return rc;
    case OPT_R:
        o->have_r = 1;
        return cli_parse_fr(&o->job.rs.r, "--r", value);
    case OPT_S:
        o->have_s = 1;
        return cli_parse_fr(&o->job.rs.s, "--s", value);
    case OPT_CHECK_POINTS:
        o->job.keys.check_points = 1;
        return 0;
    case OPT_JSON:
        o->json = 1;
        return 0;
    case 'o':
        o->output = value;
        return 0;
    default:
        return -ERR_USAGE;
    }
}

static int parse(struct prove_options *o, int argc, char **argv)
{
    static const struct option options[] = {INPUT_OPTIONS,
                                            {"param-cache", required_argument, NULL, OPT_CACHE},
                                            {"output", required_argument, NULL, 'o'},
                                            {"threads", required_argument, NULL, OPT_THREADS},
                                            {"r", required_argument, NULL, OPT_R},
                                            {"s", required_argument, NULL, OPT_S},
                                            {"check-points", no_argument, NULL, OPT_CHECK_POINTS},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {0}};
    int opt, rc = input_kind(&o->input, argv[1]);
    argc--, argv++;
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "o:", options, &seen)) != -1)
        rc = opt >= INPUT_C1 && opt < INPUT_END ? input_option(&o->input, opt, optarg)
                                                : take_option(o, opt, optarg);
    if (rc == 0)
        rc = input_complete(&o->input);
    if (rc != 0)
        return rc;
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    if (o->have_r != o->have_s)
        return cli_usage("--r and --s go together");
    o->job.kind = o->input.kind;
    o->job.request = o->input.request;
    o->job.keys.param_dir = cli_param_dir(o->cache);
    if (cli_published_params(&o->job.keys.published) != 0)
        return -ERR_USAGE;
    o->job.fixed_rs = o->have_r;
    return 0;
}

static double ms(uint64_t ns)
{
    return (double)ns * 1e-6;
}

static int print_json(const struct prove_options *o, const struct proof_result *r, const char *hex,
                      uint64_t peak_anon)
{
    yajl_gen g = cli_json_open();
    cli_json_string(g, "proof", hex);
    cli_json_bool(g, "verified", 1); /* no other proof leaves proof_job_run */
    cli_json_u64(g, "partitions", r->partitions);
    cli_json_u64(g, "constraints", r->constraints);
    cli_json_begin(g, "timings_ms");
    cli_json_double(g, "load", ms(r->timings.load_ns));
    cli_json_double(g, "check", ms(r->timings.check_ns));
    cli_json_double(g, "synthesis", ms(r->timings.synthesis_ns));
    cli_json_double(g, "ntt", ms(r->timings.ntt_ns));
    cli_json_double(g, "msm", ms(r->timings.msm_ns));
    cli_json_double(g, "verify", ms(r->timings.verify_ns));
    cli_json_double(g, "total", ms(r->timings.total_ns));
    cli_json_end(g);
    cli_json_double(g, "cpu_seconds", (double)clock_process_cpu_ns() * 1e-9);
    cli_json_u64(g, "peak_rss_bytes", meminfo_peak_rss_bytes());
    cli_json_u64(g, "peak_anon_bytes", peak_anon);
    cli_json_string(g, "cpu", cpu_path_name(cpu_path()));
    cli_json_u64(g, "threads", pool_threads(o->job.pool));
    return cli_json_close(g);
}

static int print_text(const struct prove_options *o, const struct proof_result *r, const char *hex,
                      uint64_t peak_anon)
{
    const struct proof_timings *t = &r->timings;
    const double mib = 1048576.0;
    fprintf(stderr, "verified     %u partition%s of %" PRIu64 " rows, cpu path %s, %u thread%s\n",
            r->partitions, r->partitions == 1 ? "" : "s", r->constraints, cpu_path_name(cpu_path()),
            pool_threads(o->job.pool), pool_threads(o->job.pool) == 1 ? "" : "s");
    fprintf(stderr, "load         %9.0f ms   input, parameters, density of the circuit\n",
            ms(t->load_ns));
    fprintf(stderr, "check        %9.0f ms   vanilla proofs\n", ms(t->check_ns));
    fprintf(stderr, "synthesis    %9.0f ms\n", ms(t->synthesis_ns));
    fprintf(stderr, "ntt          %9.0f ms   H\n", ms(t->ntt_ns));
    fprintf(stderr, "msm          %9.0f ms\n", ms(t->msm_ns));
    fprintf(stderr, "verify       %9.0f ms\n", ms(t->verify_ns));
    if (t->faults > 0)
        fprintf(stderr,
                "faults       %9u      proofs that did not verify and were made again: "
                "this machine is not to be trusted\n",
                t->faults);
    fprintf(stderr, "total        %9.0f ms   %.1f CPU seconds\n", ms(t->total_ns),
            (double)clock_process_cpu_ns() * 1e-9);
    fprintf(stderr, "peak memory  %9.0f MiB  anonymous; %.0f MiB resident with mapped parameters\n",
            (double)peak_anon / mib, (double)meminfo_peak_rss_bytes() / mib);
    if (o->output == NULL)
        puts(hex);
    return cli_flush();
}

static int report(const struct prove_options *o, const struct proof_result *r, uint64_t peak_anon)
{
    size_t n = (size_t)r->partitions * PROOF_BYTES;
    char *hex = malloc(2 * n + 1);
    if (hex == NULL) {
        fputs("error: no memory for the proof's text (out-of-memory)\n", stderr);
        return -ERR_OS;
    }
    hex_encode(hex, r->proof, n);
    int rc = (o->json ? print_json : print_text)(o, r, hex, peak_anon);
    free(hex);
    return rc;
}

static int run(struct prove_options *o)
{
    struct error err;
    struct proof_result result;
    struct output_file output = {0};
    struct meminfo_sampler *sampler = NULL;
    int rc = pool_new(&o->job.pool, o->threads, &err);
    if (rc == 0 && o->output != NULL) /* before the work: a proof that can't be kept is lost */
        rc = output_file_init(&output, o->output, FILE_REPLACE, &err);
    if (rc == 0)
        rc = meminfo_sampler_new(&sampler, &err);
    if (rc == 0)
        rc = proof_job_run(&result, &o->job, &err);
    if (rc != 0) {
        rc = cli_fail(&err);
    } else {
        if (o->output != NULL)
            rc = output_file_write(&output, result.proof, (size_t)result.partitions * PROOF_BYTES,
                                   &err);
        if (o->output != NULL && rc == 0)
            rc = output_file_commit(&output, &err);
        rc = rc != 0 ? cli_fail(&err) : report(o, &result, meminfo_sampler_peak_bytes(sampler));
        proof_result_clean_up(&result);
    }
    output_file_clean_up(&output);
    meminfo_sampler_destroy(sampler);
    pool_destroy(o->job.pool);
    return rc;
}

int cmd_prove(int argc, char **argv)
{
    struct prove_options o = {.job.sink = &progress_stderr};
    int rc = parse(&o, argc, argv);
    return rc != 0 ? rc : run(&o);
}
