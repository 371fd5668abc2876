#include "r1cs/block_sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "hash/sha256.h"

enum { LINE_MAX_BYTES = 128, FILE_MAX_BYTES = 1 << 20 };
static const char FIRST_LINE[] = "cuzk-block-sums 1";

struct block_sum {
    uint8_t sum[32];
    atomic_int good; /* seen to be as it should */
    pthread_mutex_t lock;
};

static size_t block_count(uint64_t bytes)
{
    return (size_t)(bytes / BLOCK_SUMS_BLOCK + (bytes % BLOCK_SUMS_BLOCK != 0));
}

void block_sums_clean_up(struct block_sums *s)
{
    for (size_t i = 0; i < s->blocks; i++)
        pthread_mutex_destroy(&s->block[i].lock);
    free(s->block);
    *s = (struct block_sums){0};
}

/* ---- reading ---- */

struct lines {
    const char *at, *end;
    size_t number;
};

static int bad_line(const struct lines *l, const char *found, const char *expected,
                    struct error *err)
{
    return error_set(err, ERR_DATA, "sums-malformed", "line %zu: \"%.70s\", expected %s", l->number,
                     found, expected);
}

/* The rest of a line that begins with key and a blank. */
static int take_line(char value[LINE_MAX_BYTES], struct lines *l, const char *key,
                     struct error *err)
{
    size_t key_len = strlen(key);
    const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->number++;
    if (newline == NULL)
        return error_set(err, ERR_DATA, "sums-truncated", "line %zu: cut, expected \"%s ...\"",
                         l->number, key);
    size_t len = (size_t)(newline - l->at);
    if (len < key_len + 2 || memcmp(l->at, key, key_len) != 0 || l->at[key_len] != ' ' ||
        len - key_len - 1 >= LINE_MAX_BYTES || memchr(l->at, 0, len) != NULL)
        return error_set(err, ERR_DATA, "sums-malformed", "line %zu: \"%.*s\", expected \"%s ...\"",
                         l->number, len > 70 ? 70 : (int)len, l->at, key);
    memcpy(value, l->at + key_len + 1, len - key_len - 1);
    value[len - key_len - 1] = 0;
    l->at = newline + 1;
    return 0;
}

static int take_hex(uint8_t out[32], struct lines *l, const char *key, struct error *err)
{
    char value[LINE_MAX_BYTES];
    int rc = take_line(value, l, key, err);
    if (rc == 0 && (strlen(value) != 64 || hex_decode(out, 32, value) != 0))
        rc = bad_line(l, value, "64 hex digits", err);
    return rc;
}

static int take_bytes(uint64_t *bytes, struct lines *l, struct error *err)
{
    char value[LINE_MAX_BYTES], again[24];
    int rc = take_line(value, l, "bytes", err);
    if (rc != 0)
        return rc;
    *bytes = strtoull(value, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64, *bytes);
    return strcmp(value, again) == 0 ? 0 : bad_line(l, value, "a number", err);
}

static int take_head(struct block_sums *s, struct lines *l, struct error *err)
{
    char value[LINE_MAX_BYTES];
    int rc = take_line(value, l, "cuzk-block-sums", err);
    if (rc == 0 && strcmp(value, "1") != 0)
        rc = bad_line(l, value, "version 1", err);
    if (rc == 0)
        rc = take_line(value, l, "circuit", err);
    if (rc == 0 && strlen(value) > BLOCK_SUMS_ID_BYTES)
        rc = bad_line(l, value, "a circuit's id", err);
    if (rc != 0)
        return rc;
    memcpy(s->circuit, value, strlen(value) + 1);
    rc = take_hex(s->digest, l, "digest", err);
    return rc != 0 ? rc : take_bytes(&s->bytes, l, err);
}

