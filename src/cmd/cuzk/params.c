/* cuzk params list|generate|verify */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/meminfo.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "proof/params.h"

const char params_usage[] =
    "usage: cuzk params list [--param-cache DIR]\n"
    "       cuzk params generate --circuit ID [--trapdoor FILE] [--param-cache DIR] [--threads N]\n"
    "       cuzk params verify --circuit ID [--points] [--published] [--param-cache DIR] "
    "[--threads N]\n"
    "  generate   makes TEST parameters: whoever knows the trapdoor can forge proofs, the chain "
    "does not accept them\n"
    "  --trapdoor FILE   JSON with alpha_le, beta_le, gamma_le, delta_le, tau_le, g1_compressed, "
    "g2_compressed;\n"
    "                    without it the trapdoor is random and forgotten\n"
    "  verify     says published, not published, or damaged\n"
    "  --points   check every point of the file\n"
    "  --published   not published is an error (also with FIL_PROOFS_VERIFY_PRODUCTION_PARAMS=1)\n";

enum { OPT_CIRCUIT = 256, OPT_CACHE, OPT_TRAPDOOR, OPT_POINTS, OPT_PUBLISHED, OPT_THREADS };
#define BIT(option) (1u << ((option)-OPT_CIRCUIT))

static const struct action {
    const char *name;
    unsigned takes; /* bits of options */
} actions[] = {
    {"list", BIT(OPT_CACHE)},
    {"generate", BIT(OPT_CIRCUIT) | BIT(OPT_CACHE) | BIT(OPT_TRAPDOOR) | BIT(OPT_THREADS)},
    {"verify",
     BIT(OPT_CIRCUIT) | BIT(OPT_CACHE) | BIT(OPT_POINTS) | BIT(OPT_PUBLISHED) | BIT(OPT_THREADS)},
};

struct params_options {
    const char *circuit, *dir, *trapdoor;
    int points, published;
    unsigned threads;
};

static int parse(struct params_options *o, const struct action *action, int argc, char **argv)
{
    static const struct option options[] = {{"circuit", required_argument, NULL, OPT_CIRCUIT},
                                            {"param-cache", required_argument, NULL, OPT_CACHE},
                                            {"trapdoor", required_argument, NULL, OPT_TRAPDOOR},
                                            {"points", no_argument, NULL, OPT_POINTS},
                                            {"published", no_argument, NULL, OPT_PUBLISHED},
                                            {"threads", required_argument, NULL, OPT_THREADS},
                                            {0}};
    int opt, rc = 0;
    uint64_t n;
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        if (opt >= OPT_CIRCUIT && !(action->takes & BIT(opt)))
            return cli_usage("--%s does not apply to params %s", options[opt - OPT_CIRCUIT].name,
                             action->name);
        switch (opt) {
        case OPT_CIRCUIT:
            o->circuit = optarg;
            break;
        case OPT_CACHE:
            o->dir = optarg;
            break;
        case OPT_TRAPDOOR:
            o->trapdoor = optarg;
            break;
        case OPT_POINTS:
            o->points = 1;
            break;
        case OPT_PUBLISHED:
            o->published = 1;
            break;
        case OPT_THREADS:
            rc = cli_parse_u64(&n, "--threads", optarg, POOL_MAX_THREADS);
            if (rc == 0)
                o->threads = (unsigned)n;
            break;
        default:
            return -ERR_USAGE;
        }
    }
    if (rc != 0)
        return rc;
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    int published;
    if (cli_published_params(&published) != 0)
        return -ERR_USAGE;
    o->published |= published;
    o->dir = cli_param_dir(o->dir);
    return 0;
}

