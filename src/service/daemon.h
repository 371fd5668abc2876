/* The daemon: engine, gRPC and HTTP behind one configuration, and signals until the end. */
#ifndef CUZK_SERVICE_DAEMON_H
#define CUZK_SERVICE_DAEMON_H

#include "base/error.h"
#include "service/config.h"

/* How a configuration comes about, at the start and again on SIGHUP. */
struct daemon_sources {
    const char *config_path;
    int config_optional;   /* an absent file means the defaults */
    const char *listen;    /* over the file's; NULL: not given */
    const char *log_level; /* likewise */
};
int daemon_configure(struct config *out, const struct daemon_sources *sources, struct error *err);

/* Runs until SIGTERM or SIGINT: then refuses new jobs, finishes the others and returns 0; a second signal stops as soon as what is
 * unfinished is journalled. SIGHUP reloads. All signals that it takes must be blocked in the caller (daemon_block_signals), which has
 * no other threads. */
void daemon_block_signals(void);
int daemon_run(const struct daemon_sources *sources, struct error *err);

#endif
