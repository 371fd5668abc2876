#include <stdio.h>
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

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"single", cmd_single},
                {"batch", cmd_batch},
                {"stress", cmd_stress},
                {"status", cmd_status},
                {"metrics", cmd_metrics},
                {"preload", cmd_preload},
                {"synth-only", cmd_synth_only},
                {"pce-bench", cmd_pce_bench},
                {"pce-pipeline", cmd_pce_pipeline},
                {"gen-vanilla", cmd_gen_vanilla},
                {"field", cmd_kernels},
                {"ntt", cmd_kernels},
                {"msm", cmd_kernels}};

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
    if (argc < 2)
        return cli_usage(usage, "a command is missing");
    if (strcmp(argv[1], "--version") == 0) {
        puts("cuzk-bench " CUZK_VERSION);
        return cli_flush();
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return cli_flush();
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return cli_run_command(commands[i].run, argc - 1, argv + 1);
    return cli_usage(usage, "no command \"%.40s\"", argv[1]);
}
