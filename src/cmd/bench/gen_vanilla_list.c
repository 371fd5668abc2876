/* cuzk-bench gen-vanilla winning-post|window-post|snap-prove --synthetic ... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/bench/gen_vanilla.h"
#include "filecoin/synthetic_post.h"
#include "filecoin/synthetic_update.h"

struct list_options {
    enum circuit_kind kind;
    const char *output;
    int synthetic, has_randomness;
    uint8_t randomness[32];
    uint64_t registered_proof, seed, miner_id, sector_number, sectors, threads;
};

enum { OPT_SYNTHETIC = 256, OPT_PROOF, OPT_SEED, OPT_MINER, OPT_SECTOR, OPT_SECTORS };
enum { OPT_RANDOMNESS = OPT_SECTORS + 1, OPT_THREADS };

/* Options that say nothing about the kind. */
static int check_kind(const struct list_options *o, int opt)
{
    int of_post = opt == OPT_MINER || opt == OPT_SECTOR || opt == OPT_RANDOMNESS;
    if (o->kind == CIRCUIT_SNAP && (of_post || opt == OPT_SECTORS))
        return cli_usage("snap-prove takes no sector, miner or randomness");
    if (o->kind == CIRCUIT_WINNING && opt == OPT_SECTORS)
        return cli_usage("a winning PoSt is of one sector");
    return 0;
}

static int take_option(struct list_options *o, int opt, const char *value)
{
    switch (opt) {
    case OPT_SYNTHETIC:
        o->synthetic = 1;
        return 0;
    case 'o':
        o->output = value;
        return 0;
    case OPT_PROOF:
        return cli_parse_u64(&o->registered_proof, "--registered-proof", value, INT32_MAX);
    case OPT_SEED:
        return cli_parse_u64(&o->seed, "--seed", value, UINT64_MAX);
    case OPT_MINER:
        return cli_parse_u64(&o->miner_id, "--miner-id", value, INT64_MAX);
    case OPT_SECTOR:
        return cli_parse_u64(&o->sector_number, "--sector-number", value, INT64_MAX);
    case OPT_SECTORS:
        return cli_parse_u64(&o->sectors, "--sectors", value, INT32_MAX);
    case OPT_RANDOMNESS:
        o->has_randomness = 1;
        return cli_parse_bytes32(o->randomness, "--randomness", value);
    case OPT_THREADS:
        return cli_parse_u64(&o->threads, "--threads", value, POOL_MAX_THREADS);
    default:
        return -ERR_USAGE;
    }
}

static int parse(struct list_options *o, int argc, char **argv)
{
    static const struct option options[] = {
        {"synthetic", no_argument, NULL, OPT_SYNTHETIC},
        {"output", required_argument, NULL, 'o'},
        {"registered-proof", required_argument, NULL, OPT_PROOF},
        {"seed", required_argument, NULL, OPT_SEED},
        {"miner-id", required_argument, NULL, OPT_MINER},
        {"sector-number", required_argument, NULL, OPT_SECTOR},
        {"sectors", required_argument, NULL, OPT_SECTORS},
        {"randomness", required_argument, NULL, OPT_RANDOMNESS},
        {"threads", required_argument, NULL, OPT_THREADS},
        {0}};
    int opt;
    uint64_t seen = 0;
    while ((opt = cli_option(argc, argv, "o:", options, &seen)) != -1) {
        int rc = take_option(o, opt, optarg);
        if (rc == 0)
            rc = check_kind(o, opt);
        if (rc != 0)
            return rc;
    }
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    if (!o->synthetic)
        return cli_usage("--synthetic is missing");
    return 0;
}

/* Writes what was checked. */
static int write_list(const struct list_options *o, const struct vanilla_list *list,
                      struct error *err)
{
    uint64_t bytes;
    if (vanilla_list_write(&bytes, list, o->output, FILE_REPLACE, err) != 0)
        return err->code;
    for (size_t i = 0; i < list->len; i++)
        fprintf(stderr, "vanilla proof %zu: %zu bytes\n", i, list->proofs[i].len);
    fprintf(stderr, "%s: %" PRIu64 " bytes\n", o->output, bytes);
    return 0;
}

