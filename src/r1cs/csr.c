#include <stdlib.h>
#include <string.h>

#include "r1cs/sinks.h"

/* The table's first two entries, which evaluation adds and subtracts instead of multiplying. */
enum { COEFF_ONE, COEFF_MINUS_ONE, FIRST_SLOTS = 1024, EVAL_ROWS = 1 << 13 };

/* Open addressing; at most half full. */
struct csr_index {
    size_t mask;
    uint32_t slot[]; /* [mask + 1], position in the table + 1; 0: empty */
};

static size_t hash_coeff(const struct fr *v)
{
    uint64_t x = (v->l[0] ^ v->l[2]) * UINT64_C(0x9e3779b97f4a7c15) + (v->l[1] ^ v->l[3]);
    return (size_t)((x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 20);
}

/* The coefficient's slot, or the empty one where it belongs. */
static uint32_t *find_slot(const struct csr *m, struct csr_index *index, const struct fr *v)
{
    size_t i = hash_coeff(v) & index->mask;
    while (index->slot[i] != 0 && !fr_equal(&m->table[index->slot[i] - 1], v))
        i = (i + 1) & index->mask;
    return &index->slot[i];
}

/* A larger index over the same table. */
static int grow_index(struct csr *m)
{
    size_t slots = m->index ? 2 * (m->index->mask + 1) : FIRST_SLOTS;
    struct csr_index *index = calloc(1, sizeof *index + slots * sizeof index->slot[0]);
    if (index == NULL)
        return -1;
    index->mask = slots - 1;
    for (size_t i = 0; i < m->table_len; i++)
        *find_slot(m, index, &m->table[i]) = (uint32_t)i + 1;
    free(m->index);
    m->index = index;
    return 0;
}

/* Position of v in the table, where it is put if absent; m->failed set and 0 without memory. */
static uint32_t coeff_number(struct csr *m, const struct fr *v)
{
    if (fr_equal(v, &FR_ONE))
        return COEFF_ONE;
    if (fr_equal(v, &FR_MINUS_ONE))
        return COEFF_MINUS_ONE;
    uint32_t *slot = find_slot(m, m->index, v);
    if (*slot != 0)
        return *slot - 1;
    if (m->table_len == m->table_cap) {
        size_t cap = 2 * m->table_cap;
        struct fr *table = cap > UINT32_MAX ? NULL : realloc(m->table, cap * sizeof *table);
        if (table == NULL) {
            m->failed = ERR_OS;
            return 0;
        }
        m->table = table;
        m->table_cap = cap;
    }
    m->table[m->table_len++] = *v;
    *slot = (uint32_t)m->table_len;
    if (2 * m->table_len > m->index->mask && grow_index(m) != 0)
        m->failed = ERR_OS;
    return (uint32_t)m->table_len - 1;
}

static int begin(struct csr *m)
{
    if (m->index)
        return 0;
    m->table = malloc(FIRST_SLOTS * sizeof *m->table);
    if (m->table == NULL)
        return -1;
    m->table_cap = FIRST_SLOTS;
    m->table[COEFF_ONE] = FR_ONE;
    m->table[COEFF_MINUS_ONE] = FR_MINUS_ONE;
    m->table_len = 2;
    return grow_index(m);
}

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
        x->coeff[x->nnz + i] = coeff_number(m, &term[i].coeff);
    }
    x->nnz += n;
    x->row[++x->rows] = x->nnz;
}

static void record_row(void *ctx, const struct row *row)
{
    struct csr *m = ctx;
    if (m->failed || begin(m) != 0) {
        m->failed = ERR_OS;
        return;
    }
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
    free(m->index);
    m->index = NULL;
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
    free(m->table);
    free(m->index);
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
            fr_mul(&product, &e->m->table[coeff], value);
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
