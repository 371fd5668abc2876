#include "cmd/bench/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/rand.h"
#include "cmd/cli.h"

int remote_option(struct remote *remote, int option, const char *value)
{
    switch (option) {
    case 'a':
        remote->address = value;
        return 1;
    case REMOTE_CA:
        remote->ca_file = value;
        return 1;
    case REMOTE_TOKEN_FILE:
        remote->token_file = value;
        return 1;
    case REMOTE_LOG_LEVEL: /* accepted from scripts: this program prints results, no log */
        return 1;
    }
    return 0;
}

int remote_request_option(struct remote_request *r, int option, const char *value)
{
    switch (option) {
    case 't':
        r->type = value;
        return 0;
    case REMOTE_C1:
        r->c1 = value;
        return 0;
    case REMOTE_VANILLA:
        r->vanilla = value;
        return 0;
    case REMOTE_REGISTERED:
        return cli_parse_u64(&r->registered_proof, "--registered-proof", value, UINT32_MAX);
    case REMOTE_SECTOR:
        return cli_parse_u64(&r->sector, "--sector-num", value, UINT64_MAX);
    case REMOTE_MINER:
        return cli_parse_u64(&r->miner, "--miner-id", value, UINT64_MAX);
    case REMOTE_PARTITION:
        return cli_parse_u64(&r->partition, "--partition", value, UINT32_MAX);
    case REMOTE_RANDOMNESS:
        r->randomness = value;
        return 0;
    case REMOTE_COMM_R_OLD:
    case REMOTE_COMM_R_NEW:
    case REMOTE_COMM_D_NEW:
        r->comm[option - REMOTE_COMM_R_OLD] = value;
        return 0;
    }
    return -1;
}

static int read_token(struct remote *remote, struct error *err)
{
    uint8_t *text;
    size_t n;
    if (file_read_stream(&text, &n, remote->token_file, sizeof remote->token - 1, err) != 0)
        return err->code;
    n = strcspn((char *)text, "\r\n");
    memcpy(remote->token, text, n);
    remote->token[n] = '\0';
    free(text);
    return n > 0 ? 0
                 : error_set(err, ERR_CONFIG, "token-short", "%s: has no token in its first line",
                             remote->token_file);
}

int remote_open(struct remote *remote, struct error *err)
{
    if (remote->token_file != NULL && *remote->token == '\0' && read_token(remote, err) != 0)
        return err->code;
    return client_new(&remote->client, remote->address, remote->ca_file,
                      remote->token_file != NULL ? remote->token : NULL, err);
}

void remote_close(struct remote *remote)
{
    client_destroy(remote->client);
    remote->client = NULL;
}

static const struct {
    const char *name;
    Cuzk__V1__ProofKind kind;
} types[] = {
    {"porep", CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT},
    {"porep-c2", CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT},
    {"seal-commit", CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT},
    {"snap", CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE},
    {"snap-deals", CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE},
    {"update", CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE},
    {"wpost", CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION},
    {"window-post", CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION},
    {"windowpost", CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION},
    {"winning", CUZK__V1__PROOF_KIND__WINNING_POST},
    {"winning-post", CUZK__V1__PROOF_KIND__WINNING_POST},
    {"winningpost", CUZK__V1__PROOF_KIND__WINNING_POST},
};

static int fill_type(struct remote_request *r, struct error *err)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (r->type != NULL && strcasecmp(types[i].name, r->type) == 0) {
            r->message.proof_kind = types[i].kind;
            return 0;
        }
    }
    if (r->type == NULL)
        return error_set(err, ERR_USAGE, "proof-type",
                         "--type TYPE is missing: porep, snap, wpost or winning");
    return error_set(err, ERR_USAGE, "proof-type",
                     "unknown proof type: %.40s. Use: porep, snap, wpost, winning", r->type);
}

static int fill_hex(struct remote_request *r, unsigned i, ProtobufCBinaryData *out,
                    const char *option, const char *text, struct error *err)
{
    if (text != NULL && hex_decode(r->bytes[i], 32, text) != 0)
        return error_set(err, ERR_USAGE, "option-hex",
                         "--%s takes 64 hexadecimal digits, not \"%.70s\"", option, text);
    *out = (ProtobufCBinaryData){32, r->bytes[i]};
    return 0;
}

