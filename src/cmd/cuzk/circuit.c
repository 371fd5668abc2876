/* cuzk circuit ID [--digest] [--json] */
#include <stdio.h>

#include "base/hex.h"
#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "proof/registry.h"

const char circuit_usage[] =
    "usage: cuzk circuit ID [--digest] [--json]\n"
    "Streams the circuit's rows and prints counts, non-zero terms (final rows apart) and "
    "densities;\n"
    "with --digest also bellpepper's TestConstraintSystem hash. Ids: cuzk params list.\n";

static int print_json(const struct circuit *circuit, const struct shape_stats *s,
                      const char *digest)
{
    yajl_gen g = cli_json_open();
    cli_json_string(g, "id", circuit_names(circuit)->id);
    cli_json_u64(g, "num_inputs", s->num_inputs);
    cli_json_u64(g, "num_aux", s->num_aux);
    cli_json_u64(g, "num_constraints", s->num_constraints);
    cli_json_u64(g, "num_constraints_with_input_constraints", s->num_constraints + s->num_inputs);
    cli_json_begin(g, "nnz");
    cli_json_u64(g, "a", s->nnz_a);
    cli_json_u64(g, "b", s->nnz_b);
    cli_json_u64(g, "c", s->nnz_c);
    cli_json_end(g);
    cli_json_begin(g, "density");
    cli_json_u64(g, "a_aux", bitmap_popcount(&s->density.a_aux));
    cli_json_u64(g, "b_input", bitmap_popcount(&s->density.b_input));
    cli_json_u64(g, "b_aux", bitmap_popcount(&s->density.b_aux));
    cli_json_end(g);
    if (digest != NULL)
        cli_json_string(g, "digest", digest);
    return cli_json_close(g);
}

static int print_text(const struct circuit *circuit, const struct shape_stats *s,
                      const char *digest)
{
    printf("circuit      %s\n", circuit_names(circuit)->id);
    printf("inputs       %llu (with ONE)\n", (unsigned long long)s->num_inputs);
    printf("aux          %llu\n", (unsigned long long)s->num_aux);
    printf("rows         %llu (+ %llu, one per input)\n", (unsigned long long)s->num_constraints,
           (unsigned long long)s->num_inputs);
    printf("non-zero     A %llu, B %llu, C %llu\n", (unsigned long long)s->nnz_a,
           (unsigned long long)s->nnz_b, (unsigned long long)s->nnz_c);
    printf("dense        A aux %zu, B inputs %zu, B aux %zu\n", bitmap_popcount(&s->density.a_aux),
           bitmap_popcount(&s->density.b_input), bitmap_popcount(&s->density.b_aux));
    if (digest != NULL)
        printf("digest       %s\n", digest);
    return cli_flush();
}

int cmd_circuit(int argc, char **argv)
{
    enum { OPT_DIGEST = 256, OPT_JSON };
    static const struct option options[] = {
        {"digest", no_argument, NULL, OPT_DIGEST}, {"json", no_argument, NULL, OPT_JSON}, {0}};
    int digest = 0, json = 0, opt;
    uint64_t seen = 0;
    while ((opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        switch (opt) {
        case OPT_DIGEST:
            digest = 1;
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

    struct error err;
    const struct circuit *circuit;
    struct shape_stats stats;
    uint8_t hash[32];
    char text[65];
    if (circuit_by_id(&circuit, argv[optind], &err) != 0)
        return cli_fail(&err);
    if (circuit_stats(&stats, circuit, &err) != 0)
        return cli_fail(&err);
    int rc = digest ? circuit_digest(hash, circuit, &stats, &err) : 0;
    if (rc != 0) {
        rc = cli_fail(&err);
    } else {
        if (digest)
            hex_encode(text, hash, 32);
        rc = (json ? print_json : print_text)(circuit, &stats, digest ? text : NULL);
    }
    shape_stats_clean_up(&stats);
    return rc;
}
