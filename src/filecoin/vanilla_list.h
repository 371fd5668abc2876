/* A file of vanilla proofs: a JSON array of base64 strings, as the reference's tools write it, or anything with zero bytes, which is
 * then one proof as it is (spec: config §5). */
#ifndef CUZK_FILECOIN_VANILLA_LIST_H
#define CUZK_FILECOIN_VANILLA_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"

struct arena;

struct vanilla_proof {
    uint8_t *data;
    size_t len;
};

struct vanilla_list {
    struct vanilla_proof *proofs; /* in the order of the file */
    size_t len;
    const char *path;    /* the file it was read from, for messages; or NULL */
    int whole;           /* that file is one proof as it is */
    struct arena *arena; /* owns everything */
};

/* At most 1 GiB, also of a pipe, and "-" is standard input. ERR_DATA names file, item and byte offset. */
int vanilla_list_read(struct vanilla_list *out, const char *path, struct error *err);
int vanilla_list_parse(struct vanilla_list *out, const void *text, size_t n, struct error *err);
/* The fault lies in the proofs: puts the file's name, and how it was read if that may be the reason, before the error's text.
 * Returns err->code. */
int vanilla_list_blame(const struct vanilla_list *list, struct error *err);
/* Copies of n proofs that are at hand, as a request carries them. ERR_OS. */
int vanilla_list_copy(struct vanilla_list *out, const struct vanilla_proof *proofs, size_t n,
                      struct error *err);
/* Writes the list as such an array; the file appears when it is complete. Errors of base/file.h. */
int vanilla_list_write(uint64_t *file_bytes, const struct vanilla_list *list, const char *path,
                       enum file_replace replace, struct error *err);
void vanilla_list_clean_up(struct vanilla_list *list);

#endif