static int check_post(const struct list_options *o, const struct post_synthetic *q,
                      struct vanilla_list *list, struct pool *pool, struct error *err)
{
    struct post_request request = {.post = q->post, .partition = POST_ALL_PARTITIONS};
    struct post_vanilla v;
    memcpy(request.randomness, q->randomness, sizeof request.randomness);
    if (post_vanilla_decode(&v, &request, list, err) != 0)
        return err->code;
    gen_print_bytes32("Randomness", q->randomness);
    for (size_t i = 0; i < v.sectors_len; i++) {
        fprintf(stderr, "sector %" PRIu64 ": ", v.sectors[i].id);
        gen_print_bytes32("comm_r", v.sectors[i].comm_r.b);
    }
    int rc = post_vanilla_check(&v, pool, &progress_stderr, err);
    if (rc == 0)
        rc = write_list(o, &v.list, err);
    post_vanilla_clean_up(&v);
    return rc;
}

static int run_post(const struct list_options *o, struct pool *pool, struct error *err)
{
    struct post_synthetic q = {.miner_id = o->miner_id,
                               .seed = o->seed,
                               .first_sector = o->sector_number,
                               .sectors = o->sectors};
    struct vanilla_list list;
    if (registered_post_of(&q.post, o->kind, (unsigned)o->registered_proof, err) != 0)
        return err->code;
    if (o->has_randomness)
        memcpy(q.randomness, o->randomness, sizeof q.randomness);
    else
        post_synthetic_randomness(q.randomness, o->miner_id, o->seed);
    if (post_synthetic(&list, &q, pool, &progress_stderr, err) != 0)
        return err->code;
    fprintf(stderr, "%s, synthetic: miner %" PRIu64 ", %" PRIu64 " x %u challenges\n", q.post->name,
            o->miner_id, o->sectors, q.post->paths);
    return check_post(o, &q, &list, pool, err);
}

static int run_snap(const struct list_options *o, struct pool *pool, struct error *err)
{
    struct update_request request = {0};
    struct vanilla_list list;
    struct update_vanilla v;
    if (registered_update_of(&request.update, (unsigned)o->registered_proof, err) != 0 ||
        update_synthetic(&list, &request, o->seed, NULL, pool, err) != 0)
        return err->code;
    fprintf(stderr, "%s, synthetic: %u x %u challenges\n", request.update->name,
            request.update->partitions, request.update->challenges);
    gen_print_bytes32("comm_r_old", request.comm_r_old);
    gen_print_bytes32("comm_r_new", request.comm_r_new);
    gen_print_bytes32("comm_d_new", request.comm_d_new);
    if (update_vanilla_decode(&v, &request, &list, err) != 0)
        return err->code;
    int rc = update_vanilla_check(&v, pool, &progress_stderr, err);
    if (rc == 0)
        rc = write_list(o, &v.list, err);
    update_vanilla_clean_up(&v);
    return rc;
}

static int generate(enum circuit_kind kind, unsigned registered_proof, const char *output, int argc,
                    char **argv)
{
    struct list_options o = {.kind = kind,
                             .output = output,
                             .registered_proof = registered_proof,
                             .miner_id = 1000,
                             .sector_number = 1,
                             .sectors = 1};
    struct pool *pool = NULL;
    struct error err;
    int rc = parse(&o, argc, argv);
    if (rc != 0)
        return rc;
    if (output_file_check(o.output, FILE_REPLACE, &err) != 0 ||
        pool_new(&pool, (unsigned)o.threads, &err) != 0 ||
        (kind == CIRCUIT_SNAP ? run_snap : run_post)(&o, pool, &err) != 0)
        rc = cli_fail(&err);
    pool_destroy(pool);
    return rc;
}

int gen_winning_post(int argc, char **argv)
{
    return generate(CIRCUIT_WINNING, 3, "winning-vanilla.json", argc, argv);
}

int gen_window_post(int argc, char **argv)
{
    return generate(CIRCUIT_WPOST, 13, "wpost-vanilla.json", argc, argv);
}

int gen_snap_prove(int argc, char **argv)
{
    return generate(CIRCUIT_SNAP, 3, "snap-vanilla.json", argc, argv);
}
