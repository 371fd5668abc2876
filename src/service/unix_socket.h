/* The place of a unix socket: whether it may be taken, and to whom it belongs while it is. */
#ifndef CUZK_SERVICE_UNIX_SOCKET_H
#define CUZK_SERVICE_UNIX_SOCKET_H

#include <sys/types.h>

#include "base/file.h"

struct unix_socket {
    struct file_lock lock; /* PATH.lock, as long as the place is taken */
    char path[108];
    char first_path[108]; /* PATH~, where the listener is made */
    dev_t device;         /* of the socket that was put at path; 0 with inode 0: none yet */
    ino_t inode;
};

/* Makes the folder if it is absent, takes the lock, and probes: something that is not a socket, or a socket that answers, is refused
 * (ERR_UNAVAILABLE, "socket-live", "socket-not-a-socket"); a socket that nobody listens on is removed. ERR_CONFIG when the path is
 * longer than a socket's may be, less one byte. */
int unix_socket_init(struct unix_socket *place, const char *path, struct error *err);
/* Moves the listener's socket from first_path to path: whoever made it may remove its first name, not another daemon's socket.
 * ERR_CANT_CREATE. */
int unix_socket_put(struct unix_socket *place, struct error *err);
/* Removes the socket, if it is still the one that was put there, and so the lock. Harmless when zeroed. */
void unix_socket_clean_up(struct unix_socket *place);

#endif
