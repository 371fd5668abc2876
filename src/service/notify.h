/* systemd's notification protocol: one datagram a message. */
#ifndef CUZK_SERVICE_NOTIFY_H
#define CUZK_SERVICE_NOTIFY_H

#include <stdint.h>

/* "READY=1", "STATUS=...", lines separated by newlines. Without NOTIFY_SOCKET nothing happens. */
void notify(const char *message);
/* Half of the time after which systemd misses WATCHDOG=1, in milliseconds; 0: no watchdog. */
uint64_t notify_watchdog_ms(void);

#endif
