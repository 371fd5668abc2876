/* What pce-bench and pce-pipeline share: a PoRep through its recorded circuit. Lines as in the reference (spec: config §5). */
#ifndef CUZK_CMD_BENCH_PCE_RUN_H
#define CUZK_CMD_BENCH_PCE_RUN_H

#include "cmd/bench/synth_input.h"

#define PCE_RUN_USAGE                                                                              \
    "  --c1 FILE      C1 output: Curio's wrapper or the bare SealCommitPhase1Output\n"             \
    "  --sector-num N, --miner-id N   the input must be of this sector and miner\n"                \
    "  --partition N  one partition only\n"

struct pce_run {
    struct input_options input;
    uint64_t miner; /* of --miner-id */
    struct pool *pool;
    struct proof_input in;
    struct pce recorded;
    uint64_t extract_ns;
};
/* pool, in and recorded; harmless when zeroed */
void pce_run_clean_up(struct pce_run *r);

/* Makes the pool, reads and checks the input, and says how long it is. */
int pce_run_load(struct pce_run *r, struct error *err);

/* Records the circuit, under its heading. */
int pce_run_extract(struct pce_run *r, const char *heading, struct error *err);

/* All partitions of the input on a path, one after the other. s is the caller's, for r->in and r->recorded. */
struct pce_synthesis {
    uint64_t wall_ns; /* of synthesis alone */
    uint64_t rows;    /* of each circuit */
};
int pce_run_synthesize(struct pce_synthesis *out, struct synthesis *s, enum synthesis_path path,
                       struct error *err);

/* The old path: linear combinations, each value compared with the native one when it is there and not kept. */
int pce_run_old_path(struct pce_synthesis *out, const struct pce_run *r, struct error *err);

double pce_seconds(uint64_t ns);

#endif
