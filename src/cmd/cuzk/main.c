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

static const struct cli_command commands[] = {
    {"prove", cmd_prove, prove_usage},    {"verify", cmd_verify, verify_usage},
    {"params", cmd_params, params_usage}, {"circuit", cmd_circuit, circuit_usage},
    {"pce", cmd_pce, pce_usage},          {"plan", cmd_plan, plan_usage},
    {"doctor", cmd_doctor, doctor_usage},
};

int main(int argc, char **argv)
{
    return cli_main("cuzk", usage, commands, sizeof commands / sizeof *commands, argc, argv);
}
