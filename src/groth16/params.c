#include "groth16/params.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "hash/blake2.h"

const char *params_section_name(enum params_section s)
{
    static const char *const names[PARAMS_SECTIONS] = {"h", "l", "a", "b_g1", "b_g2"};
    return names[s];
}

static size_t point_bytes(enum params_section s)
{
    return s == PARAMS_B_G2 ? G2_UNCOMPRESSED_BYTES : G1_UNCOMPRESSED_BYTES;
}

/* Copies out of the mapping, so that nothing else has to live with a truncation. */
struct copy {
    uint8_t *to;
    const uint8_t *from;
    size_t n;
};

static void copy_bytes(void *ctx)
{
    const struct copy *c = ctx;
    memcpy(c->to, c->from, c->n);
}

static int read_mapped(uint8_t *to, const struct mapped_file *file, size_t offset, size_t n,
                       struct error *err)
{
    struct copy c = {to, file->data + offset, n};
    return mapped_file_guard(file, copy_bytes, &c, err);
}

static int read_u32(size_t *out, const struct mapped_file *file, size_t offset, struct error *err)
{
    uint8_t b[4];
    if (read_mapped(b, file, offset, sizeof b, err) != 0)
        return err->code;
    *out = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
    return 0;
}

/* Reads the key at the head; *end is the byte behind it. */
static int open_vk(struct params_file *p, size_t *end, struct error *err)
{
    const struct mapped_file *file = &p->file;
    size_t ic_len = 0, n = file->size;
    if (n >= VK_FIXED_BYTES && read_u32(&ic_len, file, VK_FIXED_BYTES - 4, err) != 0)
        return err->code;
    if (n > vk_bytes(ic_len))
        n = vk_bytes(ic_len);
    uint8_t *bytes = malloc(n);
    if (bytes == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for a key of %zu bytes",
                         file->path, n);
    int rc = read_mapped(bytes, file, 0, n, err);
    if (rc == 0) {
        rc = vk_parse(&p->vk, end, bytes, n, err);
        if (rc != 0)
            file_blame(err, file->path);
        if (rc != 0 && strcmp(err->cause, "vk-truncated") == 0)
            err->cause = "params-truncated";
    }
    free(bytes);
    return rc;
}

static int open_sections(struct params_file *p, size_t at, struct error *err)
{
    const struct mapped_file *file = &p->file;
    for (enum params_section s = 0; s < PARAMS_SECTIONS; s++) {
        const char *name = params_section_name(s);
        if (file->size - at < 4)
            return error_set(err, ERR_CONFIG, "params-truncated",
                             "%s: ends at byte %zu, inside the count of section %s at byte %zu",
                             file->path, file->size, name, at);
        if (read_u32(&p->count[s], file, at, err) != 0)
            return err->code;
        p->offset[s] = at + 4;
        if ((file->size - p->offset[s]) / point_bytes(s) < p->count[s])
            return error_set(
                err, ERR_CONFIG, "params-truncated",
                "%s: ends at byte %zu; section %s at byte %zu claims %zu points of %zu bytes",
                file->path, file->size, name, at, p->count[s], point_bytes(s));
        at = p->offset[s] + p->count[s] * point_bytes(s);
    }
    if (at != file->size)
        return error_set(err, ERR_CONFIG, "params-trailing",
                         "%s: %zu bytes follow the end of section b_g2 at byte %zu", file->path,
                         file->size - at, at);
    return 0;
}

/* What holds for every circuit: h has a point less than a domain, b comes in two groups, and a begins with all inputs. */
static int check_counts(const struct params_file *p, struct error *err)
{
    const size_t *count = p->count;
    const char *path = p->file.path;
    if (count[PARAMS_H] == 0 || (count[PARAMS_H] & (count[PARAMS_H] + 1)) != 0)
        return error_set(err, ERR_CONFIG, "params-counts",
                         "%s: section h at byte %zu has %zu points, not 2^k - 1", path,
                         p->offset[PARAMS_H] - 4, count[PARAMS_H]);
    if (count[PARAMS_B_G1] != count[PARAMS_B_G2])
        return error_set(err, ERR_CONFIG, "params-counts",
                         "%s: section b_g1 has %zu points, b_g2 at byte %zu has %zu", path,
                         count[PARAMS_B_G1], p->offset[PARAMS_B_G2] - 4, count[PARAMS_B_G2]);
    if (count[PARAMS_A] < p->vk.ic_len)
        return error_set(err, ERR_CONFIG, "params-counts",
                         "%s: section a at byte %zu has %zu points for %zu inputs", path,
                         p->offset[PARAMS_A] - 4, count[PARAMS_A], p->vk.ic_len);
    return 0;
}

