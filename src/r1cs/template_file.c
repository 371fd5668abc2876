#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mapped_file.h"
#include "hash/sha256.h"
#include "r1cs/template.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the arrays are written as they lie");
_Static_assert(sizeof(struct template_term) == 8 && sizeof(struct template_form) == 24 &&
                   sizeof(struct template_run) == 8,
               "no padding");

enum { VERSION = 1, COEFF_BYTES = 32, CHECKSUM_BYTES = 32, ARRAYS = 6, MAX_FILE_BYTES = 1 << 30 };
static const char MAGIC[8] = {'C', 'U', 'Z', 'K', 'T', 'M', 'P', 'L'};

struct header {
    char magic[8];
    uint32_t version, zero;
    char id[TEMPLATE_ID_BYTES];
    uint8_t digest[32];
    uint64_t num_inputs, num_aux, num_rows, nnz[3];
    uint64_t lens[ARRAYS]; /* coeffs, terms, forms, runs, templates, instances */
    uint64_t file_bytes, zero_too;
};
_Static_assert(sizeof(struct header) == 192, "no padding");

/* An array of the file, in order; the first is converted. */
struct part {
    void *data;
    size_t bytes;
};

static void list_parts(struct part part[ARRAYS], const struct templates *t)
{
    part[0] = (struct part){t->coeff, t->coeffs * COEFF_BYTES};
    part[1] = (struct part){t->term, t->terms * sizeof *t->term};
    part[2] = (struct part){t->form, t->forms * sizeof *t->form};
    part[3] = (struct part){t->run, t->runs * sizeof *t->run};
    part[4] = (struct part){t->first_run, (t->count + 1) * sizeof *t->first_run};
    part[5] = (struct part){t->instance, t->instances * sizeof *t->instance};
}

uint64_t templates_file_bytes(const struct templates *t)
{
    struct part part[ARRAYS];
    uint64_t bytes = sizeof(struct header) + CHECKSUM_BYTES;
    list_parts(part, t);
    for (int i = 0; i < ARRAYS; i++)
        bytes += part[i].bytes;
    return bytes;
}

/* ---- writing ---- */

static int put(struct output_file *file, struct sha256_stream *hash, const void *data, size_t n,
               struct error *err)
{
    sha256_update(hash, data, n);
    return output_file_write(file, data, n, err);
}

static int put_coeffs(struct output_file *file, struct sha256_stream *hash,
                      const struct templates *t, struct error *err)
{
    int rc = 0;
    for (size_t i = 0; i < t->coeffs && rc == 0; i++) {
        uint8_t bytes[COEFF_BYTES];
        fr_to_bytes(bytes, &t->coeff[i]);
        rc = put(file, hash, bytes, sizeof bytes, err);
    }
    return rc;
}

static int put_all(struct output_file *file, const struct templates *t, const struct header *h,
                   const struct part *part, struct error *err)
{
    uint8_t sum[CHECKSUM_BYTES];
    struct sha256_stream *hash = sha256_new();
    int rc = put(file, hash, h, sizeof *h, err);
    if (rc == 0)
        rc = put_coeffs(file, hash, t, err);
    for (int i = 1; i < ARRAYS && rc == 0; i++)
        rc = put(file, hash, part[i].data, part[i].bytes, err);
    sha256_finish(hash, sum);
    return rc != 0 ? rc : output_file_write(file, sum, sizeof sum, err);
}

int templates_write(const char *path, const struct templates *t, const char *id,
                    const uint8_t digest[32], struct error *err)
{
    struct part part[ARRAYS];
    struct header h = {.version = VERSION,
                       .num_inputs = t->num_inputs,
                       .num_aux = t->num_aux,
                       .num_rows = t->num_rows,
                       .nnz = {t->nnz[0], t->nnz[1], t->nnz[2]},
                       .lens = {t->coeffs, t->terms, t->forms, t->runs, t->count, t->instances},
                       .file_bytes = templates_file_bytes(t)};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    memcpy(h.id, id, strnlen(id, sizeof h.id));
    memcpy(h.digest, digest, sizeof h.digest);
    list_parts(part, t);
    struct output_file file;
    int rc = output_file_init(&file, path, FILE_REPLACE, err);
    if (rc == 0)
        rc = put_all(&file, t, &h, part, err);
    if (rc == 0)
        rc = output_file_commit(&file, err);
    output_file_clean_up(&file);
    return rc;
}

