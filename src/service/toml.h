/* TOML text as a flat list of keys. Behind it is a C++ library, so this is the one header with a C++ side. */
#ifndef CUZK_SERVICE_TOML_H
#define CUZK_SERVICE_TOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum toml_type { TOML_STRING, TOML_INTEGER, TOML_BOOLEAN, TOML_ARRAY, TOML_OTHER };

struct toml_item {
    const char *key; /* "memory.total_budget"; of an empty table: its name */
    enum toml_type type;
    const char *
        string; /* string: NUL-terminated; "" if the text had a NUL inside (then type is TOML_OTHER) */
    int64_t integer;               /* integer; boolean: 0 or 1 */
    const struct toml_item *items; /* array: [items_n], without keys */
    size_t items_n;
    unsigned line; /* from 1 */
};

/* Calls item for every key, in no particular order, until it returns other than 0; returns that. Malformed text: -1 with a sentence and
 * the place in message. name is what messages call the text. What an item points to lives until item returns. */
int toml_read(const char *text, size_t n, const char *name,
              int (*item)(void *ctx, const struct toml_item *it), void *ctx, char *message,
              size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
