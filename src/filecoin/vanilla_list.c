#include "filecoin/vanilla_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "filecoin/arena.h"
#include "filecoin/base64.h"

enum {
    MAX_BYTES = 1 << 30,  /* of a file: a deadline's partitions at 64 GiB are 0.3 GB a thousand */
    MAX_PROOFS = 1 << 20, /* in a file */
};

#define EXPECTED "expected a JSON array of base64 strings, one for each sector or partition"

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for the vanilla proofs");
}

void vanilla_list_clean_up(struct vanilla_list *list)
{
    arena_destroy(list->arena);
    memset(list, 0, sizeof *list);
}

static uint8_t *copy(struct arena *arena, const void *data, size_t n)
{
    uint8_t *p = arena_alloc(arena, n);
    if (p != NULL && n > 0)
        memcpy(p, data, n);
    return p;
}

int vanilla_list_copy(struct vanilla_list *out, const struct vanilla_proof *proofs, size_t n,
                      struct error *err)
{
    memset(out, 0, sizeof *out);
    out->arena = arena_new();
    if (out->arena != NULL && n <= SIZE_MAX / 2 / sizeof *proofs)
        out->proofs = arena_alloc(out->arena, n * sizeof *proofs);
    for (; out->proofs != NULL && out->len < n; out->len++) {
        struct vanilla_proof *p = &out->proofs[out->len];
        p->len = proofs[out->len].len;
        p->data = copy(out->arena, proofs[out->len].data, p->len);
        if (p->data == NULL)
            break;
    }
    if (out->proofs == NULL || out->len < n) {
        vanilla_list_clean_up(out);
        return no_memory(err);
    }
    return 0;
}

/* ---- A JSON array of base64 ---- */

struct reader {
    struct vanilla_list *list;
    struct vanilla_proof *proofs; /* malloc'd, of `capacity` */
    size_t len, capacity;
    int inside; /* the array */
    int failed; /* *err says why */
    yajl_handle yajl;
    struct error *err;
};

static int failed(struct reader *r)
{
    r->failed = 1;
    return 0;
}

static int no_list(struct reader *r, size_t at, const char *what)
{
    error_set(r->err, ERR_DATA, "vanilla-json", "element %zu (byte %zu): %s; " EXPECTED, r->len, at,
              what);
    return failed(r);
}

/* A value that is no string. yajl stands behind its first character, or behind all of it. */
static int no_string(struct reader *r, const char *what)
{
    return no_list(r, yajl_get_bytes_consumed(r->yajl), what);
}

static int on_start_array(void *ctx)
{
    struct reader *r = ctx;
    if (r->inside)
        return no_string(r, "an array");
    r->inside = 1;
    return 1;
}

static struct vanilla_proof *next_proof(struct reader *r)
{
    if (r->len == MAX_PROOFS) {
        error_set(r->err, ERR_DATA, "vanilla-too-many", "more than %d vanilla proofs", MAX_PROOFS);
        return NULL;
    }
    if (r->len == r->capacity) {
        size_t capacity = r->capacity == 0 ? 64 : 2 * r->capacity;
        struct vanilla_proof *p = realloc(r->proofs, capacity * sizeof *p);
        if (p == NULL) {
            no_memory(r->err);
            return NULL;
        }
        r->proofs = p;
        r->capacity = capacity;
    }
    return &r->proofs[r->len];
}

/* All of it; base64 would not do without other letters. Zeros in base64, which are AAAA, have no decimal digit. */
static int is_hex(const char *text, size_t n)
{
    enum { LEAST = 64 };
    int digits = 0;
    for (size_t i = n > 1 && text[0] == '0' && text[1] == 'x' ? 2 : 0; i < n; i++) {
        if (!isxdigit((unsigned char)text[i]))
            return 0;
        digits |= isdigit((unsigned char)text[i]);
    }
    return digits && n >= LEAST;
}

static int no_base64(struct reader *r, size_t bad, size_t n)
{
    if (bad < n)
        error_set(r->err, ERR_DATA, "vanilla-base64",
                  "vanilla proof %zu: is not base64 at character %zu of %zu; expected the standard "
                  "alphabet, padded",
                  r->len, bad, n);
    else
        error_set(r->err, ERR_DATA, "vanilla-base64",
                  "vanilla proof %zu: %zu characters of base64; expected a multiple of 4", r->len,
                  n);
    return failed(r);
}

static int on_string(void *ctx, const unsigned char *text, size_t n)
{
    struct reader *r = ctx;
    size_t bad;
    struct vanilla_proof *p = next_proof(r);
    if (p == NULL)
        return failed(r);
    if (is_hex((const char *)text, n)) {
        error_set(r->err, ERR_DATA, "vanilla-base64",
                  "vanilla proof %zu: hexadecimal digits; expected base64", r->len);
        return failed(r);
    }
    p->data = arena_alloc(r->list->arena, n / 4 * 3);
    if (p->data == NULL) {
        no_memory(r->err);
        return failed(r);
    }
    ptrdiff_t len = base64_decode(p->data, (const char *)text, n, 1, &bad);
    if (len < 0)
        return no_base64(r, bad, n);
    p->len = (size_t)len;
    r->len++;
    return 1;
}

static int on_null(void *ctx)
{
    return no_string(ctx, "null");
}

static int on_boolean(void *ctx, int value)
{
    (void)value;
    return no_string(ctx, "a boolean");
}

static int on_number(void *ctx, const char *text, size_t n)
{
    (void)text;
    (void)n;
    return no_string(ctx, "a number");
}

static int on_start_map(void *ctx)
{
    return no_string(ctx, "an object");
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_start_array = on_start_array,
};

