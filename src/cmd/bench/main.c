#include <stdio.h>
#include <string.h>

#include "cmd/bench/commands.h"
#include "cmd/cli.h"

static const char usage[] =
    "usage: cuzk-bench COMMAND ...\n"
    "  synth-only       synthesis of one partition of any kind by itself, by each path\n"
    "  gen-vanilla      C1 output of a sector of any size, without sealing it\n"
    "  field, ntt, msm  the kernels, one JSON line per measurement\n"
    "  --version\n"
    "\"cuzk-bench COMMAND --help\" tells more.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"synth-only", cmd_synth_only},
                {"gen-vanilla", cmd_gen_vanilla},
                {"field", cmd_kernels},
                {"ntt", cmd_kernels},
                {"msm", cmd_kernels}};

int main(int argc, char **argv)
{
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
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        int rc = cli_init();
        return rc != 0 ? rc : commands[i].run(argc - 1, argv + 1);
    }
    return cli_usage(usage, "no command \"%.40s\"", argv[1]);
}
