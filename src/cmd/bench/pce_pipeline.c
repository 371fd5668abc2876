/* cuzk-bench pce-pipeline: several proofs' synthesis by the recorded circuit, one after the other or side by side, and their memory. */
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/meminfo.h"
#include "cmd/bench/commands.h"
#include "cmd/bench/pce_run.h"
#include "cmd/cli.h"

const char pce_pipeline_usage[] =
    "usage: cuzk-bench pce-pipeline --c1 FILE [--sector-num N] [--miner-id N] [--partition N]\n"
    "           [-n N] [-j N] [--compare-old]\n"
    "Records the circuit once and synthesises the C1 with it again and again.\n" PCE_RUN_USAGE
    "  -n, --num-proofs N   how often (3)\n"
    "  -j, --parallel N     so many at once, the CPUs divided among them (one)\n"
    "  --compare-old        first once by linear combinations\n";

enum { OPT_COMPARE = INPUT_END, MAX_PROOFS = 100000, MAX_PARALLEL = POOL_MAX_THREADS };

struct pipeline_options {
    uint64_t proofs, parallel;
    int compare_old;
};

static int parse(struct pce_run *r, struct pipeline_options *o, int argc, char **argv)
{
    static const struct option options[] = {INPUT_OPTIONS,
                                            {"num-proofs", required_argument, NULL, 'n'},
                                            {"parallel", required_argument, NULL, 'j'},
                                            {"compare-old", no_argument, NULL, OPT_COMPARE},
                                            {0}};
    int opt, rc = input_kind(&r->input, porep_kind.name);
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "n:j:", options, &seen)) != -1) {
        if (opt == 'n')
            rc = cli_parse_u64(&o->proofs, "--num-proofs", optarg, MAX_PROOFS);
        else if (opt == 'j')
            rc = cli_parse_u64(&o->parallel, "--parallel", optarg, MAX_PARALLEL);
        else if (opt == OPT_COMPARE)
            o->compare_old = 1;
        else if (opt >= INPUT_C1 && opt < INPUT_END)
            rc = synth_input_option(&r->input, &r->miner, opt, optarg);
        else
            rc = -ERR_USAGE;
    }
    if (rc == 0)
        rc = input_complete(&r->input);
    if (rc == 0 && o->proofs == 0)
        rc = cli_usage("--num-proofs must be at least 1");
    if (o->parallel == 0)
        o->parallel = 1;
    return rc != 0          ? rc
           : optind == argc ? 0
                            : cli_usage("unexpected argument \"%.40s\"", argv[optind]);
}

