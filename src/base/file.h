/* Whole files: small ones in, complete ones out. */
#ifndef CUZK_BASE_FILE_H
#define CUZK_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Reads a file (or pipe) of at most limit bytes; *out is the caller's to free(), with a NUL behind the last byte. Absent:
 * ERR_NO_INPUT; no permission: ERR_NO_PERM; longer than limit: ERR_DATA; else ERR_IO or ERR_OS. */
int file_read(uint8_t **out, size_t *len, const char *path, size_t limit, struct error *err);

enum file_replace { FILE_KEEP, FILE_REPLACE };

/* A file that appears under its name only when it is complete and on disk. Devices and pipes are written directly. */
struct output_file {
    int fd;
    enum file_replace replace;
    char *path;
    char *temp_path; /* NULL when written directly */
    int nameless;    /* the file gets temp_path at commit only: a killed process leaves nothing */
};

/* FILE_KEEP refuses (ERR_CANT_CREATE, cause "file-exists") a path that exists, here and again at commit. Absent or unwritable
 * folder: ERR_CANT_CREATE. */
int output_file_init(struct output_file *file, const char *path, enum file_replace replace,
                     struct error *err);
int output_file_write(struct output_file *file, const void *data, size_t n,
                      struct error *err); /* ERR_IO */
/* To disk, without the name yet: for several files that shall appear together. */
int output_file_sync(struct output_file *file, struct error *err);
int output_file_commit(struct output_file *file,
                       struct error *err); /* at most once, then only clean_up */
void output_file_clean_up(
    struct output_file *file); /* what was not committed disappears; harmless when zeroed */

/* All of the above in one call. */
int file_write(const char *path, enum file_replace replace, const void *data, size_t n,
               struct error *err);

#endif