/* Opening says what the system said; the cause says which file of several it was. */
static int map_file(struct mapped_file *file, const char *path, struct error *err)
{
    if (mapped_file_init(file, path, err) != 0) {
        if (err->code == ERR_NO_INPUT)
            err->cause = "params-absent";
        else if (err->code == ERR_NO_PERM || err->code == ERR_IO)
            err->cause = "params-unreadable";
        return err->code;
    }
    if (file->size == 0) {
        error_set(err, ERR_CONFIG, "params-empty", "%s: the file is empty", path);
        mapped_file_clean_up(file);
        return err->code;
    }
    return 0;
}

int params_open(struct params_file *p, const char *path, struct error *err)
{
    struct params_file opened = {0};
    size_t end;
    if (map_file(&opened.file, path, err) != 0)
        return err->code;
    if (open_vk(&opened, &end, err) != 0 || open_sections(&opened, end, err) != 0 ||
        check_counts(&opened, err) != 0) {
        int rc = err->code;
        params_close(&opened);
        return rc;
    }
    *p = opened;
    return 0;
}

void params_close(struct params_file *p)
{
    vk_clean_up(&p->vk);
    mapped_file_clean_up(&p->file);
    *p = (struct params_file){0};
}

int params_check_circuit(const struct params_file *p, const struct shape_stats *stats,
                         struct error *err)
{
    size_t rows = stats->num_constraints + stats->num_inputs, domain = 1;
    while (domain < rows)
        domain *= 2;
    size_t b = bitmap_popcount(&stats->density.b_input) + bitmap_popcount(&stats->density.b_aux);
    const size_t expected[PARAMS_SECTIONS] = {
        domain - 1, stats->num_aux, stats->num_inputs + bitmap_popcount(&stats->density.a_aux), b,
        b};
    if (p->vk.ic_len != stats->num_inputs)
        return error_set(
            err, ERR_CONFIG, "params-other-circuit",
            "%s: parameters of another circuit: %zu ic points, this circuit has %llu inputs",
            p->file.path, p->vk.ic_len, (unsigned long long)stats->num_inputs);
    for (enum params_section s = 0; s < PARAMS_SECTIONS; s++)
        if (p->count[s] != expected[s])
            return error_set(err, ERR_CONFIG, "params-other-circuit",
                             "%s: parameters of another circuit: section %s at byte %zu has %zu "
                             "points, this circuit "
                             "needs %zu",
                             p->file.path, params_section_name(s), p->offset[s] - 4, p->count[s],
                             expected[s]);
    return 0;
}

int params_check_vk(const struct params_file *p, const char *vk_path, struct error *err)
{
    size_t n = vk_bytes(p->vk.ic_len), got, same = 0;
    uint8_t *file, *embedded;
    if (file_read(&file, &got, vk_path, n + 1, err) != 0) {
        if (err->code == ERR_NO_INPUT)
            err->cause = "vk-absent";
        if (err->code != ERR_DATA)
            return err->code;
        return error_set(err, ERR_CONFIG, "vk-differs",
                         "%s: longer than the key of %zu bytes inside %s", vk_path, n,
                         p->file.path);
    }
    embedded = malloc(n);
    if (embedded == NULL) {
        free(file);
        return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for a key of %zu bytes",
                         vk_path, n);
    }
    vk_write(embedded, &p->vk);
    while (same < n && same < got && file[same] == embedded[same])
        same++;
    free(file);
    free(embedded);
    if (same < n && same < got)
        return error_set(err, ERR_CONFIG, "vk-differs",
                         "%s: differs at byte %zu from the key inside %s", vk_path, same,
                         p->file.path);
    if (got != n)
        return error_set(err, ERR_CONFIG, "vk-differs",
                         "%s: has %zu bytes, the key inside %s takes %zu", vk_path, got,
                         p->file.path, n);
    return 0;
}

/* Points to decode, or to look at where g1 and g2 are NULL, until one is bad. */
struct decode {
    const uint8_t *from;
    enum params_section section;
    struct g1_affine *g1; /* [n] */
    struct g2_affine *g2;
    size_t n, bad; /* bad: the first, or n */
    enum point_status status;
};

static void decode_points(void *ctx)
{
    struct decode *d = ctx;
    if (d->section == PARAMS_B_G2)
        d->bad = g2_from_uncompressed_many(d->g2, &d->status, d->from, d->n);
    else
        d->bad = g1_from_uncompressed_many(d->g1, &d->status, d->from, d->n);
}

static void check_points(void *ctx)
{
    struct decode *d = ctx;
    size_t bytes = point_bytes(d->section);
    struct g1_affine g1;
    struct g2_affine g2;
    d->status = POINT_OK;
    for (d->bad = 0; d->bad < d->n; d->bad++) {
        const uint8_t *at = d->from + d->bad * bytes;
        d->status = d->section == PARAMS_B_G2 ? g2_from_uncompressed(&g2, at, POINT_CHECK_SUBGROUP)
                                              : g1_from_uncompressed(&g1, at, POINT_CHECK_SUBGROUP);
        if (d->status != POINT_OK)
            return;
    }
}

