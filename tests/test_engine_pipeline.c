/* ctest: long serial needs=params_2k needs=params_post timeout=3600 */
/* Ten PoReps of 2 KiB through the engine cost what ten single ones cost and keep the cores busy; a WinningPoSt in their middle takes the cores
 * at the next task's end. Seen through the pool's watcher. */
#include "engine_proofs.h"

#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "engine/state.h"

enum { JOBS = 10 /* even */, TASK_MOST_MS = 50, CLASSES = 16, MS = 1000000 };

/* ---- What the pool does ---- */

static struct {
    unsigned threads;
    pthread_mutex_t lock; /* of the next two lines */
    unsigned busy;
    uint64_t since_ns, busy_ns; /* all threads' time with a turn */
    atomic_uint_fast64_t task_most_ns, tasks, tasks_too_long;
    atomic_int waiting[CLASSES];               /* tasks of loops that have not begun */
    atomic_int asking[CLASSES];                /* threads that want their turn */
    atomic_uint loops[CLASSES], asks[CLASSES]; /* so far */
    atomic_uint overtaken;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A thread's task, and which loop or turn of a higher class it has seen waiting when it began its last one. */
static _Thread_local struct {
    uint64_t began_ns;
    unsigned depth, loop[CLASSES], ask[CLASSES];
} mine;

static uint64_t thread_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What a thread had decided when a loop was announced may still begin, once. Some of the loop's tasks may have been taken, but not begun: at
 * most one by each other thread. */
static void look_for_urgent(unsigned class)
{
    for (unsigned c = class + 1; c < CLASSES; c++) {
        unsigned loop = seen.loops[c], ask = seen.asks[c];
        if (seen.waiting[c] < (int)seen.threads)
            loop = 0;
        if (seen.asking[c] == 0)
            ask = 0;
        seen.overtaken += (loop != 0 && mine.loop[c] == loop) || (ask != 0 && mine.ask[c] == ask);
        mine.loop[c] = loop;
        mine.ask[c] = ask;
    }
}

static void begin_task(unsigned class)
{
    seen.waiting[class]--;
    seen.tasks++;
    look_for_urgent(class);
    if (mine.depth++ == 0)
        mine.began_ns = thread_cpu_ns();
}

static void end_task(void)
{
    if (--mine.depth > 0)
        return;
    uint64_t took = thread_cpu_ns() - mine.began_ns, most = seen.task_most_ns;
    while (took > most && !atomic_compare_exchange_weak(&seen.task_most_ns, &most, took))
        ;
    seen.tasks_too_long += took > TASK_MOST_MS * MS;
}

/* From now on n threads are busy. */
static void set_busy(unsigned n)
{
    uint64_t now = clock_monotonic_ns();
    pthread_mutex_lock(&seen.lock);
    seen.busy_ns += seen.busy * (now - seen.since_ns);
    seen.since_ns = now;
    seen.busy = n;
    pthread_mutex_unlock(&seen.lock);
}

static uint64_t busy_so_far_ns(void)
{
    pthread_mutex_lock(&seen.lock);
    uint64_t ns = seen.busy_ns + seen.busy * (clock_monotonic_ns() - seen.since_ns);
    pthread_mutex_unlock(&seen.lock);
    return ns;
}

static void on_pool(void *ctx, enum pool_event event, unsigned class, size_t n)
{
    (void)ctx;
    switch (event) {
    case POOL_LOOP:
        seen.waiting[class] += (int)n;
        seen.loops[class]++;
        break;
    case POOL_BEGIN:
        begin_task(class);
        break;
    case POOL_END:
        end_task();
        break;
    case POOL_ASK:
        seen.asking[class]++;
        seen.asks[class]++;
        break;
    case POOL_TURN:
        seen.asking[class]--;
        break;
    case POOL_BUSY:
        set_busy((unsigned)n);
        break;
    }
}

static const struct pool_watcher watcher = {on_pool, NULL};

/* ---- What it costs ---- */

struct cost {
    uint64_t cpu_ns, wall_ns;
};

static struct cost cost_now(void)
{
    return (struct cost){clock_process_cpu_ns(), clock_monotonic_ns()};
}

static struct cost cost_since(const struct cost *before)
{
    struct cost now = cost_now();
    return (struct cost){now.cpu_ns - before->cpu_ns, now.wall_ns - before->wall_ns};
}

/* CPU time of the thread that leads the WinningPoSt: it works whenever the proof can go on, so this is how long the proof takes, on a machine
 * that does nothing else. Both events come from that thread. */
static atomic_uint_fast64_t lead_ns;

static void on_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                     const char *detail)
{
    static uint64_t began_ns;
    (void)ctx;
    (void)ms;
    (void)detail;
    if (strncmp(job_id, "winning", 7) != 0)
        return;
    if (strcmp(event, "synthesis") == 0)
        began_ns = thread_cpu_ns();
    else if (strcmp(event, "partition-done") == 0)
        lead_ns = thread_cpu_ns() - began_ns;
}

/* ---- Jobs ---- */

static struct cuzk_engine *engine;
static struct asked winning;
static char *c1; /* the request's text and room for blanks, of which each job has its own number */
static size_t c1_n;

