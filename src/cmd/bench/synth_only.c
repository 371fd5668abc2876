/* cuzk-bench synth-only [--type KIND] INPUT --iterations N ... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/meminfo.h"
#include "cmd/bench/allocator.h"
#include "cmd/bench/commands.h"
#include "cmd/bench/synth_input.h"
#include "cmd/bench/synth_report.h"
#include "cmd/cli.h"

const char synth_only_usage[] =
    "usage: cuzk-bench synth-only [--type porep|winning|window|snap] INPUT [--iterations N]\n"
    "           [--path native|csr|lc|all] [--lc-storage vec|inline1|inline2|inline4] [--presize]\n"
    "           [--lc-by-value] [--recorded templates|flat] [--param-cache DIR] [--allocator "
    "glibc|jemalloc]\n"
    "           [--threads N] [--validate] [--counters] [--json]\n" INPUT_USAGE
    "Without --type it is a PoRep, without --partition (or with --partition all) all its "
    "partitions, one after the other.\n"
    "  --path        native (the default); csr: the recorded circuit times the witness; lc: linear "
    "combinations,\n"
    "                the reference's way\n"
    "  --lc-storage  where lc keeps terms: on the heap (vec), or 1, 2 or 4 inside and more on the "
    "heap\n"
    "  --presize     lc's row vectors have their room from the start\n"
    "  --lc-by-value lc's additions copy the combination out and in, as code that passes it by "
    "value may\n"
    "  --recorded    csr reads DIR/pce-....templates (recorded now if absent) or the flat "
    "DIR/pce-....bin\n"
    "  --validate    every value of csr and lc must equal native's, every row must hold; lc's rows "
    "are then not kept\n"
    "  --counters    hardware counters\n"
    "Rows per core-second: rows over the fastest iteration's CPU time. The first native iteration "
    "meets cold buffers.\n";

enum {
    OPT_PATH = INPUT_END,
    OPT_STORAGE,
    OPT_PRESIZE,
    OPT_BY_VALUE,
    OPT_RECORDED,
    OPT_CACHE,
    OPT_ALLOCATOR,
    OPT_THREADS,
    OPT_VALIDATE,
    OPT_COUNTERS,
    OPT_JSON
};

static int take_number(unsigned *out, const char *option, const char *value, uint64_t max)
{
    uint64_t n;
    int rc = cli_parse_u64(&n, option, value, max);
    if (rc == 0)
        *out = (unsigned)n;
    return rc;
}

static int take_option(struct synth_options *o, int opt, const char *value)
{
    switch (opt) {
    case 't':
        return input_kind(&o->input, value);
    case 'i':
        return take_number(&o->iterations, "--iterations", value, 1000000);
    case OPT_THREADS:
        return take_number(&o->threads, "--threads", value, POOL_MAX_THREADS);
    case OPT_PATH:
        o->path = value;
        return 0;
    case OPT_STORAGE:
        o->storage = value;
        return 0;
    case OPT_RECORDED:
        o->recorded = value;
        return 0;
    case OPT_CACHE:
        o->param_cache = value;
        return 0;
    case OPT_ALLOCATOR:
        o->allocator = value;
        return 0;
    case OPT_PRESIZE:
        o->presize = 1;
        return 0;
    case OPT_BY_VALUE:
        o->by_value = 1;
        return 0;
    case OPT_VALIDATE:
        o->validate = 1;
        return 0;
    case OPT_COUNTERS:
        o->counters = 1;
        return 0;
    case OPT_JSON:
        o->json = 1;
        return 0;
    default:
        return -ERR_USAGE;
    }
}

static int wanted(const struct synth_options *o, enum synthesis_path path)
{
    return strcmp(o->path, "all") == 0 || strcmp(o->path, synthesis_path_name(path)) == 0;
}

/* LC_LIST if there is no such storage. */
static enum lc_storage storage_of(const char *name)
{
    enum lc_storage s = LC_VEC;
    while (s < LC_STORAGES && strcmp(lc_storage_name(s), name) != 0)
        s++;
    return s < LC_STORAGES ? s : LC_LIST;
}

/* PCE_FORMS if there is no such form. */
static enum pce_form form_of(const char *name)
{
    enum pce_form f = 0;
    while (f < PCE_FORMS && strcmp(pce_form_name(f), name) != 0)
        f++;
    return f;
}