static int list(const struct params_options *o)
{
    const struct circuit *circuit;
    char dir[600];
    printf("parameters in %s%s\n", text_printable(dir, sizeof dir, o->dir),
           access(o->dir, R_OK | X_OK) == 0 ? "" : " (absent or unreadable)");
    for (size_t i = 0; (circuit = circuit_at(i)) != NULL; i++) {
        static const char *const states[] = {"absent", "present", "unusable"};
        char name[PARAMS_NAME_MAX], why[160];
        const struct circuit_params *names = circuit_names(circuit);
        enum params_presence p = circuit_params_presence(why, circuit, o->dir);
        circuit_params_file_name(name, names, "params");
        printf("%-12s %15" PRIu64 " bytes  %-8s %s%s%s\n", names->id, circuit_params_bytes(names),
               states[p], name, *why ? "  " : "", why);
    }
    return cli_flush();
}

static int generate(const struct params_options *o, const struct circuit *circuit,
                    struct pool *pool)
{
    struct error err;
    struct trapdoor trapdoor = {0};
    int rc = o->trapdoor != NULL ? trapdoor_read(&trapdoor, o->trapdoor, &err)
                                 : trapdoor_random(&trapdoor, &err);
    if (rc == 0)
        fprintf(stderr,
                "making TEST parameters of %s: proofs under them can be forged and no chain "
                "accepts them\n",
                circuit_names(circuit)->id);
    if (rc == 0)
        rc = circuit_params_generate(circuit, o->dir, &trapdoor, pool, &progress_stderr, &err);
    wipe(&trapdoor, sizeof trapdoor);
    if (rc != 0)
        return cli_fail(&err);
    fprintf(stderr,
            "%s: %" PRIu64
            " bytes in %s, %.1f CPU seconds, cpu path %s, %u threads, peak %.0f MiB\n",
            circuit_names(circuit)->id, circuit_params_bytes(circuit_names(circuit)), o->dir,
            (double)clock_process_cpu_ns() * 1e-9, cpu_path_name(cpu_path()), pool_threads(pool),
            (double)meminfo_peak_rss_bytes() / 1048576.0);
    return 0;
}

static int verify(const struct params_options *o, const struct circuit *circuit, struct pool *pool)
{
    static const char *const verdicts[] = {"published", "not published", "damaged"};
    struct error err;
    enum params_verdict verdict;
    if (circuit_params_verify(&verdict, circuit, o->dir, o->points, pool, &progress_stderr, &err) !=
        0)
        return cli_fail(&err);
    printf("%s: %s\n", circuit_names(circuit)->id, verdicts[verdict]);
    if (verdict == PARAMS_NOT_PUBLISHED) /* the published ones' digest says all of their points */
        puts(o->points ? "points: each was checked"
                       : "points: not checked, --points looks at each");
    int rc = cli_flush();
    if (rc != 0)
        return rc;
    if (verdict == PARAMS_DAMAGED)
        return cli_fail(&err);
    if (verdict == PARAMS_NOT_PUBLISHED && o->published) {
        error_set(&err, ERR_CONFIG, "params-not-published",
                  "the files in %s are sound but not the published ones", o->dir);
        return cli_fail(&err);
    }
    return 0;
}

int cmd_params(int argc, char **argv)
{
    struct params_options o = {0};
    const struct action *action = NULL;
    if (argc < 2)
        return cli_usage("list, generate or verify?");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(argv[1], actions[i].name) == 0)
            action = &actions[i];
    if (action == NULL)
        return cli_usage("no \"params %.40s\"", argv[1]);
    int rc = parse(&o, action, argc - 1, argv + 1);
    if (rc != 0)
        return rc;
    if (strcmp(action->name, "list") == 0)
        return list(&o);
    if (o.circuit == NULL)
        return cli_usage("--circuit ID is missing");

    struct error err;
    const struct circuit *circuit;
    struct pool *pool;
    if (circuit_by_id(&circuit, o.circuit, &err) != 0)
        return cli_fail(&err);
    if (pool_new(&pool, o.threads, &err) != 0)
        return cli_fail(&err);
    rc = (strcmp(action->name, "generate") == 0 ? generate : verify)(&o, circuit, pool);
    pool_destroy(pool);
    return rc;
}
