/* What can be done with streamed rows: count, hash, record. */
#ifndef CUZK_R1CS_SINKS_H
#define CUZK_R1CS_SINKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "r1cs/coeff_table.h"
#include "r1cs/cs.h"

struct bitmap {
    uint64_t *word; /* bit i = word[i / 64] >> (i % 64) */
    size_t len;     /* bits; grows */
    size_t cap;     /* words */
};
static inline int bitmap_get(const struct bitmap *b, size_t i)
{
    return i < b->len && (b->word[i / 64] >> (i % 64) & 1);
}
size_t bitmap_popcount(const struct bitmap *b);

/* Density (spec: params §7.2): variables with a non-zero coefficient in some row, final rows included: all inputs are A-dense. */
struct density {
    struct bitmap a_aux, b_input, b_aux;
};
void density_clean_up(struct density *d);

/* Counts and density. nnz, unlike density, without the final rows. */
struct shape_stats {
    uint64_t num_inputs, num_aux; /* filled by shape_stats_finish */
    uint64_t num_constraints;     /* without final rows */
    uint64_t nnz_a, nnz_b, nnz_c;
    struct density density;
    int failed; /* no memory: shape_stats_finish says so */
};
struct row_sink shape_stats_sink(struct shape_stats *s); /* s zeroed by the caller */
/* After cs_finish. The bitmaps get len = num_inputs or num_aux. */
int shape_stats_finish(struct shape_stats *s, const struct cs *cs, struct error *err);
void shape_stats_clean_up(struct shape_stats *s);

/* TestConstraintSystem::hash() of bellpepper-core (spec: circuits §1): BLAKE2s-256 over the counts and every row but the final ones.
 * The counts come first, so they must be known. checkpoint (may be NULL) is called after every step-th row with the hash of the rows
 * so far, without the counts: for that a second hash runs along. Out of memory ends the process, as in hash/. */
struct shape_digest;
struct shape_digest *shape_digest_new(uint64_t num_inputs, uint64_t num_aux,
                                      uint64_t num_constraints);
void shape_digest_checkpoints(struct shape_digest *d, uint64_t step,
                              void (*fn)(void *ctx, uint64_t rows, const uint8_t hash[32]),
                              void *ctx);
struct row_sink shape_digest_sink(struct shape_digest *d);
void shape_digest_finish(struct shape_digest *d, uint8_t out[32]); /* destroys d */

/* The shape recorded: compressed sparse rows, coefficients deduplicated in a table. Final rows included. */
struct csr_matrix {
    uint64_t *row;   /* [rows + 1] */
    uint32_t *var;   /* [nnz], as struct term */
    uint32_t *coeff; /* [nnz], number in csr.coeffs */
    size_t rows, nnz, row_cap, nnz_cap;
};
struct csr {
    struct csr_matrix a, b, c;
    struct coeff_table coeffs;
    uint64_t num_inputs, num_aux; /* filled by csr_finish */
    int failed;
};
struct row_sink csr_sink(struct csr *m); /* m zeroed by the caller */
/* After cs_finish. */
int csr_finish(struct csr *m, const struct cs *cs, struct error *err);
void csr_clean_up(struct csr *m);
/* out[r] = row r of m times the assignment. pool may be NULL. */
void csr_eval(struct fr *out, const struct csr *m, const struct csr_matrix *which,
              const struct fr *inputs, const struct fr *aux, struct pool *pool);

#endif