/* ---- reading ---- */

static int check_header(const struct header *h, size_t size, struct error *err)
{
    if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
        return error_set(err, ERR_DATA, "templates-magic",
                         "byte 0: not a file of templates: it begins with \"%.8s\", expected "
                         "CUZKTMPL",
                         h->magic);
    if (h->version != VERSION)
        return error_set(err, ERR_DATA, "templates-version",
                         "byte 8: version is %" PRIu32 ", expected %d", h->version, VERSION);
    if (h->file_bytes > size)
        return error_set(err, ERR_DATA, "templates-truncated",
                         "cut: %zu bytes of the %" PRIu64 " that its header states", size,
                         h->file_bytes);
    if (h->file_bytes < size)
        return error_set(err, ERR_DATA, "templates-trailing",
                         "%zu bytes, %" PRIu64 " more than its header states", size,
                         size - h->file_bytes);
    return 0;
}

static int check_zero(uint64_t value, size_t at, struct error *err)
{
    return value == 0 ? 0
                      : error_set(err, ERR_DATA, "templates-malformed",
                                  "byte %zu: reserved field is %" PRIu64 ", expected 0", at, value);
}

/* The arrays' lengths must add up to the file's. */
static int check_lengths(struct templates *t, const struct header *h, struct error *err)
{
    static const unsigned element[ARRAYS] = {COEFF_BYTES,
                                             sizeof(struct template_term),
                                             sizeof(struct template_form),
                                             sizeof(struct template_run),
                                             sizeof(uint32_t),
                                             sizeof(uint32_t)};
    static const char *const name[ARRAYS] = {"coefficients", "terms",     "forms",
                                             "runs",         "templates", "instances"};
    uint64_t sum = sizeof *h + CHECKSUM_BYTES + sizeof(uint32_t);
    if (check_zero(h->zero, offsetof(struct header, zero), err) != 0 ||
        check_zero(h->zero_too, offsetof(struct header, zero_too), err) != 0)
        return err->code;
    for (int i = 0; i < ARRAYS; i++) {
        if (h->lens[i] > UINT32_MAX) /* so the sum cannot wrap either */
            return error_set(err, ERR_DATA, "templates-malformed",
                             "byte %zu: number of %s is %" PRIu64 ", expected at most %" PRIu32,
                             offsetof(struct header, lens) + 8 * (size_t)i, name[i], h->lens[i],
                             UINT32_MAX);
        sum += h->lens[i] * element[i];
    }
    if (sum != h->file_bytes)
        return error_set(err, ERR_DATA, "templates-malformed",
                         "byte %zu: the arrays of these lengths make a file of %" PRIu64
                         " bytes, but it has %" PRIu64,
                         offsetof(struct header, lens), sum, h->file_bytes);
    *t = (struct templates){.num_inputs = h->num_inputs,
                            .num_aux = h->num_aux,
                            .num_rows = h->num_rows,
                            .nnz = {h->nnz[0], h->nnz[1], h->nnz[2]},
                            .coeffs = h->lens[0],
                            .terms = h->lens[1],
                            .forms = h->lens[2],
                            .runs = h->lens[3],
                            .count = h->lens[4],
                            .instances = h->lens[5]};
    return 0;
}

static int take_coeffs(struct templates *t, const uint8_t *data, struct error *err)
{
    for (size_t i = 0; i < t->coeffs; i++)
        if (fr_from_bytes(&t->coeff[i], data + i * COEFF_BYTES) != 0)
            return error_set(err, ERR_DATA, "templates-malformed",
                             "byte %zu: coefficient %zu is not less than r",
                             sizeof(struct header) + i * COEFF_BYTES, i);
    return 0;
}

