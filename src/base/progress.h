/* Progress and log events go out through one sink. A sink may be called from any thread. */
#ifndef CUZK_BASE_PROGRESS_H
#define CUZK_BASE_PROGRESS_H

#include <stdint.h>

/* One piece of work with a known amount. Kept by whoever does the work, on its stack. */
struct progress {
    const struct progress_sink *sink;
    const char *what; /* "making H", static */
    uint64_t total;
    uint64_t done; /* atomic */
};

struct progress_sink {
    void (*event)(void *ctx, const struct progress *p, uint64_t done); /* done == 0: begins; == total: ended */
    void *ctx;
};

/* sink may be NULL: silence. */
void progress_begin(struct progress *p, const struct progress_sink *sink, const char *what, uint64_t total);
void progress_add(struct progress *p, uint64_t n); /* thread safe; may be called often */
void progress_end(struct progress *p);

/* A sink for stderr: on a terminal a bar with percentage and remaining time for work over two seconds, elsewhere plain lines
 * (begin and end of work over two seconds, at most one line every ten seconds between). */
extern const struct progress_sink progress_stderr;

#endif
