/* cuzk-bench gen-vanilla: its kinds. */
#ifndef CUZK_CMD_BENCH_GEN_VANILLA_H
#define CUZK_CMD_BENCH_GEN_VANILLA_H

#include "cmd/cli.h"

/* Usage text of the kinds that write a list of vanilla proofs, which are all but porep. */
/* clang-format off */
#define GEN_VANILLA_LIST_USAGE \
    "usage: cuzk-bench gen-vanilla winning-post|window-post|snap-prove --synthetic\n" \
    "                  [--registered-proof N] [--seed N] [-o FILE] [--threads N]\n" \
    "         winning-post: [--sector-number N] [--miner-id N] [--randomness HEX]\n" \
    "         window-post:  [--sector-number N] [--sectors N] [--miner-id N] [--randomness HEX]\n" \
    "  --synthetic           valid vanilla proofs of sectors that don't exist\n" \
    "  --registered-proof N  default: 32GiB: winning 3, window 13, snap 3\n" \
    "  --sector-number N     default 1\n" \
    "  --sectors N           so many from --sector-number on, at most one partition's; default 1\n" \
    "  --miner-id N          default 1000\n" \
    "  --randomness HEX      the chain's 32 bytes; default: drawn\n" \
    "  --seed N              draws what is free; default 0\n" \
    "  -o, --output FILE     JSON array of base64, replaced if it exists; default:\n" \
    "                        winning-vanilla.json, wpost-vanilla.json, snap-vanilla.json\n"
/* clang-format on */

/* Each gets argv from the kind's name on and returns the exit code. */
int gen_porep(int argc, char **argv);
int gen_winning_post(int argc, char **argv);
int gen_window_post(int argc, char **argv);
int gen_snap_prove(int argc, char **argv);

/* "what (hex): ..." to stderr. */
void gen_print_bytes32(const char *what, const uint8_t bytes[32]);

#endif