static int fill_vanilla(struct remote_request *r, struct error *err)
{
    if (vanilla_list_read(&r->list, r->vanilla, err) != 0)
        return err->code;
    r->proofs = calloc(r->list.len + 1, sizeof *r->proofs);
    if (r->proofs == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the proofs");
    for (size_t i = 0; i < r->list.len; i++)
        r->proofs[i] = (ProtobufCBinaryData){r->list.proofs[i].len, r->list.proofs[i].data};
    r->message.vanilla_proofs = r->proofs;
    r->message.n_vanilla_proofs = r->list.len;
    return 0;
}

int remote_parse(int argc, char **argv, const struct option *options,
                 int (*take)(void *ctx, int option, const char *value), void *ctx)
{
    int option;
    uint64_t seen = 0;
    while ((option = cli_option(argc, argv, "t:c:j:a:", options, &seen)) != -1)
        if (take(ctx, option, optarg) != 0)
            return -ERR_USAGE;
    if (optind < argc)
        return cli_usage("%s takes no argument \"%.40s\"", argv[0], argv[optind]);
    return 0;
}

int remote_one_stdin(const struct remote *remote, const struct remote_request *request)
{
    const struct cli_file files[] = {{"--c1", request->c1},
                                     {"--vanilla", request->vanilla},
                                     {"--token-file", remote->token_file}};
    return cli_one_stdin(files, sizeof files / sizeof *files);
}

int remote_request_fill(struct remote_request *r, struct error *err)
{
    static const char *const comm_options[] = {"comm-r-old", "comm-r-new", "comm-d-new"};
    Cuzk__V1__SubmitProofRequest *m = &r->message;
    size_t n;
    cuzk__v1__submit_proof_request__init(m);
    if (fill_type(r, err) != 0)
        return err->code;
    m->sector_size = (uint64_t)32 << 30;
    m->registered_proof = r->registered_proof;
    m->sector_number = r->sector;
    m->miner_id = r->miner;
    m->partition_index = (uint32_t)r->partition;
    if (fill_hex(r, 3, &m->randomness, "randomness", r->randomness, err) != 0)
        return err->code;
    ProtobufCBinaryData *comm[] = {&m->comm_r_old, &m->comm_r_new, &m->comm_d_new};
    for (unsigned i = 0; i < 3; i++) {
        if (r->comm[i] != NULL && fill_hex(r, i, comm[i], comm_options[i], r->comm[i], err) != 0)
            return err->code;
    }
    if (r->c1 != NULL) {
        if (file_read_stream(&r->c1_bytes, &n, r->c1, (size_t)256 << 20, err) != 0)
            return err->code;
        uint8_t *longer = realloc(r->c1_bytes, n + REMOTE_SPACES);
        if (longer == NULL)
            return error_set(err, ERR_OS, "out-of-memory", "no memory for the C1 output");
        r->c1_bytes = longer;
        memset(longer + n, ' ', REMOTE_SPACES);
        m->vanilla_proof = (ProtobufCBinaryData){n, longer};
    }
    return r->vanilla == NULL ? 0 : fill_vanilla(r, err);
}

void remote_request_clean_up(struct remote_request *r)
{
    free(r->c1_bytes);
    free(r->proofs);
    vanilla_list_clean_up(&r->list);
    r->c1_bytes = NULL;
    r->proofs = NULL;
}

void remote_uuid(char out[37])
{
    uint8_t b[16];
    char hex[33];
    if (rand_fill(b, sizeof b) != 0)
        abort();
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    hex_encode(hex, b, sizeof b);
    snprintf(out, 37, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

void remote_make_distinct(Cuzk__V1__SubmitProofRequest *m, uint64_t i)
{
    if (m->proof_kind == CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT)
        m->vanilla_proof.len += i % REMOTE_SPACES;
    else
        m->miner_id += i;
}

uint64_t remote_distinct_base(void)
{
    uint64_t base;
    if (rand_fill(&base, sizeof base) != 0)
        abort();
    return base >> 24; /* the miner stays far from the end of its range */
}

const char *remote_status_name(const Cuzk__V1__AwaitProofResponse *r)
{
    static const char *const names[] = {"UNKNOWN", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"};
    return (unsigned)r->status < sizeof names / sizeof *names ? names[r->status] : names[0];
}
