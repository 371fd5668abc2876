/* cuzk-bench gen-vanilla: its kinds. */
#ifndef CUZK_CMD_BENCH_GEN_VANILLA_H
#define CUZK_CMD_BENCH_GEN_VANILLA_H

#include "cmd/cli.h"

/* Usage text of the kinds that write a list of vanilla proofs, which are all but porep. */
extern const char gen_vanilla_list_usage[];

/* Each gets argv from the kind's name on and returns the exit code. */
int gen_porep(int argc, char **argv);
int gen_winning_post(int argc, char **argv);
int gen_window_post(int argc, char **argv);
int gen_snap_prove(int argc, char **argv);

/* "what (hex): ..." to stderr. */
void gen_print_bytes32(const char *what, const uint8_t bytes[32]);

#endif
