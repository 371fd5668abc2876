/* The reference's PCE file and the checksums beside it: what is written is what the documented layout says, read back it gives the same
 * rows and values, and nothing in it is believed. */
/* ctest: quick asan tsan */
#include "recorded_toy.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "r1cs/block_sums.h"
#include "r1cs/csr_file.h"

enum { CHALLENGES = 4 };

static char folder[] = "/tmp/cuzk-csr-XXXXXX";
static char path[100], sums[100];
static const uint8_t digest[32] = {9, 8, 7};

/* The toy in all the shapes that the tests compare. */
static struct {
    struct templates t;
    struct cs cs;
    struct toy_witness w;
    struct csr csr;
    struct shape_stats stats;
    uint8_t *file; /* as csr_file_write wrote it */
    size_t n;
} toy;

struct two_sinks {
    struct row_sink a, b;
};

static void two_rows(void *ctx, const struct row *row)
{
    struct two_sinks *t = ctx;
    t->a.row(t->a.ctx, row);
    t->b.row(t->b.ctx, row);
}

static int set_up(void **state)
{
    (void)state;
    struct error err;
    struct cs cs;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/toy.bin", folder);
    snprintf(sums, sizeof sums, "%s/toy.bin.sums", folder);
    toy_record(&toy.t, &toy.cs, CHALLENGES);
    toy_take_witness(&toy.w, &toy.cs);
    struct two_sinks two = {csr_sink(&toy.csr), shape_stats_sink(&toy.stats)};
    struct row_sink sink = {two_rows, &two};
    cs_init_shape(&cs, &sink);
    toy_synthesize(&cs, CHALLENGES);
    toy_ok(cs_finish(&cs, &err), &err);
    toy_ok(csr_finish(&toy.csr, &cs, &err), &err);
    toy_ok(shape_stats_finish(&toy.stats, &cs, &err), &err);
    cs_clean_up(&cs);
    toy_ok(csr_file_write(path, sums, &toy.t, "toy", digest, &err), &err);
    toy_ok(file_read(&toy.file, &toy.n, path, 1 << 24, &err), &err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    toy_free_witness(&toy.w);
    templates_clean_up(&toy.t);
    cs_clean_up(&toy.cs);
    csr_clean_up(&toy.csr);
    shape_stats_clean_up(&toy.stats);
    free(toy.file);
    unlink(path);
    unlink(sums);
    return rmdir(folder);
}

/* ---- the layout ---- */

struct bytes {
    const uint8_t *at, *end;
};

static uint64_t number(struct bytes *b, size_t n)
{
    uint64_t v = 0;
    assert_true((size_t)(b->end - b->at) >= n);
    memcpy(&v, b->at, n);
    b->at += n;
    return v;
}

static void expect_matrix(struct bytes *b, const struct csr_matrix *m)
{
    assert_int_equal(number(b, 8), m->rows + 1);
    for (size_t r = 0; r <= m->rows; r++)
        assert_int_equal(number(b, 4), m->row[r]);
    assert_int_equal(number(b, 8), m->nnz);
    for (size_t i = 0; i < m->nnz; i++) {
        uint32_t var = m->var[i];
        assert_int_equal(number(b, 4), var & VAR_AUX ? toy.csr.num_inputs + (var & ~VAR_AUX) : var);
    }
    assert_int_equal(number(b, 8), m->nnz);
    for (size_t i = 0; i < m->nnz; i++)
        for (int l = 0; l < 4; l++)
            assert_int_equal(number(b, 8), toy.csr.coeffs.v[m->coeff[i]].l[l]);
}

static void expect_density(struct bytes *b, const struct bitmap *map, uint64_t bits)
{
    assert_int_equal(number(b, 8), (bits + 63) / 64);
    for (uint64_t w = 0; w < (bits + 63) / 64; w++) {
        uint64_t word = 0;
        for (uint64_t i = 64 * w; i < 64 * w + 64 && i < bits; i++)
            word |= (uint64_t)bitmap_get(map, i) << i % 64;
        assert_int_equal(number(b, 8), word);
    }
    assert_int_equal(number(b, 8), bits);
    assert_int_equal(number(b, 8), bitmap_popcount(map));
}

static void documented_layout(void **state)
{
    (void)state;
    struct bytes b = {toy.file, toy.file + toy.n};
    assert_memory_equal(toy.file, "PCE\2\2\0\0\0", 8);
    b.at += 8;
    assert_int_equal(number(&b, 4), toy.csr.num_inputs);
    assert_int_equal(number(&b, 4), toy.csr.num_aux);
    assert_int_equal(number(&b, 4), toy.csr.a.rows);
    assert_int_equal(number(&b, 8), toy.csr.a.nnz + toy.csr.b.nnz + toy.csr.c.nnz);
    assert_int_equal(number(&b, 4), 0);
    expect_matrix(&b, &toy.csr.a);
    expect_matrix(&b, &toy.csr.b);
    expect_matrix(&b, &toy.csr.c);
    expect_density(&b, &toy.stats.density.a_aux, toy.csr.num_aux);
    expect_density(&b, &toy.stats.density.b_input, toy.csr.num_inputs);
    expect_density(&b, &toy.stats.density.b_aux, toy.csr.num_aux);
    assert_ptr_equal(b.at, b.end);
    assert_int_equal(toy.n, csr_file_bytes(&toy.t));
}

/* ---- reading ---- */

static void open_toy(struct csr_file *f)
{
    struct error err;
    toy_ok(csr_file_open(f, path, sums, &err), &err);
}

static void assert_slice(struct csr_file *f, uint64_t first, size_t n)
{
    struct error err;
    struct fr *out[3];
    const struct fr *want[] = {toy.cs.a.v, toy.cs.b.v, toy.cs.c.v};
    for (int m = 0; m < 3; m++)
        assert_non_null(out[m] = malloc((n + 1) * sizeof *out[m]));
    toy_ok(csr_file_eval(out, f, &toy.w.w, first, n, &err), &err);
    for (int m = 0; m < 3; m++) {
        for (size_t i = 0; i < n; i++)
            if (!fr_equal(&out[m][i], &want[m][first + i]))
                fail_msg("%c, row %llu", 'A' + m, (unsigned long long)(first + i));
        free(out[m]);
    }
}

static void same_rows_and_values(void **state)
{
    (void)state;
    struct csr_file f;
    struct error err;
    uint8_t want[32], have[32];
    struct toy_hash h = {.stream = sha256_new()};
    struct row_sink sink = {toy_hash_row, &h};
    open_toy(&f);
    assert_string_equal(f.sums.circuit, "toy");
    assert_memory_equal(f.sums.digest, digest, 32);
    toy_ok(csr_file_rows(&f, &sink, &err), &err);
    sha256_finish(h.stream, have);
    toy_rows_digest(want, CHALLENGES);
    assert_memory_equal(have, want, 32);
    assert_int_equal(h.last, toy.csr.num_inputs);
    toy_ok(csr_file_check_density(&f, &toy.stats, &err), &err);
    assert_slice(&f, 0, toy.csr.a.rows);
    struct toy random = {.seed = 5};
    for (int i = 0; i < 100; i++) {
        uint64_t first = toy_random(&random) % toy.csr.a.rows;
        assert_slice(&f, first, toy_random(&random) % (toy.csr.a.rows - first + 1));
    }
    csr_file_close(&f);
}

static void slice(void *ctx, size_t i)
{
    struct csr_file *f = ctx;
    size_t n = f->num_rows / 16;
    assert_slice(f, i * n, n);
}

static void threads_share_a_file(void **state)
{
    (void)state;
    struct csr_file f;
    struct pool *pool;
    struct error err;
    toy_ok(pool_new(&pool, 4, &err), &err);
    open_toy(&f);
    pool_run(pool, 16, slice, &f);
    csr_file_close(&f);
    pool_destroy(pool);
}

static void without_checksums(void **state)
{
    (void)state;
    struct csr_file f;
    struct error err;
    toy_ok(csr_file_open(&f, path, NULL, &err), &err);
    assert_null(f.sums.block);
    assert_slice(&f, 0, toy.csr.a.rows);
    csr_file_close(&f);
    toy_ok(csr_file_open(&f, path, "/nonexistent/sums", &err), &err);
    csr_file_close(&f);
}

/* ---- refusals ---- */

static void put_file(const uint8_t *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Opens and reads all of what is at path: the first error, or 0. */
static int read_all(const char *sums_path, struct error *err)
{
    struct csr_file f;
    struct toy_hash h = {.stream = sha256_new()};
    struct row_sink sink = {toy_hash_row, &h};
    uint8_t unused[32];
    int rc = csr_file_open(&f, path, sums_path, err);
    if (rc == 0)
        rc = csr_file_rows(&f, &sink, err);
    if (rc == 0)
        rc = csr_file_check_density(&f, &toy.stats, err);
    sha256_finish(h.stream, unused);
    csr_file_close(&f);
    return rc;
}

static int eval_all(const char *sums_path, struct error *err)
{
    struct csr_file f;
    struct fr *out[3];
    for (int m = 0; m < 3; m++)
        assert_non_null(out[m] = malloc(toy.csr.a.rows * sizeof *out[m]));
    int rc = csr_file_open(&f, path, sums_path, err);
    if (rc == 0)
        rc = csr_file_eval(out, &f, &toy.w.w, 0, toy.csr.a.rows, err);
    csr_file_close(&f);
    for (int m = 0; m < 3; m++)
        free(out[m]);
    return rc;
}

static void assert_error(int rc, const struct error *err, const char *cause)
{
    assert_int_equal(rc, ERR_DATA);
    assert_string_equal(err->cause, cause);
    assert_non_null(strstr(err->text, folder));
}

static void cut(void **state)
{
    (void)state;
    struct error err;
    struct csr_file f;
    for (size_t n = 0; n < toy.n; n += n < 40 || n > toy.n - 40 ? 1 : toy.n / 50) {
        put_file(toy.file, n);
        assert_error(csr_file_open(&f, path, NULL, &err), &err,
                     n == 0 ? "pce-empty" : "pce-truncated");
        assert_null(f.file.data);
    }
    uint8_t *longer = calloc(1, toy.n + 1);
    assert_non_null(longer);
    memcpy(longer, toy.file, toy.n);
    put_file(longer, toy.n + 1);
    assert_error(csr_file_open(&f, path, NULL, &err), &err, "pce-trailing");
    free(longer);
    put_file(toy.file, toy.n);
    open_toy(&f);
    assert_int_equal(truncate(path, (off_t)toy.n / 2), 0); /* while it is mapped */
    struct fr *out[3];
    for (int m = 0; m < 3; m++)
        assert_non_null(out[m] = malloc(toy.csr.a.rows * sizeof *out[m]));
    assert_int_equal(csr_file_eval(out, &f, &toy.w.w, 0, toy.csr.a.rows, &err), ERR_IO);
    assert_string_equal(err.cause, "file-truncated");
    for (int m = 0; m < 3; m++)
        free(out[m]);
    csr_file_close(&f);
    put_file(toy.file, toy.n);
}

/* With checksums no altered byte gets through. */
static void altered(void **state)
{
    (void)state;
    struct error err;
    uint8_t *copy = malloc(toy.n);
    assert_non_null(copy);
    for (size_t i = 0; i < toy.n; i += 1 + toy.n / 150) {
        memcpy(copy, toy.file, toy.n);
        copy[i] ^= 1;
        put_file(copy, toy.n);
        assert_int_equal(read_all(sums, &err), ERR_DATA);
        if (i > 40)
            assert_int_equal(eval_all(sums, &err), ERR_DATA);
    }
    free(copy);
    put_file(toy.file, toy.n);
}

/* A number set to a value; the file is then refused at opening, or when it is read, in spite of there being no checksums. */
static void forge(size_t at, size_t n, uint64_t value, const char *cause, const char *text,
                  int opens)
{
    struct error err;
    struct csr_file f;
    uint8_t *copy = malloc(toy.n);
    assert_non_null(copy);
    memcpy(copy, toy.file, toy.n);
    memcpy(copy + at, &value, n);
    put_file(copy, toy.n);
    int rc = csr_file_open(&f, path, NULL, &err);
    csr_file_close(&f);
    if (opens) {
        assert_int_equal(rc, 0);
        assert_error(read_all(NULL, &err), &err, cause);
    } else {
        assert_error(rc, &err, cause);
    }
    if (strstr(err.text, text) == NULL)
        fail_msg("\"%s\" should name %s", err.text, text);
    free(copy);
    put_file(toy.file, toy.n);
}

/* The message has the field, what is there and what should be. */
static void forge_number(size_t at, size_t n, uint64_t value, const char *field, uint64_t found,
                         uint64_t expected)
{
    char text[120];
    snprintf(text, sizeof text, "%s is %llu, expected %llu", field, (unsigned long long)found,
             (unsigned long long)expected);
    forge(at, n, value, "pce-malformed", text, 0);
}

static void numbers_out_of_range(void **state)
{
    (void)state;
    struct csr_file f;
    open_toy(&f);
    size_t row = f.matrix[0].row_ptrs, col = f.matrix[0].cols, value = f.matrix[0].values;
    size_t word = f.density[0].word, words = f.density[0].words;
    uint64_t columns = (uint64_t)f.num_inputs + f.num_aux, rows = f.num_rows, nnz = f.matrix[0].nnz;
    uint64_t bits = f.density[0].bits, total = nnz + f.matrix[1].nnz + f.matrix[2].nnz;
    csr_file_close(&f);
    forge(0, 1, 'Q', "pce-magic", "byte 0 of ", 0);
    forge(3, 1, 1, "pce-magic", "magic is 50 43 45 01, expected 50 43 45 02", 0);
    forge(4, 4, 1, "pce-version", "version is 1, expected 2", 0);
    forge(8, 4, 0, "pce-malformed", "num_inputs is 0, expected at least 1", 0);
    forge(12, 4, UINT32_MAX, "pce-malformed", "num_aux is 4294967295, expected at most 2147483647",
          0);
    forge(16, 4, 1, "pce-malformed", "num_constraints is 1, expected at least ", 0);
    forge_number(16, 4, rows + 1, "matrix A: number of row pointers", rows + 1, rows + 2);
    forge_number(20, 8, 17, "total_nnz", 17, total);
    forge_number(28, 4, 1, "reserved field", 1, 0);
    forge_number(32, 8, rows, "number of row pointers", rows, rows + 1);
    forge_number(32, 8, UINT64_MAX, "number of row pointers", UINT64_MAX, rows + 1);
    forge(col - 8, 8, UINT64_MAX / 4 + 1, "pce-malformed",
          "number of columns is 4611686018427387904, expected at most 4294967295", 0);
    forge(col - 8, 8, UINT32_MAX, "pce-truncated", "columns: cut: ", 0);
    forge_number(value - 8, 8, nnz - 1, "matrix A: number of values", nnz - 1, nnz);
    forge_number(word - 8, 8, words + 1, "density a_aux: number of density words", words + 1,
                 words);
    forge_number(word + 8 * words, 8, 1, "number of density bits", 1, bits);
    forge(word + 8 * words + 8, 8, columns, "pce-malformed", "density count is ", 0);
    forge(row, 4, 1, "pce-malformed", "matrix A, row 0", 1);
    forge(row + 4 * rows, 4, nnz - 1, "pce-malformed", "last row pointer", 1);
    forge(row + 4 * rows, 4, nnz + 1, "pce-malformed", "row pointers", 1);
    forge(row + 4 * 100, 4, nnz, "pce-malformed", "row 99", 1);
    forge(row + 4 * 100, 4, 0, "pce-malformed", "row 99: row pointers", 1);
    forge(col + 4 * 50, 4, columns, "pce-malformed", "column", 1);
    forge(col + 4, 4, 0, "pce-malformed", "row 0: order", 1);
    forge(value + 24, 8, UINT64_MAX, "pce-malformed", "row 0: order, column or value", 1);
    forge(word, 1, 0, "pce-malformed", "density a_aux", 1);
    forge(word + 8 * words + 8, 8, 1, "pce-malformed", "density a_aux", 1);
}

/* Evaluation checks by itself, whatever streaming does. */
static void evaluation_checks(void **state)
{
    (void)state;
    struct csr_file f;
    struct error err;
    open_toy(&f);
    struct {
        size_t at;
        uint32_t value;
    } forged[] = {{f.matrix[1].row_ptrs + 4 * 7, UINT32_MAX},
                  {f.matrix[1].row_ptrs, 1},
                  {f.matrix[2].row_ptrs + 4 * f.num_rows, 0},
                  {f.matrix[2].cols + 4 * 9, f.num_inputs + f.num_aux},
                  {f.matrix[1].values + 28, UINT32_MAX}};
    csr_file_close(&f);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        uint32_t was;
        memcpy(&was, toy.file + forged[i].at, 4);
        memcpy(toy.file + forged[i].at, &forged[i].value, 4);
        put_file(toy.file, toy.n);
        assert_error(eval_all(NULL, &err), &err, "pce-malformed");
        assert_error(eval_all(sums, &err), &err, "sums-differ");
        memcpy(toy.file + forged[i].at, &was, 4);
    }
    put_file(toy.file, toy.n);
    toy_ok(eval_all(sums, &err), &err);
}

/* ---- checksums ---- */

static void sums_of_another_file(void **state)
{
    (void)state;
    struct csr_file f;
    struct error err;
    char other[120], other_sums[120];
    struct templates t;
    struct cs cs;
    snprintf(other, sizeof other, "%s/other.bin", folder);
    snprintf(other_sums, sizeof other_sums, "%s/other.sums", folder);
    toy_record(&t, &cs, CHALLENGES + 1);
    toy_ok(csr_file_write(other, other_sums, &t, "toy", digest, &err), &err);
    assert_error(csr_file_open(&f, path, other_sums, &err), &err, "pce-truncated");
    assert_error(csr_file_open(&f, other, sums, &err), &err, "pce-trailing");
    templates_clean_up(&t);
    cs_clean_up(&cs);
    unlink(other);
    unlink(other_sums);
}

static void sums_cut_and_altered(void **state)
{
    (void)state;
    struct block_sums s;
    struct error err;
    uint8_t *text;
    size_t n;
    toy_ok(file_read(&text, &n, sums, 10000, &err), &err);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(block_sums_parse(&s, (char *)text, i, &err), ERR_DATA);
        assert_null(s.block);
        text[i] ^= 1;
        assert_int_equal(block_sums_parse(&s, (char *)text, n, &err), ERR_DATA);
        assert_null(s.block);
        text[i] ^= 1;
    }
    toy_ok(block_sums_parse(&s, (char *)text, n, &err), &err);
    assert_int_equal(s.blocks, 1);
    assert_int_equal(s.bytes, toy.n);
    block_sums_clean_up(&s);
    static const char huge[] =
        "cuzk-block-sums 1\ncircuit x\ndigest "
        "0000000000000000000000000000000000000000000000000000000000000000\n"
        "bytes 18446744073709551615\n";
    assert_int_equal(block_sums_parse(&s, huge, sizeof huge - 1, &err), ERR_DATA);
    assert_string_equal(err.cause, "sums-truncated");
    free(text);
}

