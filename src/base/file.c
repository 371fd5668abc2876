#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/rand.h"
#include "base/temp_names.h"
#include "base/text.h"

static int read_error(const char *path, struct error *err)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return error_set(err, ERR_NO_INPUT, "file-absent", "%s: %s", path, strerror(errno));
    if (errno == EACCES)
        return error_set(err, ERR_NO_PERM, "file-permission", "%s: %s", path, strerror(errno));
    return error_set(err, ERR_IO, "file-unreadable", "%s: %s", path, strerror(errno));
}

static const char *kind_name(mode_t mode)
{
    return S_ISREG(mode)    ? "a regular file"
           : S_ISDIR(mode)  ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
                            : "something unknown";
}

static int is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

static const char *input_name(const char *path)
{
    return is_stdin(path) ? "standard input" : path;
}

/* Nothing is waited for before it is known what the path leads to. */
static int open_input(int *out, struct stat *st, const char *path, int streams, struct error *err)
{
    int fd = streams && is_stdin(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                       : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return read_error(streams ? input_name(path) : path, err);
    int rc = 0;
    if (fstat(fd, st) != 0)
        rc = read_error(path, err);
    else if (!S_ISREG(st->st_mode) &&
             !(streams && (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode))))
        rc = error_set(err, ERR_IO, "file-not-regular", "%s: is %s, not a regular file%s",
                       streams ? input_name(path) : path, kind_name(st->st_mode),
                       streams ? " or a pipe" : "");
    if (rc != 0)
        close(fd);
    else
        *out = fd;
    return rc;
}

int file_open(int *fd, struct stat *st, const char *path, struct error *err)
{
    return open_input(fd, st, path, 0, err);
}

int file_blame(struct error *err, const char *path)
{
    char name[sizeof err->text];
    if (path == NULL)
        return err->code;
    text_printable(name, sizeof name, input_name(path));
    size_t n = strlen(name);
    if (strncmp(err->text, name, n) == 0 && (err->text[n] == ':' || err->text[n] == '\0'))
        return err->code;
    return error_prefix(err, "%s", name);
}

int file_is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A pipe at its end without a byte: a pipe that someone wrote to and closed hangs up, one that nobody ever opened does not. */
static int has_no_writer(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 0;
}

/* As read(2), but waits. 0 also for a pipe without a writer. */
static ssize_t read_some(int fd, void *to, size_t n)
{
    for (;;) {
        ssize_t got = read(fd, to, n);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (errno == EAGAIN)
            poll(&p, 1, -1);
    }
}

/* Makes room for a byte and the NUL behind it. */
static int grow(uint8_t **data, size_t *size, size_t used, size_t limit)
{
    if (*size - used >= 2)
        return 0;
    size_t more = *size == 0 ? 4096 : *size <= limit / 2 ? 2 * *size : limit + 2;
    uint8_t *grown = realloc(*data, more);
    if (grown == NULL)
        return -1;
    *data = grown;
    *size = more;
    return 0;
}

/* Reads until the end or one byte past limit. */
static int read_all(uint8_t **out, size_t *len, int fd, const char *name, size_t limit,
                    struct error *err)
{
    size_t size = 0, n = 0;
    ssize_t got = 1;
    int rc = 0;
    while (rc == 0 && got > 0) {
        if (grow(out, &size, n, limit) != 0) {
            rc = error_set(err, ERR_OS, "out-of-memory", "%s: no memory for more than %zu bytes",
                           name, n);
            break;
        }
        got = read_some(fd, *out + n, size - n - 1);
        if (got < 0)
            rc = read_error(name, err);
        else if (got == 0 && n == 0 && has_no_writer(fd))
            rc = error_set(err, ERR_IO, "pipe-without-writer", "%s: a pipe that nobody writes to",
                           name);
        else if ((n += (size_t)got) > limit)
            rc =
                error_set(err, ERR_DATA, "file-too-long", "%s: longer than %zu bytes", name, limit);
    }
    if (rc != 0) {
        free(*out);
        *out = NULL;
        return rc;
    }
    (*out)[n] = 0;
    *len = n;
    return 0;
}

