/* cuzk-bench field|ntt|msm: one JSON line per measurement, in the form of bench/peers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/hex.h"
#include "cmd/bench/commands.h"
#include "cmd/bench/splitmix64.h"
#include "cmd/cli.h"
#include "field/fp.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

const char kernels_usage[] =
    "usage: cuzk-bench field | ntt [--log2 N] [--threads N] | msm [--log2 N] [--threads N]\n";

enum { RUNS = 5, FIELD_RUNS = 20000, FIELD_CHAIN = 400 };

struct kernel_options {
    unsigned log2;
    struct pool *pool;
};

struct measurement {
    const char *op;
    int log2;                 /* -1: none */
    double ops;               /* per run */
    uint64_t wall_ns, cpu_ns; /* of the fastest run */
    char check
        [17]; /* the result's first bytes: equal input, equal result in every peer; "" if there is none */
};

static int print(const struct measurement *m, const struct kernel_options *o)
{
    yajl_gen g = cli_json_open();
    cli_json_string(g, "op", m->op);
    cli_json_string(g, "peer", "cuzk");
    if (m->log2 >= 0)
        cli_json_u64(g, "log2", (uint64_t)m->log2);
    cli_json_u64(g, "threads", pool_threads(o->pool));
    cli_json_string(g, "cpu", cpu_path_name(cpu_path()));
    cli_json_double(g, "wall_ns_per_op", (double)m->wall_ns / m->ops);
    cli_json_double(g, "cpu_ns_per_op", (double)m->cpu_ns / m->ops);
    if (m->check[0] != '\0')
        cli_json_string(g, "check", m->check);
    cli_json_string(g, "machine", cpu_model());
    return cli_json_close(g);
}

/* Runs fn and keeps the fastest of n runs. */
static void measure(struct measurement *m, unsigned n, void (*fn)(void *ctx), void *ctx)
{
    m->wall_ns = m->cpu_ns = UINT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        uint64_t wall = clock_monotonic_ns(), cpu = clock_process_cpu_ns();
        fn(ctx);
        cpu = clock_process_cpu_ns() - cpu;
        wall = clock_monotonic_ns() - wall;
        if (wall < m->wall_ns)
            m->wall_ns = wall;
        if (cpu < m->cpu_ns)
            m->cpu_ns = cpu;
    }
}

static void fp_mul_chain(void *ctx)
{
    struct fp *x = ctx;
    for (int i = 0; i < FIELD_CHAIN; i++)
        fp_mul(&x[0], &x[0], &x[1]);
}
static void fp_sqr_chain(void *ctx)
{
    struct fp *x = ctx;
    for (int i = 0; i < FIELD_CHAIN; i++)
        fp_sqr(&x[0], &x[0]);
}
static void fr_mul_chain(void *ctx)
{
    struct fr *x = ctx;
    for (int i = 0; i < FIELD_CHAIN; i++)
        fr_mul(&x[0], &x[0], &x[1]);
}

static int field(const struct kernel_options *o)
{
    struct fp p[2] = {G1_GENERATOR.x, G1_GENERATOR.y};
    struct fr r[2] = {FR_ROOT_OF_UNITY_2_32, FR_GENERATOR};
    const struct {
        const char *op;
        void (*fn)(void *);
        void *ctx;
    } runs[] = {{"fp_mul_chain", fp_mul_chain, p},
                {"fp_sqr_chain", fp_sqr_chain, p},
                {"fr_mul_chain", fr_mul_chain, r}};
    int code = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs && code == 0; i++) {
        struct measurement m = {.op = runs[i].op, .log2 = -1, .ops = FIELD_CHAIN};
        measure(&m, FIELD_RUNS, runs[i].fn, runs[i].ctx);
        m.cpu_ns =
            m.wall_ns; /* a run is too short for the CPU clock; one thread that was not interrupted */
        code = print(&m, o);
    }
    return code;
}

/* ---- ntt ---- */

struct ntt_run {
    struct ntt_domain domain;
    struct buffer data;
    struct pool *pool;
};

static void ntt_once(void *ctx)
{
    struct ntt_run *r = ctx;
    ntt_forward(&r->domain, r->data.data, r->pool);
}

static int ntt(const struct kernel_options *o)
{
    struct error err;
    struct ntt_run run = {.pool = o->pool};
    struct measurement m = {.op = "ntt", .log2 = (int)o->log2, .ops = 1};
    int code = 0, rc = ntt_domain_init(&run.domain, o->log2, o->pool, &err);
    if (rc == 0)
        rc = buffer_init(&run.data, sizeof(struct fr) << o->log2, "the transform's values", &err);
    if (rc == 0) {
        struct fr *x = run.data.data, v = FR_GENERATOR;
        for (size_t i = 0; i < run.domain.n; i++) {
            fr_mul(&v, &v, &FR_ROOT_OF_UNITY_2_32);
            fr_add(&v, &v, &FR_GENERATOR);
            x[i] = v;
        }
        measure(&m, RUNS, ntt_once, &run);
        code = print(&m, o);
    }
    buffer_clean_up(&run.data);
    ntt_domain_clean_up(&run.domain);
    return rc != 0 ? cli_fail(&err) : code;
}

