/* cuzk verify KIND ... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "cmd/input.h"
#include "proof/job.h"

const char verify_usage[] =
    "usage: cuzk verify porep|winning|window|snap INPUT --proof FILE [--param-cache "
    "DIR]\n" INPUT_USAGE
    "  --proof FILE          the proof's bytes (192 a partition), or the same in hexadecimal\n"
    "Of the C1 output or the vanilla proofs only the statement is read: commitments, ids, seeds.\n"
    "A PoRep's is about replica_id: that this follows from miner, sector and ticket is looked at\n"
    "with --miner-id (and --sector-num, which a bare C1 output does not hold).\n"
    "Exit code 0: valid. 1: not valid.\n";

/* Hexadecimal text (white space at the end) becomes bytes in place. */
static void decode_if_hex(uint8_t *data, size_t *n)
{
    size_t digits = *n;
    while (digits > 0 && data[digits - 1] != '\0' && strchr("\r\n \t", data[digits - 1]) != NULL)
        digits--;
    if (digits == 0 || digits % 2 != 0)
        return;
    char *text = strndup((const char *)data, digits);
    uint8_t *bytes = malloc(digits / 2);
    if (text != NULL && bytes != NULL && strlen(text) == digits &&
        hex_decode(bytes, digits / 2, text) == 0) {
        memcpy(data, bytes, digits / 2);
        *n = digits / 2;
    }
    free(text);
    free(bytes);
}

static int run(const struct input_options *o, const char *proof_path, const char *dir)
{
    enum { PROOF_FILE_LIMIT = 1 << 20 };
    struct error err;
    uint8_t *proof;
    size_t n;
    if (file_read_stream(&proof, &n, proof_path, PROOF_FILE_LIMIT, &err) != 0)
        return cli_fail(&err);
    decode_if_hex(proof, &n);
    int rc = proof_verify(o->kind, &o->request, dir, proof_path, proof, n, &err);
    free(proof);
    if (rc == ERR_INVALID_PROOF) {
        printf("invalid: %s (%s)\n", err.text, err.cause);
        cli_flush();
        return -ERR_INVALID_PROOF;
    }
    if (rc != 0)
        return cli_fail(&err);
    puts("valid");
    return cli_flush();
}

int cmd_verify(int argc, char **argv)
{
    enum { OPT_PROOF = INPUT_END, OPT_CACHE };
    static const struct option options[] = {INPUT_OPTIONS,
                                            {"proof", required_argument, NULL, OPT_PROOF},
                                            {"param-cache", required_argument, NULL, OPT_CACHE},
                                            {0}};
    struct input_options o = {0};
    const char *proof = NULL, *cache = NULL;
    int opt, rc = input_kind(&o, argv[1]);
    argc--, argv++;
    uint64_t seen = 0;
    while (rc == 0 && (opt = cli_option(argc, argv, "", options, &seen)) != -1) {
        if (opt >= INPUT_C1 && opt < INPUT_END) {
            rc = input_option(&o, opt, optarg);
        } else if (opt == OPT_PROOF) {
            proof = optarg;
        } else if (opt == OPT_CACHE) {
            cache = optarg;
        } else {
            return -ERR_USAGE;
        }
    }
    if (rc == 0)
        rc = input_complete(&o);
    if (rc != 0)
        return rc;
    if (proof == NULL)
        return cli_usage("--proof FILE is missing");
    const struct cli_file files[] = {{o.kind == &porep_kind ? "--c1" : "--vanilla", o.request.path},
                                     {"--proof", proof}};
    if (cli_one_stdin(files, 2) != 0)
        return -ERR_USAGE;
    if (optind != argc)
        return cli_usage("unexpected argument \"%.40s\"", argv[optind]);
    if (cli_published_params(&o.request.published) != 0)
        return -ERR_USAGE;
    return run(&o, proof, cli_param_dir(cache));
}