static int read_input(uint8_t **out, size_t *len, const char *path, size_t limit, int streams,
                      struct error *err)
{
    struct stat st;
    int fd;
    *out = NULL;
    *len = 0;
    if (open_input(&fd, &st, path, streams, err) != 0)
        return err->code;
    const char *name = streams ? input_name(path) : path;
    int rc =
        S_ISREG(st.st_mode) && (uint64_t)st.st_size > limit
            ? error_set(err, ERR_DATA, "file-too-long", "%s: longer than %zu bytes", name, limit)
            : read_all(out, len, fd, name, limit, err);
    close(fd);
    return rc;
}

int file_read(uint8_t **out, size_t *len, const char *path, size_t limit, struct error *err)
{
    return read_input(out, len, path, limit, 0, err);
}

int file_read_stream(uint8_t **out, size_t *len, const char *path, size_t limit, struct error *err)
{
    return read_input(out, len, path, limit, 1, err);
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

/* Where the links at the end of path lead, whether or not it exists; free() it. NULL with errno. */
static char *follow_links(const char *path)
{
    enum { MAX_LINKS = 40 };
    char link[4096], *at = strdup(path);
    for (int i = 0; at != NULL; i++) {
        ssize_t n = readlink(at, link, sizeof link - 1);
        if (n < 0)
            return at; /* no link */
        link[n] = '\0';
        char *folder = *link == '/' || strchr(at, '/') == NULL ? strdup("") : folder_of(at);
        char *next = NULL;
        if (folder == NULL || i == MAX_LINKS || asprintf(&next, "%s%s", folder, link) < 0) {
            errno = i == MAX_LINKS ? ELOOP : ENOMEM;
            next = NULL;
        }
        free(folder);
        free(at);
        at = next;
    }
    return NULL;
}

static int is_stdout(const struct stat *st)
{
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

/* What can't be replaced is written as it is: a pipe, a character device, and whatever standard output is, with /dev/stdout >> FILE too. */
static int is_stream(const struct stat *st)
{
    return S_ISFIFO(st->st_mode) || S_ISCHR(st->st_mode) || is_stdout(st);
}

static int open_stream(const char *path, const struct stat *st)
{
    if (is_stdout(st) && !S_ISCHR(st->st_mode))
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    /* Without O_NONBLOCK this would wait for somebody to read a pipe. */
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (S_ISFIFO(st->st_mode) ? O_NONBLOCK : 0));
    if (fd >= 0 && S_ISFIFO(st->st_mode))
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

/* The new file gets the old one's mode, and its owner where we may give files away. */
static int take_over(int fd, const struct stat *old)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -1;
    if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0 && errno != EPERM)
        return -1;
    return (st.st_mode & 07777) == (old->st_mode & 0777) ? 0 : fchmod(fd, old->st_mode & 0777);
}

/* Opens what will be renamed to file->target. old: the file there, or NULL. */
static int open_temporary(struct output_file *file, const struct stat *old)
{
    file->target = follow_links(file->path);
    file->temp_path = file->target != NULL ? temp_name(file->target) : NULL;
    if (file->temp_path == NULL)
        return -1;
    file->fd = open_nameless(file->target);
    file->nameless = file->fd >= 0;
    if (!file->nameless)
        file->fd = open(file->temp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd < 0) {
        free(file->temp_path); /* not ours: clean_up would remove it */
        file->temp_path = NULL;
        return -1;
    }
    file->temp_name = temp_name_remember(file->temp_path);
    return old != NULL ? take_over(file->fd, old) : 0;
}

static int open_output(struct output_file *file, struct error *err)
{
    struct stat st;
    const char *path = file->path;
    int exists = stat(path, &st) == 0;
    if (exists && is_stream(&st)) {
        file->fd = open_stream(path, &st);
        return file->fd >= 0 ? 0 : create_error(path, err);
    }
    if (exists && !S_ISREG(st.st_mode))
        return error_set(err, ERR_CANT_CREATE, "file-not-creatable", "%s: is %s", path,
                         kind_name(st.st_mode));
    if (exists && file->replace == FILE_KEEP) {
        errno = EEXIST;
        return create_error(path, err);
    }
    if (exists && access(path, W_OK) != 0)
        return create_error(path, err);
    return open_temporary(file, exists ? &st : NULL) == 0 ? 0 : create_error(path, err);
}

