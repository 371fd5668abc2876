#include <stdio.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"

static const char usage[] =
    "usage: cuzk COMMAND ...\n"
    "  prove KIND       a vanilla proof becomes Groth16 proofs, verified before they are given "
    "out\n"
    "  verify KIND      exit 0 if the proof is valid for the input's statement, 1 if not\n"
    "                   KIND is porep, winning, window or snap\n"
    "  params           list, generate (for tests) or verify parameter files\n"
    "  circuit          counts, densities and digest of a circuit\n"
    "  pce              a circuit's matrices recorded once: record, info, verify\n"
    "  plan             what memory a daemon's job of a circuit takes\n"
    "  doctor           what this machine offers and where parameters are looked for\n"
    "  --version\n"
    "\"cuzk COMMAND --help\" tells more. Exit codes: 0 ok, 1 proof invalid, 2 usage, others as "
    "sysexits.h.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"prove", cmd_prove}, {"verify", cmd_verify}, {"params", cmd_params}, {"circuit", cmd_circuit},
    {"pce", cmd_pce},     {"plan", cmd_plan},     {"doctor", cmd_doctor},
};

int main(int argc, char **argv)
{
    if (argc < 2)
        return cli_usage(usage, "a command is missing");
    if (strcmp(argv[1], "--version") == 0) {
        puts("cuzk " CUZK_VERSION);
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
