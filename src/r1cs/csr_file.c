#include "r1cs/csr_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 32, VERSION = 2, VALUE_BYTES = 32, ROWS_AT_ONCE = 4096 };

/* ---- opening ---- */

/* Reads the file's numbers one after the other, inside the guard. */
struct reader {
    struct csr_file *f;
    uint64_t at;
    const char *part;  /* what is read: "matrix A: " */
    const char *cause; /* of the first fault, where at stays from then on; NULL: none */
    char text[200];    /* what was found there, and what was expected */
};

__attribute__((format(printf, 4, 5))) static void fault(struct reader *r, uint64_t at,
                                                        const char *cause, const char *fmt, ...)
{
    va_list args;
    if (r->cause != NULL)
        return;
    r->cause = cause;
    r->at = at;
    va_start(args, fmt);
    vsnprintf(r->text, sizeof r->text, fmt, args);
    va_end(args);
}

/* The place of the next n bytes, which are passed over. */
static uint64_t skip(struct reader *r, uint64_t n, const char *what)
{
    uint64_t at = r->at, left = r->f->file.size - at;
    if (n > left)
        fault(r, at, "pce-truncated", "%s: cut: %" PRIu64 " bytes are left, expected %" PRIu64,
              what, left, n);
    else if (r->cause == NULL)
        r->at += n;
    return at;
}

static uint64_t take(struct reader *r, size_t bytes, const char *what)
{
    uint64_t v = 0, at = skip(r, bytes, what);
    if (r->cause == NULL)
        memcpy(&v, r->f->file.data + at, bytes);
    return v;
}

/* A number of at least `least` and at most `most`. */
static uint64_t take_within(struct reader *r, size_t bytes, uint64_t least, uint64_t most,
                            const char *what)
{
    uint64_t at = r->at, v = take(r, bytes, what);
    if (r->cause == NULL && v < least)
        fault(r, at, "pce-malformed", "%s is %" PRIu64 ", expected at least %" PRIu64, what, v,
              least);
    if (r->cause == NULL && v > most)
        fault(r, at, "pce-malformed", "%s is %" PRIu64 ", expected at most %" PRIu64, what, v,
              most);
    return v;
}

static void expect(struct reader *r, size_t bytes, uint64_t want, const char *cause,
                   const char *what)
{
    uint64_t at = r->at, v = take(r, bytes, what);
    if (r->cause == NULL && v != want)
        fault(r, at, cause, "%s is %" PRIu64 ", expected %" PRIu64, what, v, want);
}

/* Counts are at most 2^32, so that their products with element sizes don't wrap. */
static void read_matrix(struct reader *r, struct csr_file_matrix *m)
{
    expect(r, 8, r->f->num_rows + 1, "pce-malformed", "number of row pointers");
    m->row_ptrs = skip(r, 4 * (r->f->num_rows + 1), "row pointers");
    m->nnz = take_within(r, 8, 0, UINT32_MAX, "number of columns");
    if (r->cause != NULL)
        return;
    m->cols = skip(r, 4 * m->nnz, "columns");
    expect(r, 8, m->nnz, "pce-malformed", "number of values");
    m->values = skip(r, VALUE_BYTES * m->nnz, "values");
}

static void read_density(struct reader *r, struct csr_file_density *d, uint64_t bits)
{
    d->words = (bits + 63) / 64;
    d->bits = bits;
    expect(r, 8, d->words, "pce-malformed", "number of density words");
    d->word = skip(r, 8 * d->words, "density");
    expect(r, 8, bits, "pce-malformed", "number of density bits");
    d->ones = take_within(r, 8, 0, bits, "density count");
}

static void read_magic(struct reader *r)
{
    uint8_t b[4] = {0};
    uint64_t v = take(r, sizeof b, "magic");
    memcpy(b, &v, sizeof b);
    if (r->cause == NULL && memcmp(b, "PCE\2", sizeof b) != 0)
        fault(r, 0, "pce-magic", "magic is %02x %02x %02x %02x, expected 50 43 45 02 (PCE, 2)",
              b[0], b[1], b[2], b[3]);
}

