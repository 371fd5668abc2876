#include "cmd/bench/synth_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "cmd/bench/allocator.h"
#include "cmd/bench/synth_input.h"
#include "cmd/cli.h"

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

/* ---- the reference's lines ---- */

void synth_print_header(const struct synth_options *o)
{
    const int partition = o->input.request.partition;
    puts("=== Synthesis Microbenchmark ===");
    if (o->input.kind == &porep_kind) {
        printf("c1:         %s\n", o->input.request.path);
        printf("sector:     %" PRIu64 " (miner %" PRIu64 ")\n", synth_sector(&o->input), o->miner);
    } else {
        printf("vanilla:    %s\n", o->input.request.path);
        printf("type:       %s\n", o->input.kind->name);
    }
    if (partition == ALL_PARTITIONS)
        puts("partition:  all");
    else
        printf("partition:  %d\n", partition);
    printf("iterations: %u\n\n", o->iterations);
    fflush(stdout);
}

void synth_print_loaded(const struct synth_options *o)
{
    printf("%s  %lld bytes\n", o->input.kind == &porep_kind ? "c1 loaded:" : "loaded:   ",
           synth_input_bytes(&o->input));
    fflush(stdout);
}

/* As the reference logs it: UTC with microseconds, level, span, message and fields. */
void synth_print_log(const struct synth_options *o, const struct proof_input *in, unsigned i)
{
    struct timespec now;
    struct tm utc;
    char date[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    printf("%s.%06ldZ  INFO ", date, now.tv_nsec / 1000);
    if (o->input.request.partition == ALL_PARTITIONS)
        printf(
            "synthesize_%s_c2_batch{job_id=\"synth-bench-%u\"}: building circuits for all "
            "partitions (parallel) num_partitions=%u\n",
            o->input.kind->name, i, in->count);
    else
        printf("synthesize_%s_c2{job_id=\"synth-bench-%u\" partition=%d}: building the circuit\n",
               o->input.kind->name, i, o->input.request.partition);
    fflush(stdout);
}

void synth_print_iteration(const struct synth_iteration *it, unsigned i, unsigned circuits)
{
    printf("  [%u] wall=%.1fs  synth=%.1fs  circuits=%u  constraints=%" PRIu64 "\n", i + 1,
           seconds(it->wall_ns), seconds(it->sum.wall_ns), circuits, it->sum.rows);
    fflush(stdout);
}

void synth_print_summary(const struct synth_result *r, unsigned iterations)
{
    uint64_t wall = 0, synth = 0, wall_min = UINT64_MAX, synth_min = UINT64_MAX;
    if (iterations < 2)
        return;
    for (unsigned i = 0; i < iterations; i++) {
        const struct synth_iteration *it = &r->iteration[i];
        wall += it->wall_ns;
        synth += it->sum.wall_ns;
        wall_min = it->wall_ns < wall_min ? it->wall_ns : wall_min;
        synth_min = it->sum.wall_ns < synth_min ? it->sum.wall_ns : synth_min;
    }
    printf("\n=== Summary (%u iterations) ===\n", iterations);
    printf("wall:   avg=%.1fs  min=%.1fs\n", seconds(wall) / iterations, seconds(wall_min));
    printf("synth:  avg=%.1fs  min=%.1fs\n", seconds(synth) / iterations, seconds(synth_min));
}

/* ---- ours ---- */

static const struct synthesis_run *fastest(const struct synth_result *r, unsigned iterations)
{
    const struct synthesis_run *best = &r->iteration[0].sum;
    for (unsigned i = 1; i < iterations; i++)
        if (r->iteration[i].sum.cpu_ns < best->cpu_ns)
            best = &r->iteration[i].sum;
    return best;
}

static int by_size(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static uint64_t median_cpu(const struct synth_result *r, unsigned iterations)
{
    uint64_t median = 0, *cpu = malloc(iterations * sizeof *cpu);
    if (cpu == NULL)
        return 0;
    for (unsigned i = 0; i < iterations; i++)
        cpu[i] = r->iteration[i].sum.cpu_ns;
    qsort(cpu, iterations, sizeof *cpu, by_size);
    median =
        iterations % 2 ? cpu[iterations / 2] : (cpu[iterations / 2 - 1] + cpu[iterations / 2]) / 2;
    free(cpu);
    return median;
}

static double rate(const struct synth_result *r, const struct synthesis_run *best)
{
    return (double)best->rows * r->circuits / seconds(best->cpu_ns);
}

static const char *variant(char out[32], const struct synth_options *o, enum synthesis_path path)
{
    if (path == SYNTHESIS_LC)
        snprintf(out, 32, "lc %s%s%s", o->storage, o->presize ? " presized" : "",
                 o->by_value ? " moved" : "");
    else if (path == SYNTHESIS_CSR)
        snprintf(out, 32, "csr %s", o->recorded);
    else
        snprintf(out, 32, "native");
    return out;
}

static void print_counters(const struct synth_result *r, const struct synthesis_run *best,
                           const char *name)
{
    printf("%-20s", name);
    for (int i = 0; i < PERF_COUNTERS; i++) {
        printf("  %s ", perf_counter_name(i));
        if (best->counters[i] == PERF_UNSUPPORTED)
            printf("not supported here");
        else
            printf("%.3f/row", (double)best->counters[i] / ((double)best->rows * r->circuits));
    }
    putchar('\n');
}

void synth_print_table(const struct synth_options *o, const struct synth_result *result, size_t n)
{
    char name[32];
    printf("\n%-20s %10s %10s %10s %10s %15s %14s %14s %10s\n", "path", "wall s", "CPU s",
           "kernel s", "median", "M rows/core-s", "allocations", "bytes", "peak MiB");
    for (size_t i = 0; i < n; i++) {
        const struct synth_result *r = &result[i];
        const struct synthesis_run *best = fastest(r, o->iterations);
        printf("%-20s %10.4f %10.4f %10.4f %10.4f %15.2f %14" PRIu64 " %14" PRIu64 " %10.0f\n",
               variant(name, o, r->path), seconds(best->wall_ns), seconds(best->cpu_ns),
               seconds(best->system_ns), seconds(median_cpu(r, o->iterations)),
               rate(r, best) * 1e-6, best->allocated.allocations, best->allocated.bytes,
               (double)r->peak_rss_bytes / (1 << 20));
    }
    for (size_t i = 0; i < n && o->counters; i++)
        print_counters(&result[i], fastest(&result[i], o->iterations),
                       variant(name, o, result[i].path));
    printf("fastest of %u by CPU time; malloc: %s; cpu path %s; %s\n", o->iterations,
           allocator_name(), cpu_path_name(cpu_path()), cpu_model());
    for (size_t i = 0; i < n && o->validate; i++)
        if (result[i].path != SYNTHESIS_NATIVE)
            printf("%s: 3 x %" PRIu64
                   " row values%s equal to native's, all rows hold, in each of %u\n",
                   variant(name, o, result[i].path), result[i].iteration[0].sum.rows,
                   result[i].path == SYNTHESIS_LC ? " and all variables" : "", result[i].circuits);
}

static void json_runs(yajl_gen g, const struct synth_options *o, const struct synth_result *r)
{
    static const char key[] = "cpu_ns_runs";
    yajl_gen_string(g, (const unsigned char *)key, sizeof key - 1);
    yajl_gen_array_open(g);
    for (unsigned i = 0; i < o->iterations; i++)
        yajl_gen_integer(g, (long long)r->iteration[i].sum.cpu_ns);
    yajl_gen_array_close(g);
}

static void json_counters(yajl_gen g, const struct synthesis_run *best)
{
    cli_json_begin(g, "counters");
    for (int i = 0; i < PERF_COUNTERS; i++) {
        if (best->counters[i] == PERF_UNSUPPORTED)
            cli_json_string(g, perf_counter_name(i), "not supported here");
        else
            cli_json_u64(g, perf_counter_name(i), best->counters[i]);
    }
    cli_json_end(g);
}

int synth_print_json(const struct synth_options *o, const struct synth_result *r, unsigned threads)
{
    const struct synthesis_run *best = fastest(r, o->iterations), *first = &r->iteration[0].sum;
    char op[32];
    yajl_gen g = cli_json_open();
    snprintf(op, sizeof op, "%s_synth", o->input.kind->name);
    cli_json_string(g, "op", op);
    cli_json_string(g, "path", synthesis_path_name(r->path));
    if (r->path == SYNTHESIS_LC) {
        cli_json_string(g, "lc_storage", o->storage);
        cli_json_bool(g, "presize", o->presize);
        cli_json_bool(g, "by_value", o->by_value);
    } else if (r->path == SYNTHESIS_CSR) {
        cli_json_string(g, "recorded", o->recorded);
        cli_json_u64(g, "witness_cpu_ns", best->witness_cpu_ns);
    }
    cli_json_string(g, "allocator", allocator_name());
    cli_json_u64(g, "rows", best->rows);
    cli_json_u64(g, "circuits", r->circuits);
    cli_json_u64(g, "iterations", o->iterations);
    cli_json_u64(g, "wall_ns", best->wall_ns);
    cli_json_u64(g, "cpu_ns", best->cpu_ns);
    cli_json_u64(g, "system_ns", best->system_ns);
    cli_json_u64(g, "system_ns_first", first->system_ns);
    cli_json_u64(g, "cpu_ns_median", median_cpu(r, o->iterations));
    json_runs(g, o, r);
    cli_json_double(g, "rows_per_core_second", rate(r, best));
    cli_json_u64(g, "allocations", best->allocated.allocations);
    cli_json_u64(g, "allocated_bytes", best->allocated.bytes);
    cli_json_u64(g, "allocations_first", first->allocated.allocations);
    cli_json_u64(g, "allocated_bytes_first", first->allocated.bytes);
    if (o->counters)
        json_counters(g, best);
    if (r->path != SYNTHESIS_NATIVE)
        cli_json_bool(g, "validated", o->validate);
    cli_json_u64(g, "peak_rss_bytes", r->peak_rss_bytes);
    cli_json_string(g, "cpu", cpu_path_name(cpu_path()));
    cli_json_u64(g, "threads", threads);
    cli_json_string(g, "machine", cpu_model());
    return cli_json_close(g);
}
