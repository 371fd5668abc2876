/* Writes a PoRep's vanilla proofs as serde_json writes SealCommitPhase1Output: keys in the
 * reference's order, no spaces (spec: inputs §3). */
#ifndef CUZK_FILECOIN_C1_WRITE_H
#define CUZK_FILECOIN_C1_WRITE_H

#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "filecoin/porep_vanilla.h"

struct c1_sizes {
    uint64_t inner, file; /* bytes: of SealCommitPhase1Output's JSON; of the file */
};

/* In Curio's wrapper where v->has_wrapper. Streamed; the file appears when it is complete. Errors
 * of base/file.h. */
int porep_vanilla_write(struct c1_sizes *out, const struct porep_vanilla *v, const char *path,
                        enum file_replace replace, struct error *err);

#endif