__attribute__((format(printf, 1, 2))) static void print_rss(const char *fmt, ...)
{
    char label[64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(label, sizeof label, fmt, args);
    va_end(args);
    printf("  [RSS] %-40s %7.1f GiB\n", label, (double)meminfo_rss_bytes() / (1 << 30));
    fflush(stdout);
}

static void print_peak(const char *label)
{
    printf("%s%.1f GiB\n", label, (double)meminfo_peak_rss_bytes() / (1 << 30));
}

/* Frees what a proof held, to the last page. */
static void drop(struct synthesis *s)
{
    synthesis_clean_up(s);
    *s = (struct synthesis){0};
    malloc_trim(0);
}

static int old_path(const struct pce_run *r, struct error *err)
{
    struct pce_synthesis y;
    const uint64_t began = clock_monotonic_ns();
    puts("\n--- Old-path synthesis (for comparison, will drop) ---");
    int rc = pce_run_old_path(&y, r, err);
    if (rc != 0)
        return rc;
    printf("  old-path: synth=%.1fs  circuits=%u  constraints=%" PRIu64 "  wall=%.1fs\n",
           pce_seconds(y.wall_ns), r->in.count, y.rows, pce_seconds(clock_monotonic_ns() - began));
    malloc_trim(0);
    print_rss("old-path results DROPPED");
    return 0;
}

/* ---- one after the other ---- */

static int sequential(uint64_t *synth_ns, struct pce_run *r, uint64_t proofs, struct error *err)
{
    printf("\n--- Sequential PCE proofs (%" PRIu64 " iterations) ---\n", proofs);
    for (uint64_t i = 0; i < proofs; i++) {
        struct synthesis s = {.in = &r->in, .pool = r->pool, .recorded = &r->recorded};
        const uint64_t began = clock_monotonic_ns();
        struct pce_synthesis y;
        printf("\n  proof %" PRIu64 "/%" PRIu64 "\n", i + 1, proofs);
        fflush(stdout);
        int rc = pce_run_synthesize(&y, &s, SYNTHESIS_CSR, err);
        synth_ns[i] = y.wall_ns;
        if (rc == 0) {
            printf("    synth=%.1fs  circuits=%u  constraints=%" PRIu64 "  wall=%.1fs\n",
                   pce_seconds(y.wall_ns), r->in.count, y.rows,
                   pce_seconds(clock_monotonic_ns() - began));
            print_rss("proof %" PRIu64 " synthesis complete", i + 1);
        }
        drop(&s);
        if (rc != 0)
            return rc;
        print_rss("proof %" PRIu64 " results DROPPED", i + 1);
    }
    return 0;
}

static void sum_up_sequential(const struct pce_run *r, const uint64_t *synth_ns, uint64_t proofs)
{
    uint64_t sum = 0;
    puts("\n--- Summary (sequential) ---");
    printf("PCE extraction:  %.1fs (one-time, amortized)\n", pce_seconds(r->extract_ns));
    for (uint64_t i = 0; i < proofs; i++) {
        printf("  proof %2" PRIu64 " synth:  %.1fs\n", i + 1, pce_seconds(synth_ns[i]));
        sum += synth_ns[i];
    }
    if (proofs > 1)
        printf("  average synth:  %.1fs\n", pce_seconds(sum) / (double)proofs);
    print_peak("  peak RSS:       ");
    print_rss("final (after all proofs dropped)");
}

/* ---- side by side ---- */

/* A pipeline's thread has its share of the CPUs. */
struct pipeline {
    pthread_t thread;
    struct synthesis s;
    struct pce_synthesis y;
    struct error err;
    int rc;
};

static void *pipeline_main(void *arg)
{
    struct pipeline *p = arg;
    p->rc = pce_run_synthesize(&p->y, &p->s, SYNTHESIS_CSR, &p->err);
    return NULL;
}

static int pipeline_start(struct pipeline *p, struct pce_run *r, unsigned threads,
                          struct error *err)
{
    p->s = (struct synthesis){.in = &r->in, .recorded = &r->recorded};
    int rc = pool_new(&p->s.pool, threads, err);
    if (rc != 0)
        return rc;
    if (pthread_create(&p->thread, NULL, pipeline_main, p) == 0)
        return 0;
    pool_destroy(p->s.pool);
    return error_set(err, ERR_OS, "no-threads", "no thread for another pipeline");
}

/* n at once. The first failure counts. */
static int wave(uint64_t *synth_ns, struct pipeline *p, struct pce_run *r, uint64_t number,
                uint64_t n, unsigned threads, struct error *err)
{
    const uint64_t began = clock_monotonic_ns();
    uint64_t started = 0;
    int rc = 0;
    printf("\n  wave %" PRIu64 " (%" PRIu64 " concurrent syntheses)\n", number, n);
    fflush(stdout);
    while (rc == 0 && started < n) {
        rc = pipeline_start(&p[started], r, threads, err);
        started += rc == 0;
    }
    for (uint64_t j = 0; j < started; j++)
        pthread_join(p[j].thread, NULL);
    const uint64_t wall_ns = clock_monotonic_ns() - began;
    print_rss("wave %" PRIu64 " all %" PRIu64 " syntheses complete", number, started);
    for (uint64_t j = 0; j < started; j++) {
        synth_ns[j] = p[j].y.wall_ns;
        if (p[j].rc == 0)
            printf("    pipeline %" PRIu64 ": synth=%.1fs  circuits=%u\n", j,
                   pce_seconds(p[j].y.wall_ns), r->in.count);
        if (p[j].rc != 0 && rc == 0) {
            rc = p[j].rc;
            *err = p[j].err;
        }
        pool_destroy(p[j].s.pool);
        drop(&p[j].s);
    }
    printf("    wave wall=%.1fs\n", pce_seconds(wall_ns));
    print_rss("wave %" PRIu64 " results DROPPED", number);
    return rc;
}

static int parallel(uint64_t *synth_ns, struct pce_run *r, const struct pipeline_options *o,
                    struct error *err)
{
    const unsigned share = pool_threads(r->pool) / (unsigned)o->parallel;
    struct pipeline *p = calloc(o->parallel, sizeof *p);
    if (p == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the pipelines");
    printf("\n--- Parallel PCE proofs (%" PRIu64 " proofs, %" PRIu64 " concurrent) ---\n",
           o->proofs, o->parallel);
    int rc = 0;
    uint64_t n, number = 1;
    for (uint64_t done = 0; done < o->proofs && rc == 0; done += n) {
        n = o->proofs - done < o->parallel ? o->proofs - done : o->parallel;
        rc = wave(synth_ns + done, p, r, number++, n, share > 0 ? share : 1, err);
    }
    free(p);
    return rc;
}

static void sum_up_parallel(const struct pce_run *r, const uint64_t *synth_ns,
                            const struct pipeline_options *o)
{
    uint64_t sum = 0, most = 0;
    for (uint64_t i = 0; i < o->proofs; i++) {
        sum += synth_ns[i];
        most = synth_ns[i] > most ? synth_ns[i] : most;
    }
    printf("\n--- Summary (parallel, j=%" PRIu64 ") ---\n", o->parallel);
    printf("PCE extraction:     %.1fs (one-time)\n", pce_seconds(r->extract_ns));
    printf("total proofs:       %" PRIu64 "\n", o->proofs);
    printf("avg synth/proof:    %.1fs\n", pce_seconds(sum) / (double)o->proofs);
    printf("max synth/proof:    %.1fs\n", pce_seconds(most));
    print_peak("peak RSS:           ");
    print_rss("final (after all dropped)");
}

static int run(uint64_t *synth_ns, struct pce_run *r, const struct pipeline_options *o,
               struct error *err)
{
    int rc = pce_run_load(r, err);
    if (rc != 0)
        return rc;
    print_rss("after c1 load");
    if (o->compare_old)
        rc = old_path(r, err);
    if (rc == 0)
        rc = pce_run_extract(r, "PCE Extraction (one-time)", err);
    if (rc != 0)
        return rc;
    print_rss("after PCE extraction");
    meminfo_reset_peak_rss();
    rc = o->parallel > 1 ? parallel(synth_ns, r, o, err) : sequential(synth_ns, r, o->proofs, err);
    if (rc != 0)
        return rc;
    if (o->parallel > 1)
        sum_up_parallel(r, synth_ns, o);
    else
        sum_up_sequential(r, synth_ns, o->proofs);
    return 0;
}

int cmd_pce_pipeline(int argc, char **argv)
{
    struct pce_run r = {.miner = 1000};
    struct pipeline_options o = {.proofs = 3};
    struct error err;
    int code = parse(&r, &o, argc, argv);
    if (code != 0)
        return code;
    puts("=== PCE Pipeline Benchmark ===");
    printf("c1:         %s\n", r.input.request.path);
    printf("sector:     %" PRIu64 " (miner %" PRIu64 ")\n", synth_sector(&r.input), r.miner);
    printf("num_proofs: %" PRIu64 "\n", o.proofs);
    printf("parallel:   %" PRIu64 " (%s)\n", o.parallel,
           o.parallel > 1 ? "concurrent pipelines" : "sequential");
    printf("compare:    %s\n\n", o.compare_old ? "old + PCE" : "PCE only");
    uint64_t *synth_ns = calloc(o.proofs, sizeof *synth_ns);
    int rc = synth_ns == NULL ? error_set(&err, ERR_OS, "out-of-memory", "no memory for the times")
                              : run(synth_ns, &r, &o, &err);
    code = rc != 0 ? cli_fail(&err) : cli_flush();
    free(synth_ns);
    pce_run_clean_up(&r);
    return code;
}
