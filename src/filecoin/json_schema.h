/* Reads JSON straight into C structures along tables that state what is expected, as serde_json does for a derived type: keys in
 * any order, unknown keys skipped with their values, a known key twice or missing is an error, an enum is an object with exactly
 * one key. The text is streamed through yajl; nothing but the targets is kept. */
#ifndef CUZK_FILECOIN_JSON_SCHEMA_H
#define CUZK_FILECOIN_JSON_SCHEMA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum json_kind {
    JSON_OBJECT,  /* all of fields[] */
    JSON_VARIANT, /* exactly one of fields[] */
    JSON_ARRAY,   /* frame.len items */
    JSON_BYTES32, /* array of 32 integers 0..255 into uint8_t[32] */
    JSON_NODE,    /* the same, and the little-endian number is below the modulus of Fr */
    JSON_U32,
    JSON_U64,
    JSON_NULL,
    JSON_STRING,
};

struct json_reader;
struct json_frame;

struct json_type {
    enum json_kind kind;
    const char *expected;            /* the root, for messages: what the whole text is; or NULL */
    const struct json_field *fields; /* JSON_OBJECT, JSON_VARIANT: at most 32 */
    unsigned fields_len;
    const struct json_type *item; /* JSON_ARRAY */
    size_t stride;
    unsigned len;
    /* Containers: called when one begins, after its frame is set up; may change target, len, level. Returns 1 to go on, or 0 by
     * way of json_fail. All may be NULL. */
    int (*enter)(struct json_reader *r, struct json_frame *f);
    int (*key)(struct json_reader *r, struct json_frame *f, const char *key, size_t len);
    int (*number)(struct json_reader *r, struct json_frame *f,
                  uint64_t value); /* instead of a store */
    int (*string)(struct json_reader *r, struct json_frame *f, const char *text, size_t len);
};

struct json_field {
    const char *name;
    size_t offset; /* from the object's target */
    const struct json_type *type;
};

/* A container that is being read. f[-1] is the one around it. */
struct json_frame {
    const struct json_type *type;
    const struct json_field *field; /* objects: the current one, NULL when it is unknown */
    char *target;
    uint32_t seen;       /* objects: bit i: fields[i] was there */
    unsigned count, len; /* arrays: items begun, items wanted */
    int at_most;         /* arrays: fewer than len are right as well */
    unsigned level;      /* free for the schema; copied from the frame around */
};

enum { JSON_MAX_FRAMES = 24, JSON_MAX_DEPTH = 128 };

struct json_reader {
    void *ctx; /* the schema's */
    struct error *err;
    /* private */
    const struct json_type *root;
    void *root_target;
    const char *text_name;
    struct yajl_handle_t *yajl;
    struct json_block *blocks; /* that yajl holds */
    jmp_buf no_memory;
    uint64_t consumed; /* bytes of the parts before */
    uint64_t done_at;  /* bytes up to the end of the root object, when done */
    unsigned depth, skip_depth;
    int done, failed, ended;
    struct json_frame frames[JSON_MAX_FRAMES + 1]; /* [0] is unused */
};

/* text_name goes in front of every message, "" for none. 0 or ERR_OS. */
int json_reader_init(struct json_reader *r, const struct json_type *root, void *target, void *ctx,
                     const char *text_name, struct error *err);
void json_reader_clean_up(struct json_reader *r);
int json_reader_feed(struct json_reader *r, const void *text, size_t n);
int json_reader_finish(struct json_reader *r); /* the text has ended: is it complete? */

/* Records an error (ERR_DATA) at the place that is being read; returns 0. */
int json_fail(struct json_reader *r, const char *cause, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* text in quotes for a message: cut at 60 bytes, what is not printable ASCII as '?'. */
const char *json_quote(char out[72], const char *text, size_t len);

#endif