static int bad_point(const struct params_file *p, enum params_section s, size_t index,
                     enum point_status status, struct error *err)
{
    return error_set(err, ERR_CONFIG, point_status_name(status),
                     "%s: point %zu of section %s at byte %zu is not usable", p->file.path, index,
                     params_section_name(s), p->offset[s] + index * point_bytes(s));
}

static int read_points(struct decode *d, void (*read)(void *decode), const struct params_file *p,
                       size_t first, struct error *err)
{
    d->from = p->file.data + p->offset[d->section] + first * point_bytes(d->section);
    if (mapped_file_guard(&p->file, read, d, err) != 0)
        return err->code;
    if (d->bad < d->n)
        return bad_point(p, d->section, first + d->bad, d->status, err);
    return 0;
}

int params_g1(struct g1_affine *out, const struct params_file *p, enum params_section s,
              size_t first, size_t n, struct error *err)
{
    struct decode d = {.section = s, .g1 = out, .n = n};
    return read_points(&d, decode_points, p, first, err);
}

int params_g2(struct g2_affine *out, const struct params_file *p, size_t first, size_t n,
              struct error *err)
{
    struct decode d = {.section = PARAMS_B_G2, .g2 = out, .n = n};
    return read_points(&d, decode_points, p, first, err);
}

enum { CHECK_BLOCK = 1024 };

/* The error of the earliest bad block wins, so that the answer doesn't depend on threads. */
struct check {
    const struct params_file *p;
    size_t blocks_before[PARAMS_SECTIONS + 1];
    struct progress progress;
    pthread_mutex_t lock;
    size_t bad_block;
    struct error err;
};

static int check_is_over(struct check *c, size_t block)
{
    pthread_mutex_lock(&c->lock);
    int over = c->bad_block < block;
    pthread_mutex_unlock(&c->lock);
    return over;
}

static void check_block(void *ctx, size_t block)
{
    struct check *c = ctx;
    struct error err;
    enum params_section s = 0;
    if (check_is_over(c, block))
        return;
    while (block >= c->blocks_before[s + 1])
        s++;
    size_t first = (block - c->blocks_before[s]) * CHECK_BLOCK, left = c->p->count[s] - first;
    struct decode d = {.section = s, .n = left < CHECK_BLOCK ? left : CHECK_BLOCK};
    int rc = read_points(&d, check_points, c->p, first, &err);
    progress_add(&c->progress, d.n);
    if (rc == 0)
        return;
    pthread_mutex_lock(&c->lock);
    if (block < c->bad_block) {
        c->bad_block = block;
        c->err = err;
    }
    pthread_mutex_unlock(&c->lock);
}

int params_check_points(const struct params_file *p, struct pool *pool,
                        const struct progress_sink *sink, struct error *err)
{
    struct check c = {.p = p, .bad_block = SIZE_MAX};
    size_t points = 0;
    for (enum params_section s = 0; s < PARAMS_SECTIONS; s++) {
        c.blocks_before[s + 1] = c.blocks_before[s] + (p->count[s] + CHECK_BLOCK - 1) / CHECK_BLOCK;
        points += p->count[s];
    }
    pthread_mutex_init(&c.lock, NULL);
    progress_begin(&c.progress, sink, "checking points", points);
    pool_run(pool, c.blocks_before[PARAMS_SECTIONS], check_block, &c);
    progress_end(&c.progress);
    pthread_mutex_destroy(&c.lock);
    if (c.bad_block == SIZE_MAX)
        return 0;
    *err = c.err;
    return err->code;
}

int params_digest(char out[33], const char *path, const struct progress_sink *sink,
                  struct error *err)
{
    enum { PIECE = 1 << 20 };
    struct mapped_file file;
    if (map_file(&file, path, err) != 0)
        return err->code;
    uint8_t *piece = malloc(PIECE), digest[64];
    if (piece == NULL) {
        mapped_file_clean_up(&file);
        return error_set(err, ERR_OS, "out-of-memory", "%s: no memory to read it", path);
    }
    struct blake2b_stream *stream = blake2b_stream_new(sizeof digest);
    struct progress progress;
    int rc = 0;
    progress_begin(&progress, sink, "digesting parameters", file.size);
    for (size_t at = 0; at < file.size && rc == 0; at += PIECE) {
        size_t n = file.size - at < PIECE ? file.size - at : PIECE;
        rc = read_mapped(piece, &file, at, n, err);
        if (rc == 0)
            blake2b_stream_update(stream, piece, n);
        progress_add(&progress, n);
    }
    progress_end(&progress);
    blake2b_stream_finish(stream, digest);
    hex_encode(out, digest, 16);
    free(piece);
    mapped_file_clean_up(&file);
    return rc;
}
