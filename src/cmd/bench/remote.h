/* What the subcommands that talk to a daemon share. */
#ifndef CUZK_CMD_BENCH_REMOTE_H
#define CUZK_CMD_BENCH_REMOTE_H

#include <cuzk/v1/proving.pb-c.h>
#include <getopt.h>
#include <stddef.h>

#include "filecoin/vanilla_list.h"
#include "service/client.h"

struct remote {
    const char *address, *ca_file, *token_file;
    char token
        [513]; /* what the file says, after the first opening; the file may be standard input */
    struct client *client;
};

#define REMOTE_ADDRESS "http://127.0.0.1:9820"
enum {
    REMOTE_CA = 512,
    REMOTE_TOKEN_FILE,
    REMOTE_LOG_LEVEL,
    REMOTE_C1,
    REMOTE_VANILLA,
    REMOTE_REGISTERED,
    REMOTE_SECTOR,
    REMOTE_MINER,
    REMOTE_PARTITION,
    REMOTE_RANDOMNESS,
    REMOTE_COMM_R_OLD,
    REMOTE_COMM_R_NEW,
    REMOTE_COMM_D_NEW,
};

/* clang-format off */
#define REMOTE_OPTIONS \
    {"addr", required_argument, NULL, 'a'}, \
    {"ca", required_argument, NULL, REMOTE_CA}, \
    {"token-file", required_argument, NULL, REMOTE_TOKEN_FILE}, \
    {"log-level", required_argument, NULL, REMOTE_LOG_LEVEL}

#define REMOTE_REQUEST_OPTIONS \
    {"type", required_argument, NULL, 't'}, \
    {"c1", required_argument, NULL, REMOTE_C1}, \
    {"vanilla", required_argument, NULL, REMOTE_VANILLA}, \
    {"registered-proof", required_argument, NULL, REMOTE_REGISTERED}, \
    {"sector-num", required_argument, NULL, REMOTE_SECTOR}, \
    {"miner-id", required_argument, NULL, REMOTE_MINER}, \
    {"partition", required_argument, NULL, REMOTE_PARTITION}, \
    {"randomness", required_argument, NULL, REMOTE_RANDOMNESS}, \
    {"comm-r-old", required_argument, NULL, REMOTE_COMM_R_OLD}, \
    {"comm-r-new", required_argument, NULL, REMOTE_COMM_R_NEW}, \
    {"comm-d-new", required_argument, NULL, REMOTE_COMM_D_NEW}

#define REMOTE_REQUEST_USAGE \
    "  -t, --type T          porep, snap, wpost, winning\n" \
    "      --c1 FILE         PoRep: C1 output\n" \
    "      --vanilla FILE    the others: JSON array of base64 strings, else the file is one proof\n" \
    "      --registered-proof N (0), --sector-num N (1), --miner-id N (1000), --partition N (0)\n" \
    "      --randomness HEX, --comm-r-old HEX, --comm-r-new HEX, --comm-d-new HEX\n"

#define REMOTE_USAGE \
    "  -a, --addr ADDR       http://HOST:PORT (default http://127.0.0.1:9820), https://HOST:PORT or unix://PATH\n" \
    "      --ca FILE         the daemon's certificate or its authority's, PEM: asks for TLS\n" \
    "      --token-file FILE a bearer token\n"
/* clang-format on */

/* 1 if the option was one of REMOTE_OPTIONS. */
int remote_option(struct remote *remote, int option, const char *value);
int remote_open(struct remote *remote, struct error *err);
void remote_close(struct remote *remote);

enum { REMOTE_SPACES = 4096 };

/* A proof request from the command line's files; clean up also after an error. REMOTE_SPACES spaces stand behind vanilla_proof. */
struct remote_request {
    const char *type, *c1, *vanilla, *randomness, *comm[3]; /* as given; NULL: absent */
    uint64_t registered_proof, sector, miner, partition;
    Cuzk__V1__SubmitProofRequest message;
    uint8_t *c1_bytes, bytes[4][32];
    struct vanilla_list list;
    ProtobufCBinaryData *proofs;
};
#define REMOTE_REQUEST_DEFAULTS                                                                    \
    {                                                                                              \
        .sector = 1, .miner = 1000                                                                 \
    }
/* 0; 2 after an error line; -1: not one of REMOTE_REQUEST_OPTIONS. */
int remote_request_option(struct remote_request *request, int option, const char *value);
/* The command line of what makes requests: each option goes to take, which returns 0, 2 after an error line, or -1 for one that it does
 * not know. 0 or the exit code 2. */
int remote_parse(int argc, char **argv, const struct option *options,
                 int (*take)(void *ctx, int option, const char *value), void *ctx);
/* cli_one_stdin for all that both read. */
int remote_one_stdin(const struct remote *remote, const struct remote_request *request);
int remote_request_fill(struct remote_request *request, struct error *err);
void remote_request_clean_up(struct remote_request *request);

/* The daemon answers the same input from the job that has it already. This makes the i-th request another input with the same proof:
 * spaces behind the C1's JSON, the miner where no proof depends on it. PoRep has REMOTE_SPACES of them. */
void remote_make_distinct(Cuzk__V1__SubmitProofRequest *message, uint64_t i);
/* Where i starts in this run of the program, so that the next run's inputs are others again. */
uint64_t remote_distinct_base(void);

/* A fresh UUIDv4. */
void remote_uuid(char out[37]);
/* "COMPLETED" etc. */
const char *remote_status_name(const Cuzk__V1__AwaitProofResponse *response);

#endif
