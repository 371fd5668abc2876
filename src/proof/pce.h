/* Recorded circuits: the reference's PCE file (flat) and templates, by circuit. Their files lie in the parameter directory. */
#ifndef CUZK_PROOF_PCE_H
#define CUZK_PROOF_PCE_H

#include "base/pool.h"
#include "base/progress.h"
#include "proof/registry.h"
#include "r1cs/csr_file.h"
#include "r1cs/template.h"

enum pce_form {
    PCE_FLAT, /* "pce-porep-32g.bin", the reference's names where it has one; checksums in "pce-porep-32g.bin.sums" */
    PCE_TEMPLATES, /* "pce-porep-32g.templates" */
    PCE_FORMS,
};
const char *pce_form_name(enum pce_form form); /* "flat", "templates" */

/* DIR/pce-....bin or .templates; free() it. NULL when memory is out. */
char *pce_path(const struct circuit *circuit, const char *dir, enum pce_form form);

/* The digest that the circuit's rows must have: bellpepper's TestConstraintSystem hash. */
void pce_circuit_digest(uint8_t out[32], const struct circuit *circuit);

/* Synthesises the circuit's shape once and writes the file, replacing what is there. ERR_SOFTWARE, cause "circuit-digest", when the
 * rows are not those of the circuit. */
int pce_record(const struct circuit *circuit, const char *dir, enum pce_form form,
               const struct progress_sink *sink, struct error *err);

struct pce {
    enum pce_form form;
    const struct circuit *circuit;
    char *path;
    uint64_t file_bytes, num_rows; /* rows: with the final ones */
    uint64_t nnz[3];               /* with the final rows */
    struct templates templates;
    struct csr_file flat; /* its sums: zeroed if there are none */
};

/* Opens a recorded circuit and refuses what is cut, altered or of another circuit (cause "pce-other-circuit"), by name. */
int pce_open(struct pce *p, const struct circuit *circuit, const char *dir, enum pce_form form,
             struct error *err);
/* The same for a file of any name. */
int pce_open_file(struct pce *p, const struct circuit *circuit, const char *path,
                  enum pce_form form, struct error *err);
void pce_close(struct pce *p); /* harmless when zeroed */

/* Writes opened templates as a flat file of that name, its checksums to PATH.sums. */
int pce_save_flat(const struct pce *p, const char *path, struct error *err);

/* All rows times the witness, in parallel and in blocks: rows(ctx, first, n, a, b, c) gets the values of rows [first, first + n), in
 * any order, on any thread. A witness of other counts is ERR_DATA, cause "pce-other-circuit". Flat: what is read is checked as
 * csr_file_eval says. */
enum { PCE_BLOCK = 4096 };
int pce_eval(struct pce *p, const struct witness *w,
             void (*rows)(void *ctx, uint64_t first, size_t n, const struct fr *a,
                          const struct fr *b, const struct fr *c),
             void *ctx, struct pool *pool, struct error *err);

/* Reads everything: all rows must be the circuit's, by digest; flat also checksums, order and densities. */
int pce_verify(struct pce *p, const struct progress_sink *sink, struct error *err);

#endif
