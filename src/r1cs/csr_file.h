/* The reference's PCE file: a circuit's matrices as compressed sparse rows (spec: params §8). Little-endian:
 *
 *   "PCE" 2, u32 version 2, u32 num_inputs, u32 num_aux, u32 num_constraints, u64 total_nnz, u32 0
 *   A, B, C, each: u64 rows + 1, u32 row_ptrs[rows + 1]; u64 nnz, u32 cols[nnz]; u64 nnz, values[nnz]
 *   densities a_aux, b_input, b_aux, each: u64 words, u64 word[words], u64 bits, u64 ones
 *
 * Final rows are included. Columns: inputs, then num_inputs + aux index. Values: 32 bytes in Montgomery form, little-endian limbs. */
#ifndef CUZK_R1CS_CSR_FILE_H
#define CUZK_R1CS_CSR_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "r1cs/block_sums.h"
#include "r1cs/sinks.h"
#include "r1cs/template.h"
#include "r1cs/witness.h"

/* The matrices of t with their densities, and checksums of the blocks in sums_path. ERR_UNAVAILABLE when a matrix has 2^32 terms. */
int csr_file_write(const char *path, const char *sums_path, const struct templates *t,
                   const char *circuit, const uint8_t digest[32], struct error *err);

/* Bytes that csr_file_write will write. */
uint64_t csr_file_bytes(const struct templates *t);

struct csr_file {
    struct mapped_file file;
    struct block_sums sums; /* zeroed: none */
    uint32_t num_inputs, num_aux;
    uint64_t num_rows; /* with the final rows */
    struct csr_file_matrix {
        uint64_t nnz;
        uint64_t row_ptrs, cols, values; /* where they begin */
    } matrix[3];
    struct csr_file_density {
        uint64_t word, words, bits, ones;
    } density[3]; /* a_aux, b_input, b_aux */
};

/* Maps the file and checks that its sections fill it exactly and agree with its counts. sums_path NULL, or no file there: no checksums.
 * Causes: pce-empty, pce-truncated, pce-trailing, pce-magic, pce-version, pce-malformed, sums-...; all name the file, and its place. */
int csr_file_open(struct csr_file *f, const char *path, const char *sums_path, struct error *err);
void csr_file_close(struct csr_file *f); /* harmless when zeroed */

/* out[m][0 .. n) = rows [first, first + n) of matrix m times the witness; w has the file's variables, first + n <= num_rows. Whatever is
 * read is checked first or on the way: blocks against their checksums when first touched; row pointers, columns and values in range
 * always (pce-malformed). Threads may evaluate parts at once. */
int csr_file_eval(struct fr *const out[3], struct csr_file *f, const struct witness *w,
                  uint64_t first, size_t n, struct error *err);

/* Streams all rows to the sink, with the same checks, and that rows are normalised: columns ascending, no zero. */
int csr_file_rows(struct csr_file *f, const struct row_sink *sink, struct error *err);

/* The stored densities are those of stats, which were taken from the file's rows (pce-malformed). */
int csr_file_check_density(struct csr_file *f, const struct shape_stats *stats, struct error *err);

#endif