/* ---- msm ---- */

struct msm_run {
    struct msm_g1 *msm;
    struct g1_affine *points;
    uint64_t (*scalars)[4];
    size_t n;
    struct g1 sum;
};

static void msm_once(void *ctx)
{
    enum { SLICE = 1 << 17 };
    struct msm_run *r = ctx;
    for (size_t i = 0; i < r->n; i += SLICE)
        msm_g1_add(r->msm, r->points + i, (const uint64_t(*)[4])(r->scalars + i),
                   r->n - i < SLICE ? r->n - i : SLICE);
    msm_g1_finish(r->msm, &r->sum);
}

/* The inputs of bench/peers: splitmix64 from one seed, points (BASE + i) * G. */
static void random_scalar(uint64_t out[4], uint64_t *state)
{
    for (int i = 0; i < 3; i++)
        out[i] = splitmix64(state);
    do
        out[3] = splitmix64(state) >> 1;
    while (out[3] >= 0x73eda753299d7d48);
}

static int msm_input(struct msm_run *r, const struct kernel_options *o, struct error *err)
{
    const uint64_t base = 0x1234567890abcdef;
    uint64_t state = 0xb1512381;
    struct fixed_base_g1 *table;
    struct fr *k = malloc(r->n * sizeof *k);
    if (k == NULL || r->points == NULL || r->scalars == NULL) {
        free(k);
        return error_set(err, ERR_OS, "out-of-memory", "no memory for 2^%u points", o->log2);
    }
    for (size_t i = 0; i < r->n; i++) {
        fr_from_u64(&k[i], base + i);
        random_scalar(r->scalars[i], &state);
    }
    int rc = fixed_base_g1_new(&table, &G1_GENERATOR, r->n, err);
    if (rc == 0) {
        fixed_base_g1_mul(table, r->points, k, r->n, o->pool);
        fixed_base_g1_destroy(table);
    }
    free(k);
    return rc;
}

static int msm(const struct kernel_options *o)
{
    struct error err;
    struct msm_run run = {.n = (size_t)1 << o->log2};
    struct measurement m = {.op = "g1_msm", .log2 = (int)o->log2, .ops = 1};
    run.points = malloc(run.n * sizeof *run.points);
    run.scalars = malloc(run.n * sizeof *run.scalars);
    int code = 0, rc = msm_input(&run, o, &err);
    if (rc == 0)
        rc = msm_g1_new(&run.msm, run.n, o->pool, &err);
    if (rc == 0) {
        uint8_t bytes[G1_COMPRESSED_BYTES];
        struct g1_affine sum;
        measure(&m, RUNS, msm_once, &run);
        g1_to_affine(&sum, &run.sum);
        g1_to_compressed(bytes, &sum);
        hex_encode(m.check, bytes, 8);
        code = print(&m, o);
    }
    msm_g1_destroy(run.msm);
    free(run.points);
    free(run.scalars);
    return rc != 0 ? cli_fail(&err) : code;
}

int cmd_kernels(int argc, char **argv)
{
    enum { OPT_LOG2 = 256, OPT_THREADS };
    static const struct option options[] = {{"log2", required_argument, NULL, OPT_LOG2},
                                            {"threads", required_argument, NULL, OPT_THREADS},
                                            {0}};
    struct kernel_options o = {.log2 = 18};
    struct error err;
    uint64_t n, threads = 1;
    int opt, rc = 0;
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        switch (opt) {
        case OPT_LOG2:
            rc = cli_parse_u64(&n, "--log2", optarg, 27);
            if (rc == 0)
                o.log2 = (unsigned)n;
            break;
        case OPT_THREADS:
            rc = cli_parse_u64(&threads, "--threads", optarg, POOL_MAX_THREADS);
            break;
        default:
            return -ERR_USAGE;
        }
    }
    if (rc != 0)
        return rc;
    if (strcmp(argv[0], "field") == 0 && argc > 1)
        return cli_usage("field takes no option or argument");
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    if (pool_new(&o.pool, (unsigned)threads, &err) != 0)
        return cli_fail(&err);
    rc = strcmp(argv[0], "field") == 0 ? field(&o)
         : strcmp(argv[0], "ntt") == 0 ? ntt(&o)
                                       : msm(&o);
    pool_destroy(o.pool);
    return rc;
}
