/* Synthesis by itself, for measurement: no parameters, no proof. */
#ifndef CUZK_PROOF_SYNTHESIS_H
#define CUZK_PROOF_SYNTHESIS_H

#include "base/perf_counters.h"
#include "proof/comparison.h"
#include "proof/kind.h"
#include "proof/pce.h"

enum synthesis_path {
    SYNTHESIS_NATIVE, /* native evaluators into typed vectors */
    SYNTHESIS_CSR, /* the recorded circuit's matrices times the witness; the native path makes that */
    SYNTHESIS_LC, /* the reference's way: a linear combination per row, evaluated term by term */
    SYNTHESIS_PATHS,
};
const char *synthesis_path_name(enum synthesis_path path);

/* What to run, and memory that runs reuse. Filled by the caller but for native. */
struct synthesis {
    const struct proof_input *in;
    struct pool *pool;
    const struct perf_counters *counters; /* may be NULL */
    struct pce *recorded;                 /* csr */
    enum lc_storage storage;              /* lc; not LC_LIST */
    int presize;                          /* lc: row vectors have their room from the start */
    int by_value;                         /* lc: struct lc_memory */
    /* csr and lc: compare everything with the native path's result, and test that each row holds */
    int validate;
    struct assignment native;
};
void synthesis_clean_up(struct synthesis *s); /* what is its own */

struct synthesis_run {
    uint64_t rows, aux; /* final rows included */
    uint64_t wall_ns, cpu_ns;
    uint64_t system_ns;         /* of cpu_ns, in the kernel: fresh pages, mostly */
    uint64_t witness_cpu_ns;    /* csr: of cpu_ns, what the native path took to make the witness */
    struct lc_memory allocated; /* for values and terms, in this run */
    uint64_t counters[PERF_COUNTERS];
    struct comparison_faults faults[COMPARED_STREAMS]; /* validating csr, also if they differ */
};

/* One partition, once. native: s->native keeps its memory, so from the second run on buffers are warm. csr: row values are handed over
 * block by block and not kept. lc: vectors are built anew and kept to the end, as the reference does; but with validate each row is
 * compared when it is there and not kept. Validating csr or lc, the native result is made first, outside of the measurement for lc.
 * ERR_SOFTWARE, causes "paths-differ", "row-unsatisfied". */
int synthesis_run(struct synthesis_run *out, struct synthesis *s, enum synthesis_path path,
                  unsigned partition, struct error *err);

#endif
