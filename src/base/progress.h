/* Progress goes out through one sink. A sink may be called from any thread. */
#ifndef CUZK_BASE_PROGRESS_H
#define CUZK_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/* One piece of work with a known amount. Kept by whoever does the work, on its stack. */
struct progress {
    const struct progress_sink *sink;
    const char *what; /* "making H", static */
    uint64_t total;   /* at least 1 */
    atomic_uint_fast64_t done;
    uint64_t began_ns;                  /* clock_monotonic_ns */
    atomic_uint_fast64_t last_shown_ns; /* for the sink; 0: never shown */
};

/* Begins once, then at most about 1,000 steps (done counts what has been added so far), then ends once; ending with
 * done < total means that the work was given up. */
enum progress_event { PROGRESS_BEGIN, PROGRESS_STEP, PROGRESS_END };
struct progress_sink {
    void (*event)(void *ctx, struct progress *p, enum progress_event event, uint64_t done);
    void *ctx;
    int (*cancelled)(void *ctx); /* whether the work should be given up; may be NULL: never */
};

/* Long work asks this between pieces, and gives up with ERR_TEMP_FAIL "cancelled". sink may be NULL. */
static inline int progress_cancelled(const struct progress_sink *sink)
{
    return sink && sink->cancelled && sink->cancelled(sink->ctx);
}

/* sink may be NULL: silence. total 0 counts as 1. */
void progress_begin(struct progress *p, const struct progress_sink *sink, const char *what,
                    uint64_t total);
void progress_add(struct progress *p,
                  uint64_t n); /* thread safe; may be called often; p may be NULL */
void progress_end(struct progress *p);

/* A sink for stderr: on a terminal a bar with percentage and remaining time for work over two seconds, elsewhere plain lines
 * (once work takes over two seconds, then one every ten seconds, and at its end). */
extern const struct progress_sink progress_stderr;

#endif
