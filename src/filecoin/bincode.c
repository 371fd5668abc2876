#include "filecoin/bincode.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void bincode_init(struct bincode_reader *r, uint8_t *data, size_t len, struct error *err)
{
    memset(r, 0, sizeof *r);
    r->data = data;
    r->len = len;
    r->err = err;
}

/* ---- Places and messages ---- */

static void enter(struct bincode_reader *r, struct bincode_place place)
{
    assert(r->depth < BINCODE_MAX_DEPTH);
    r->places[r->depth++] = place;
}

void bincode_enter(struct bincode_reader *r, const char *name)
{
    enter(r, (struct bincode_place){.name = name});
}

void bincode_enter_item(struct bincode_reader *r, const char *name, size_t index)
{
    enter(r, (struct bincode_place){.name = name, .index = index, .indexed = 1});
}

void bincode_leave(struct bincode_reader *r)
{
    assert(r->depth > 0);
    r->depth--;
}

static void print_places(char *out, size_t cap, const struct bincode_reader *r)
{
    size_t n = 0;
    out[0] = 0;
    for (unsigned i = 0; i < r->depth && n < cap; i++) {
        const struct bincode_place *p = &r->places[i];
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i > 0 ? "." : "", p->name);
        if (p->indexed && n < cap)
            n += (size_t)snprintf(out + n, cap - n, "[%zu]", p->index);
    }
}