int output_file_init(struct output_file *file, const char *path, enum file_replace replace,
                     struct error *err)
{
    *file = (struct output_file){.fd = -1, .replace = replace, .path = strdup(path)};
    int rc = file->path != NULL
                 ? open_output(file, err)
                 : error_set(err, ERR_OS, "out-of-memory", "%s: no memory for its name", path);
    if (rc != 0)
        output_file_clean_up(file);
    return rc;
}

int output_file_check(const char *path, enum file_replace replace, struct error *err)
{
    struct stat st;
    struct output_file file;
    if (stat(path, &st) == 0 && is_stream(&st))
        return 0;
    int rc = output_file_init(&file, path, replace, err);
    output_file_clean_up(&file);
    return rc;
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

static void forget_temporary(struct output_file *file)
{
    temp_name_forget(file->temp_name);
    free(file->temp_path);
    file->temp_path = NULL;
}

static int move_into_place(struct output_file *file, struct error *err)
{
    int rc;
    if (file->replace == FILE_REPLACE) {
        rc = rename(file->temp_path, file->target);
    } else {
        rc = renameat2(AT_FDCWD, file->temp_path, AT_FDCWD, file->target, RENAME_NOREPLACE);
        if (rc &&
            (errno == EINVAL || errno == ENOSYS)) { /* the file system doesn't know the flag */
            rc = link(file->temp_path, file->target);
            if (rc == 0)
                unlink(file->temp_path);
        }
    }
    if (rc)
        return create_error(file->path, err);
    forget_temporary(file);
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
        sync_folder_of(file->target);
    return rc;
}

void output_file_clean_up(struct output_file *file)
{
    if (file->path && file->fd >= 0)
        close(file->fd);
    if (file->temp_path) {
        unlink(file->temp_path);
        forget_temporary(file);
    }
    free(file->target);
    free(file->path);
    *file = (struct output_file){0};
}

/* mode 0: as output_file_init gives it. */
static int write_all(const char *path, enum file_replace replace, mode_t mode, const void *data,
                     size_t n, struct error *err)
{
    struct output_file file;
    int rc = output_file_init(&file, path, replace, err);
    if (rc == 0 && mode != 0 && fchmod(file.fd, mode) != 0)
        rc = error_set(err, ERR_IO, "file-mode", "%s: %s", path, strerror(errno));
    if (rc == 0)
        rc = output_file_write(&file, data, n, err);
    if (rc == 0)
        rc = output_file_commit(&file, err);
    output_file_clean_up(&file);
    return rc;
}

int file_write(const char *path, enum file_replace replace, const void *data, size_t n,
               struct error *err)
{
    return write_all(path, replace, 0, data, n, err);
}

int file_write_private(const char *path, enum file_replace replace, const void *data, size_t n,
                       struct error *err)
{
    return write_all(path, replace, 0600, data, n, err);
}

/* Whether path still names the file behind fd: another holder may have removed it in between. */
static int is_named(int fd, const char *path)
{
    struct stat mine, named;
    return fstat(fd, &mine) == 0 && stat(path, &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
}

int file_lock_init(struct file_lock *lock, const char *path, struct error *err)
{
    *lock = (struct file_lock){0};
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd < 0)
            return create_error(path, err);
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            int rc = errno == EWOULDBLOCK ? error_set(err, ERR_TEMP_FAIL, "file-locked",
                                                      "%s: another process holds it", path)
                                          : create_error(path, err);
            close(fd);
            return rc;
        }
        if (is_named(fd, path)) {
            lock->path = strdup(path);
            lock->fd = fd;
            break;
        }
        close(fd);
    }
    if (lock->path != NULL) {
        lock->temp_name = temp_name_remember(path);
        return 0;
    }
    close(lock->fd);
    return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for its name", path);
}

void file_lock_clean_up(struct file_lock *lock)
{
    if (lock->path == NULL)
        return;
    temp_name_forget(lock->temp_name);
    if (is_named(lock->fd, lock->path)) /* else the file was removed, and this may be another's */
        unlink(lock->path); /* before the lock is given up: who gets it sees that it has no name */
    close(lock->fd);
    free(lock->path);
    *lock = (struct file_lock){0};
}
