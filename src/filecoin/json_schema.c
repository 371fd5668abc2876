#include "filecoin/json_schema.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

static struct json_frame *top(struct json_reader *r)
{
    return &r->frames[r->depth];
}

/* ---- Messages ---- */

const char *json_quote(char out[72], const char *text, size_t len)
{
    size_t n = 0, shown = len > 60 ? 60 : len;
    out[n++] = '"';
    for (size_t i = 0; i < shown; i++)
        out[n++] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    out[n++] = '"';
    strcpy(out + n, shown < len ? "..." : "");
    return out;
}

/* "vanilla_proofs[0][1].comm_d_proofs.data.root"; tags of enums are left out. */
static void print_path(char *out, size_t cap, struct json_reader *r)
{
    size_t n = 0;
    out[0] = 0;
    for (unsigned i = 1; i <= r->depth && n < cap; i++) {
        const struct json_frame *f = &r->frames[i];
        int k = 0;
        if (f->type->kind == JSON_OBJECT && f->field != NULL)
            k = snprintf(out + n, cap - n, "%s%s", n > 0 ? "." : "", f->field->name);
        else if (f->type->kind != JSON_OBJECT && f->type->kind != JSON_VARIANT && f->count > 0)
            k = snprintf(out + n, cap - n, "[%u]", f->count - 1);
        n += (size_t)k;
    }
}

static uint64_t position(const struct json_reader *r)
{
    return r->consumed + (r->ended ? 0 : yajl_get_bytes_consumed(r->yajl));
}

static void fail_at(struct json_reader *r, uint64_t at, const char *cause, const char *message)
{
    char path[256];
    const char *expected = r->depth == 0 && !r->done ? r->root->expected : NULL;
    print_path(path, sizeof path, r);
    error_set(r->err, ERR_DATA, cause, "%s%s%s%s%s (byte %" PRIu64 ")%s%s", r->text_name,
              *r->text_name ? ": " : "", path, *path ? ": " : "", message, at,
              expected != NULL ? "; expected " : "", expected != NULL ? expected : "");
    r->failed = 1;
}

int json_fail(struct json_reader *r, const char *cause, const char *fmt, ...)
{
    char message[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    fail_at(r, position(r), cause, message);
    return 0;
}

static const char *kind_name(enum json_kind kind)
{
    switch (kind) {
    case JSON_OBJECT:
        return "an object";
    case JSON_VARIANT:
        return "an object with one key";
    case JSON_ARRAY:
        return "an array";
    case JSON_BYTES32:
    case JSON_NODE:
        return "an array of 32 bytes";
    case JSON_U32:
    case JSON_U64:
        return "an integer";
    case JSON_NULL:
        return "null";
    case JSON_STRING:
        return "a string";
    }
    return "";
}

static int wrong_type(struct json_reader *r, const char *got, enum json_kind want)
{
    return json_fail(r, "c1-type", "%s instead of %s", got, kind_name(want));
}

/* ---- Values ---- */

struct slot {
    const struct json_type *type; /* NULL: to be skipped */
    char *target;
};

/* Where the value that begins now belongs. */
static int next_slot(struct json_reader *r, struct slot *s)
{
    struct json_frame *f = top(r);
    if (r->depth == 0) {
        s->type = r->root;
        s->target = r->root_target;
        return 1;
    }
    switch (f->type->kind) {
    case JSON_OBJECT:
    case JSON_VARIANT:
        s->type = f->field != NULL ? f->field->type : NULL;
        s->target = f->field != NULL ? f->target + f->field->offset : NULL;
        return 1;
    case JSON_ARRAY:
        if (f->count == f->len) {
            f->count = 0; /* the message is about the array */
            return json_fail(r, "c1-length", "more than %u items", f->len);
        }
        s->type = f->type->item;
        s->target = f->target + f->type->stride * f->count++;
        return 1;
    default:
        f->count++;
        return json_fail(r, "c1-type", "not an integer of 0 to 255");
    }
}

/* A decimal integer of at most `max`; anything with a sign, point or exponent is refused. */
static int parse_integer(struct json_reader *r, uint64_t *out, const char *text, size_t len,
                         uint64_t max)
{
    uint64_t v = 0;
    char quoted[72];
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9)
            return json_fail(r, "c1-number", "%s is not an unsigned integer",
                             json_quote(quoted, text, len));
        if (v > (max - digit) / 10)
            return json_fail(r, "c1-number", "%s is more than %" PRIu64,
                             json_quote(quoted, text, len), max);
        v = 10 * v + digit;
    }
    *out = v;
    return 1;
}

static int is_bytes(enum json_kind kind)
{
    return kind == JSON_BYTES32 || kind == JSON_NODE;
}

