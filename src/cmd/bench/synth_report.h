/* What synth-only prints. */
#ifndef CUZK_CMD_BENCH_SYNTH_REPORT_H
#define CUZK_CMD_BENCH_SYNTH_REPORT_H

#include "cmd/input.h"
#include "proof/synthesis.h"

struct synth_options {
    struct input_options input;
    uint64_t miner; /* of --miner-id */
    const char *path, *storage, *allocator, *recorded, *param_cache;
    unsigned iterations, threads;
    int presize, by_value, validate, counters, json;
};

/* One iteration of a path: all its partitions. */
struct synth_iteration {
    uint64_t wall_ns;         /* of the whole */
    struct synthesis_run sum; /* of the partitions; rows and aux are one partition's */
};

/* A path's iterations; the caller frees iteration. */
struct synth_result {
    enum synthesis_path path;
    unsigned circuits;
    struct synth_iteration *iteration; /* [options.iterations] */
    uint64_t peak_rss_bytes;
};

/* The reference's lines. */
void synth_print_header(const struct synth_options *o);
void synth_print_loaded(const struct synth_options *o);
void synth_print_log(const struct synth_options *o, const struct proof_input *in, unsigned i);
void synth_print_iteration(const struct synth_iteration *it, unsigned i, unsigned circuits);
void synth_print_summary(const struct synth_result *r, unsigned iterations);

/* The paths side by side. */
void synth_print_table(const struct synth_options *o, const struct synth_result *result, size_t n);
/* One object a path. Returns the exit code. */
int synth_print_json(const struct synth_options *o, const struct synth_result *r, unsigned threads);

#endif
