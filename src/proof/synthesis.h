/* Synthesis by itself, for measurement: no parameters, no proof. */
#ifndef CUZK_PROOF_SYNTHESIS_H
#define CUZK_PROOF_SYNTHESIS_H

#include "proof/kind.h"

enum synthesis_path {
    SYNTHESIS_NATIVE, /* native evaluators into typed vectors */
    SYNTHESIS_LC, /* the reference's way: a linear combination per row, evaluated term by term */
    SYNTHESIS_PATHS,
};
const char *synthesis_path_name(enum synthesis_path path);

struct synthesis_run {
    uint64_t rows; /* final rows included */
    uint64_t wall_ns, cpu_ns;
};

/* One partition, once. Native appends to *reused (zeroed before the first run), which it resets and whose memory it keeps: from the
 * second run on buffers are warm. lc builds its own vectors anew, as the reference does. */
int synthesis_run(struct synthesis_run *out, struct assignment *reused, enum synthesis_path path,
                  const struct proof_input *in, unsigned partition, struct pool *pool,
                  struct error *err);

#endif
