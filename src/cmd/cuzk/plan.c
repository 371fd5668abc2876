/* cuzk plan ID [--threads N] [--json] */
#include <stdio.h>

#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "cuzk/engine.h"
#include "proof/registry.h"

const char plan_usage[] =
    "usage: cuzk plan ID [--threads N] [--json]\n"
    "Prints what a daemon leases for a job of that circuit before it starts, one partition at a "
    "time.\n"
    "  --threads N      of the daemon; default all that this process may use\n"
    "Ids: cuzk params list.\n";

static int print_json(const char *id, const struct cuzk_bill *b)
{
    yajl_gen g = cli_json_open();
    cli_json_string(g, "id", id);
    cli_json_u64(g, "partitions", b->partitions);
    cli_json_u64(g, "parameters_mapped_bytes", b->parameters_mapped_bytes);
    cli_json_u64(g, "input_bytes", b->input_bytes);
    cli_json_u64(g, "assignment_bytes", b->assignment_bytes);
    cli_json_u64(g, "transform_bytes", b->transform_bytes);
    cli_json_u64(g, "msm_bytes", b->msm_bytes);
    cli_json_u64(g, "total_bytes", b->total_bytes);
    return cli_json_close(g);
}

static void print_line(const char *name, uint64_t bytes, const char *what)
{
    printf("%-12s %10.1f MiB  %s\n", name, (double)bytes / (1 << 20), what);
}

static int print_text(const char *id, const struct cuzk_bill *b)
{
    printf("%s, %u partition%s\n", id, b->partitions, b->partitions == 1 ? "" : "s");
    print_line("input", b->input_bytes, "vanilla proofs of a usual job");
    print_line("assignment", b->assignment_bytes, "witness and row values of one partition");
    print_line("transforms", b->transform_bytes, "coefficients of A, B, C and H");
    print_line("sums", b->msm_bytes, "buckets and a slice of the parameters");
    print_line("total", b->total_bytes,
               "with the circuit's densities: what memory.total_budget must hold");
    print_line("parameters", b->parameters_mapped_bytes, "mapped: page cache, not of the budget");
    return cli_flush();
}

int cmd_plan(int argc, char **argv)
{
    enum { OPT_THREADS = 256, OPT_JSON };
    static const struct option options[] = {{"threads", required_argument, NULL, OPT_THREADS},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {0}};
    uint64_t threads = 0;
    int json = 0, opt;
    uint64_t seen = 0;
    while ((opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        switch (opt) {
        case OPT_THREADS:
            if (cli_parse_u64(&threads, "--threads", optarg, POOL_MAX_THREADS) != 0)
                return -ERR_USAGE;
            break;
        case OPT_JSON:
            json = 1;
            break;
        default:
            return -ERR_USAGE;
        }
    }
    if (argc - optind != 1)
        return cli_usage("exactly one circuit id is needed");
    const char *id = argv[optind];
    const struct circuit *circuit;
    struct cuzk_bill bill;
    struct cuzk_error why;
    struct error err;
    if (circuit_by_id(&circuit, id, &err) != 0) /* its message names all that there are */
        return cli_fail(&err);
    if (cuzk_plan(&bill, id, (unsigned)threads, &why) != CUZK_OK) {
        error_set(&err, ERR_SOFTWARE, why.cause, "%s", why.message);
        return cli_fail(&err);
    }
    return (json ? print_json : print_text)(id, &bill);
}
