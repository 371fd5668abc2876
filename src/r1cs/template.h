/* A circuit's shape as templates. Circuits repeat themselves: the same SHA-256 block, Poseidon hash, Merkle level or challenge with
 * shifted variables. So
 *
 *   a form       is a distinct row, its variables counted from the rows before it: how far behind (or ahead of) the highest variable
 *                that those mention
 *   a run        is a form several times in a row: a SHA-256 word's 32 bits
 *   a template   is a sequence of runs
 *   the circuit  is a sequence of templates, and one row <input | 0 | 0> per input behind them (not stored).
 *
 * Where templates begin is decided by the runs before, so that the same rows are cut in the same way wherever they stand. */
#ifndef CUZK_R1CS_TEMPLATE_H
#define CUZK_R1CS_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "r1cs/coeff_table.h"
#include "r1cs/cs.h"
#include "r1cs/witness.h"

/* A variable of a form: kind in the two highest bits; below an index, or for the relative kinds an offset plus TEMPLATE_BIAS. */
enum template_ref {
    TEMPLATE_INPUT,     /* input number index; 0 is ONE */
    TEMPLATE_NEW_INPUT, /* relative to the number of inputs seen */
    TEMPLATE_AUX,       /* aux variable number index */
    TEMPLATE_NEAR,      /* relative to the number of aux variables seen */
};
enum { TEMPLATE_BIAS = 1 << 29, TEMPLATE_MAX_VARS = TEMPLATE_BIAS, TEMPLATE_REF_SHIFT = 30 };

struct template_term {
    uint32_t ref, coeff;
};

/* "Seen" is one more than the highest index that the rows so far mention, at least 1 for the inputs. */
struct template_form {
    uint32_t term;                /* the first of len[0] + len[1] + len[2]: A, B, C */
    uint32_t len[3];              /* terms, in the order of struct row */
    uint32_t new_inputs, new_aux; /* by how much a row of it raises what is seen */
};

struct template_run {
    uint32_t form, count;
};

/* Where an instance begins: rows before it, variables seen before it. */
struct template_place {
    uint32_t row, inputs, aux;
};

struct templates {
    uint64_t num_inputs, num_aux;
    uint64_t num_rows;          /* without the final rows */
    uint64_t nnz[3];            /* A, B, C, without the final rows */
    struct fr *coeff;           /* [coeffs], numbered as in struct coeff_table */
    struct template_term *term; /* [terms] */
    struct template_form *form; /* [forms] */
    struct template_run *run;   /* [runs], template after template */
    uint32_t *first_run; /* [count + 1]: template i is run[first_run[i] .. first_run[i + 1]) */
    uint32_t *instance;  /* [instances]: a template's number each */
    size_t coeffs, terms, forms, runs, count, instances;
    /* made by templates_check */
    struct template_place *place; /* [instances + 1] */
    int16_t *small_coeff;         /* [coeffs]: the integer, 0 if it is not a small one */
    uint8_t *small_form; /* [forms]: bit m set if matrix m's sum is small where the variables are */
    size_t max_terms;    /* of a form */
};
void templates_clean_up(struct templates *t);
/* What it occupies, derived parts included. */
size_t templates_bytes(const struct templates *t);

/* Recording: a sink for rows; then, after cs_finish, the result. Failures (memory; more than TEMPLATE_MAX_VARS variables) are kept
 * for templates_finish, which destroys the recorder. */
struct template_recorder;
int template_recorder_new(struct template_recorder **out, struct error *err);
struct row_sink template_recorder_sink(struct template_recorder *r);
void template_recorder_destroy(struct template_recorder *r); /* NULL is harmless */
int template_recorder_finish(struct templates *out, struct template_recorder *r,
                             const struct cs *cs, struct error *err);

/* Every number in range wherever the template stands, counts as stated; fills the derived part. For recorded and read ones alike:
 * nothing else looks at them before. ERR_DATA, cause "templates-malformed". */
int templates_check(struct templates *t, struct error *err);

/* Streams all rows, final ones included, exactly as recorded. ERR_OS without memory. */
int templates_rows(const struct templates *t, const struct row_sink *sink, struct error *err);

/* Values of consecutive rows, typed as in struct tvec. */
enum { TEMPLATE_SLACK = 16 };
struct row_values {
    int8_t *small;   /* [n + TEMPLATE_SLACK] */
    struct fr *full; /* [n] */
    size_t full_len;
};

/* out = A, B and C of rows [first, first + n), final rows included, n of them at most. w has the variables of t. Threads may
 * evaluate parts at once. */
void templates_eval(struct row_values out[3], const struct templates *t, const struct witness *w,
                    uint64_t first, size_t n);

/* The file. Little-endian: "CUZKTMPL", u32 version 1, u32 0; the circuit's id (32 bytes, zeros behind) and its digest (BLAKE2s of
 * bellpepper's TestConstraintSystem); u64 num_inputs, num_aux, num_rows, nnz of A, B, C; u64 coeffs, terms, forms, runs, count,
 * instances; u64 the file's bytes, u64 0; the arrays of these lengths in this order (coefficients as 32 bytes each, less than r),
 * first_run behind run; SHA-256 of all that. */
enum { TEMPLATE_ID_BYTES = 32 };
uint64_t templates_file_bytes(const struct templates *t);
int templates_write(const char *path, const struct templates *t, const char *id,
                    const uint8_t digest[32], struct error *err);
/* Reads, compares the checksum, and checks as above. Causes: templates-empty, templates-truncated, templates-trailing,
 * templates-too-long (over 1 GiB), templates-magic, templates-version, templates-checksum, templates-malformed; all name the file. */
int templates_read(struct templates *out, char id[TEMPLATE_ID_BYTES + 1], uint8_t digest[32],
                   const char *path, struct error *err);
/* The same from memory, for tests. */
int templates_parse(struct templates *out, char id[TEMPLATE_ID_BYTES + 1], uint8_t digest[32],
                    const uint8_t *data, size_t size, struct error *err);

#endif
