/* cuzk pce record|info|verify --circuit ID */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/meminfo.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "proof/pce.h"

const char pce_usage[] =
    "usage: cuzk pce record|info|verify --circuit ID [--templates] [--param-cache DIR] [--json]\n"
    "A circuit's matrices, recorded once. The reference's file (pce-....bin, with checksums beside "
    "it) holds all terms:\n"
    "25.7 GiB for porep-32g. Ids: cuzk params list.\n"
    "  record        writes the file\n"
    "  info          says what is in it; structure and counts are checked\n"
    "  verify        reads all of it: every row must be the circuit's\n"
    "  --templates   our file (pce-....templates), which holds what repeats itself once: 7 MiB\n";

struct pce_options {
    const char *circuit, *dir;
    enum pce_form form;
    int json;
};

static int parse(struct pce_options *o, int argc, char **argv)
{
    enum { OPT_CIRCUIT = 256, OPT_CACHE, OPT_TEMPLATES, OPT_JSON };
    static const struct option options[] = {{"circuit", required_argument, NULL, OPT_CIRCUIT},
                                            {"param-cache", required_argument, NULL, OPT_CACHE},
                                            {"templates", no_argument, NULL, OPT_TEMPLATES},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {0}};
    int opt;
    uint64_t seen = 0;
    while ((opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        switch (opt) {
        case OPT_CIRCUIT:
            o->circuit = optarg;
            break;
        case OPT_CACHE:
            o->dir = optarg;
            break;
        case OPT_TEMPLATES:
            o->form = PCE_TEMPLATES;
            break;
        case OPT_JSON:
            o->json = 1;
            break;
        default:
            return -ERR_USAGE;
        }
    }
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    if (o->circuit == NULL)
        return cli_usage("--circuit ID is missing");
    o->dir = cli_param_dir(o->dir);
    return 0;
}

static int print_json(const struct pce *p)
{
    const struct circuit_params *names = circuit_names(p->circuit);
    const struct templates *t = &p->templates;
    yajl_gen g = cli_json_open();
    cli_json_string(g, "id", names->id);
    cli_json_string(g, "form", pce_form_name(p->form));
    cli_json_string(g, "path", p->path);
    cli_json_u64(g, "file_bytes", p->file_bytes);
    cli_json_u64(g, "num_inputs", names->inputs);
    cli_json_u64(g, "num_aux", names->aux);
    cli_json_u64(g, "num_constraints_with_input_constraints", p->num_rows);
    cli_json_begin(g, "nnz_with_input_constraints");
    cli_json_u64(g, "a", p->nnz[0]);
    cli_json_u64(g, "b", p->nnz[1]);
    cli_json_u64(g, "c", p->nnz[2]);
    cli_json_end(g);
    if (p->form == PCE_TEMPLATES) {
        cli_json_u64(g, "memory_bytes", templates_bytes(t));
        cli_json_u64(g, "coefficients", t->coeffs);
        cli_json_u64(g, "distinct_rows", t->forms);
        cli_json_u64(g, "templates", t->count);
        cli_json_u64(g, "instances", t->instances);
    } else {
        cli_json_bool(g, "checksums", p->flat.sums.block != NULL);
    }
    return cli_json_close(g);
}

static int print_text(const struct pce *p)
{
    const struct circuit_params *names = circuit_names(p->circuit);
    const struct templates *t = &p->templates;
    printf("circuit      %s, %s\n", names->id, pce_form_name(p->form));
    char path[600];
    printf("file         %s, %" PRIu64 " bytes\n", text_printable(path, sizeof path, p->path),
           p->file_bytes);
    printf("inputs       %" PRIu32 " (with ONE)\n", names->inputs);
    printf("aux          %" PRIu32 "\n", names->aux);
    printf("rows         %" PRIu64 " (with one per input)\n", p->num_rows);
    printf("non-zero     A %" PRIu64 ", B %" PRIu64 ", C %" PRIu64 ", sum %" PRIu64 "\n", p->nnz[0],
           p->nnz[1], p->nnz[2], p->nnz[0] + p->nnz[1] + p->nnz[2]);
    if (p->form == PCE_TEMPLATES)
        printf(
            "templates    %zu, %zu times; %zu distinct rows, %zu coefficients; %zu bytes in "
            "memory\n",
            t->count, t->instances, t->forms, t->coeffs, templates_bytes(t));
    else
        printf("checksums    %s\n", p->flat.sums.block ? "checked when a block is first read"
                                                       : "none: only ranges are checked");
    return cli_flush();
}

static int inspect(const struct pce_options *o, const struct circuit *circuit, int verify)
{
    struct pce p;
    struct error err;
    if (pce_open(&p, circuit, o->dir, o->form, &err) != 0)
        return cli_fail(&err);
    int rc = 0;
    if (verify && pce_verify(&p, &progress_stderr, &err) != 0)
        rc = cli_fail(&err);
    else
        rc = (o->json ? print_json : print_text)(&p);
    if (rc == 0 && verify && !o->json) {
        puts("verified     every row is the circuit's");
        rc = cli_flush();
    }
    pce_close(&p);
    return rc;
}

static int record(const struct pce_options *o, const struct circuit *circuit)
{
    struct error err;
    if (pce_record(circuit, o->dir, o->form, &progress_stderr, &err) != 0)
        return cli_fail(&err);
    fprintf(stderr, "%s: recorded in %.1f CPU seconds, peak %.0f MiB\n", circuit_names(circuit)->id,
            (double)clock_process_cpu_ns() * 1e-9, (double)meminfo_peak_rss_bytes() / 1048576.0);
    return inspect(o, circuit, 0);
}

int cmd_pce(int argc, char **argv)
{
    struct pce_options o = {.form = PCE_FLAT};
    const struct circuit *circuit;
    struct error err;
    if (argc < 2)
        return cli_usage("what to do is missing");
    int rc = parse(&o, argc - 1, argv + 1);
    if (rc != 0)
        return rc;
    if (circuit_by_id(&circuit, o.circuit, &err) != 0)
        return cli_fail(&err);
    if (strcmp(argv[1], "record") == 0)
        return record(&o, circuit);
    if (strcmp(argv[1], "info") == 0)
        return inspect(&o, circuit, 0);
    if (strcmp(argv[1], "verify") == 0)
        return inspect(&o, circuit, 1);
    return cli_usage("no action \"%.20s\"", argv[1]);
}
