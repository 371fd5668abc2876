#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "r1cs/csr_file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie");

enum { HEADER_BYTES = 32, BUFFER_BYTES = 1 << 20, VERSION = 2 };

enum section { ROW_PTRS, COLS, VALUES };

/* The file is written front to back, each section by one walk over the rows; so nothing is held in memory. */
struct writer {
    struct output_file *file;
    struct block_summer *sums;
    uint8_t *buffer; /* [BUFFER_BYTES] */
    size_t used;
    const struct templates *t;
    int matrix;
    enum section section;
    uint32_t row_ptr;
    int rc; /* the first error; nothing is written after it */
    struct error *err;
};

static void flush(struct writer *w)
{
    if (w->rc == 0 && block_summer_update(w->sums, w->buffer, w->used) != 0)
        w->rc = error_set(w->err, ERR_OS, "out-of-memory", "%s: no memory for checksums",
                          w->file->path);
    if (w->rc == 0)
        w->rc = output_file_write(w->file, w->buffer, w->used, w->err);
    w->used = 0;
}

static inline void put(struct writer *w, const void *data, size_t n)
{
    if (n > BUFFER_BYTES - w->used)
        flush(w);
    memcpy(w->buffer + w->used, data, n);
    w->used += n;
}

static void put_u32(struct writer *w, uint32_t v)
{
    put(w, &v, sizeof v);
}

static void put_u64(struct writer *w, uint64_t v)
{
    put(w, &v, sizeof v);
}

static void put_row(void *ctx, const struct row *row)
{
    struct writer *w = ctx;
    const struct term *terms[] = {row->a, row->b, row->c};
    size_t lens[] = {row->a_len, row->b_len, row->c_len}, n = lens[w->matrix];
    const struct term *term = terms[w->matrix];
    switch (w->section) {
    case ROW_PTRS:
        w->row_ptr += (uint32_t)n;
        put_u32(w, w->row_ptr);
        break;
    case COLS:
        for (size_t i = 0; i < n; i++)
            put_u32(w, term[i].var & VAR_AUX ? (uint32_t)w->t->num_inputs + (term[i].var & ~VAR_AUX)
                                             : term[i].var);
        break;
    case VALUES:
        for (size_t i = 0; i < n; i++)
            put(w, &term[i].coeff, sizeof term[i].coeff);
    }
}

static void put_section(struct writer *w, enum section section)
{
    struct row_sink sink = {put_row, w};
    w->section = section;
    if (w->rc == 0)
        w->rc = templates_rows(w->t, &sink, w->err);
}

static uint64_t terms_of(const struct templates *t, int matrix)
{
    return t->nnz[matrix] + (matrix == 0 ? t->num_inputs : 0);
}

static uint64_t rows_of(const struct templates *t)
{
    return t->num_rows + t->num_inputs;
}

static void put_matrix(struct writer *w, int matrix)
{
    w->matrix = matrix;
    w->row_ptr = 0;
    put_u64(w, rows_of(w->t) + 1);
    put_u32(w, 0);
    put_section(w, ROW_PTRS);
    put_u64(w, terms_of(w->t, matrix));
    put_section(w, COLS);
    put_u64(w, terms_of(w->t, matrix));
    put_section(w, VALUES);
}

static size_t words(uint64_t bits)
{
    return (size_t)((bits + 63) / 64);
}

static void put_density(struct writer *w, const struct bitmap *b)
{
    put_u64(w, words(b->len));
    for (size_t i = 0; i < words(b->len); i++)
        put_u64(w, b->word[i]);
    put_u64(w, b->len);
    put_u64(w, bitmap_popcount(b));
}

static void put_densities(struct writer *w)
{
    struct shape_stats stats = {0};
    struct row_sink sink = shape_stats_sink(&stats);
    struct cs counts = {.num_inputs = w->t->num_inputs, .num_aux = w->t->num_aux};
    if (w->rc == 0)
        w->rc = templates_rows(w->t, &sink, w->err);
    if (w->rc == 0)
        w->rc = shape_stats_finish(&stats, &counts, w->err);
    if (w->rc == 0) {
        put_density(w, &stats.density.a_aux);
        put_density(w, &stats.density.b_input);
        put_density(w, &stats.density.b_aux);
    }
    shape_stats_clean_up(&stats);
}

static void put_file(struct writer *w)
{
    const struct templates *t = w->t;
    static const uint8_t magic[4] = {'P', 'C', 'E', VERSION};
    put(w, magic, sizeof magic);
    put_u32(w, VERSION);
    put_u32(w, (uint32_t)t->num_inputs);
    put_u32(w, (uint32_t)t->num_aux);
    put_u32(w, (uint32_t)rows_of(t));
    put_u64(w, terms_of(t, 0) + terms_of(t, 1) + terms_of(t, 2));
    put_u32(w, 0);
    for (int m = 0; m < 3; m++)
        put_matrix(w, m);
    put_densities(w);
    flush(w);
}

uint64_t csr_file_bytes(const struct templates *t)
{
    uint64_t bytes = HEADER_BYTES;
    for (int m = 0; m < 3; m++)
        bytes += 3 * 8 + 4 * (rows_of(t) + 1) + (4 + sizeof(struct fr)) * terms_of(t, m);
    return bytes + 3 * 3 * 8 + 8 * (2 * words(t->num_aux) + words(t->num_inputs));
}

static int check_size(const char *path, const struct templates *t, struct error *err)
{
    for (int m = 0; m < 3; m++)
        if (terms_of(t, m) > UINT32_MAX)
            return error_set(err, ERR_UNAVAILABLE, "pce-too-large",
                             "%s: matrix %c has %" PRIu64 " terms, the format ends at 2^32 - 1",
                             path, 'A' + m, terms_of(t, m));
    return 0;
}

int csr_file_write(const char *path, const char *sums_path, const struct templates *t,
                   const char *circuit, const uint8_t digest[32], struct error *err)
{
    struct output_file file = {0};
    struct writer w = {.file = &file,
                       .sums = block_summer_new(),
                       .buffer = malloc(BUFFER_BYTES),
                       .t = t,
                       .err = err};
    w.rc = w.sums == NULL || w.buffer == NULL
               ? error_set(err, ERR_OS, "out-of-memory", "%s: no memory to write", path)
               : check_size(path, t, err);
    if (w.rc == 0)
        w.rc = output_file_init(&file, path, FILE_REPLACE, err);
    if (w.rc == 0)
        put_file(&w);
    if (w.rc == 0)
        w.rc = output_file_commit(&file, err);
    if (w.rc == 0)
        w.rc = block_summer_write(w.sums, sums_path, circuit, digest, err);
    output_file_clean_up(&file);
    block_summer_destroy(w.sums);
    free(w.buffer);
    return w.rc;
}
