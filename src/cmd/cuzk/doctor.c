/* cuzk doctor: what this machine offers and what is missing. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/limits.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "proof/params.h"

const char doctor_usage[] = "usage: cuzk doctor [--param-cache DIR]\n";

static void report_cpu(void)
{
    printf("version      %s\n", CUZK_VERSION);
    printf("cpu          %s, %u usable\n", cpu_model(), limits_cpus());
    printf("cpu paths   ");
    for (enum cpu_path p = 0; p < CPU_PATHS; p++)
        if (cpu_path_available(p))
            printf(" %s%s", cpu_path_name(p), p == cpu_path() ? " (in use)" : "");
    printf("\n");
}

static void report_memory(void)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    printf("memory       %" PRIu64 " MiB, %" PRIu64 " MiB free\n",
           (uint64_t)sysconf(_SC_PHYS_PAGES) * page >> 20,
           (uint64_t)sysconf(_SC_AVPHYS_PAGES) * page >> 20);
}

/* Names and sizes only: "cuzk params verify" looks inside. Returns whether any cannot be used. */
static int report_params(const char *dir)
{
    const struct circuit *circuit;
    int unusable = 0;
    char printable[600], why[160];
    printf("parameters   %s%s\n", text_printable(printable, sizeof printable, dir),
           access(dir, R_OK | X_OK) == 0 ? "" : " (absent or unreadable)");
    for (size_t i = 0; (circuit = circuit_at(i)) != NULL; i++) {
        enum params_presence p = circuit_params_presence(why, circuit, dir);
        printf("             %-12s %s%s\n", circuit_names(circuit)->id,
               p == PARAMS_ABSENT    ? "absent"
               : p == PARAMS_PRESENT ? "present"
                                     : "UNUSABLE ",
               why);
        unusable |= p == PARAMS_UNUSABLE;
    }
    return unusable;
}

int cmd_doctor(int argc, char **argv)
{
    enum { OPT_CACHE = 256 };
    static const struct option options[] = {
        {"param-cache", required_argument, NULL, OPT_CACHE}, {"help", no_argument, NULL, 'h'}, {0}};
    const char *cache = NULL;
    int opt;
    uint64_t seen = 0;
    while ((opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        switch (opt) {
        case OPT_CACHE:
            cache = optarg;
            break;
        default:
            return -ERR_USAGE;
        }
    }
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    report_cpu();
    report_memory();
    int unusable = report_params(cli_param_dir(cache));
    int rc = cli_flush();
    return rc != 0 ? rc : unusable ? -ERR_CONFIG : 0;
}