static int take_blocks(struct block_sums *s, struct lines *l, size_t blocks, struct error *err)
{
    int rc = 0;
    s->block = calloc(blocks + 1, sizeof *s->block);
    if (s->block == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %zu checksums", blocks);
    for (s->blocks = 0; s->blocks < blocks && rc == 0; s->blocks++) {
        pthread_mutex_init(&s->block[s->blocks].lock, NULL);
        rc = take_hex(s->block[s->blocks].sum, l, "block", err);
    }
    return rc;
}

int block_sums_parse(struct block_sums *s, const char *text, size_t n, struct error *err)
{
    struct lines l = {text, text + n, 0};
    uint8_t want[32], have[32];
    *s = (struct block_sums){0};
    int rc = take_head(s, &l, err);
    if (rc == 0 && block_count(s->bytes) > n / 64)
        rc = error_set(err, ERR_DATA, "sums-truncated",
                       "%zu bytes are too few for the checksums of %zu blocks", n,
                       block_count(s->bytes));
    if (rc == 0)
        rc = take_blocks(s, &l, block_count(s->bytes), err);
    sha256(have, text, (size_t)(l.at - text));
    if (rc == 0)
        rc = take_hex(want, &l, "end", err);
    if (rc == 0 && l.at != l.end)
        rc = error_set(err, ERR_DATA, "sums-malformed", "%td bytes behind line %zu, the last",
                       l.end - l.at, l.number);
    if (rc == 0 && memcmp(want, have, 32) != 0)
        rc = error_set(err, ERR_DATA, "sums-checksum", "altered: not the checksum at its end");
    if (rc != 0)
        block_sums_clean_up(s);
    return rc;
}

int block_sums_read(struct block_sums *s, const char *path, struct error *err)
{
    uint8_t *text;
    size_t n;
    *s = (struct block_sums){0};
    int rc = file_read(&text, &n, path, FILE_MAX_BYTES, err);
    if (rc != 0)
        return rc;
    rc = block_sums_parse(s, (const char *)text, n, err);
    free(text);
    return rc != 0 ? file_blame(err, path) : 0;
}

/* ---- checking ---- */

struct block_hash {
    uint8_t out[32];
    const uint8_t *data;
    size_t n;
    struct sha256_stream *stream; /* made outside of the guard, which may be left by a jump */
};

static void hash_block(void *ctx)
{
    struct block_hash *h = ctx;
    sha256_update(h->stream, h->data, h->n);
}

static int check_block(struct block_sums *s, const struct mapped_file *file, size_t i,
                       struct error *err)
{
    struct block_sum *b = &s->block[i];
    uint64_t start = (uint64_t)i * BLOCK_SUMS_BLOCK, left = s->bytes - start;
    struct block_hash h = {.data = file->data + start,
                           .n = left < BLOCK_SUMS_BLOCK ? left : BLOCK_SUMS_BLOCK,
                           .stream = sha256_new()};
    int rc = mapped_file_guard(file, hash_block, &h, err);
    sha256_finish(h.stream, h.out);
    if (rc == 0 && memcmp(h.out, b->sum, 32) != 0)
        rc = error_set(err, ERR_DATA, "sums-differ",
                       "%s: bytes %" PRIu64 " to %" PRIu64 " are not what was recorded", file->path,
                       start, start + h.n);
    if (rc == 0)
        atomic_store(&b->good, 1);
    return rc;
}

int block_sums_check(struct block_sums *s, const struct mapped_file *file, uint64_t offset,
                     uint64_t n, struct error *err)
{
    int rc = 0;
    if (n == 0)
        return 0;
    if (file->size != s->bytes || offset > s->bytes || n > s->bytes - offset)
        return error_set(err, ERR_DATA, "sums-differ",
                         "%s: %zu bytes, its checksums are of %" PRIu64, file->path, file->size,
                         s->bytes);
    for (size_t i = offset / BLOCK_SUMS_BLOCK; i <= (offset + n - 1) / BLOCK_SUMS_BLOCK && rc == 0;
         i++) {
        struct block_sum *b = &s->block[i];
        if (atomic_load(&b->good))
            continue;
        pthread_mutex_lock(&b->lock);
        if (!atomic_load(&b->good))
            rc = check_block(s, file, i, err);
        pthread_mutex_unlock(&b->lock);
    }
    return rc;
}

/* ---- writing ---- */

struct block_summer {
    struct sha256_stream *stream; /* of the block at hand; NULL: none */
    uint64_t bytes;
    uint8_t (*sum)[32]; /* of whole blocks */
    size_t blocks, cap;
};

struct block_summer *block_summer_new(void)
{
    return calloc(1, sizeof(struct block_summer));
}

static int end_block(struct block_summer *s)
{
    if (s->blocks == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 64;
        uint8_t(*sum)[32] = realloc(s->sum, cap * sizeof *sum);
        if (sum == NULL)
            return -1;
        s->sum = sum;
        s->cap = cap;
    }
    sha256_finish(s->stream, s->sum[s->blocks++]);
    s->stream = NULL;
    return 0;
}

int block_summer_update(struct block_summer *s, const void *data, size_t n)
{
    const uint8_t *p = data;
    while (n > 0) {
        size_t left = (size_t)(BLOCK_SUMS_BLOCK - s->bytes % BLOCK_SUMS_BLOCK);
        size_t take = n < left ? n : left;
        if (s->stream == NULL)
            s->stream = sha256_new();
        sha256_update(s->stream, p, take);
        s->bytes += take;
        if (take == left && end_block(s) != 0)
            return -1;
        p += take;
        n -= take;
    }
    return 0;
}

void block_summer_destroy(struct block_summer *s)
{
    uint8_t unused[32];
    if (s == NULL)
        return;
    if (s->stream)
        sha256_finish(s->stream, unused);
    free(s->sum);
    free(s);
}

static void print_hex(FILE *out, const char *key, const uint8_t v[32])
{
    char text[65];
    hex_encode(text, v, 32);
    fprintf(out, "%s %s\n", key, text);
}

int block_summer_write(struct block_summer *s, const char *path, const char *circuit,
                       const uint8_t digest[32], struct error *err)
{
    char *text = NULL;
    size_t n = 0;
    uint8_t end[32];
    FILE *out = open_memstream(&text, &n);
    if (out == NULL || (s->stream && end_block(s) != 0)) {
        if (out)
            fclose(out);
        free(text);
        return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for checksums", path);
    }
    fprintf(out, "%s\ncircuit %s\n", FIRST_LINE, circuit);
    print_hex(out, "digest", digest);
    fprintf(out, "bytes %" PRIu64 "\n", s->bytes);
    for (size_t i = 0; i < s->blocks; i++)
        print_hex(out, "block", s->sum[i]);
    fflush(out);
    sha256(end, text, n);
    print_hex(out, "end", end);
    int rc = fclose(out) != 0
                 ? error_set(err, ERR_OS, "out-of-memory", "%s: no memory for checksums", path)
                 : file_write(path, FILE_REPLACE, text, n, err);
    free(text);
    return rc;
}