static int on_number(void *ctx, const char *text, size_t len)
{
    struct json_reader *r = ctx;
    struct json_frame *f = top(r);
    struct slot s;
    uint64_t v;
    if (r->skip_depth > 0)
        return 1;
    if (r->depth > 0 && is_bytes(f->type->kind)) {
        if (f->count == 32) {
            f->count = 0;
            return json_fail(r, "c1-length", "more than 32 bytes");
        }
        f->count++;
        if (!parse_integer(r, &v, text, len, 255))
            return 0;
        f->target[f->count - 1] = (char)v;
        return 1;
    }
    if (!next_slot(r, &s))
        return 0;
    if (s.type == NULL)
        return 1;
    if (s.type->kind != JSON_U32 && s.type->kind != JSON_U64)
        return wrong_type(r, "a number", s.type->kind);
    if (!parse_integer(r, &v, text, len, s.type->kind == JSON_U32 ? UINT32_MAX : UINT64_MAX))
        return 0;
    if (s.type->number != NULL)
        return s.type->number(r, f, v);
    if (s.type->kind == JSON_U32)
        *(uint32_t *)s.target = (uint32_t)v;
    else
        *(uint64_t *)s.target = v;
    return 1;
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    struct json_reader *r = ctx;
    struct json_frame *f = top(r);
    struct slot s;
    if (r->skip_depth > 0)
        return 1;
    if (!next_slot(r, &s))
        return 0;
    if (s.type == NULL)
        return 1;
    if (s.type->kind != JSON_STRING)
        return wrong_type(r, "a string", s.type->kind);
    return s.type->string(r, f, (const char *)text, len);
}

static int on_null(void *ctx)
{
    struct json_reader *r = ctx;
    struct slot s;
    if (r->skip_depth > 0)
        return 1;
    if (!next_slot(r, &s))
        return 0;
    if (s.type != NULL && s.type->kind != JSON_NULL)
        return wrong_type(r, "null", s.type->kind);
    return 1;
}

static int on_boolean(void *ctx, int value)
{
    struct json_reader *r = ctx;
    struct slot s;
    if (r->skip_depth > 0)
        return 1;
    if (!next_slot(r, &s))
        return 0;
    if (s.type != NULL)
        return wrong_type(r, value ? "true" : "false", s.type->kind);
    return 1;
}

/* ---- Containers ---- */

static int begin(struct json_reader *r, int is_map)
{
    struct slot s = {NULL, NULL};
    if (r->skip_depth == 0 && !next_slot(r, &s))
        return 0;
    if (r->skip_depth > 0 || s.type == NULL) {
        if (r->depth + ++r->skip_depth > JSON_MAX_DEPTH)
            return json_fail(r, "c1-depth", "nested more than %d deep", JSON_MAX_DEPTH);
        return 1;
    }
    int wants_map = s.type->kind == JSON_OBJECT || s.type->kind == JSON_VARIANT;
    int wants_array = s.type->kind == JSON_ARRAY || is_bytes(s.type->kind);
    if (is_map ? !wants_map : !wants_array)
        return wrong_type(r, is_map ? "an object" : "an array", s.type->kind);
    if (r->depth == JSON_MAX_FRAMES)
        return json_fail(r, "c1-depth", "nested more than %d deep", JSON_MAX_FRAMES);
    struct json_frame *f = &r->frames[++r->depth];
    memset(f, 0, sizeof *f);
    f->type = s.type;
    f->target = s.target;
    f->len = is_bytes(s.type->kind) ? 32 : s.type->len;
    f->level = f[-1].level;
    return s.type->enter == NULL || s.type->enter(r, f);
}

static int on_start_map(void *ctx)
{
    return begin(ctx, 1);
}

static int on_start_array(void *ctx)
{
    return begin(ctx, 0);
}

static int on_map_key(void *ctx, const unsigned char *key, size_t len)
{
    struct json_reader *r = ctx;
    struct json_frame *f = top(r);
    char quoted[72];
    if (r->skip_depth > 0)
        return 1;
    f->field = NULL;
    if (f->type->key != NULL && !f->type->key(r, f, (const char *)key, len))
        return 0;
    const struct json_type *t = f->type;
    unsigned i = 0;
    while (i < t->fields_len &&
           (strlen(t->fields[i].name) != len || memcmp(t->fields[i].name, key, len) != 0))
        i++;
    if (t->kind == JSON_VARIANT && (f->seen != 0 || i == t->fields_len))
        return json_fail(r, "c1-tag", f->seen != 0 ? "a second key %s" : "unknown kind %s",
                         json_quote(quoted, (const char *)key, len));
    if (i == t->fields_len)
        return 1;
    if (f->seen >> i & 1)
        return json_fail(r, "c1-duplicate-key", "key \"%s\" twice", t->fields[i].name);
    f->seen |= (uint32_t)1 << i;
    f->field = &t->fields[i];
    return 1;
}

static int on_end_map(void *ctx)
{
    struct json_reader *r = ctx;
    struct json_frame *f = top(r);
    if (r->skip_depth > 0) {
        r->skip_depth--;
        return 1;
    }
    f->field = NULL;
    if (f->type->kind == JSON_VARIANT && f->seen == 0)
        return json_fail(r, "c1-missing-key", "an empty object");
    for (unsigned i = 0; f->type->kind == JSON_OBJECT && i < f->type->fields_len; i++)
        if (!(f->seen >> i & 1))
            return json_fail(r, "c1-missing-key", "key \"%s\" is missing", f->type->fields[i].name);
    r->depth--;
    r->done = r->depth == 0;
    r->done_at = position(r);
    return 1;
}

