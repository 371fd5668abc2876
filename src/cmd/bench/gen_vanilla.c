/* cuzk-bench gen-vanilla KIND ...; porep --synthetic|--seal --sector-size SIZE -o FILE ... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/hex.h"
#include "cmd/bench/commands.h"
#include "cmd/bench/gen_vanilla.h"
#include "filecoin/c1_write.h"
#include "filecoin/seal.h"
#include "filecoin/synthetic_porep.h"

const char gen_vanilla_usage[] =
    "usage: cuzk-bench gen-vanilla porep --synthetic|--seal --sector-size SIZE -o FILE\n"
    "                  [--registered-proof N] [--seed N] [--miner-id N] [--sector-number N] "
    "[--threads N]\n"
    "  --synthetic           valid C1 output of a sector that was never sealed\n"
    "  --seal                really seal a sector of zeros (2KiB, 8MiB)\n"
    "  --sector-size SIZE    2KiB, 8MiB, 512MiB, 32GiB or 64GiB\n"
    "  -o, --output FILE     C1 output in Curio's wrapper, replaced if it exists\n"
    "  --registered-proof N  number of the seal proof; default: V1_1 of the size\n"
    "  --seed N              draws ticket, seed and what else is free; default 0\n"
    "  --miner-id N          default 1000\n"
    "  --sector-number N     default 1\n" GEN_VANILLA_LIST_USAGE;

struct gen_options {
    const struct sector_shape *shape;
    const struct registered_seal *seal;
    const char *output;
    int synthetic, sealed;
    uint64_t registered_proof, seed, miner_id, sector_number, threads;
};

enum { REGISTERED_PROOF_UNSET = UINT32_MAX };

static const struct sector_shape *shape_by_name(const char *name)
{
    for (unsigned i = 0; i < SECTOR_SIZES; i++)
        if (strcasecmp(sector_shape(i)->name, name) == 0)
            return sector_shape(i);
    return NULL;
}

/* Everything is there and agrees. */
static int complete(struct gen_options *o)
{
    if (o->synthetic + o->sealed != 1)
        return cli_usage("either --synthetic or --seal");
    if (o->shape == NULL)
        return cli_usage("--sector-size SIZE is missing");
    if (o->output == NULL)
        return cli_usage("-o FILE is missing");
    enum { V1_1 = 5 };
    o->seal = registered_seal_by_number(o->registered_proof != REGISTERED_PROOF_UNSET
                                            ? (unsigned)o->registered_proof
                                            : V1_1 + o->shape->id);
    if (o->seal->shape != o->shape)
        return cli_usage("registered proof %u is %s, not of %s", o->seal->number, o->seal->name,
                         o->shape->name);
    return 0;
}

static int parse(struct gen_options *o, int argc, char **argv)
{
    enum { OPT_SYNTHETIC = 256, OPT_SEAL, OPT_SIZE, OPT_PROOF, OPT_SEED, OPT_MINER, OPT_SECTOR };
    enum { OPT_THREADS = OPT_SECTOR + 1 };
    static const struct option options[] = {
        {"synthetic", no_argument, NULL, OPT_SYNTHETIC},
        {"seal", no_argument, NULL, OPT_SEAL},
        {"sector-size", required_argument, NULL, OPT_SIZE},
        {"output", required_argument, NULL, 'o'},
        {"registered-proof", required_argument, NULL, OPT_PROOF},
        {"seed", required_argument, NULL, OPT_SEED},
        {"miner-id", required_argument, NULL, OPT_MINER},
        {"sector-number", required_argument, NULL, OPT_SECTOR},
        {"threads", required_argument, NULL, OPT_THREADS},
        {0}};
    int opt, rc = 0;
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "o:", options, &seen)) != -1) {
        switch (opt) {
        case OPT_SYNTHETIC:
            o->synthetic = 1;
            break;
        case OPT_SEAL:
            o->sealed = 1;
            break;
        case OPT_SIZE:
            o->shape = shape_by_name(optarg);
            if (o->shape == NULL)
                return cli_usage("no sector size \"%.40s\"", optarg);
            break;
        case 'o':
            o->output = optarg;
            break;
        case OPT_PROOF:
            rc = cli_parse_u64(&o->registered_proof, "--registered-proof", optarg, 19);
            break;
        case OPT_SEED:
            rc = cli_parse_u64(&o->seed, "--seed", optarg, UINT64_MAX);
            break;
        case OPT_MINER:
            rc = cli_parse_u64(&o->miner_id, "--miner-id", optarg, INT64_MAX);
            break;
        case OPT_SECTOR:
            rc = cli_parse_u64(&o->sector_number, "--sector-number", optarg, INT64_MAX);
            break;
        case OPT_THREADS:
            rc = cli_parse_u64(&o->threads, "--threads", optarg, POOL_MAX_THREADS);
            break;
        default:
            return -ERR_USAGE;
        }
    }
    if (rc == 0 && optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    return rc != 0 ? rc : complete(o);
}

