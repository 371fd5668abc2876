/* cuzk-bench synth-only --c1 F --iterations N ... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/meminfo.h"
#include "cmd/bench/commands.h"
#include "cmd/cli.h"
#include "proof/synthesis.h"

static const char usage[] =
    "usage: cuzk-bench synth-only --c1 FILE [--iterations N] [--partition N] [--path "
    "native|lc|all] [--threads N] [--json]\n"
    "Rows per core-second: rows over the fastest iteration's CPU time. The first native iteration "
    "meets cold buffers.\n";

struct synth_options {
    const char *c1, *path;
    unsigned iterations, partition, threads;
    int json;
};

static int parse(struct synth_options *o, int argc, char **argv)
{
    enum { OPT_C1 = 256, OPT_PARTITION, OPT_PATH, OPT_THREADS, OPT_JSON };
    static const struct option options[] = {{"c1", required_argument, NULL, OPT_C1},
                                            {"iterations", required_argument, NULL, 'i'},
                                            {"partition", required_argument, NULL, OPT_PARTITION},
                                            {"path", required_argument, NULL, OPT_PATH},
                                            {"threads", required_argument, NULL, OPT_THREADS},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {0}};
    int opt, rc = 0;
    uint64_t n;
    while (rc == 0 && (opt = getopt_long(argc, argv, "i:", options, NULL)) != -1) {
        switch (opt) {
        case OPT_C1:
            o->c1 = optarg;
            break;
        case OPT_PATH:
            o->path = optarg;
            break;
        case OPT_JSON:
            o->json = 1;
            break;
        case 'i':
            rc = cli_parse_u64(&n, "--iterations", optarg, 1000000);
            if (rc == 0)
                o->iterations = (unsigned)n;
            break;
        case OPT_PARTITION:
            rc = cli_parse_u64(&n, "--partition", optarg, 125);
            if (rc == 0)
                o->partition = (unsigned)n;
            break;
        case OPT_THREADS:
            rc = cli_parse_u64(&n, "--threads", optarg, POOL_MAX_THREADS);
            if (rc == 0)
                o->threads = (unsigned)n;
            break;
        default:
            fputs(usage, stderr);
            return -ERR_USAGE;
        }
    }
    if (rc != 0)
        return rc;
    if (o->c1 == NULL)
        return cli_usage(usage, "--c1 FILE is missing");
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
    yajl_gen g = cli_json_open();
    cli_json_string(g, "op", "porep_synth");
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
                    const struct porep_vanilla *v, struct pool *pool, struct error *err)
{
    struct assignment reused = {0};
    struct synthesis_run best = {.cpu_ns = UINT64_MAX}, one;
    int rc = 0;
    for (unsigned i = 0; i < o->iterations && rc == 0; i++) {
        rc = synthesis_run(&one, &reused, path, v, o->partition, pool, err);
        if (rc == 0 && one.cpu_ns < best.cpu_ns)
            best = one;
    }
    assignment_clean_up(&reused);
    return rc != 0 ? cli_fail(err) : print(o, path, &best, pool_threads(pool));
}

int cmd_synth_only(int argc, char **argv)
{
    struct synth_options o = {.path = "all", .iterations = 1};
    struct porep_vanilla v = {0};
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
    if (porep_vanilla_read(&v, o.c1, &err) != 0 || porep_vanilla_check(&v, pool, NULL, &err) != 0)
        rc = cli_fail(&err);
    if (rc == 0 && o.partition >= v.partitions)
        rc = cli_usage(usage, "%s has %zu partitions", o.c1, v.partitions);
    for (enum synthesis_path p = 0; p < SYNTHESIS_PATHS && rc == 0; p++) {
        if (strcmp(o.path, "all") != 0 && strcmp(o.path, synthesis_path_name(p)) != 0)
            continue;
        any = 1;
        rc = run_path(&o, p, &v, pool, &err);
    }
    if (rc == 0 && !any)
        rc = cli_usage(usage, "no path \"%.20s\"", o.path);
    porep_vanilla_clean_up(&v);
    pool_destroy(pool);
    return rc;
}
