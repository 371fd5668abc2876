#include "service/unix_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int make_folder(const char *path, struct error *err)
{
    char folder[108];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return 0;
    *slash = '\0';
    if (mkdir(folder, 0755) == 0 || errno == EEXIST)
        return 0;
    return error_set(err, errno == EACCES ? ERR_NO_PERM : ERR_CANT_CREATE, "socket-folder",
                     "%s: cannot make the socket's folder: %s", folder, strerror(errno));
}

static int take_lock(struct unix_socket *place, struct error *err)
{
    char path[sizeof place->path + 8];
    snprintf(path, sizeof path, "%s.lock", place->path);
    mode_t before = umask(077); /* whoever can open it can hold it */
    int rc = file_lock_init(&place->lock, path, err), cause = errno;
    umask(before);
    if (rc == ERR_TEMP_FAIL)
        return error_set(err, ERR_UNAVAILABLE, "socket-live",
                         "%s: another daemon serves this socket", place->path);
    if (rc == ERR_CANT_CREATE)
        return error_set(err, cause == EACCES ? ERR_NO_PERM : rc, "socket-lock",
                         "%s: cannot be opened: %s", path, strerror(cause));
    return rc;
}

/* 0: nothing there, or a stale socket that was removed. */
static int probe(const char *path, struct error *err)
{
    struct stat st;
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? 0
                               : error_set(err, ERR_NO_PERM, "socket-unreadable", "%s: %s", path,
                                           strerror(errno));
    if (!S_ISSOCK(st.st_mode))
        return error_set(err, ERR_UNAVAILABLE, "socket-not-a-socket",
                         "%s: exists and is not a socket; it is left alone", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set(err, ERR_OS, "socket-probe", "cannot make a socket: %s", strerror(errno));
    strcpy(addr.sun_path, path);
    int rc = connect(fd, (struct sockaddr *)&addr, sizeof addr);
    int cause = rc == 0 ? 0 : errno;
    close(fd);
    if (cause != ECONNREFUSED) /* connected, its queue is full, or we may not know */
        return error_set(
            err, ERR_UNAVAILABLE, "socket-live", "%s: a process listens on this socket%s%s", path,
            cause == 0 ? "" : ", or it cannot be told: ", cause == 0 ? "" : strerror(cause));
    if (unlink(path) != 0)
        return error_set(err, ERR_NO_PERM, "socket-stale", "%s: stale and cannot be removed: %s",
                         path, strerror(errno));
    return 0;
}

int unix_socket_init(struct unix_socket *place, const char *path, struct error *err)
{
    *place = (struct unix_socket){0};
    if (strlen(path) + 1 >= sizeof place->path)
        return error_set(err, ERR_CONFIG, "socket-path-long",
                         "%.120s: a socket's path has at most %zu bytes, this one has %zu", path,
                         sizeof place->path - 2, strlen(path));
    strcpy(place->path, path);
    stpcpy(stpcpy(place->first_path, path), "~");
    if (make_folder(path, err) != 0 || take_lock(place, err) != 0)
        return err->code;
    if (probe(path, err) == 0)
        return 0;
    file_lock_clean_up(&place->lock); /* not all of clean_up: what lies there is not ours */
    return err->code;
}

int unix_socket_put(struct unix_socket *place, struct error *err)
{
    struct stat st;
    if (lstat(place->first_path, &st) != 0 || rename(place->first_path, place->path) != 0) {
        error_set(err, ERR_CANT_CREATE, "listen-failed", "%s: cannot be put in its place: %s",
                  place->path, strerror(errno));
        unlink(place->first_path);
        return err->code;
    }
    place->device = st.st_dev;
    place->inode = st.st_ino;
    return 0;
}

void unix_socket_clean_up(struct unix_socket *place)
{
    struct stat st;
    if (place->lock.path == NULL)
        return;
    if (lstat(place->path, &st) == 0 && st.st_dev == place->device && st.st_ino == place->inode)
        unlink(place->path);
    file_lock_clean_up(&place->lock);
}