/* data has room for all arrays. */
static int take_arrays(struct templates *t, const uint8_t *data, struct error *err)
{
    struct part part[ARRAYS];
    t->coeff = malloc((t->coeffs + 1) * sizeof *t->coeff);
    t->term = malloc((t->terms + 1) * sizeof *t->term);
    t->form = malloc((t->forms + 1) * sizeof *t->form);
    t->run = malloc((t->runs + 1) * sizeof *t->run);
    t->first_run = malloc((t->count + 1) * sizeof *t->first_run);
    t->instance = malloc((t->instances + 1) * sizeof *t->instance);
    list_parts(part, t);
    for (int i = 0; i < ARRAYS; i++)
        if (part[i].data == NULL)
            return error_set(err, ERR_OS, "out-of-memory", "no memory for %zu templates", t->count);
    int rc = take_coeffs(t, data, err);
    for (int i = 1; i < ARRAYS; i++) {
        data += part[i - 1].bytes;
        memcpy(part[i].data, data, part[i].bytes);
    }
    return rc;
}

int templates_parse(struct templates *out, char id[TEMPLATE_ID_BYTES + 1], uint8_t digest[32],
                    const uint8_t *data, size_t size, struct error *err)
{
    struct header h;
    uint8_t sum[CHECKSUM_BYTES];
    *out = (struct templates){0};
    if (size == 0)
        return error_set(err, ERR_DATA, "templates-empty", "an empty file");
    if (size < sizeof h + CHECKSUM_BYTES)
        return error_set(err, ERR_DATA, "templates-truncated",
                         "cut: %zu bytes; the header and the checksum alone take %zu", size,
                         sizeof h + CHECKSUM_BYTES);
    memcpy(&h, data, sizeof h);
    int rc = check_header(&h, size, err);
    if (rc != 0)
        return rc;
    sha256(sum, data, size - CHECKSUM_BYTES);
    if (memcmp(sum, data + size - CHECKSUM_BYTES, CHECKSUM_BYTES) != 0)
        return error_set(err, ERR_DATA, "templates-checksum",
                         "altered: its content does not have the checksum at its end");
    rc = check_lengths(out, &h, err);
    if (rc == 0)
        rc = take_arrays(out, data + sizeof h, err);
    if (rc == 0)
        rc = templates_check(out, err);
    if (rc != 0) {
        templates_clean_up(out);
        return rc;
    }
    memcpy(id, h.id, TEMPLATE_ID_BYTES);
    id[TEMPLATE_ID_BYTES] = 0;
    memcpy(digest, h.digest, sizeof h.digest);
    return 0;
}

/* Out of the mapping, so that nothing that follows can meet a truncation. */
struct copy {
    void *to;
    const struct mapped_file *file;
};

static void copy_file(void *ctx)
{
    const struct copy *c = ctx;
    memcpy(c->to, c->file->data, c->file->size);
}

int templates_read(struct templates *out, char id[TEMPLATE_ID_BYTES + 1], uint8_t digest[32],
                   const char *path, struct error *err)
{
    struct mapped_file file;
    struct buffer bytes = {0};
    *out = (struct templates){0};
    int rc = mapped_file_init(&file, path, err);
    if (rc != 0)
        return rc;
    if (file.size > MAX_FILE_BYTES) {
        rc = error_set(err, ERR_DATA, "templates-too-long", "%s: %zu bytes: no circuit needs that",
                       path, file.size);
        mapped_file_clean_up(&file);
        return rc;
    }
    rc = buffer_init(&bytes, file.size, "a file of templates", err);
    if (rc == 0 && file.size > 0)
        rc = mapped_file_guard(&file, copy_file, &(struct copy){bytes.data, &file}, err);
    if (rc == 0) {
        rc = templates_parse(out, id, digest, bytes.data, file.size, err);
        if (rc != 0)
            file_blame(err, path);
    }
    buffer_clean_up(&bytes);
    mapped_file_clean_up(&file);
    return rc;
}