static int check_options(const struct synth_options *o)
{
    int paths = 0;
    for (enum synthesis_path p = 0; p < SYNTHESIS_PATHS; p++)
        paths += wanted(o, p);
    if (paths == 0)
        return cli_usage("no path \"%.20s\"", o->path);
    if (storage_of(o->storage) == LC_LIST)
        return cli_usage("no storage \"%.20s\"", o->storage);
    if (form_of(o->recorded) == PCE_FORMS)
        return cli_usage("no recorded form \"%.20s\"", o->recorded);
    if (o->iterations == 0)
        return cli_usage("--iterations must be at least 1");
    return 0;
}

static int parse(struct synth_options *o, int argc, char **argv)
{
    static const struct option options[] = {INPUT_OPTIONS,
                                            {"type", required_argument, NULL, 't'},
                                            {"iterations", required_argument, NULL, 'i'},
                                            {"path", required_argument, NULL, OPT_PATH},
                                            {"lc-storage", required_argument, NULL, OPT_STORAGE},
                                            {"presize", no_argument, NULL, OPT_PRESIZE},
                                            {"lc-by-value", no_argument, NULL, OPT_BY_VALUE},
                                            {"recorded", required_argument, NULL, OPT_RECORDED},
                                            {"param-cache", required_argument, NULL, OPT_CACHE},
                                            {"allocator", required_argument, NULL, OPT_ALLOCATOR},
                                            {"threads", required_argument, NULL, OPT_THREADS},
                                            {"validate", no_argument, NULL, OPT_VALIDATE},
                                            {"counters", no_argument, NULL, OPT_COUNTERS},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {0}};
    int opt, rc = input_kind(&o->input, porep_kind.name);
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "i:t:", options, &seen)) != -1)
        rc = opt >= INPUT_C1 && opt < INPUT_END
                 ? synth_input_option(&o->input, &o->miner, opt, optarg)
                 : take_option(o, opt, optarg);
    if (rc == 0)
        rc = input_complete(&o->input);
    if (rc == 0)
        rc = check_options(o);
    if (rc != 0)
        return rc;
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    return 0;
}

/* ---- the recorded circuit ---- */

