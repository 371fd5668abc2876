/* The options that say what is proven, verified or synthesised: commands share them. Each kind takes its own. */
#ifndef CUZK_CMD_INPUT_H
#define CUZK_CMD_INPUT_H

#include <getopt.h>

#include "proof/kind.h"

enum {
    INPUT_C1 = 256,
    INPUT_VANILLA,
    INPUT_REGISTERED_PROOF,
    INPUT_RANDOMNESS,
    INPUT_SECTOR_NUM,
    INPUT_MINER_ID,
    INPUT_PROVER_ID,
    INPUT_PARTITION,
    INPUT_COMM_R_OLD,
    INPUT_COMM_R_NEW,
    INPUT_COMM_D_NEW,
    INPUT_END, /* the first that a command has for itself */
};

/* clang-format off */
#define INPUT_OPTIONS \
    {"c1", required_argument, NULL, INPUT_C1}, \
    {"vanilla", required_argument, NULL, INPUT_VANILLA}, \
    {"registered-proof", required_argument, NULL, INPUT_REGISTERED_PROOF}, \
    {"randomness", required_argument, NULL, INPUT_RANDOMNESS}, \
    {"sector-num", required_argument, NULL, INPUT_SECTOR_NUM}, \
    {"miner-id", required_argument, NULL, INPUT_MINER_ID}, \
    {"prover-id", required_argument, NULL, INPUT_PROVER_ID}, \
    {"partition", required_argument, NULL, INPUT_PARTITION}, \
    {"comm-r-old", required_argument, NULL, INPUT_COMM_R_OLD}, \
    {"comm-r-new", required_argument, NULL, INPUT_COMM_R_NEW}, \
    {"comm-d-new", required_argument, NULL, INPUT_COMM_D_NEW}

#define INPUT_USAGE \
    "  porep    --c1 FILE [--partition N] [--sector-num N] [--miner-id N | --prover-id HEX]\n" \
    "  winning  --vanilla FILE --registered-proof N --randomness HEX [--sector-num N]\n" \
    "  window   --vanilla FILE --registered-proof N --randomness HEX [--partition N]\n" \
    "  snap     --vanilla FILE --registered-proof N --comm-r-old HEX --comm-r-new HEX\n" \
    "           --comm-d-new HEX [--partition N]\n" \
    "  --c1 FILE             C1 output: Curio's wrapper or the bare SealCommitPhase1Output\n" \
    "                        FILE may be a pipe, - is standard input; so for --vanilla and --proof\n" \
    "  --vanilla FILE        vanilla proofs in bincode: a JSON array of base64 strings, else the file " \
    "is one proof\n" \
    "  --registered-proof N  number of the registered proof: winning 0 to 4, window 5 to 14, snap 0 " \
    "to 4\n" \
    "  --randomness HEX      the chain's 32 bytes\n" \
    "  --partition N         one partition only. window: the file has the sectors of partition N, no " \
    "others\n" \
    "  --comm-... HEX        32 bytes as Filecoin stores them\n" \
    "  --sector-num N, --miner-id N, --prover-id HEX   the input must be of this sector and prover\n"
/* clang-format on */

struct input_options {
    const struct proof_kind *kind;
    struct proof_request request;
    unsigned seen; /* bit i: option INPUT_C1 + i */
};

/* These return 0 or the exit code 2 after an error line. name: the kind's; NULL: it is missing. */
int input_kind(struct input_options *o, const char *name);
int input_option(struct input_options *o, int option, const char *value);
/* Nothing is missing and nothing is given that says nothing about this kind. */
int input_complete(const struct input_options *o);

#endif
