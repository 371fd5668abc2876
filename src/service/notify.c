#include "service/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/config_text.h"

void notify(const char *message)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t n = path == NULL ? 0 : strlen(path);
    if (n < 2 || n >= sizeof addr.sun_path || (*path != '/' && *path != '@'))
        return;
    memcpy(addr.sun_path, path, n);
    if (*path == '@')
        addr.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    sendto(fd, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&addr,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
}

uint64_t notify_watchdog_ms(void)
{
    const char *limit = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    uint64_t usec, owner;
    if (limit == NULL || text_number(&usec, limit) != 0)
        return 0;
    if (pid != NULL && (text_number(&owner, pid) != 0 || owner != (uint64_t)getpid()))
        return 0;
    return usec / 2000;
}
