#include <string.h>

#include "cmd/bench/commands.h"
#include "cmd/cli.h"

static const char usage[] =
    "usage: cuzk-bench [-a ADDR] COMMAND ...\n"
    "  single, batch    proofs through a daemon\n"
    "  stress           many clients that cancel and disconnect at random\n"
    "  status, metrics  what a daemon says of itself\n"
    "  preload          has a daemon load a circuit's parameters\n"
    "  synth-only       synthesis of any kind of proof by itself, by each path\n"
    "  pce-bench        synthesis by the recorded circuit beside linear combinations\n"
    "  pce-pipeline     several proofs' synthesis by the recorded circuit, and their memory\n"
    "  gen-vanilla      C1 output of a sector of any size, without sealing it\n"
    "  field, ntt, msm  the kernels, one JSON line per measurement\n"
    "  --version\n"
    "\"cuzk-bench COMMAND --help\" tells more.\n";

static const struct cli_command commands[] = {
    {"single", cmd_single, batch_usage},
    {"batch", cmd_batch, batch_usage},
    {"stress", cmd_stress, stress_usage},
    {"status", cmd_status, daemon_usage},
    {"metrics", cmd_metrics, daemon_usage},
    {"preload", cmd_preload, daemon_usage},
    {"synth-only", cmd_synth_only, synth_only_usage},
    {"pce-bench", cmd_pce_bench, pce_bench_usage},
    {"pce-pipeline", cmd_pce_pipeline, pce_pipeline_usage},
    {"gen-vanilla", cmd_gen_vanilla, gen_vanilla_usage},
    {"field", cmd_kernels, kernels_usage},
    {"ntt", cmd_kernels, kernels_usage},
    {"msm", cmd_kernels, kernels_usage},
};

/* Brings the command to argv[1] where it stands behind "-a ADDR", "--addr ADDR" or "--log-level LEVEL", as scripts write it. */
static void bring_command_forward(int argc, char **argv)
{
    int at = 1;
    while (at < argc && argv[at][0] == '-') {
        int takes_value = strcmp(argv[at], "-a") == 0 || strcmp(argv[at], "--addr") == 0 ||
                          strcmp(argv[at], "--log-level") == 0;
        int has_value =
            strncmp(argv[at], "--addr=", 7) == 0 || strncmp(argv[at], "--log-level=", 12) == 0;
        if (!takes_value && !has_value)
            return;
        at += 1 + takes_value;
    }
    if (at >= argc)
        return;
    char *command = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = command;
}

int main(int argc, char **argv)
{
    bring_command_forward(argc, argv);
    return cli_main("cuzk-bench", usage, commands, sizeof commands / sizeof *commands, argc, argv);
}
