/* cuzk verify porep --c1 FILE --proof FILE ... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "cmd/cli.h"
#include "cmd/cuzk/commands.h"
#include "proof/porep.h"

static const char usage[] =
    "usage: cuzk verify porep --c1 FILE --proof FILE [--partition N] [--miner-id N | --prover-id "
    "HEX] [--param-cache DIR]\n"
    "  --proof FILE    the proof's bytes (192 a partition), or the same in hexadecimal\n"
    "  --partition N   FILE holds the proof of this partition only\n"
    "  --miner-id N, --prover-id HEX   also check that replica_id follows from this prover\n"
    "Exit code 0: valid. 1: not valid.\n";

/* Hexadecimal text (white space at the end) becomes bytes in place. */
static void decode_if_hex(uint8_t *data, size_t *n)
{
    size_t digits = *n;
    while (digits > 0 && strchr("\r\n \t", data[digits - 1]) != NULL)
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

static int run(const char *c1, const char *proof_path, const char *dir, int partition,
               const struct porep_prover *prover)
{
    enum { PROOF_FILE_LIMIT = 1 << 20 };
    struct error err;
    uint8_t *proof;
    size_t n;
    if (file_read(&proof, &n, proof_path, PROOF_FILE_LIMIT, &err) != 0)
        return cli_fail(&err);
    decode_if_hex(proof, &n);
    int rc = porep_verify(c1, dir, proof, n, partition, prover, &err);
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
    enum { OPT_C1 = 256, OPT_PROOF, OPT_PARTITION, OPT_MINER, OPT_PROVER, OPT_CACHE };
    static const struct option options[] = {{"c1", required_argument, NULL, OPT_C1},
                                            {"proof", required_argument, NULL, OPT_PROOF},
                                            {"partition", required_argument, NULL, OPT_PARTITION},
                                            {"miner-id", required_argument, NULL, OPT_MINER},
                                            {"prover-id", required_argument, NULL, OPT_PROVER},
                                            {"param-cache", required_argument, NULL, OPT_CACHE},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *c1 = NULL, *proof = NULL, *cache = NULL;
    struct porep_prover prover = {0};
    int opt, rc = 0, partition = POREP_ALL_PARTITIONS;
    uint64_t n;
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return cli_flush();
    }
    if (argc < 2 || strcmp(argv[1], "porep") != 0)
        return cli_usage(usage, "what to verify is missing: porep");
    argc--, argv++;
    while (rc == 0 && (opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (opt) {
        case OPT_C1:
            c1 = optarg;
            break;
        case OPT_PROOF:
            proof = optarg;
            break;
        case OPT_CACHE:
            cache = optarg;
            break;
        case OPT_PARTITION:
            rc = cli_parse_u64(&n, "--partition", optarg, 125);
            if (rc == 0)
                partition = (int)n;
            break;
        case OPT_MINER:
            rc = cli_parse_u64(&n, "--miner-id", optarg, UINT64_MAX);
            if (rc == 0)
                prover_id_of_miner(prover.prover_id, n);
            prover.given++;
            break;
        case OPT_PROVER:
            rc = cli_parse_bytes32(prover.prover_id, "--prover-id", optarg);
            prover.given++;
            break;
        default:
            fputs(usage, stderr);
            return -ERR_USAGE;
        }
    }
    if (rc != 0)
        return rc;
    if (c1 == NULL || proof == NULL)
        return cli_usage(usage, "--c1 FILE and --proof FILE are needed");
    if (prover.given > 1)
        return cli_usage(usage, "--miner-id and --prover-id exclude each other");
    if (optind != argc)
        return cli_usage(usage, "unexpected argument \"%.40s\"", argv[optind]);
    return run(c1, proof, cli_param_dir(cache), partition, &prover);
}