static void read_structure(void *ctx)
{
    static const char *const parts[] = {"matrix A: ",      "matrix B: ",        "matrix C: ",
                                        "density a_aux: ", "density b_input: ", "density b_aux: "};
    enum { TOTAL_AT = 20 };
    struct reader *r = ctx;
    struct csr_file *f = r->f;
    read_magic(r);
    expect(r, 4, VERSION, "pce-version", "version");
    f->num_inputs = (uint32_t)take_within(r, 4, 1, VAR_AUX - 1, "num_inputs");
    f->num_aux = (uint32_t)take_within(r, 4, 0, VAR_AUX - 1, "num_aux");
    f->num_rows = (uint32_t)take_within(r, 4, f->num_inputs, UINT32_MAX, "num_constraints");
    uint64_t total = take(r, 8, "total_nnz");
    expect(r, 4, 0, "pce-malformed", "reserved field");
    for (int m = 0; m < 3 && r->cause == NULL; m++) {
        r->part = parts[m];
        read_matrix(r, &f->matrix[m]);
    }
    for (int d = 0; d < 3 && r->cause == NULL; d++) {
        r->part = parts[3 + d];
        read_density(r, &f->density[d], d == 1 ? f->num_inputs : f->num_aux);
    }
    if (r->cause != NULL)
        return;
    r->part = "";
    const uint64_t sum = f->matrix[0].nnz + f->matrix[1].nnz + f->matrix[2].nnz;
    if (total != sum)
        fault(r, TOTAL_AT, "pce-malformed",
              "total_nnz is %" PRIu64 ", expected %" PRIu64 ", the sum of the matrices' columns",
              total, sum);
    if (r->at != f->file.size)
        fault(r, r->at, "pce-trailing", "%" PRIu64 " bytes more than the file's numbers say",
              f->file.size - r->at);
}

static int check_structure(struct csr_file *f, struct error *err)
{
    struct reader r = {.f = f, .part = ""};
    if (f->file.size == 0)
        return error_set(err, ERR_DATA, "pce-empty", "%s: an empty file", f->file.path);
    int rc = mapped_file_guard(&f->file, read_structure, &r, err);
    if (rc != 0 || r.cause == NULL)
        return rc;
    return error_set(err, ERR_DATA, r.cause, "%s: byte %" PRIu64 " of %zu: %s%s", f->file.path,
                     r.at, f->file.size, r.part, r.text);
}

static int open_sums(struct csr_file *f, const char *sums_path, struct error *err)
{
    int rc = sums_path == NULL ? 0 : block_sums_read(&f->sums, sums_path, err);
    if (rc == ERR_NO_INPUT)
        return 0;
    if (rc == 0 && sums_path != NULL && f->sums.bytes != f->file.size)
        rc = error_set(err, ERR_DATA,
                       f->sums.bytes > f->file.size ? "pce-truncated" : "pce-trailing",
                       "%s: %zu bytes, but %s is of a file of %" PRIu64, f->file.path, f->file.size,
                       sums_path, f->sums.bytes);
    return rc;
}

int csr_file_open(struct csr_file *f, const char *path, const char *sums_path, struct error *err)
{
    *f = (struct csr_file){0};
    int rc = mapped_file_init(&f->file, path, err);
    if (rc == 0)
        rc = check_structure(f, err);
    if (rc == 0)
        rc = open_sums(f, sums_path, err);
    if (rc != 0)
        csr_file_close(f);
    return rc;
}

void csr_file_close(struct csr_file *f)
{
    block_sums_clean_up(&f->sums);
    mapped_file_clean_up(&f->file);
    *f = (struct csr_file){0};
}

/* ---- parts ---- */

/* Rows [first, first + n) of one matrix, read inside the guard. What is in the mapping may change while we look, so each number is
 * checked where it is used. */
struct part {
    const struct csr_file *f;
    const struct csr_file_matrix *m;
    uint64_t first;
    size_t n;
    uint64_t begin, end; /* of its terms */
    const char *fault;
    uint64_t fault_row;
    /* evaluation */
    struct fr *out;
    const struct witness *w;
    /* streaming */
    struct term *term; /* [end - begin] */
    uint32_t *len;     /* [n] */
};

static int bad(struct part *p, uint64_t row, const char *what)
{
    if (p->fault == NULL) {
        p->fault = what;
        p->fault_row = row;
    }
    return -1;
}

static uint32_t load_u32(const struct csr_file *f, uint64_t at)
{
    uint32_t v;
    memcpy(&v, f->file.data + at, sizeof v);
    return v;
}

/* Terms [*begin, *end) of a row. */
static int row_terms(uint64_t *begin, uint64_t *end, struct part *p, uint64_t row)
{
    *begin = load_u32(p->f, p->m->row_ptrs + 4 * row);
    *end = load_u32(p->f, p->m->row_ptrs + 4 * row + 4);
    return *begin <= *end && *end <= p->m->nnz ? 0 : bad(p, row, "row pointers");
}

static void find_terms(void *ctx)
{
    struct part *p = ctx;
    uint64_t unused;
    if (p->n > 0 && row_terms(&p->begin, &unused, p, p->first) == 0 &&
        row_terms(&unused, &p->end, p, p->first + p->n - 1) == 0 && p->begin > p->end)
        bad(p, p->first, "row pointers");
    if (p->first == 0 && p->begin != 0)
        bad(p, 0, "first row pointer");
    if (p->first + p->n == p->f->num_rows && p->end != p->m->nnz)
        bad(p, p->f->num_rows - 1, "last row pointer");
}