static void submit(char id[160], const struct cuzk_request *r)
{
    struct cuzk_error err;
    uint32_t position;
    if (cuzk_submit(engine, id, &position, r, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

static void submit_porep(char id[160])
{
    static unsigned blanks;
    struct cuzk_request r = {.kind = CUZK_POREP,
                             .vanilla_proof = {(const uint8_t *)c1, c1_n + ++blanks}};
    submit(id, &r);
}

static void submit_winning(char id[160])
{
    winning.request.request_id = "winning";
    winning.request.sector_number++; /* no part of the proof, but of the job */
    submit(id, &winning.request);
}

static uint64_t ends(const char *id)
{
    struct cuzk_result r;
    struct cuzk_error err;
    assert_int_equal(cuzk_await(engine, &r, id, 0, &err), CUZK_OK);
    if (r.state != CUZK_COMPLETED)
        fail_msg("%s", r.message);
    uint64_t total_ms = r.total_ms;
    cuzk_result_clean_up(&r);
    return total_ms;
}

static uint64_t completed_poreps(void)
{
    struct cuzk_view v;
    struct cuzk_error err;
    assert_int_equal(cuzk_view_take(engine, &v, &err), CUZK_OK);
    uint64_t n = v.kind[CUZK_POREP].completed;
    cuzk_view_clean_up(&v);
    return n;
}

static struct cost hot_porep(void)
{
    char id[160];
    struct cost before = cost_now();
    submit_porep(id);
    ends(id);
    return cost_since(&before);
}

static int set_up(void **state)
{
    enum { BLANKS = 64 };
    struct cuzk_config config = proofs_config(CUZK_TEST_PARAMS);
    struct error err;
    uint8_t *text;
    (void)state;
    assert_ok(file_read(&text, &c1_n, CUZK_TEST_DATA "/proofs/porep-2kib-m1000-s11.c1.json",
                        1 << 30, &err),
              &err);
    c1 = malloc(c1_n + BLANKS);
    memcpy(c1, text, c1_n);
    memset(c1 + c1_n, ' ', BLANKS);
    free(text);
    config.memory_total = UINT64_C(3) << 30;
    config.timeline = on_event;
    engine = engine_with(&config);
    seen.threads = pool_threads(engine->pool);
    pool_watch(engine->pool, &watcher);
    ask(&winning, "winning-2kib-1", &winning_kind, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    cuzk_engine_close(engine);
    ask_free(&winning);
    free(c1);
    return 0;
}

static double seconds(uint64_t ns)
{
    return 1e-9 * (double)ns;
}

static double ratio(uint64_t a, uint64_t b)
{
    return (double)a / (double)b;
}

static uint64_t median(const uint64_t t[3])
{
    uint64_t low = t[0] < t[1] ? t[0] : t[1], high = t[0] < t[1] ? t[1] : t[0];
    return t[2] < low ? low : t[2] > high ? high : t[2];
}

static void ten_cost_ten_times_one(void **state)
{
    char id[JOBS][160];
    (void)state;
    hot_porep(); /* loads keys and makes a worker */
    struct cost one = hot_porep(), before = cost_now();
    uint64_t busy_ns = busy_so_far_ns();
    for (unsigned i = 0; i < JOBS; i++)
        submit_porep(id[i]);
    for (unsigned i = 0; i < JOBS; i++)
        ends(id[i]);
    struct cost ten = cost_since(&before);
    busy_ns = busy_so_far_ns() - busy_ns;
    struct cost again = hot_porep();
    double cpu = ratio(ten.cpu_ns, JOBS / 2 * (one.cpu_ns + again.cpu_ns)),
           busy = ratio(busy_ns, seen.threads * ten.wall_ns);
    print_message(
        "one: %.2f and %.2f CPU s, ten: %.2f, %.3f times as much; %u threads %.1f %% busy\n",
        seconds(one.cpu_ns), seconds(again.cpu_ns), seconds(ten.cpu_ns), cpu, seen.threads,
        100 * busy);
    print_message("%" PRIu64 " tasks, %" PRIu64 " over %d ms of CPU time, the longest %.1f ms\n",
                  (uint64_t)seen.tasks, (uint64_t)seen.tasks_too_long, TASK_MOST_MS,
                  1e3 * seconds(seen.task_most_ns));
    assert_true(cpu <= 1.05);
    assert_true(busy >= 0.9);
    assert_true(10000 * seen.tasks_too_long <=
                seen.tasks); /* some meet memory for the first time */
}

/* Two PoReps are at work, and a third waits. */
static void winning_overtakes(void **state)
{
    char id[3][160], urgent[160];
    uint64_t wall_ms[3], lead[3];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        submit_winning(urgent);
        wall_ms[i] = ends(urgent);
        lead[i] = lead_ns;
    }
    uint64_t done = completed_poreps();
    seen.overtaken = 0;
    for (unsigned i = 0; i < 3; i++)
        submit_porep(id[i]);
    ends(id[0]);
    submit_winning(urgent);
    uint64_t took_ms = ends(urgent), took = lead_ns, poreps = completed_poreps() - done;
    unsigned overtaken = seen.overtaken;
    for (unsigned i = 1; i < 3; i++)
        ends(id[i]);
    print_message(
        "WinningPoSt: %.2f s alone, %.2f s amid PoReps (CPU time of the leading thread; "
        "%.2f s and %.2f s by the clock); %u tasks began that should have waited\n",
        seconds(median(lead)), seconds(took), 1e-3 * (double)median(wall_ms),
        1e-3 * (double)took_ms, overtaken);
    assert_int_equal(overtaken, 0);
    assert_true(poreps < 3);
    assert_true(took <= median(lead) / 10 * 13 + 100 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_cost_ten_times_one),
        cmocka_unit_test(winning_overtakes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