/* Reads text as a list. Sets r->failed if it cannot. */
static void read_list(struct reader *r, const void *text, size_t n)
{
    r->yajl = yajl_alloc(&callbacks, NULL, r);
    if (r->yajl == NULL) {
        no_memory(r->err);
        r->failed = 1;
        return;
    }
    if (yajl_parse(r->yajl, text, n) != yajl_status_ok) {
        if (!r->failed)
            no_list(r, yajl_get_bytes_consumed(r->yajl), "malformed JSON");
    } else if (yajl_complete_parse(r->yajl) != yajl_status_ok) {
        no_list(r, n, "the file ends here, inside the array");
    }
    yajl_free(r->yajl);
}

/* How many of the first n characters are white space. */
static size_t blanks(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && memchr(" \t\r\n", text[i], 4) != NULL)
        i++;
    return i;
}

/* Text that is no array: says what it is. */
static int refuse_text(const char *text, size_t n, struct error *err)
{
    char what[40];
    size_t at = blanks(text, n), end = n;
    while (end > at && blanks(text + end - 1, 1) > 0)
        end--;
    if (at == n)
        snprintf(what, sizeof what, "nothing but white space");
    else if (is_hex(text + at, end - at))
        snprintf(what, sizeof what, "hexadecimal digits");
    else if (isprint((unsigned char)text[at]))
        snprintf(what, sizeof what, "%c instead of [", text[at]);
    else
        snprintf(what, sizeof what, "0x%02x instead of [", (unsigned char)text[at]);
    return error_set(err, ERR_DATA, "vanilla-json", "byte %zu: %s; " EXPECTED, at, what);
}

/* The array that text is. */
static int parse_list(struct vanilla_list *out, const void *text, size_t n, struct error *err)
{
    struct reader r = {.list = out, .err = err};
    out->arena = arena_new();
    if (out->arena == NULL)
        return no_memory(err);
    read_list(&r, text, n);
    if (!r.failed) {
        out->proofs = arena_alloc(out->arena, r.len * sizeof *r.proofs);
        if (out->proofs == NULL) {
            no_memory(err);
            r.failed = 1;
        } else if (r.len > 0) {
            memcpy(out->proofs, r.proofs, r.len * sizeof *r.proofs);
        }
        out->len = r.len;
    }
    free(r.proofs);
    if (!r.failed)
        return 0;
    vanilla_list_clean_up(out);
    return err->code;
}

/* A proof as it is has zeros (in its lengths), which JSON has not: it may begin like an array. */
int vanilla_list_parse(struct vanilla_list *out, const void *text, size_t n, struct error *err)
{
    struct vanilla_proof whole = {.data = (uint8_t *)text, .len = n};
    memset(out, 0, sizeof *out);
    if (n > MAX_BYTES)
        return error_set(err, ERR_DATA, "vanilla-too-large",
                         "%zu bytes are more than vanilla proofs have", n);
    if (n == 0)
        return error_set(err, ERR_DATA, "vanilla-empty", "the file is empty; " EXPECTED);
    if (memchr(text, 0, n) == NULL) {
        size_t at = blanks(text, n);
        return at < n && ((const char *)text)[at] == '[' ? parse_list(out, text, n, err)
                                                         : refuse_text(text, n, err);
    }
    int rc = vanilla_list_copy(out, &whole, 1, err);
    out->whole = rc == 0;
    return rc;
}

int vanilla_list_blame(const struct vanilla_list *list, struct error *err)
{
    if (list->whole)
        error_prefix(err, "taken as one proof in bincode, for it is no JSON array of base64");
    return file_blame(err, list->path);
}

int vanilla_list_read(struct vanilla_list *out, const char *path, struct error *err)
{
    uint8_t *text;
    size_t n;
    memset(out, 0, sizeof *out);
    if (file_read_stream(&text, &n, path, MAX_BYTES, err) != 0)
        return err->code;
    int rc = vanilla_list_parse(out, text, n, err);
    free(text);
    if (rc != 0)
        return rc == ERR_DATA ? file_blame(err, path) : rc;
    out->path = arena_strdup(out->arena, path);
    if (out->path != NULL)
        return 0;
    vanilla_list_clean_up(out);
    return no_memory(err);
}

/* ---- Writing ---- */

static int write_proof(struct output_file *file, const struct vanilla_proof *p, int first,
                       uint64_t *bytes, struct error *err)
{
    size_t n = (p->len + 2) / 3 * 4, at = 0;
    char *text = malloc(n + 3);
    if (text == NULL)
        return no_memory(err);
    if (!first)
        text[at++] = ',';
    text[at++] = '"';
    at += base64_encode(text + at, p->data, p->len);
    text[at++] = '"';
    int rc = output_file_write(file, text, at, err);
    *bytes += at;
    free(text);
    return rc;
}

int vanilla_list_write(uint64_t *file_bytes, const struct vanilla_list *list, const char *path,
                       enum file_replace replace, struct error *err)
{
    struct output_file file;
    uint64_t bytes = 2; /* the brackets */
    int rc = output_file_init(&file, path, replace, err);
    if (rc != 0)
        return rc;
    rc = output_file_write(&file, "[", 1, err);
    for (size_t i = 0; i < list->len && rc == 0; i++)
        rc = write_proof(&file, &list->proofs[i], i == 0, &bytes, err);
    if (rc == 0)
        rc = output_file_write(&file, "]", 1, err);
    if (rc == 0)
        rc = output_file_commit(&file, err);
    output_file_clean_up(&file);
    *file_bytes = bytes;
    return rc;
}
