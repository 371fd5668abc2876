/* Read-only mapped files. A file that is truncated while mapped fails the job, not the process: readers of mapped memory run
 * inside mapped_file_guard. */
#ifndef CUZK_BASE_MAPPED_FILE_H
#define CUZK_BASE_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct mapped_file {
    const uint8_t *data;
    size_t size;
    char *path; /* owned copy, for messages; NULL: not mapped */
    int fd;
};

/* Regular files only. Absent: ERR_NO_INPUT; no permission: ERR_NO_PERM; no memory or address space: ERR_OS; anything else that
 * is wrong: ERR_IO. An empty file maps with size 0. */
int mapped_file_init(struct mapped_file *file, const char *path, struct error *err);
void mapped_file_clean_up(struct mapped_file *file);

/* Calls fn(ctx) on this thread; a SIGBUS inside [data, data+size) of the file makes it return ERR_IO with cause
 * "file-truncated" (file and offset named) instead of killing the process. A file that turns out shorter after fn than it was
 * when mapped fails in the same way, because the rest of its last page reads as zeros. Otherwise returns 0. Guards nest. fn must
 * not own locks or heap memory while it reads the mapping, and not call pool_run; it may be left by a longjmp. */
int mapped_file_guard(const struct mapped_file *file, void (*fn)(void *ctx), void *ctx,
                      struct error *err);

#endif
