#include "base/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define SECOND_NS UINT64_C(1000000000)
enum { SHOW_AFTER_S = 2, LINE_EVERY_S = 10, BARS_A_SECOND = 10, BAR_WIDTH = 24, STEPS = 1000 };

void progress_begin(struct progress *p, const struct progress_sink *sink, const char *what,
                    uint64_t total)
{
    p->sink = sink;
    p->what = what;
    p->total = total ? total : 1;
    atomic_init(&p->done, 0);
    atomic_init(&p->last_shown_ns, 0);
    p->began_ns = clock_monotonic_ns();
    if (sink)
        sink->event(sink->ctx, p, PROGRESS_BEGIN, 0);
}

void progress_add(struct progress *p, uint64_t n)
{
    if (!p)
        return;
    uint64_t before = atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed);
    uint64_t step = p->total / STEPS ? p->total / STEPS : 1;
    if (p->sink && before / step != (before + n) / step)
        p->sink->event(p->sink->ctx, p, PROGRESS_STEP, before + n);
}

void progress_end(struct progress *p)
{
    if (p->sink)
        p->sink->event(p->sink->ctx, p, PROGRESS_END, atomic_load(&p->done));
}

static void format_duration(char out[32], uint64_t ns)
{
    uint64_t s = (ns + SECOND_NS / 2) / SECOND_NS;
    if (s < 60)
        snprintf(out, 32, "%u s", (unsigned)s);
    else if (s < 3600)
        snprintf(out, 32, "%u min %u s", (unsigned)(s / 60), (unsigned)(s % 60));
    else
        snprintf(out, 32, "%llu h %u min", (unsigned long long)(s / 3600),
                 (unsigned)(s % 3600 / 60));
}

static void print_end(const struct progress *p, uint64_t done, uint64_t elapsed_ns, int terminal)
{
    char took[32];
    format_duration(took, elapsed_ns);
    fprintf(stderr, "%s%s: %s after %s%s\n", terminal ? "\r" : "", p->what,
            done < p->total ? "given up" : "done", took, terminal ? "\033[K" : "");
}

static void print_step(const struct progress *p, uint64_t done, uint64_t elapsed_ns, int terminal)
{
    double part = done < p->total ? (double)done / (double)p->total : 1;
    char left[32] = "?";
    if (done > 0)
        format_duration(left, (uint64_t)((double)elapsed_ns * (1 - part) / part));
    if (!terminal) {
        fprintf(stderr, "%s: %d %%, about %s left\n", p->what, (int)(100 * part), left);
        return;
    }
    char bar[BAR_WIDTH + 1];
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(BAR_WIDTH * part));
    bar[BAR_WIDTH] = 0;
    fprintf(stderr, "\r%s [%s] %3d %%, %s left\033[K", p->what, bar, (int)(100 * part), left);
    fflush(stderr);
}

static void stderr_event(void *ctx, struct progress *p, enum progress_event event, uint64_t done)
{
    (void)ctx;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t now = clock_monotonic_ns(), elapsed = now - p->began_ns;
    if (elapsed < SHOW_AFTER_S * SECOND_NS)
        return;
    int terminal = isatty(STDERR_FILENO);
    uint64_t pause = terminal ? SECOND_NS / BARS_A_SECOND : LINE_EVERY_S * SECOND_NS;
    pthread_mutex_lock(&lock);
    uint64_t shown = atomic_load(&p->last_shown_ns);
    if (event == PROGRESS_END) {
        print_end(p, done, elapsed, terminal);
    } else if (shown == 0 || now >= shown + pause) {
        print_step(p, done, elapsed, terminal);
        atomic_store(&p->last_shown_ns, now);
    }
    pthread_mutex_unlock(&lock);
}

const struct progress_sink progress_stderr = {.event = stderr_event};
