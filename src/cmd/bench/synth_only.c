/* cuzk-bench synth-only [--type KIND] INPUT --iterations N ... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/meminfo.h"
#include "cmd/bench/commands.h"
#include "cmd/cli.h"
#include "cmd/input.h"
#include "proof/synthesis.h"

static const char usage[] =
    "usage: cuzk-bench synth-only [--type porep|winning|window|snap] INPUT [--iterations N] "
    "[--path "
    "native|lc|all]\n"
    "                             [--threads N] [--json]\n" INPUT_USAGE
    "Without --type it is a PoRep, without --partition the first of its partitions.\n"
    "Rows per core-second: rows over the fastest iteration's CPU time. The first native iteration "
    "meets cold buffers.\n";

struct synth_options {
    struct input_options input;
    const char *path;
    unsigned iterations, threads;
    int json;
};

enum { OPT_PATH = INPUT_END, OPT_THREADS, OPT_JSON };

static int take_option(struct synth_options *o, int opt, const char *value)
{
    uint64_t n;
    int rc;
    switch (opt) {
    case 't':
        return input_kind(&o->input, value, usage);
    case OPT_PATH:
        o->path = value;
        return 0;
    case OPT_JSON:
        o->json = 1;
        return 0;
    case 'i':
        rc = cli_parse_u64(&n, "--iterations", value, 1000000);
        if (rc == 0)
            o->iterations = (unsigned)n;
        return rc;
    case OPT_THREADS:
        rc = cli_parse_u64(&n, "--threads", value, POOL_MAX_THREADS);
        if (rc == 0)
            o->threads = (unsigned)n;
        return rc;
    default:
        fputs(usage, stderr);
        return -ERR_USAGE;
    }
}

static int parse(struct synth_options *o, int argc, char **argv)
{
    static const struct option options[] = {INPUT_OPTIONS,
                                            {"type", required_argument, NULL, 't'},
                                            {"iterations", required_argument, NULL, 'i'},
                                            {"path", required_argument, NULL, OPT_PATH},
                                            {"threads", required_argument, NULL, OPT_THREADS},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {0}};
    int opt, rc = input_kind(&o->input, porep_kind.name, usage);
    while (rc == 0 && (opt = getopt_long(argc, argv, "i:t:", options, NULL)) != -1)
        rc = opt >= INPUT_C1 && opt < INPUT_END ? input_option(&o->input, opt, optarg)
                                                : take_option(o, opt, optarg);
    if (rc == 0)
        rc = input_complete(&o->input, usage);
    if (rc != 0)
        return rc;
    if (o->iterations == 0)
        return cli_usage(usage, "--iterations must be at least 1");
    if (optind != argc)
        return cli_usage(usage, "unexpected argument \"%.40s\"", argv[optind]);
    return 0;
}

static int print(const struct synth_options *o, enum synthesis_path path,
                 const struct synthesis_run *best, unsigned threads)
{
    const double rate = (double)best->rows / ((double)best->cpu_ns * 1e-9);
    if (!o->json) {
        printf("%-7s %" PRIu64
               " rows, best of %u: %.4f s wall, %.4f s CPU, %.2f million rows per core-second\n",
               synthesis_path_name(path), best->rows, o->iterations, (double)best->wall_ns * 1e-9,
               (double)best->cpu_ns * 1e-9, rate * 1e-6);
        return cli_flush();
    }
    char op[32];
    yajl_gen g = cli_json_open();
    snprintf(op, sizeof op, "%s_synth", o->input.kind->name);
    cli_json_string(g, "op", op);
    cli_json_string(g, "path", synthesis_path_name(path));
    cli_json_u64(g, "rows", best->rows);
    cli_json_u64(g, "iterations", o->iterations);
    cli_json_u64(g, "wall_ns", best->wall_ns);
    cli_json_u64(g, "cpu_ns", best->cpu_ns);
    cli_json_double(g, "rows_per_core_second", rate);
    cli_json_u64(g, "peak_rss_bytes", meminfo_peak_rss_bytes());
    cli_json_string(g, "cpu", cpu_path_name(cpu_path()));
    cli_json_u64(g, "threads", threads);
    cli_json_string(g, "machine", cpu_model());
    return cli_json_close(g);
}

static int run_path(const struct synth_options *o, enum synthesis_path path,
                    const struct proof_input *in, struct pool *pool, struct error *err)
{
    struct assignment reused = {0};
    struct synthesis_run best = {.cpu_ns = UINT64_MAX}, one;
    int rc = 0;
    for (unsigned i = 0; i < o->iterations && rc == 0; i++) {
        rc = synthesis_run(&one, &reused, path, in, in->first, pool, err);
        if (rc == 0 && one.cpu_ns < best.cpu_ns)
            best = one;
    }
    assignment_clean_up(&reused);
    return rc != 0 ? cli_fail(err) : print(o, path, &best, pool_threads(pool));
}

int cmd_synth_only(int argc, char **argv)
{
    struct synth_options o = {.path = "all", .iterations = 1};
    struct proof_input in = {0};
    struct pool *pool = NULL;
    struct error err;
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return cli_flush();
    }
    int rc = parse(&o, argc, argv), any = 0;
    if (rc != 0)
        return rc;
    if (pool_new(&pool, o.threads, &err) != 0)
        return cli_fail(&err);
    if (proof_input_decode(&in, o.input.kind, &o.input.request, ERR_DATA, &err) != 0 ||
        proof_input_check(&in, pool, NULL, &err) != 0)
        rc = cli_fail(&err);
    for (enum synthesis_path p = 0; p < SYNTHESIS_PATHS && rc == 0; p++) {
        if (strcmp(o.path, "all") != 0 && strcmp(o.path, synthesis_path_name(p)) != 0)
            continue;
        any = 1;
        rc = run_path(&o, p, &in, pool, &err);
    }
    if (rc == 0 && !any)
        rc = cli_usage(usage, "no path \"%.20s\"", o.path);
    proof_input_clean_up(&in);
    pool_destroy(pool);
    return rc;
}