void gen_print_bytes32(const char *what, const uint8_t bytes[32])
{
    char hex[65];
    hex_encode(hex, bytes, 32);
    fprintf(stderr, "%s (hex): %s\n", what, hex);
}

static int generate(struct porep_vanilla *out, const struct gen_options *o, struct pool *pool,
                    struct error *err)
{
    struct replica r;
    struct porep_sector s = {.seal = o->seal, .number = o->sector_number};
    prover_id_of_miner(s.prover_id, o->miner_id);
    porep_sector_draw(&s, o->seed);
    if (o->synthetic)
        return porep_synthetic(out, &s, o->seed, pool, &progress_stderr, err);
    if (porep_seal(&r, &s, NULL, pool, &progress_stderr, err) != 0)
        return err->code;
    int rc = replica_open(out, &r, err);
    replica_clean_up(&r);
    return rc;
}

/* Generates, checks and writes. */
static int run(const struct gen_options *o, struct pool *pool, struct error *err)
{
    struct porep_vanilla v;
    struct c1_sizes sizes;
    if (output_file_check(o->output, FILE_REPLACE, err) != 0 || generate(&v, o, pool, err) != 0)
        return err->code;
    fprintf(stderr, "%s, %s: miner %" PRIu64 ", sector %" PRIu64 ", %zu x %zu challenges\n",
            o->seal->name, o->synthetic ? "synthetic" : "sealed", o->miner_id, o->sector_number,
            v.partitions, v.challenges);
    gen_print_bytes32("comm_d", v.comm_d.b);
    gen_print_bytes32("comm_r", v.comm_r.b);
    gen_print_bytes32("replica_id", v.replica_id.b);
    gen_print_bytes32("Ticket", v.ticket);
    gen_print_bytes32("Seed", v.seed);
    int rc = porep_vanilla_check(&v, pool, &progress_stderr, err);
    if (rc == 0)
        rc = porep_vanilla_write(&sizes, &v, o->output, FILE_REPLACE, err);
    if (rc == 0)
        fprintf(stderr, "vanilla proof: %" PRIu64 " bytes; %s: %" PRIu64 " bytes\n", sizes.inner,
                o->output, sizes.file);
    porep_vanilla_clean_up(&v);
    return rc;
}

int gen_porep(int argc, char **argv)
{
    struct gen_options o = {
        .registered_proof = REGISTERED_PROOF_UNSET, .miner_id = 1000, .sector_number = 1};
    struct pool *pool = NULL;
    struct error err;
    int rc = parse(&o, argc, argv);
    if (rc != 0)
        return rc;
    if (pool_new(&pool, (unsigned)o.threads, &err) != 0 || run(&o, pool, &err) != 0)
        rc = cli_fail(&err);
    pool_destroy(pool);
    return rc;
}

int cmd_gen_vanilla(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*command)(int argc, char **argv);
    } kinds[] = {
        {"porep", gen_porep},
        {"winning-post", gen_winning_post},
        {"window-post", gen_window_post},
        {"snap-prove", gen_snap_prove},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && argc >= 2; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            return kinds[i].command(argc - 1, argv + 1);
    if (argc < 2)
        return cli_usage(
            "what to generate is missing: porep, winning-post, window-post or snap-prove");
    return cli_usage(
        "\"%.40s\" cannot be generated: porep, winning-post, window-post or snap-prove can",
        argv[1]);
}
