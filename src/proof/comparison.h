/* Comparing what another path of synthesis gives with the native path's typed result, in blocks and from any thread: neither side is
 * ever expanded as a whole. */
#ifndef CUZK_PROOF_COMPARISON_H
#define CUZK_PROOF_COMPARISON_H

#include "base/pool.h"
#include "r1cs/cs.h"

enum compared_stream { COMPARED_AUX, COMPARED_A, COMPARED_B, COMPARED_C, COMPARED_STREAMS };

struct comparison;
/* Keeps a pointer to native. ERR_OS without memory. */
int comparison_new(struct comparison **out, const struct assignment *native, struct pool *pool,
                   struct error *err);
void comparison_destroy(struct comparison *c); /* NULL is harmless */

/* value[0 .. n) is said to be elements [first, first + n) of the stream; first is a multiple of TVEC_BLOCK, n at most TVEC_BLOCK.
 * Called by the caller of pool_run or its tasks. */
void comparison_block(struct comparison *c, enum compared_stream stream, uint64_t first, size_t n,
                      const struct fr *value);

/* The same for A, B and C of rows, each of which must also hold: A * B = C. */
void comparison_rows(struct comparison *c, uint64_t first, size_t n,
                     const struct fr *const value[3]);

/* How many elements of a stream were not equal, and the first of these (UINT64_MAX: none). */
struct comparison_faults {
    uint64_t differing, first;
};
void comparison_faults(struct comparison_faults out[COMPARED_STREAMS], struct comparison *c);

/* All elements of the streams from `from` on were equal; or ERR_SOFTWARE, cause "paths-differ", naming the first that was not, or how
 * many were missing; or cause "row-unsatisfied", naming the first row that does not hold. path: the other's name. */
int comparison_finish(struct comparison *c, enum compared_stream from, const char *path,
                      struct error *err);

#endif
