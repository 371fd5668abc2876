#include "service/timeline.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "service/json_text.h"

enum { EVENTS = 16384, JOB_TEXT = 160 };

/* A moment, or the beginning or end of a stage of one partition. */
struct event {
    uint64_t ns;
    char phase; /* as a Chrome trace has it: 'B', 'E' or 'i' */
    unsigned partition;
    char name[32], job[JOB_TEXT], detail[96];
};

struct timeline {
    FILE *lines;
    uint64_t began_ns;
    pthread_mutex_t lock;
    uint64_t count;
    struct event events[EVENTS]; /* count modulo EVENTS is the next place */
};

/* The engine's stages; the names and details of the first are the reference's. */
static const struct {
    const char *event, *name, *took;
} stages[] = {{"synthesis", "SYNTH", "synth_ms"},
              {"ntt", "NTT", "ntt_ms"},
              {"msm", "MSM", "msm_ms"},
              {"verify", "VERIFY", "verify_ms"}};
enum { STAGES = sizeof stages / sizeof *stages };

int timeline_new(struct timeline **out, FILE *lines, struct error *err)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the timeline");
    t->lines = lines;
    t->began_ns = clock_monotonic_ns();
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

/* Nothing that ends a line gets through, nor what is forbidden besides ('\0': nothing). */
static void copy_field(char *out, size_t size, const char *text, char forbidden)
{
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < size; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = c < 0x20 || c == 0x7f || text[i] == forbidden ? '?' : text[i];
    }
    out[i] = '\0';
}

/* Job ids come from clients, and a comma would end the field. NULL is "". */
static void copy_job(char out[JOB_TEXT], const char *job_id)
{
    copy_field(out, JOB_TEXT, job_id == NULL ? "" : job_id, ',');
}

static int stage_of(const char *event)
{
    int i = 0;
    while (i < STAGES && strcmp(stages[i].event, event) != 0)
        i++;
    return i < STAGES ? i : -1;
}

/* With the lock held. */
static void add(struct timeline *t, const struct event *e)
{
    static const char *const suffix[] = {['B'] = "_START", ['E'] = "_END", ['i'] = ""};
    t->events[t->count++ % EVENTS] = *e;
    if (t->lines != NULL)
        fprintf(t->lines, "TIMELINE,%llu,%s%s,%s,%s\n",
                (unsigned long long)(e->ns - t->began_ns) / 1000000, e->name,
                suffix[(unsigned char)e->phase], e->job, e->detail);
}

/* With the lock held: the stage that the partition is in ends. */
static void end_stage(struct timeline *t, uint64_t ns, const char *job, unsigned partition)
{
    uint64_t oldest = t->count > EVENTS ? t->count - EVENTS : 0;
    for (uint64_t i = t->count; i > oldest; i--) {
        const struct event *begun = &t->events[(i - 1) % EVENTS];
        if (begun->phase == 'i' || begun->partition != partition || strcmp(begun->job, job) != 0)
            continue;
        if (begun->phase == 'E')
            return;
        struct event e = *begun;
        int s = 0;
        while (s < STAGES - 1 && strcmp(stages[s].name, e.name) != 0)
            s++;
        e.phase = 'E';
        e.ns = ns;
        snprintf(e.detail, sizeof e.detail, "partition=%u,%s=%llu", partition, stages[s].took,
                 (unsigned long long)(ns - begun->ns) / 1000000);
        add(t, &e);
        return;
    }
}

void timeline_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                    const char *detail)
{
    struct timeline *t = ctx;
    struct event e = {.phase = 'i'};
    int stage = stage_of(event);
    (void)ms; /* of the wall clock, and too coarse for a trace */
    copy_job(e.job, job_id);
    copy_field(e.detail, sizeof e.detail, detail == NULL ? "" : detail, '\0');
    int of_partition = sscanf(e.detail, "partition %u", &e.partition) == 1;
    pthread_mutex_lock(&t->lock);
    e.ns = clock_monotonic_ns();
    if (of_partition)
        end_stage(t, e.ns, e.job, e.partition);
    if (stage >= 0) {
        e.phase = 'B';
        copy_field(e.name, sizeof e.name, stages[stage].name, '\0');
        snprintf(e.detail, sizeof e.detail, "partition=%u", e.partition);
    } else {
        copy_field(e.name, sizeof e.name, event, '\0');
        for (char *c = e.name; *c != '\0'; c++)
            *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
    add(t, &e);
    pthread_mutex_unlock(&t->lock);
}

/* A process for each job, a thread for each of its partitions. */
static void put_event(FILE *f, const struct event *e, unsigned pid)
{
    fprintf(f, "{\"name\":\"%s\",\"ph\":\"%c\",\"ts\":%llu.%03u,\"pid\":%u,\"tid\":%u,", e->name,
            e->phase, (unsigned long long)e->ns / 1000, (unsigned)(e->ns % 1000), pid,
            e->partition);
    fputs(e->phase == 'i' ? "\"s\":\"p\",\"args\":{\"job\":" : "\"args\":{\"job\":", f);
    json_put_string(f, e->job);
    fputs(",\"detail\":", f);
    json_put_string(f, e->detail);
    fputs("}}", f);
}

static unsigned pid_of(const char *job)
{
    unsigned hash = 5381;
    for (const unsigned char *c = (const unsigned char *)job; *c != '\0'; c++)
        hash = hash * 33 ^ *c;
    return hash >> 1;
}

static void put_name(FILE *f, const struct event *e, unsigned pid)
{
    fprintf(f, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":", pid);
    json_put_string(f, e->job);
    fputs("}},\n", f);
}

char *timeline_trace(struct timeline *timeline, const char *job_id)
{
    char *text = NULL, job[JOB_TEXT];
    size_t n, found = 0;
    copy_job(job, job_id);
    FILE *f = open_memstream(&text, &n);
    if (f == NULL)
        return NULL;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", f);
    pthread_mutex_lock(&timeline->lock);
    uint64_t first = timeline->count > EVENTS ? timeline->count - EVENTS : 0;
    for (uint64_t i = first; i < timeline->count; i++) {
        const struct event *e = &timeline->events[i % EVENTS];
        if (job_id != NULL && strcmp(e->job, job) != 0)
            continue;
        unsigned pid = pid_of(e->job);
        fputs(found++ > 0 ? ",\n" : "\n", f);
        if (strcmp(e->name, "SUBMITTED") == 0 || (job_id != NULL && found == 1))
            put_name(f, e, pid);
        put_event(f, e, pid);
    }
    pthread_mutex_unlock(&timeline->lock);
    fputs("]}\n", f);
    if (fclose(f) == 0 && (found > 0 || job_id == NULL))
        return text;
    free(text);
    return NULL;
}