static int below_modulus(const uint8_t le[32])
{
    static const uint8_t modulus[32] = {
        0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe,
        0xff, 0x02, 0xa4, 0xbd, 0x53, 0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8,
        0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73,
    };
    for (int i = 31; i >= 0; i--)
        if (le[i] != modulus[i])
            return le[i] < modulus[i];
    return 0;
}

static int on_end_array(void *ctx)
{
    struct json_reader *r = ctx;
    struct json_frame *f = top(r);
    if (r->skip_depth > 0) {
        r->skip_depth--;
        return 1;
    }
    unsigned count = f->count;
    f->count = 0;
    if (count != f->len && !f->at_most)
        return json_fail(r, "c1-length", "%u %s instead of %u", count,
                         is_bytes(f->type->kind) ? "bytes" : "items", f->len);
    if (f->type->kind == JSON_NODE && !below_modulus((const uint8_t *)f->target))
        return json_fail(r, "c1-not-canonical", "not below the modulus of the scalar field");
    r->depth--;
    return 1;
}

/* ---- The text ---- */

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_map_key,
    .yajl_end_map = on_end_map,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};

/* ---- yajl does not look whether it got memory: where there is none it is left by a jump, and what it held is in a list ---- */

struct json_block {
    struct json_block *next, **link; /* link: what points here */
};

static void put_in_list(struct json_reader *r, struct json_block *b)
{
    b->next = r->blocks;
    b->link = &r->blocks;
    if (b->next != NULL)
        b->next->link = &b->next;
    r->blocks = b;
}

static void take_from_list(struct json_block *b)
{
    *b->link = b->next;
    if (b->next != NULL)
        b->next->link = b->link;
}

static void give_back(void *ctx, void *p)
{
    struct json_block *b = (struct json_block *)p - 1;
    (void)ctx;
    if (p == NULL)
        return;
    take_from_list(b);
    free(b);
}

static void *resize(void *ctx, void *p, size_t n)
{
    struct json_reader *r = ctx;
    struct json_block *old = p == NULL ? NULL : (struct json_block *)p - 1;
    if (old != NULL)
        take_from_list(old);
    struct json_block *b = realloc(old, sizeof *b + n);
    if (b == NULL && old != NULL)
        put_in_list(r, old);
    if (b == NULL)
        longjmp(r->no_memory, 1);
    put_in_list(r, b);
    return b + 1;
}

static void *allocate(void *ctx, size_t n)
{
    return resize(ctx, NULL, n);
}

static int no_memory(struct json_reader *r)
{
    r->failed = 1;
    return error_set(r->err, ERR_OS, "out-of-memory", "no memory to parse JSON");
}

int json_reader_init(struct json_reader *r, const struct json_type *root, void *target, void *ctx,
                     const char *text_name, struct error *err)
{
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    r->err = err;
    r->root = root;
    r->root_target = target;
    r->text_name = text_name;
    if (setjmp(r->no_memory) != 0)
        return no_memory(r);
    yajl_alloc_funcs memory = {allocate, resize, give_back, r};
    r->yajl = yajl_alloc(&callbacks, &memory, r);
    return 0;
}

void json_reader_clean_up(struct json_reader *r)
{
    while (r->blocks != NULL)
        give_back(r, r->blocks + 1);
    r->yajl = NULL;
}

/* What yajl itself found wrong. */
static void syntax_error(struct json_reader *r)
{
    if (r->ended) {
        json_fail(r, "c1-truncated", "ends before its object does");
        return;
    }
    char *text = (char *)yajl_get_error(r->yajl, 0, NULL, 0);
    if (text != NULL)
        text[strcspn(text, "\n")] = 0;
    json_fail(r, "c1-syntax", "no JSON: %s", text != NULL ? text : "");
    if (text != NULL)
        yajl_free_error(r->yajl, (unsigned char *)text);
}

/* Only white space may follow the object. yajl would not mind the beginning of a string. */
static void check_tail(struct json_reader *r, const char *text, size_t n)
{
    size_t i = r->done_at > r->consumed ? (size_t)(r->done_at - r->consumed) : 0;
    while (i < n && text[i] != 0 && strchr(" \t\r\n", text[i]) != NULL)
        i++;
    if (i < n)
        fail_at(r, r->consumed + i, "c1-trailing-bytes", "bytes behind the object");
}

int json_reader_feed(struct json_reader *r, const void *text, size_t n)
{
    if (setjmp(r->no_memory) != 0)
        return no_memory(r);
    yajl_status status = yajl_parse(r->yajl, text, n);
    if (r->done && !r->failed)
        check_tail(r, text, n);
    if (status == yajl_status_error && !r->failed)
        syntax_error(r);
    r->consumed += n;
    return r->failed ? r->err->code : 0;
}

int json_reader_finish(struct json_reader *r)
{
    r->ended = 1;
    if (setjmp(r->no_memory) != 0)
        return no_memory(r);
    if (yajl_complete_parse(r->yajl) != yajl_status_ok && !r->failed)
        syntax_error(r);
    return r->failed ? r->err->code : 0;
}