/* Three blocks, the last one short; each is looked at by itself and only once. */
static void blocks_on_first_touch(void **state)
{
    (void)state;
    const uint64_t bytes = 2 * (uint64_t)BLOCK_SUMS_BLOCK + 12345;
    struct block_sums s;
    struct block_summer *summer = block_summer_new();
    struct mapped_file file;
    struct error err;
    char name[120], name_sums[120];
    snprintf(name, sizeof name, "%s/blocks", folder);
    snprintf(name_sums, sizeof name_sums, "%s/blocks.sums", folder);
    uint8_t *zeros = calloc(1, 1 << 20);
    assert_non_null(zeros);
    assert_non_null(summer);
    for (uint64_t done = 0; done < bytes;) {
        size_t n = bytes - done < 1000001 ? (size_t)(bytes - done) : 1000001;
        assert_int_equal(block_summer_update(summer, zeros, n), 0);
        done += n;
    }
    toy_ok(block_summer_write(summer, name_sums, "zeros", digest, &err), &err);
    block_summer_destroy(summer);
    free(zeros);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    toy_ok(block_sums_read(&s, name_sums, &err), &err);
    assert_int_equal(s.blocks, 3);
    toy_ok(mapped_file_init(&file, name, &err), &err);
    assert_int_equal(pwrite(fd, "x", 1, BLOCK_SUMS_BLOCK + 7), 1);
    toy_ok(block_sums_check(&s, &file, 0, BLOCK_SUMS_BLOCK, &err), &err);
    assert_error(block_sums_check(&s, &file, BLOCK_SUMS_BLOCK - 1, 2, &err), &err, "sums-differ");
    assert_non_null(strstr(err.text, "67108864"));
    toy_ok(block_sums_check(&s, &file, bytes - 1, 1, &err), &err);
    assert_error(block_sums_check(&s, &file, bytes, 1, &err), &err, "sums-differ");
    assert_int_equal(pwrite(fd, "x", 1, 5), 1); /* seen already: not read again */
    toy_ok(block_sums_check(&s, &file, 0, 10, &err), &err);
    mapped_file_clean_up(&file);
    block_sums_clean_up(&s);
    close(fd);
    unlink(name);
    unlink(name_sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented_layout),
        cmocka_unit_test(same_rows_and_values),
        cmocka_unit_test(threads_share_a_file),
        cmocka_unit_test(without_checksums),
        cmocka_unit_test(cut),
        cmocka_unit_test(altered),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(evaluation_checks),
        cmocka_unit_test(sums_of_another_file),
        cmocka_unit_test(sums_cut_and_altered),
        cmocka_unit_test(blocks_on_first_touch),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
