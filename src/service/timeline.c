#include "service/timeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "service/json_text.h"

enum { EVENTS = 16384 };

struct event {
    uint64_t ms;
    char name[32], job[160], detail[96];
};

struct timeline {
    FILE *lines;
    pthread_mutex_t lock;
    uint64_t count;
    struct event events[EVENTS]; /* count modulo EVENTS is the next place */
};

int timeline_new(struct timeline **out, FILE *lines, struct error *err)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the timeline");
    t->lines = lines;
    pthread_mutex_init(&t->lock, NULL);
    *out = t;
    return 0;
}

void timeline_destroy(struct timeline *timeline)
{
    if (timeline == NULL)
        return;
    pthread_mutex_destroy(&timeline->lock);
    free(timeline);
}

/* Job ids come from clients: nothing that ends a line or a field gets through. */
static void copy_field(char *out, size_t size, const char *text)
{
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < size; i++)
        out[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    out[i] = '\0';
}

void timeline_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                    const char *detail)
{
    struct timeline *t = ctx;
    struct event e = {.ms = ms};
    copy_field(e.name, sizeof e.name, event);
    copy_field(e.job, sizeof e.job, job_id == NULL ? "" : job_id);
    copy_field(e.detail, sizeof e.detail, detail == NULL ? "" : detail);
    pthread_mutex_lock(&t->lock);
    t->events[t->count++ % EVENTS] = e;
    pthread_mutex_unlock(&t->lock);
    if (t->lines != NULL)
        fprintf(t->lines, "TIMELINE,%llu,%s,%s,%s\n", (unsigned long long)ms, e.name, e.job,
                e.detail);
}

/* "SYNTH_START" begins the span "SYNTH" on the partition's row, "SYNTH_END" ends it, all else is an instant. */
static void put_event(FILE *f, const struct event *e)
{
    const char *phase = "i";
    size_t n = strlen(e->name);
    const char *partition = strstr(e->detail, "partition=");
    if (n > 6 && strcmp(e->name + n - 6, "_START") == 0) {
        phase = "B";
        n -= 6;
    } else if (n > 4 && strcmp(e->name + n - 4, "_END") == 0) {
        phase = "E";
        n -= 4;
    }
    fprintf(f, "{\"name\":\"%.*s\",\"cat\":", (int)n, e->name);
    json_put_string(f, e->job);
    fprintf(f, ",\"ph\":\"%s\",\"ts\":%llu,\"pid\":1,\"tid\":%lu,\"args\":{\"job\":", phase,
            (unsigned long long)e->ms * 1000,
            partition == NULL ? 0ul : strtoul(partition + 10, NULL, 10));
    json_put_string(f, e->job);
    fputs(",\"detail\":", f);
    json_put_string(f, e->detail);
    fputs("}}", f);
}

char *timeline_trace(struct timeline *timeline, const char *job_id)
{
    char *text = NULL;
    size_t n, found = 0;
    FILE *f = open_memstream(&text, &n);
    if (f == NULL)
        return NULL;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", f);
    pthread_mutex_lock(&timeline->lock);
    uint64_t first = timeline->count > EVENTS ? timeline->count - EVENTS : 0;
    for (uint64_t i = first; i < timeline->count; i++) {
        const struct event *e = &timeline->events[i % EVENTS];
        if (job_id != NULL && strcmp(e->job, job_id) != 0)
            continue;
        fputs(found++ > 0 ? ",\n" : "\n", f);
        put_event(f, e);
    }
    pthread_mutex_unlock(&timeline->lock);
    fputs("]}\n", f);
    if (fclose(f) == 0 && (found > 0 || job_id == NULL))
        return text;
    free(text);
    return NULL;
}