static inline int is_canonical(const struct fr *v)
{
    uint64_t unused[4];
    return v->l[3] < FR_MODULUS[3] || limbs_sub(unused, v->l, FR_MODULUS, 4) != 0;
}

/* Runs fn on the part inside the guard. */
static int guarded(struct part *p, void (*fn)(void *ctx), struct error *err)
{
    const struct csr_file *f = p->f;
    int rc = mapped_file_guard(&f->file, fn, p, err);
    if (rc != 0 || p->fault == NULL)
        return rc;
    return error_set(err, ERR_DATA, "pce-malformed",
                     "%s: matrix %c, row %" PRIu64 ": %s out of range", f->file.path,
                     (char)('A' + (p->m - f->matrix)), p->fault_row, p->fault);
}

static int check_sums(struct csr_file *f, uint64_t offset, uint64_t n, struct error *err)
{
    return f->sums.block ? block_sums_check(&f->sums, &f->file, offset, n, err) : 0;
}

/* Begins a part: its place and checksums. */
static int begin_part(struct part *p, struct csr_file *f, int matrix, uint64_t first, size_t n,
                      struct error *err)
{
    *p = (struct part){.f = f, .m = &f->matrix[matrix], .first = first, .n = n};
    int rc = check_sums(f, p->m->row_ptrs + 4 * first, 4 * ((uint64_t)n + 1), err);
    if (rc == 0)
        rc = guarded(p, find_terms, err);
    if (rc == 0)
        rc = check_sums(f, p->m->cols + 4 * p->begin, 4 * (p->end - p->begin), err);
    return rc != 0 ? rc
                   : check_sums(f, p->m->values + VALUE_BYTES * p->begin,
                                VALUE_BYTES * (p->end - p->begin), err);
}

/* ---- evaluation ---- */

static void add_product(struct fr *sum, const struct fr *coeff, const struct fr *value)
{
    struct fr product;
    if (fr_equal(coeff, &FR_ONE)) {
        fr_add(sum, sum, value);
    } else if (fr_equal(coeff, &FR_MINUS_ONE)) {
        fr_sub(sum, sum, value);
    } else {
        fr_mul(&product, coeff, value);
        fr_add(sum, sum, &product);
    }
}

/* Most values are 0 or 1. */
static int add_term(struct fr *sum, struct part *p, uint64_t i)
{
    const struct witness *w = p->w;
    uint64_t col = load_u32(p->f, p->m->cols + 4 * i);
    struct fr coeff;
    memcpy(&coeff, p->f->file.data + p->m->values + VALUE_BYTES * i, sizeof coeff);
    if (!is_canonical(&coeff) || col >= (uint64_t)p->f->num_inputs + p->f->num_aux)
        return -1;
    if (col < p->f->num_inputs) {
        add_product(sum, &w->inputs[col], &coeff);
        return 0;
    }
    col -= p->f->num_inputs;
    int8_t v = w->small[col];
    if (v == 1)
        fr_add(sum, sum, &coeff);
    else if (v != 0)
        add_product(sum, &coeff, witness_aux(w, col));
    return 0;
}

static void eval_rows(void *ctx)
{
    struct part *p = ctx;
    for (uint64_t r = 0; r < p->n; r++) {
        uint64_t i, end;
        struct fr sum = FR_ZERO;
        if (row_terms(&i, &end, p, p->first + r) != 0)
            return;
        for (; i < end; i++)
            if (add_term(&sum, p, i) != 0) {
                bad(p, p->first + r, "column or value");
                return;
            }
        p->out[r] = sum;
    }
}

int csr_file_eval(struct fr *const out[3], struct csr_file *f, const struct witness *w,
                  uint64_t first, size_t n, struct error *err)
{
    int rc = 0;
    for (int m = 0; m < 3 && rc == 0; m++) {
        struct part p;
        rc = begin_part(&p, f, m, first, n, err);
        p.out = out[m];
        p.w = w;
        if (rc == 0)
            rc = guarded(&p, eval_rows, err);
    }
    return rc;
}

/* ---- streaming ---- */

/* One term out of the file, and after *last (-1: none). */
static int copy_term(struct term *out, struct part *p, uint64_t i, int64_t *last)
{
    uint64_t col = load_u32(p->f, p->m->cols + 4 * i);
    memcpy(&out->coeff, p->f->file.data + p->m->values + VALUE_BYTES * i, sizeof out->coeff);
    if (!is_canonical(&out->coeff) || fr_is_zero(&out->coeff) || (int64_t)col <= *last ||
        col >= (uint64_t)p->f->num_inputs + p->f->num_aux)
        return -1;
    *last = (int64_t)col;
    out->var = (uint32_t)(col < p->f->num_inputs ? col : VAR_AUX | (col - p->f->num_inputs));
    return 0;
}

