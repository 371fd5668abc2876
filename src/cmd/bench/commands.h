/* The subcommands of cuzk-bench. Each gets its own argv and returns the exit code. */
#ifndef CUZK_CMD_BENCH_COMMANDS_H
#define CUZK_CMD_BENCH_COMMANDS_H

int cmd_synth_only(int argc, char **argv);
int cmd_pce_bench(int argc, char **argv);
int cmd_pce_pipeline(int argc, char **argv);
int cmd_gen_vanilla(int argc, char **argv);
int cmd_kernels(int argc, char **argv); /* field, ntt, msm */

/* Against a daemon. */
int cmd_single(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_stress(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_preload(int argc, char **argv);
int cmd_metrics(int argc, char **argv);

/* What --help prints; batch_usage also for single, daemon_usage for status, preload and metrics. */
extern const char synth_only_usage[], pce_bench_usage[], pce_pipeline_usage[], gen_vanilla_usage[],
    kernels_usage[], batch_usage[], stress_usage[], daemon_usage[];

#endif
