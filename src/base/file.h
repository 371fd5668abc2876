/* Whole files: small ones in, complete ones out. */
#ifndef CUZK_BASE_FILE_H
#define CUZK_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/* Reads a regular file of at most limit bytes; *out is the caller's to free(), with a NUL behind the last byte. Absent:
 * ERR_NO_INPUT; no permission: ERR_NO_PERM; longer than limit: ERR_DATA; anything that is no regular file, and what else can go wrong:
 * ERR_IO or ERR_OS. Never waits. */
int file_read(uint8_t **out, size_t *len, const char *path, size_t limit, struct error *err);
/* For files that a user names: also reads a pipe or a socket to its end, and standard input, which is called "-". A pipe that nobody
 * writes to is an ERR_IO. */
int file_read_stream(uint8_t **out, size_t *len, const char *path, size_t limit, struct error *err);

/* Opens a regular file for reading, and says what else it is; errors as above. */
int file_open(int *fd, struct stat *st, const char *path, struct error *err);
int file_is_regular(const char *path); /* it is there, and it is one */

/* The fault lies in what this file holds: puts "path: " before the error's text, unless it begins with that. NULL: there is no file. Whoever
 * opened the file does this for all that is wrong with its content. Returns err->code. */
int file_blame(struct error *err, const char *path);

enum file_replace { FILE_KEEP, FILE_REPLACE };

/* A file that appears under its name only when it is complete and on disk. It is written beside the file that the path leads to and
 * renamed over it: a symbolic link stays one, an existing file's mode is kept (its owner where we may; a hard link becomes a file of
 * its own). Pipes, character devices and whatever standard output is are written directly. */
struct output_file {
    int fd;
    enum file_replace replace;
    char *path;      /* as given, for messages */
    char *target;    /* where its links lead; NULL when written directly */
    char *temp_path; /* beside the target; NULL when written directly */
    int temp_name;   /* of temp_name_remember */
    int nameless;    /* the file gets temp_path at commit only: a killed process leaves nothing */
};

/* FILE_KEEP refuses (ERR_CANT_CREATE, cause "file-exists") a path that exists, here and again at commit. Absent or unwritable
 * folder, a file that may not be written, a directory, a block device, a pipe that nobody reads: ERR_CANT_CREATE. */
int output_file_init(struct output_file *file, const char *path, enum file_replace replace,
                     struct error *err);
/* Whether that would do, for what works long before it writes. A pipe is not opened: its reader would see an end. */
int output_file_check(const char *path, enum file_replace replace, struct error *err);
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
/* The same for a file that is its owner's alone: mode 0600. */
int file_write_private(const char *path, enum file_replace replace, const void *data, size_t n,
                       struct error *err);

/* A file that is there, locked, while someone works; nothing is read from it. */
struct file_lock {
    char *path; /* NULL: not held */
    int fd, temp_name;
};
/* Takes the lock, or returns ERR_TEMP_FAIL "file-locked", or ERR_CANT_CREATE with errno. What a killed process left is taken over. */
int file_lock_init(struct file_lock *lock, const char *path, struct error *err);
void file_lock_clean_up(struct file_lock *lock); /* removes the file; harmless when zeroed */

#endif
