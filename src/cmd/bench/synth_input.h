/* What the benchmarks of synthesis take in. */
#ifndef CUZK_CMD_BENCH_SYNTH_INPUT_H
#define CUZK_CMD_BENCH_SYNTH_INPUT_H

#include "cmd/input.h"
#include "proof/synthesis.h"

/* One of INPUT_OPTIONS; --partition may be "all", and *miner is what --miner-id says. 0 or the exit code 2 after an error line. */
int synth_input_option(struct input_options *o, uint64_t *miner, int opt, const char *value);

/* The sector number to print: the reference's default where none is claimed. */
uint64_t synth_sector(const struct input_options *o);

/* Bytes of the input file; 0 if it is not there. */
long long synth_input_bytes(const struct input_options *o);

/* Decoded and checked. */
int synth_take_input(struct proof_input *in, const struct input_options *o, struct pool *pool,
                     struct error *err);

/* Templates that nobody recorded before: through a file that is gone afterwards, so they are checked like any other. */
int synth_record(struct pce *p, const struct circuit *circuit, struct error *err);

#endif
