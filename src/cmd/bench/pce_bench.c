/* cuzk-bench pce-bench: synthesis by the recorded circuit beside the reference's way, and whether both agree. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/bench/commands.h"
#include "cmd/bench/pce_run.h"
#include "cmd/cli.h"

const char pce_bench_usage[] =
    "usage: cuzk-bench pce-bench --c1 FILE [--sector-num N] [--miner-id N] [--partition N]\n"
    "           [--save-pce PATH] [--validate]\n"
    "Synthesis by linear combinations, recording the circuit, synthesis by the recorded circuit, "
    "and a comparison.\n" PCE_RUN_USAGE
    "  --save-pce PATH   writes the reference's PCE file (32 GiB: 25.7 GiB), its checksums to "
    "PATH.sums, and verifies both\n"
    "  --validate        every row value must be the same on both paths and every row hold: always "
    "done\n";

enum { OPT_SAVE = INPUT_END, OPT_VALIDATE };

static int parse(struct pce_run *r, const char **save, int argc, char **argv)
{
    static const struct option options[] = {INPUT_OPTIONS,
                                            {"save-pce", required_argument, NULL, OPT_SAVE},
                                            {"validate", no_argument, NULL, OPT_VALIDATE},
                                            {0}};
    int opt, rc = input_kind(&r->input, porep_kind.name);
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        if (opt == OPT_SAVE)
            *save = optarg;
        else if (opt >= INPUT_C1 && opt < INPUT_END)
            rc = synth_input_option(&r->input, &r->miner, opt, optarg);
        else if (opt != OPT_VALIDATE)
            rc = -ERR_USAGE;
    }
    if (rc == 0)
        rc = input_complete(&r->input);
    return rc != 0          ? rc
           : optind == argc ? 0
                            : cli_usage("unexpected argument \"%.40s\"", argv[optind]);
}

static void print_synthesis(const struct pce_synthesis *y, unsigned circuits)
{
    printf("  synth=%.1fs  circuits=%u  constraints=%" PRIu64 "\n", pce_seconds(y->wall_ns),
           circuits, y->rows);
    fflush(stdout);
}

static void print_results(const struct pce_synthesis *old, const struct pce_synthesis *recorded,
                          uint64_t extract_ns)
{
    puts("\n--- Results ---");
    printf("baseline synth: %.1fs\n", pce_seconds(old->wall_ns));
    printf("PCE synth:      %.1fs\n", pce_seconds(recorded->wall_ns));
    printf("speedup:        %.2fx\n", (double)old->wall_ns / (double)recorded->wall_ns);
    printf("PCE extract:    %.1fs (one-time cost)\n", pce_seconds(extract_ns));
    fflush(stdout);
}

static void print_fail(unsigned circuit, const struct comparison_faults *f)
{
    printf("  circuit %u: FAIL (a: %" PRIu64 " mismatches, b: %" PRIu64 " mismatches, c: %" PRIu64
           " mismatches, first_a_at: ",
           circuit, f[COMPARED_A].differing, f[COMPARED_B].differing, f[COMPARED_C].differing);
    if (f[COMPARED_A].differing > 0)
        printf("Some(%" PRIu64 "))\n", f[COMPARED_A].first);
    else
        puts("None)");
}

/* Both paths against the native one: the old path was when it ran, the recorded circuit is now. */
static int validate(int *differ, struct synthesis *s, struct error *err)
{
    *differ = 0;
    puts("\n--- Correctness Validation ---");
    s->validate = 1;
    for (unsigned k = 0; k < s->in->count; k++) {
        struct synthesis_run run;
        int rc = synthesis_run(&run, s, SYNTHESIS_CSR, s->in->first + k, err);
        if (rc == 0) {
            printf("  circuit %u: PASS (all %" PRIu64 " constraints match)\n", k, run.rows);
        } else if (strcmp(err->cause, "paths-differ") == 0) {
            print_fail(k, run.faults);
            *differ = 1;
        } else {
            return rc;
        }
        fflush(stdout);
    }
    puts(*differ ? "  VALIDATION FAILED — PCE output differs from baseline"
                 : "  ALL CIRCUITS MATCH — PCE is correct!");
    return 0;
}

static int save(const struct pce_run *r, const char *path, struct error *err)
{
    struct pce loaded = {0};
    uint64_t began = clock_monotonic_ns(), ns;
    puts("\n--- Saving PCE to disk ---");
    fflush(stdout);
    int rc = pce_save_flat(&r->recorded, path, err);
    if (rc != 0)
        return rc;
    ns = clock_monotonic_ns() - began;
    rc = pce_open_file(&loaded, r->recorded.circuit, path, PCE_FLAT, err);
    if (rc != 0)
        return rc;
    const double bytes = (double)loaded.file_bytes;
    printf("  saved to: %s  size=%.1f GiB  time=%.1fs  speed=%.1f GB/s\n", path, bytes / (1 << 30),
           pce_seconds(ns), bytes / (double)ns);
    puts("\n--- Verifying round-trip load ---");
    fflush(stdout);
    began = clock_monotonic_ns();
    rc = pce_verify(&loaded, NULL, err);
    ns = clock_monotonic_ns() - began;
    pce_close(&loaded);
    if (rc != 0)
        return rc;
    printf("  loaded in %.1fs  speed=%.1f GB/s\n", pce_seconds(ns), bytes / (double)ns);
    puts("  round-trip verification: PASS");
    return 0;
}

static int run(struct pce_run *r, const char *save_to, int *differ, struct error *err)
{
    struct pce_synthesis old, recorded;
    int rc = save_to != NULL ? output_file_check(save_to, FILE_REPLACE, err) : 0;
    if (rc == 0)
        rc = pce_run_load(r, err);
    if (rc != 0)
        return rc;
    puts("\n--- Step 1: Baseline synthesis (old path) ---");
    rc = pce_run_old_path(&old, r, err);
    if (rc != 0)
        return rc;
    print_synthesis(&old, r->in.count);
    rc = pce_run_extract(r, "Step 2: PCE extraction (RecordingCS)", err);
    if (rc != 0)
        return rc;
    struct synthesis s = {.in = &r->in, .pool = r->pool, .recorded = &r->recorded};
    puts("\n--- Step 3: PCE synthesis (WitnessCS + MatVec) ---");
    fflush(stdout);
    rc = pce_run_synthesize(&recorded, &s, SYNTHESIS_CSR, err);
    if (rc == 0) {
        print_synthesis(&recorded, r->in.count);
        print_results(&old, &recorded, r->extract_ns);
        rc = validate(differ, &s, err);
    }
    synthesis_clean_up(&s);
    return rc == 0 && save_to != NULL && !*differ ? save(r, save_to, err) : rc;
}

int cmd_pce_bench(int argc, char **argv)
{
    struct pce_run r = {.miner = 1000};
    const char *save_to = NULL;
    struct error err;
    int differ = 0;
    int code = parse(&r, &save_to, argc, argv);
    if (code != 0)
        return code;
    puts("=== PCE Benchmark ===");
    printf("c1:       %s\n", r.input.request.path);
    printf("sector:   %" PRIu64 " (miner %" PRIu64 ")\n\n", synth_sector(&r.input), r.miner);
    code = run(&r, save_to, &differ, &err) != 0 ? cli_fail(&err) : cli_flush();
    pce_run_clean_up(&r);
    return code != 0 ? code : differ ? -ERR_SOFTWARE : 0;
}