static int fail(struct bincode_reader *r, size_t at, const char *cause, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* at: where the item at fault begins. */
static int fail(struct bincode_reader *r, size_t at, const char *cause, const char *fmt, ...)
{
    char places[256], message[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    print_places(places, sizeof places, r);
    return error_set(r->err, ERR_DATA, cause, "%s%s%s (byte %zu)", places, *places ? ": " : "",
                     message, at);
}

/* ---- Items ---- */

/* The next n bytes; NULL when there are fewer, which is an error. */
static uint8_t *take(struct bincode_reader *r, size_t n)
{
    uint8_t *p = r->data + r->at;
    if (r->len - r->at < n) {
        fail(r, r->at, "bincode-truncated", "%zu bytes are left of %zu", r->len - r->at, n);
        return NULL;
    }
    r->at += n;
    return p;
}

static int take_integer(struct bincode_reader *r, uint64_t *out, unsigned bytes)
{
    const uint8_t *p = take(r, bytes);
    *out = 0;
    if (p == NULL)
        return r->err->code;
    for (unsigned i = 0; i < bytes; i++)
        *out |= (uint64_t)p[i] << (8 * i);
    return 0;
}

int bincode_u64(struct bincode_reader *r, uint64_t *out, const char *name)
{
    bincode_enter(r, name);
    if (take_integer(r, out, 8) != 0)
        return r->err->code;
    bincode_leave(r);
    return 0;
}

int bincode_less(struct bincode_reader *r, uint64_t *out, uint64_t limit, const char *name)
{
    size_t at = r->at;
    bincode_enter(r, name);
    if (take_integer(r, out, 8) != 0)
        return r->err->code;
    if (*out >= limit)
        return fail(r, at, "bincode-number", "%" PRIu64 " is not below %" PRIu64, *out, limit);
    bincode_leave(r);
    return 0;
}

int bincode_length(struct bincode_reader *r, size_t want, const char *name)
{
    size_t at = r->at;
    uint64_t got;
    bincode_enter(r, name);
    if (take_integer(r, &got, 8) != 0)
        return r->err->code;
    if (got != want)
        return fail(r, at, "bincode-length", "%" PRIu64 " items instead of %zu", got, want);
    bincode_leave(r);
    return 0;
}

int bincode_tag(struct bincode_reader *r, unsigned want, const char *const *names,
                unsigned names_len)
{
    size_t at = r->at;
    uint64_t got;
    assert(want < names_len);
    if (take_integer(r, &got, 4) != 0)
        return r->err->code;
    if (got != want)
        return fail(r, at, "bincode-tag", "tag %" PRIu64 " (%s) instead of %u (%s)", got,
                    got < names_len ? names[got] : "unknown", want, names[want]);
    return 0;
}

int bincode_nodes(struct bincode_reader *r, struct node **out, size_t n, const char *name)
{
    size_t at = r->at;
    struct fr value;
    assert(n < SIZE_MAX / sizeof(struct node));
    bincode_enter(r, name);
    uint8_t *p = take(r, n * sizeof(struct node));
    if (p == NULL)
        return r->err->code;
    bincode_leave(r);
    for (size_t i = 0; i < n; i++) {
        if (fr_from_bytes(&value, p + i * sizeof(struct node)) == 0)
            continue;
        bincode_enter_item(r, name, i);
        return fail(r, at + i * sizeof(struct node), "not-canonical",
                    "is not below the field's modulus");
    }
    *out = (struct node *)p;
    return 0;
}

int bincode_node(struct bincode_reader *r, struct node *out, const char *name)
{
    size_t at = r->at;
    struct fr value;
    bincode_enter(r, name);
    const uint8_t *p = take(r, sizeof *out);
    if (p == NULL)
        return r->err->code;
    if (fr_from_bytes(&value, p) != 0)
        return fail(r, at, "not-canonical", "is not below the field's modulus");
    memcpy(out, p, sizeof *out);
    bincode_leave(r);
    return 0;
}

int bincode_end(struct bincode_reader *r)
{
    r->depth = 0;
    if (r->at != r->len)
        return fail(r, r->at, "bincode-trailing", "%zu bytes are left over", r->len - r->at);
    return 0;
}

/* ---- Merkle paths ---- */

/* Reads levels first .. first + count - 1, a part of the path. */
static int read_part(struct bincode_reader *r, struct merkle_path *p, unsigned first,
                     unsigned count)
{
    if (bincode_length(r, count, "path") != 0)
        return r->err->code;
    for (unsigned i = 0; i < count; i++) {
        unsigned l = first + i;
        uint64_t index;
        bincode_enter_item(r, "path", i);
        if (bincode_length(r, p->arity[l] - 1u, "hashes") != 0 ||
            bincode_nodes(r, &p->siblings[l], p->arity[l] - 1u, "hashes") != 0 ||
            bincode_less(r, &index, p->arity[l], "index") != 0)
            return r->err->code;
        p->index[l] = (uint8_t)index;
        bincode_leave(r);
    }
    return 0;
}

static int read_named_part(struct bincode_reader *r, struct merkle_path *p, unsigned first,
                           unsigned count, const char *name)
{
    bincode_enter(r, name);
    if (read_part(r, p, first, count) != 0)
        return r->err->code;
    bincode_leave(r);
    return 0;
}

static int read_ends(struct bincode_reader *r, struct merkle_path *p)
{
    return bincode_node(r, &p->root, "root") != 0 || bincode_node(r, &p->leaf, "leaf") != 0
               ? r->err->code
               : 0;
}

/* p has its levels and arities; the last `upper` levels are those of a sub and a top tree. */
static int read_path(struct bincode_reader *r, struct merkle_path *p, unsigned upper)
{
    static const char *const kinds[] = {"Single", "Sub", "Top"};
    unsigned base = p->levels - upper;
    bincode_enter(r, "data");
    if (bincode_tag(r, upper, kinds, 3) != 0)
        return r->err->code;
    if (upper == 0) {
        if (read_ends(r, p) != 0 || read_part(r, p, 0, base) != 0)
            return r->err->code;
    } else {
        if (read_named_part(r, p, 0, base, "base_proof") != 0 ||
            read_named_part(r, p, base, 1, "sub_proof") != 0 ||
            (upper == 2 && read_named_part(r, p, base + 1, 1, "top_proof") != 0) ||
            read_ends(r, p) != 0)
            return r->err->code;
    }
    bincode_leave(r);
    return 0;
}

int bincode_path_d(struct bincode_reader *r, struct merkle_path *out,
                   const struct sector_shape *shape)
{
    out->levels = (uint8_t)shape->tree_d_levels;
    memset(out->arity, 2, out->levels);
    return read_path(r, out, 0);
}

int bincode_path_r(struct bincode_reader *r, struct merkle_path *out,
                   const struct sector_shape *shape)
{
    out->levels = (uint8_t)shape->tree_r_levels;
    memcpy(out->arity, shape->tree_r_arity, out->levels);
    return read_path(r, out, (unsigned)(shape->sub > 0) + (shape->top > 0));
}