static void copy_rows(void *ctx)
{
    struct part *p = ctx;
    uint64_t at = p->begin;
    for (uint64_t r = 0; r < p->n; r++) {
        uint64_t i, end;
        int64_t last = -1;
        if (row_terms(&i, &end, p, p->first + r) != 0)
            return;
        if (i != at || end > p->end) {
            bad(p, p->first + r, "row pointers");
            return;
        }
        for (; i < end; i++)
            if (copy_term(&p->term[i - p->begin], p, i, &last) != 0) {
                bad(p, p->first + r, "order, column or value");
                return;
            }
        p->len[r] = (uint32_t)(end - at);
        at = end;
    }
}

struct block {
    struct part part[3];
    uint32_t len[3][ROWS_AT_ONCE];
    struct term *term[3];
    size_t cap[3];
};

static int read_part(struct block *b, int m, struct csr_file *f, uint64_t first, size_t n,
                     struct error *err)
{
    struct part *p = &b->part[m];
    int rc = begin_part(p, f, m, first, n, err);
    if (rc != 0)
        return rc;
    if (p->end - p->begin > b->cap[m]) {
        free(b->term[m]);
        b->cap[m] = p->end - p->begin;
        b->term[m] = malloc(b->cap[m] * sizeof *b->term[m]);
        if (b->term[m] == NULL) {
            b->cap[m] = 0;
            return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for %" PRIu64 " terms",
                             f->file.path, p->end - p->begin);
        }
    }
    p->term = b->term[m];
    p->len = b->len[m];
    return guarded(p, copy_rows, err);
}

static void emit_block(const struct block *b, const struct csr_file *f, uint64_t first, size_t n,
                       const struct row_sink *sink)
{
    const struct term *at[3] = {b->term[0], b->term[1], b->term[2]};
    for (size_t r = 0; r < n; r++) {
        struct row row = {.a = at[0],
                          .b = at[1],
                          .c = at[2],
                          .a_len = b->len[0][r],
                          .b_len = b->len[1][r],
                          .c_len = b->len[2][r],
                          .index = first + r,
                          .last = first + r >= f->num_rows - f->num_inputs};
        sink->row(sink->ctx, &row);
        for (int m = 0; m < 3; m++)
            at[m] += b->len[m][r];
    }
}

int csr_file_rows(struct csr_file *f, const struct row_sink *sink, struct error *err)
{
    int rc = 0;
    struct block *b = calloc(1, sizeof *b);
    if (b == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for rows", f->file.path);
    for (uint64_t first = 0; first < f->num_rows && rc == 0; first += ROWS_AT_ONCE) {
        size_t n = f->num_rows - first < ROWS_AT_ONCE ? f->num_rows - first : ROWS_AT_ONCE;
        for (int m = 0; m < 3 && rc == 0; m++)
            rc = read_part(b, m, f, first, n, err);
        if (rc == 0)
            emit_block(b, f, first, n, sink);
    }
    for (int m = 0; m < 3; m++)
        free(b->term[m]);
    free(b);
    return rc;
}

/* ---- densities ---- */

struct comparison {
    const struct csr_file *f;
    const struct csr_file_density *d;
    const struct bitmap *want;
    int equal;
};

static void compare(void *ctx)
{
    struct comparison *c = ctx;
    c->equal = c->d->bits == c->want->len && c->d->ones == bitmap_popcount(c->want) &&
               memcmp(c->f->file.data + c->d->word, c->want->word, 8 * (size_t)c->d->words) == 0;
}

int csr_file_check_density(struct csr_file *f, const struct shape_stats *stats, struct error *err)
{
    static const char *const names[] = {"a_aux", "b_input", "b_aux"};
    const struct density *d = &stats->density;
    const struct bitmap *want[] = {&d->a_aux, &d->b_input, &d->b_aux};
    int rc = 0;
    for (int i = 0; i < 3 && rc == 0; i++) {
        struct comparison c = {f, &f->density[i], want[i], 0};
        rc = check_sums(f, c.d->word, 8 * c.d->words + 16, err);
        if (rc == 0)
            rc = mapped_file_guard(&f->file, compare, &c, err);
        if (rc == 0 && !c.equal)
            rc = error_set(err, ERR_DATA, "pce-malformed",
                           "%s: byte %" PRIu64 ": density %s is not that of the rows", f->file.path,
                           c.d->word, names[i]);
    }
    return rc;
}
