#include "filecoin/vanilla_list.h"

#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "filecoin/arena.h"
#include "filecoin/base64.h"

enum {
    MAX_BYTES = 1 << 30,  /* of a file: a deadline's partitions at 64 GiB are 0.3 GB a thousand */
    MAX_PROOFS = 1 << 20, /* in a file */
};

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

enum state { BEFORE, INSIDE, AFTER };

struct reader {
    struct vanilla_list *list;
    struct vanilla_proof *proofs; /* malloc'd, of `capacity` */
    size_t len, capacity;
    enum state state;
    const char *not_list; /* why this is no array of strings */
    int failed;           /* it is one, but *err says what is wrong with it */
    struct error *err;
};

static int not_list(struct reader *r, const char *why)
{
    r->not_list = why;
    return 0;
}

static int failed(struct reader *r)
{
    r->failed = 1;
    return 0;
}

static int on_start_array(void *ctx)
{
    struct reader *r = ctx;
    if (r->state != BEFORE)
        return not_list(r, "an array");
    r->state = INSIDE;
    return 1;
}

static int on_end_array(void *ctx)
{
    ((struct reader *)ctx)->state = AFTER;
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

static int on_string(void *ctx, const unsigned char *text, size_t n)
{
    struct reader *r = ctx;
    size_t bad;
    if (r->state != INSIDE)
        return not_list(r, "a string");
    struct vanilla_proof *p = next_proof(r);
    if (p == NULL)
        return failed(r);
    p->data = arena_alloc(r->list->arena, n / 4 * 3);
    if (p->data == NULL) {
        no_memory(r->err);
        return failed(r);
    }
    ptrdiff_t len = base64_decode(p->data, (const char *)text, n, 1, &bad);
    if (len < 0) {
        error_set(r->err, ERR_DATA, "vanilla-base64",
                  "vanilla proof %zu: is not base64 at character %zu of %zu", r->len, bad, n);
        return failed(r);
    }
    p->len = (size_t)len;
    r->len++;
    return 1;
}

static int on_null(void *ctx)
{
    return not_list(ctx, "null");
}

static int on_boolean(void *ctx, int value)
{
    (void)value;
    return not_list(ctx, "a boolean");
}

static int on_number(void *ctx, const char *text, size_t n)
{
    (void)text;
    (void)n;
    return not_list(ctx, "a number");
}

static int on_start_map(void *ctx)
{
    return not_list(ctx, "an object");
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};

/* Reads text as a list. Sets r->not_list or r->failed if it cannot. */
static void read_list(struct reader *r, const void *text, size_t n)
{
    yajl_handle yajl = yajl_alloc(&callbacks, NULL, r);
    if (yajl == NULL) {
        no_memory(r->err);
        r->failed = 1;
        return;
    }
    if ((yajl_parse(yajl, text, n) != yajl_status_ok ||
         yajl_complete_parse(yajl) != yajl_status_ok) &&
        !r->failed && r->not_list == NULL)
        r->not_list = "malformed JSON";
    if (r->not_list != NULL)
        error_set(r->err, ERR_DATA, "vanilla-json",
                  "%s at byte %zu: an array of base64 strings is wanted", r->not_list,
                  yajl_get_bytes_consumed(yajl));
    yajl_free(yajl);
}

static int starts_list(const unsigned char *text, size_t n)
{
    size_t i = 0;
    while (i < n && strchr(" \t\r\n", text[i]) != NULL && text[i] != 0)
        i++;
    return i < n && text[i] == '[';
}

/* An array of strings is a list, and so is a text that begins like one: its fault is reported. A proof as it is may begin with
 * the same bytes, but it has zeros (in its lengths), which JSON has not. */
int vanilla_list_parse(struct vanilla_list *out, const void *text, size_t n, struct error *err)
{
    struct vanilla_proof whole = {.data = (uint8_t *)text, .len = n};
    memset(out, 0, sizeof *out);
    if (n > MAX_BYTES)
        return error_set(err, ERR_DATA, "vanilla-too-large",
                         "%zu bytes are more than vanilla proofs have", n);
    if (!starts_list(text, n) || memchr(text, 0, n) != NULL)
        return vanilla_list_copy(out, &whole, 1, err);

    struct reader r = {.list = out, .err = err};
    out->arena = arena_new();
    if (out->arena == NULL)
        return no_memory(err);
    read_list(&r, text, n);
    if (!r.failed && r.not_list == NULL) {
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
    if (r.failed || r.not_list != NULL) {
        vanilla_list_clean_up(out);
        return err->code;
    }
    return 0;
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
