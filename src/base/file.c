#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/rand.h"

static int read_error(const char *path, struct error *err)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return error_set(err, ERR_NO_INPUT, "file-absent", "%s: %s", path, strerror(errno));
    if (errno == EACCES)
        return error_set(err, ERR_NO_PERM, "file-permission", "%s: %s", path, strerror(errno));
    return error_set(err, ERR_IO, "file-unreadable", "%s: %s", path, strerror(errno));
}

/* Reads until the end or one byte past limit. */
static int read_all(uint8_t **out, size_t *len, int fd, const char *path, size_t limit,
                    struct error *err)
{
    size_t size = 0, n = 0;
    uint8_t *data = NULL;
    for (;;) {
        if (size - n < 2) {
            size = size ? 2 * size : 4096;
            uint8_t *grown = realloc(data, size);
            if (!grown) {
                free(data);
                return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for %zu bytes", path,
                                 size);
            }
            data = grown;
        }
        ssize_t got = read(fd, data + n, size - n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(data);
            return read_error(path, err);
        }
        n += (size_t)got;
        if (n > limit) {
            free(data);
            return error_set(err, ERR_DATA, "file-too-long", "%s: longer than %zu bytes", path,
                             limit);
        }
        if (got == 0)
            break;
    }
    data[n] = 0;
    *out = data;
    *len = n;
    return 0;
}

int file_read(uint8_t **out, size_t *len, const char *path, size_t limit, struct error *err)
{
    *out = NULL;
    *len = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return read_error(path, err);
    int rc = read_all(out, len, fd, path, limit, err);
    close(fd);
    return rc;
}

static int create_error(const char *path, struct error *err)
{
    return error_set(err, ERR_CANT_CREATE, errno == EEXIST ? "file-exists" : "file-not-creatable",
                     "%s: %s", path, strerror(errno));
}

static int write_error(const char *path, struct error *err)
{
    const char *cause = errno == ENOSPC || errno == EDQUOT ? "disk-full" : "write-failed";
    return error_set(err, ERR_IO, cause, "%s: %s", path, strerror(errno));
}

/* "path.0123456789abcdef.tmp": beside the target, because rename works within one file system only. */
static char *temp_name(const char *path)
{
    uint8_t random[8];
    char digits[2 * sizeof random + 1], *name = NULL;
    if (rand_fill(random, sizeof random))
        return NULL;
    hex_encode(digits, random, sizeof random);
    return asprintf(&name, "%s.%s.tmp", path, digits) < 0 ? NULL : name;
}

/* The folder of path, with a slash or "."; free() it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* A file without a name in path's folder, which a kill at any moment leaves nothing of. -1 where the system offers none: then the
 * temporary name must do. */
static int open_nameless(const char *path)
{
    char *folder = folder_of(path);
    int fd = -1;
    if (folder && access("/proc/self/fd", X_OK) == 0)
        fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    return fd;
}

int output_file_init(struct output_file *file, const char *path, enum file_replace replace,
                     struct error *err)
{
    *file = (struct output_file){0};
    struct stat st;
    int exists = stat(path, &st) == 0;
    int direct = exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
    if (exists && !direct && (replace == FILE_KEEP || S_ISDIR(st.st_mode))) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
        return create_error(path, err);
    }
    struct output_file opened = {.fd = -1, .replace = replace, .path = strdup(path)};
    if (!direct)
        opened.temp_path = temp_name(path);
    if (!opened.path || (!direct && !opened.temp_path)) {
        free(opened.path);
        free(opened.temp_path);
        return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for a temporary name", path);
    }
    if (direct) {
        opened.fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        opened.fd = open_nameless(path);
        opened.nameless = opened.fd >= 0;
        if (!opened.nameless)
            opened.fd = open(opened.temp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (opened.fd < 0) {
        int rc = create_error(path, err);
        free(opened.path);
        free(opened.temp_path);
        return rc;
    }
    *file = opened;
    return 0;
}

int output_file_write(struct output_file *file, const void *data, size_t n, struct error *err)
{
    const uint8_t *p = data;
    while (n > 0) {
        ssize_t put = write(file->fd, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return write_error(file->path, err);
        p += put;
        n -= (size_t)put;
    }
    return 0;
}

/* Gives a nameless file its temporary name. */
static int name_it(const struct output_file *file)
{
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, file->temp_path, AT_SYMLINK_FOLLOW);
}

static int move_into_place(struct output_file *file, struct error *err)
{
    int rc;
    if (file->replace == FILE_REPLACE) {
        rc = rename(file->temp_path, file->path);
    } else {
        rc = renameat2(AT_FDCWD, file->temp_path, AT_FDCWD, file->path, RENAME_NOREPLACE);
        if (rc &&
            (errno == EINVAL || errno == ENOSYS)) { /* the file system doesn't know the flag */
            rc = link(file->temp_path, file->path);
            if (rc == 0)
                unlink(file->temp_path);
        }
    }
    if (rc)
        return create_error(file->path, err);
    free(file->temp_path);
    file->temp_path = NULL;
    return 0;
}

/* Makes the new name itself durable. Some file systems can't sync a folder; they are no worse off than without. */
static void sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

int output_file_sync(struct output_file *file, struct error *err)
{
    return file->temp_path && fsync(file->fd) ? write_error(file->path, err) : 0;
}

int output_file_commit(struct output_file *file, struct error *err)
{
    if (!file->temp_path) {
        int closed = close(file->fd);
        file->fd = -1;
        return closed ? write_error(file->path, err) : 0;
    }
    int rc = output_file_sync(file, err);
    if (rc == 0 && file->nameless && name_it(file))
        rc = create_error(file->path, err);
    if (close(file->fd) && rc == 0)
        rc = write_error(file->path, err);
    file->fd = -1;
    if (rc == 0)
        rc = move_into_place(file, err);
    if (rc == 0)
        sync_folder_of(file->path);
    return rc;
}

void output_file_clean_up(struct output_file *file)
{
    if (file->path && file->fd >= 0)
        close(file->fd);
    if (file->temp_path)
        unlink(file->temp_path);
    free(file->temp_path);
    free(file->path);
    *file = (struct output_file){0};
}

int file_write(const char *path, enum file_replace replace, const void *data, size_t n,
               struct error *err)
{
    struct output_file file;
    int rc = output_file_init(&file, path, replace, err);
    if (rc == 0)
        rc = output_file_write(&file, data, n, err);
    if (rc == 0)
        rc = output_file_commit(&file, err);
    output_file_clean_up(&file);
    return rc;
}
