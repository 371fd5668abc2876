#include <stdlib.h>
#include <string.h>

#include "r1cs/sinks.h"

enum { EVAL_ROWS = 1 << 13 };

/* Room for one more row and n more terms. */
static int matrix_grow(struct csr_matrix *x, size_t n)
{
    if (x->rows + 2 > x->row_cap) {
        size_t cap = x->row_cap ? 2 * x->row_cap : 4096;
        uint64_t *row = realloc(x->row, cap * sizeof *row);
        if (row == NULL)
            return -1;
        x->row = row;
        x->row_cap = cap;
        x->row[0] = 0;
    }
    if (n <= x->nnz_cap - x->nnz)
        return 0;
    size_t cap = x->nnz_cap ? x->nnz_cap : 4096;
    while (cap - x->nnz < n)
        cap *= 2;
    uint32_t *var = realloc(x->var, cap * sizeof *var);
    if (var == NULL)
        return -1;
    x->var = var;
    uint32_t *coeff = realloc(x->coeff, cap * sizeof *coeff);
    if (coeff == NULL)
        return -1;
    x->coeff = coeff;
    x->nnz_cap = cap;
    return 0;
}

static void record(struct csr *m, struct csr_matrix *x, const struct term *term, size_t n)
{
    if (m->failed || matrix_grow(x, n) != 0) {
        m->failed = ERR_OS;
        return;
    }
    for (size_t i = 0; i < n && !m->failed; i++) {
        x->var[x->nnz + i] = term[i].var;
        if (coeff_table_number(&x->coeff[x->nnz + i], &m->coeffs, &term[i].coeff) != 0)
            m->failed = ERR_OS;
    }
    x->nnz += n;
    x->row[++x->rows] = x->nnz;
}

static void record_row(void *ctx, const struct row *row)
{
    struct csr *m = ctx;
    record(m, &m->a, row->a, row->a_len);
    record(m, &m->b, row->b, row->b_len);
    record(m, &m->c, row->c, row->c_len);
}

struct row_sink csr_sink(struct csr *m)
{
    return (struct row_sink){record_row, m};
}

int csr_finish(struct csr *m, const struct cs *cs, struct error *err)
{
    m->num_inputs = cs->num_inputs;
    m->num_aux = cs->num_aux;
    coeff_table_freeze(&m->coeffs);
    if (!m->failed)
        return 0;
    size_t rows = m->a.rows;
    csr_clean_up(m);
    return error_set(err, ERR_OS, "out-of-memory", "no memory for the matrices after %zu rows",
                     rows);
}

static void matrix_clean_up(struct csr_matrix *x)
{
    free(x->row);
    free(x->var);
    free(x->coeff);
}

void csr_clean_up(struct csr *m)
{
    matrix_clean_up(&m->a);
    matrix_clean_up(&m->b);
    matrix_clean_up(&m->c);
    coeff_table_clean_up(&m->coeffs);
    *m = (struct csr){0};
}

/* ---- evaluation ---- */

struct eval {
    struct fr *out;
    const struct csr *m;
    const struct csr_matrix *which;
    const struct fr *inputs, *aux;
};

static void eval_row(struct fr *out, const struct eval *e, size_t r)
{
    const struct csr_matrix *x = e->which;
    struct fr sum = FR_ZERO, product;
    for (uint64_t i = x->row[r]; i < x->row[r + 1]; i++) {
        uint32_t var = x->var[i], coeff = x->coeff[i];
        const struct fr *value = var & VAR_AUX ? &e->aux[var & ~VAR_AUX] : &e->inputs[var];
        if (coeff == COEFF_ONE) {
            fr_add(&sum, &sum, value);
        } else if (coeff == COEFF_MINUS_ONE) {
            fr_sub(&sum, &sum, value);
        } else {
            fr_mul(&product, &e->m->coeffs.v[coeff], value);
            fr_add(&sum, &sum, &product);
        }
    }
    *out = sum;
}

static void eval_block(void *ctx, size_t block)
{
    const struct eval *e = ctx;
    size_t first = block * EVAL_ROWS, rows = e->which->rows,
           end = rows - first < EVAL_ROWS ? rows : first + EVAL_ROWS;
    for (size_t r = first; r < end; r++)
        eval_row(&e->out[r], e, r);
}

void csr_eval(struct fr *out, const struct csr *m, const struct csr_matrix *which,
              const struct fr *inputs, const struct fr *aux, struct pool *pool)
{
    struct eval e = {out, m, which, inputs, aux};
    pool_run(pool, (which->rows + EVAL_ROWS - 1) / EVAL_ROWS, eval_block, &e);
}
