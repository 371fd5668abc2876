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
    struct client *client;
};

#define REMOTE_ADDRESS "http://127.0.0.1:9820"
enum { REMOTE_CA = 512, REMOTE_TOKEN_FILE, REMOTE_LOG_LEVEL, REMOTE_END };

/* clang-format off */
#define REMOTE_OPTIONS \
    {"addr", required_argument, NULL, 'a'}, \
    {"ca", required_argument, NULL, REMOTE_CA}, \
    {"token-file", required_argument, NULL, REMOTE_TOKEN_FILE}, \
    {"log-level", required_argument, NULL, REMOTE_LOG_LEVEL}, \
    {"help", no_argument, NULL, 'h'}

#define REMOTE_USAGE \
    "  -a, --addr ADDR       http://HOST:PORT (default http://127.0.0.1:9820), https://HOST:PORT or unix://PATH\n" \
    "      --ca FILE         the daemon's certificate or its authority's, PEM: asks for TLS\n" \
    "      --token-file FILE a bearer token\n"
/* clang-format on */

/* 1 if the option was one of REMOTE_OPTIONS (but help). */
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
int remote_request_fill(struct remote_request *request, struct error *err);
void remote_request_clean_up(struct remote_request *request);

/* A fresh UUIDv4. */
void remote_uuid(char out[37]);

#endif