static int open_recorded(struct pce *p, const struct synth_options *o, const struct proof_input *in,
                         struct error *err)
{
    const struct circuit *circuit = circuit_of(in->kind->circuit, in->size);
    const char *dir = cli_param_dir(o->param_cache);
    const enum pce_form form = form_of(o->recorded);
    char *path = pce_path(circuit, dir, form);
    if (path == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a file's name");
    int absent = access(path, F_OK) != 0;
    if (absent && form == PCE_TEMPLATES)
        fprintf(stderr,
                "%s is not there: recording for this run (cuzk pce record --circuit %s --templates "
                "keeps it)\n",
                path, circuit_names(circuit)->id);
    free(path);
    if (absent && form == PCE_TEMPLATES)
        return synth_record(p, circuit, err);
    int rc = pce_open(p, circuit, dir, form, err);
    if (rc == 0 && form == PCE_FLAT && p->flat.sums.block == NULL)
        fprintf(stderr,
                "%s has no checksums: an altered coefficient would only show with --validate or in "
                "cuzk pce verify\n",
                p->path);
    return rc;
}

/* ---- running ---- */

static void add(struct synthesis_run *sum, const struct synthesis_run *one)
{
    sum->wall_ns += one->wall_ns;
    sum->cpu_ns += one->cpu_ns;
    sum->system_ns += one->system_ns;
    sum->witness_cpu_ns += one->witness_cpu_ns;
    sum->allocated.allocations += one->allocated.allocations;
    sum->allocated.bytes += one->allocated.bytes;
    for (int i = 0; i < PERF_COUNTERS; i++)
        sum->counters[i] = one->counters[i] == PERF_UNSUPPORTED
                               ? PERF_UNSUPPORTED
                               : sum->counters[i] + one->counters[i];
}

static int iterate(struct synth_iteration *it, struct synthesis *s, enum synthesis_path path,
                   struct error *err)
{
    const struct proof_input *in = s->in;
    uint64_t began = clock_monotonic_ns();
    for (unsigned k = 0; k < in->count; k++) {
        struct synthesis_run one;
        int rc = synthesis_run(&one, s, path, in->first + k, err);
        if (rc != 0) {
            error_prefix(err, "partition %u", in->first_number + in->first + k);
            return rc;
        }
        if (k == 0) {
            it->sum.rows = one.rows;
            it->sum.aux = one.aux;
        }
        add(&it->sum, &one);
    }
    it->wall_ns = clock_monotonic_ns() - began;
    return 0;
}

static int run_path(struct synth_result *r, const struct synth_options *o, struct synthesis *s,
                    struct error *err)
{
    r->circuits = s->in->count;
    r->iteration = calloc(o->iterations, sizeof *r->iteration);
    if (r->iteration == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the results");
    if (!o->json && strcmp(o->path, "all") == 0)
        printf("\n--- Path: %s ---\n", synthesis_path_name(r->path));
    meminfo_reset_peak_rss();
    for (unsigned i = 0; i < o->iterations; i++) {
        if (!o->json)
            synth_print_log(o, s->in, i);
        int rc = iterate(&r->iteration[i], s, r->path, err);
        if (rc != 0)
            return rc;
        if (!o->json)
            synth_print_iteration(&r->iteration[i], i, r->circuits);
    }
    r->peak_rss_bytes = meminfo_peak_rss_bytes();
    if (!o->json)
        synth_print_summary(r, o->iterations);
    return 0;
}

static int run_paths(const struct synth_options *o, struct synthesis *s, struct error *err)
{
    struct synth_result result[SYNTHESIS_PATHS] = {0};
    size_t n = 0;
    int rc = 0, code = 0;
    for (enum synthesis_path p = 0; p < SYNTHESIS_PATHS && rc == 0; p++) {
        if (!wanted(o, p))
            continue;
        result[n].path = p;
        rc = run_path(&result[n++], o, s, err);
    }
    if (rc != 0)
        code = cli_fail(err);
    else if (!o->json)
        synth_print_table(o, result, n);
    for (size_t i = 0; i < n && code == 0 && o->json; i++)
        code = synth_print_json(o, &result[i], pool_threads(s->pool));
    for (size_t i = 0; i < n; i++)
        free(result[i].iteration);
    return code != 0 ? code : cli_flush();
}

/* Counters are opened before the pool's threads start: those inherit them. */
static int run(const struct synth_options *o, const struct perf_counters *counters)
{
    struct proof_input in = {0};
    struct pce recorded = {0};
    struct synthesis s = {.in = &in,
                          .counters = counters,
                          .storage = storage_of(o->storage),
                          .presize = o->presize,
                          .by_value = o->by_value,
                          .validate = o->validate,
                          .recorded = &recorded};
    struct error err;
    if (!o->json)
        synth_print_header(o);
    int code, rc = pool_new(&s.pool, o->threads, &err);
    if (rc == 0)
        rc = synth_take_input(&in, &o->input, s.pool, &err);
    if (rc == 0 && !o->json)
        synth_print_loaded(o);
    if (rc == 0 && wanted(o, SYNTHESIS_CSR))
        rc = open_recorded(&recorded, o, &in, &err);
    code = rc != 0 ? cli_fail(&err) : run_paths(o, &s, &err);
    synthesis_clean_up(&s);
    pce_close(&recorded);
    proof_input_clean_up(&in);
    pool_destroy(s.pool);
    return code;
}

int cmd_synth_only(int argc, char **argv)
{
    struct synth_options o = {.path = "native",
                              .storage = "vec",
                              .recorded = "templates",
                              .miner = 1000,
                              .iterations = 1};
    struct perf_counters counters;
    struct error err;
    int rc = parse(&o, argc, argv);
    /* argv[-1] is the program's name: the command is argv[0]. */
    if (rc == 0 && o.allocator != NULL && allocator_choose(o.allocator, argv - 1, &err) != 0)
        rc = cli_fail(&err);
    if (rc != 0)
        return rc;
    if (!o.counters)
        return run(&o, NULL);
    perf_counters_open(&counters);
    rc = run(&o, &counters);
    perf_counters_close(&counters);
    return rc;
}
