/* ctest: quick asan tsan */
/* The engine's calls over a backend that is no prover: admission, names, attaching, waiting, cancelling, parameters, ends. */
#include <sys/stat.h>
#include <unistd.h>

#include "engine/state.h"
#include "engine_fake.h"

static void proves_a_job(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_view v;
    struct cuzk_error err;
    char id[160], drawn[160];
    fake_submit(e, id, "a", CUZK_POREP, "p=5 t=2");
    assert_string_equal(id, "a");
    fake_ends(e, "a", CUZK_COMPLETED, "p=5 t=2");
    fake_ends(e, "a", CUZK_COMPLETED, "p=5 t=2");
    assert_int_equal(fake.proved, 5);
    assert_true(fake.most_proving <= 2);
    fake_submit(e, drawn, "", CUZK_SNAP, "other");
    assert_int_equal(strlen(drawn), 36);
    fake_ends(e, drawn, CUZK_COMPLETED, "other");
    assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
    assert_int_equal(v.jobs_n, 2);
    assert_string_equal(v.jobs[0].id, "a");
    assert_int_equal(v.jobs[0].partitions_n, 5);
    assert_int_equal(v.jobs[0].partitions[4].state, CUZK_P_DONE);
    assert_int_equal(v.kind[CUZK_POREP].completed, 1);
    assert_int_equal(v.kind[CUZK_POREP].duration.bucket[CUZK_DURATION_BUCKETS - 1], 1);
    for (int i = 0; i < CUZK_STAGES; i++) {
        assert_int_equal(v.kind[CUZK_POREP].stage[i].count, 5);
        assert_int_equal(v.kind[CUZK_POREP].stage[i].bucket[CUZK_DURATION_BUCKETS - 1], 5);
    }
    assert_true(v.kind[CUZK_POREP].stage[CUZK_S_MSM].ms_sum >= 5); /* where the fake works: 2 ms */
    assert_int_equal(v.srs_n, 1);
    assert_int_equal(v.srs[0].bytes, 1000);
    assert_true(v.memory_used <= v.memory_peak && v.memory_peak <= v.memory_total);
    cuzk_view_clean_up(&v);
    fake_close(e);
}

static void same_input_is_one_job(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    struct cuzk_engine *e = fake_open(&config);
    char id[160];
    fake.gate = 1;
    fake_submit(e, id, "a", CUZK_POREP, "p=2");
    fake_submit(e, id, "a", CUZK_POREP, "p=2");
    assert_string_equal(id, "a");
    fake_submit(e, id, "b", CUZK_POREP, "p=2");
    assert_string_equal(id, "b");
    fake.gate = 0;
    fake_ends(e, "b", CUZK_COMPLETED, "p=2");
    fake_submit(e, id, "a", CUZK_POREP, "p=2");
    fake_ends(e, id, CUZK_COMPLETED, "p=2");
    assert_int_equal(fake.proved, 2);
    assert_int_equal(fake.decoded, 1);
    fake_submit(e, id, "a", CUZK_SNAP, "p=2"); /* another kind is another input */
    assert_string_equal(id, "a#2");
    fake_ends(e, id, CUZK_COMPLETED, "p=2");
    assert_int_equal(fake.proved, 4);
    fake_close(e);
}

static void plain_id_means_the_newest(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    struct cuzk_engine *e = fake_open(&config);
    char id[160];
    fake_submit(e, id, "a", CUZK_POREP, "first");
    fake_submit(e, id, "a", CUZK_POREP, "second");
    assert_string_equal(id, "a#2");
    fake_submit(e, id, "a", CUZK_POREP, "third fail=0");
    assert_string_equal(id, "a#3");
    fake_ends(e, "a#2", CUZK_COMPLETED, "second");
    fake_ends(e, "a", CUZK_FAILED, "third fail=0");
    fake_submit(e, id, "a", CUZK_POREP, "first"); /* back to the first input: the newest again */
    assert_string_equal(id, "a#4");
    fake_ends(e, "a", CUZK_COMPLETED, "first");
    assert_int_equal(fake.proved, 2);
    fake_submit(e, id, "b", CUZK_POREP, "fails fail=0");
    fake_ends(e, "b", CUZK_FAILED, "");
    fake_submit(e, id, "b", CUZK_POREP, "fails fail=0"); /* a retry keeps its name */
    assert_string_equal(id, "b");
    fake_ends(e, "b", CUZK_FAILED, "");
    fake_close(e);
}

static void refuses(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    config.queue_limit = 2;
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_error err;
    struct cuzk_result result;
    char id[160], long_id[200];
    memset(long_id, 'x', sizeof long_id);
    long_id[199] = 0;
    assert_int_equal(fake_refused(e, &err, "a", (enum cuzk_kind)9, "x"), CUZK_INVALID_ARGUMENT);
    assert_string_equal(err.message, "invalid proof_kind: 9");
    assert_int_equal(fake_refused(e, &err, "a", CUZK_POREP, "bad"), CUZK_INVALID_ARGUMENT);
    assert_string_equal(err.cause, "c1-bad");
    assert_int_equal(fake_refused(e, &err, long_id, CUZK_POREP, "x"), CUZK_INVALID_ARGUMENT);
    fake.absent = 1;
    assert_int_equal(fake_refused(e, &err, "a", CUZK_POREP, "x"), CUZK_FAILED_PRECONDITION);
    fake.absent = 0;
    assert_int_equal(cuzk_await(e, &result, "a", 10, &err), CUZK_NOT_FOUND);
    assert_string_equal(err.message, "job not found: a");
    fake.gate = 1;
    fake_submit(e, id, "a", CUZK_POREP, "1");
    fake_submit(e, id, "b", CUZK_POREP, "2");
    assert_int_equal(fake_refused(e, &err, "c", CUZK_POREP, "3"), CUZK_RESOURCE_EXHAUSTED);
    assert_string_equal(err.cause, "queue-full");
    assert_true(err.retry_after_ms > 0);
    assert_int_equal(cuzk_await(e, &result, "b", 20, &err), CUZK_DEADLINE_EXCEEDED);
    fake.gate = 0;
    fake_ends(e, "b", CUZK_COMPLETED, "2");
    fake_ends(e, "a", CUZK_COMPLETED, "1");
    fake_submit(e, id, "c", CUZK_POREP, "3");
    fake_ends(e, "c", CUZK_COMPLETED, "3");
    fake_close(e);
}

static void memory_binds(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    config.memory_total = 40 * FAKE_MIB; /* one small worker of 10 MiB at a time besides reserve */
    config.eviction_min_idle_ms = 0;
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_error err;
    struct cuzk_view v;
    char id[160], name[8], text[32];
    assert_int_equal(fake_refused(e, &err, "l", CUZK_POREP, "c=1"), CUZK_RESOURCE_EXHAUSTED);
    assert_string_equal(err.cause, "can-never-fit");
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "j%d", i);
        snprintf(text, sizeof text, "p=2 t=2 n=%d c=%d", i, i % 3 == 2 ? 2 : 0);
        fake_submit(e, id, name, CUZK_POREP, text);
    }
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "j%d", i);
        snprintf(text, sizeof text, "p=2 t=2 n=%d c=%d", i, i % 3 == 2 ? 2 : 0);
        fake_ends(e, name, CUZK_COMPLETED, text);
    }
    assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
    assert_true(v.memory_peak <= 40 * FAKE_MIB && v.memory_peak >= 11 * FAKE_MIB);
    cuzk_view_clean_up(&v);
    fake_close(e);
}

static void cancels(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_error err;
    char id[160];
    int was_running;
    fake.gate = 1;
    fake_submit(e, id, "running", CUZK_POREP, "p=4 1");
    fake_submit(e, id, "waiting", CUZK_POREP, "p=4 2");
    fake_await(&fake.proving, 2);
    assert_int_equal(cuzk_cancel(e, &was_running, "waiting", &err), CUZK_OK);
    assert_int_equal(was_running, 1);
    assert_int_equal(cuzk_cancel(e, &was_running, "running", &err), CUZK_OK);
    assert_int_equal(was_running, 1);
    fake_ends(e, "waiting", CUZK_CANCELLED, "");
    fake_ends(e, "running", CUZK_CANCELLED, "");
    assert_int_equal(cuzk_cancel(e, &was_running, "running", &err), CUZK_OK);
    assert_int_equal(was_running, 0);
    assert_int_equal(cuzk_cancel(e, &was_running, "nobody", &err), CUZK_NOT_FOUND);
    fake_submit(e, id, "running", CUZK_POREP, "p=4 1"); /* again: a new run under the old name */
    assert_string_equal(id, "running");
    fake.gate = 0;
    fake_ends(e, "running", CUZK_COMPLETED, "p=4 1");
    assert_int_equal(fake.proved, 4);
    fake_close(e);
}

static atomic_uint class_seen; /* of the last loop */

static void see_class(void *ctx, enum pool_event event, unsigned class, size_t n)
{
    (void)ctx;
    (void)n;
    if (event == POOL_LOOP)
        class_seen = class;
}

/* Whoever asks for it again with a higher priority hastens what is in flight already. */
static void urgency_reaches_what_is_in_flight(void **state)
{
    static const struct pool_watcher watcher = {see_class, NULL};
    struct cuzk_config config = fake_config();
    struct cuzk_request r = fake_request("a", CUZK_POREP, "t=100000 long");
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_error err;
    char id[160];
    uint32_t position;
    int was_running;
    (void)state;
    pool_watch(e->pool, &watcher);
    for (r.priority = CUZK_LOW; r.priority <= CUZK_CRITICAL; r.priority++) {
        assert_int_equal(cuzk_submit(e, id, &position, &r, &err), CUZK_OK);
        for (int ms = 0; class_seen != engine_class(r.priority); ms++) {
            assert_true(ms < 20000);
            fake_sleep_ms(1);
        }
    }
    assert_int_equal(cuzk_cancel(e, &was_running, "a", &err), CUZK_OK);
    assert_int_equal(fake.order, 1); /* it was one partition all the time */
    fake_close(e);
}

/* R35, with one thread: who is more urgent takes it at the next task's end, who is as urgent waits. */
static void urgent_before_old(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    config.threads = 1;
    struct cuzk_engine *e = fake_open(&config);
    char id[160];
    fake.gate = 1;
    fake_submit(e, id, "old", CUZK_POREP, "old p=4");
    fake_await(&fake.proving, 1);
    fake_submit(e, id, "normal", CUZK_POREP, "normal");
    fake_submit(e, id, "window", CUZK_WINDOW_POST, "window");
    fake_await(&fake.proving, 2);
    fake_submit(e, id, "winning", CUZK_WINNING_POST, "winning");
    fake_await(&fake.proving, 3);
    fake.gate = 0;
    const char *const texts[] = {"old p=4", "normal", "window", "winning"};
    const char *const all[] = {"old", "normal", "window", "winning"};
    for (size_t i = 0; i < 4; i++)
        fake_ends(e, all[i], CUZK_COMPLETED, texts[i]);
    const char *const order[] = {"old p=4", "window",  "winning", "old p=4",
                                 "old p=4", "old p=4", "normal"};
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(fake.begun[i], order[i]);
    fake_close(e);
}

static atomic_int called;

static void count_done(void *ctx, const struct cuzk_result *result)
{
    atomic_int *state = ctx;
    *state = (int)result->state + 1;
    called++;
}

static void calls_when_done(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_error err;
    atomic_int first = 0, second = 0, third = 0;
    char id[160];
    called = 0;
    fake.gate = 1;
    fake_submit(e, id, "a", CUZK_POREP, "1");
    fake_submit(e, id, "never", CUZK_POREP, "2");
    assert_int_equal(cuzk_on_done(e, "a", count_done, &first, &err), CUZK_OK);
    assert_int_equal(cuzk_on_done(e, "never", count_done, &third, &err), CUZK_OK);
    assert_int_equal(cuzk_on_done(e, "b", count_done, &second, &err), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_cancel(e, &(int){0}, "a", &err), CUZK_OK);
    fake_await(&called, 1);
    assert_int_equal(first, CUZK_CANCELLED + 1);
    assert_int_equal(cuzk_on_done(e, "a", count_done, &second, &err), CUZK_OK);
    assert_int_equal(second, CUZK_CANCELLED + 1);
    cuzk_engine_close(e); /* with a job that waits: who waits for it hears so */
    assert_int_equal(called, 3);
    assert_true(third == CUZK_RUNNING + 1 || third == CUZK_QUEUED + 1);
    assert_int_equal(fake.inputs + fake.keys + fake.workers, 0);
}

/* A file for its owner alone, with both parts in it. Removes it. */
static void expect_file(const char *dir, const char *name, const char *part, const char *other)
{
    char path[200], text[2000] = "";
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "r");
    struct stat st;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    fread(text, 1, sizeof text - 1, file);
    fclose(file);
    if (strstr(text, part) == NULL || strstr(text, other) == NULL)
        fail_msg("%s: no \"%s\" or no \"%s\" in %s", name, part, other, text);
    unlink(path);
}

static void failures_stay_with_their_job(void **state)
{
    (void)state;
    char dir[] = "/tmp/cuzk-capsules-XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct cuzk_config config = fake_config();
    config.capsule_dir = dir;
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_result r;
    struct cuzk_error err;
    char id[160];
    fake.keys_fail = 1;
    fake_submit(e, id, "a", CUZK_POREP, "1");
    assert_int_equal(cuzk_await(e, &r, "a", 0, &err), CUZK_OK);
    assert_int_equal(r.state, CUZK_FAILED);
    assert_string_equal(r.message, "the parameters are cut");
    cuzk_result_clean_up(&r);
    fake_submit(e, id, "a", CUZK_POREP, "1"); /* the next one loads again */
    fake_ends(e, "a", CUZK_COMPLETED, "1");
    fake_submit(e, id, "b\nTo make", CUZK_POREP, "p=3 fail=1 unverified=1");
    fake_ends(e, "b\nTo make", CUZK_FAILED, "");
    expect_file(dir, "3-1.c1.json", "p=3 fail=1", " unverified=1");
    expect_file(dir, "3-1.txt", "job b\\x0aTo make\ncircuit",
                "cuzk prove porep --c1 3-1.c1.json --partition 1 --param-cache DIR\n");
    rmdir(dir);
    fake_submit(e, id, "d", CUZK_POREP,
                "4"); /* with keys opened anew: they may have been at fault */
    fake_ends(e, "d", CUZK_COMPLETED, "4");
    assert_int_equal(fake.opened, 3);
    fake.keys_stale = 1; /* a file that was replaced is opened anew, the job goes on */
    fake_submit(e, id, "c", CUZK_POREP, "p=3");
    fake_ends(e, "c", CUZK_COMPLETED, "p=3");
    assert_int_equal(fake.opened, 4);
    fake_close(e);
}

static void preloads_and_evicts(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    const char *const preload[] = {"large", NULL};
    config.preload = preload;
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_error err;
    char id[160];
    int flag;
    uint64_t number;
    fake_await(&fake.keys, 1);
    assert_int_equal(cuzk_preload(e, &flag, &number, "nothing", &err), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_preload(e, &flag, &number, "small", &err), CUZK_OK);
    assert_int_equal(flag, 0);
    assert_int_equal(cuzk_preload(e, &flag, &number, "small", &err), CUZK_OK);
    assert_int_equal(flag, 1);
    fake.gate = 1;
    fake_submit(e, id, "a", CUZK_POREP, "1");
    assert_int_equal(cuzk_evict(e, &flag, &number, "small", &err), CUZK_FAILED_PRECONDITION);
    fake.gate = 0;
    fake_ends(e, "a", CUZK_COMPLETED, "1");
    assert_int_equal(cuzk_evict(e, &flag, &number, "small", &err), CUZK_OK);
    assert_int_equal(flag, 1);
    assert_int_equal(number, 1000);
    assert_int_equal(fake.keys, 1);
    assert_int_equal(cuzk_evict(e, &flag, &number, "small", &err), CUZK_OK);
    assert_int_equal(flag, 0);
    fake.keys_fail = 1;
    assert_int_equal(cuzk_preload(e, &flag, &number, "small", &err), CUZK_FAILED_PRECONDITION);
    fake_close(e);
}

static void run_on_circuit(struct cuzk_engine *e, unsigned circuit)
{
    char id[160], text[32];
    static unsigned n;
    snprintf(text, sizeof text, "c=%u n=%u", circuit, n++);
    fake_submit(e, id, "", CUZK_POREP, text);
    fake_ends(e, id, CUZK_COMPLETED, text);
    fake_sleep_ms(3); /* moments differ */
}

/* Room for the large circuit's keys and worker, and the keys of one other. */
static void evicts_the_least_recently_used(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    config.memory_total = 78 * FAKE_MIB; /* an eighth is reserve */
    config.eviction_min_idle_ms = 0;
    for (unsigned last = 0; last <= 2; last += 2) {
        struct cuzk_engine *e = fake_open(&config);
        struct cuzk_error err;
        struct cuzk_view v;
        run_on_circuit(e, 0);
        run_on_circuit(e, 2);
        run_on_circuit(e, last);
        assert_int_equal(fake.opened, 2);
        run_on_circuit(e, 1);
        assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
        assert_int_equal(v.srs_n, 2);
        assert_string_equal(v.srs[last == 0 ? 0 : 1].circuit_id, fake_circuit_id(last));
        assert_string_equal(v.srs[last == 0 ? 1 : 0].circuit_id, fake_circuit_id(1));
        cuzk_view_clean_up(&v);
        assert_int_equal(fake.keys, 2);
        fake_close(e);
    }
}

/* H2: what has ended does not pile up. */
static void forgets_results(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    config.keep_results_ms = 100;
    struct cuzk_engine *e = fake_open_shut(&config);
    struct cuzk_result r;
    struct cuzk_error err;
    char id[160];
    atomic_int end = 0;
    int status;
    called = 0;
    fake_submit(e, id, "a", CUZK_POREP, "1");
    assert_int_equal(cuzk_on_done(e, "a", count_done, &end, &err), CUZK_OK);
    fake.gate = 0;
    fake_await(&called, 1);
    assert_int_equal(end, CUZK_COMPLETED + 1);
    for (int tries = 0; (status = cuzk_await(e, &r, "a", 1, &err)) == CUZK_OK; tries++) {
        assert_true(tries < 10000);
        cuzk_result_clean_up(&r);
        fake_sleep_ms(5);
    }
    assert_int_equal(status, CUZK_NOT_FOUND);
    fake_close(e);
}

static void *drain(void *engine)
{
    cuzk_engine_drain(engine);
    return NULL;
}

static void drains(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    struct cuzk_engine *e = fake_open(&config);
    struct cuzk_view v = {0};
    struct cuzk_error err;
    char id[160];
    pthread_t thread;
    fake.gate = 1;
    fake_submit(e, id, "a", CUZK_POREP, "p=3 1");
    fake_submit(e, id, "b", CUZK_POREP, "p=3 2");
    pthread_create(&thread, NULL, drain, e);
    while (!v.draining) {
        cuzk_view_clean_up(&v);
        assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
    }
    cuzk_view_clean_up(&v);
    assert_int_equal(fake_refused(e, &err, "c", CUZK_POREP, "3"), CUZK_UNAVAILABLE);
    fake.gate = 0;
    pthread_join(thread, NULL);
    fake_ends(e, "a", CUZK_COMPLETED, "p=3 1");
    fake_ends(e, "b", CUZK_COMPLETED, "p=3 2");
    fake_close(e);
    e = fake_open(&config);
    fake.gate = 1;
    fake_submit(e, id, "a", CUZK_POREP, "p=3 1");
    cuzk_engine_stop(e);
    cuzk_engine_drain(e); /* returns although the job never ends */
    fake_close(e);
}

/* Many clients, few inputs: nothing is lost, nothing is proven twice. */
struct client {
    struct cuzk_engine *e;
    unsigned number;
    pthread_t thread;
};

static void *client_main(void *arg)
{
    struct client *c = arg;
    for (unsigned i = 0; i < 12; i++) {
        char id[160], name[32], text[32];
        snprintf(name, sizeof name, "r%u", i % 5);
        snprintf(text, sizeof text, "p=%u n=%u", 1 + i % 3, i);
        fake_submit(c->e, id, name, i % 4 == 3 ? CUZK_WINDOW_POST : CUZK_SNAP, text);
        if ((i + c->number) % 3 == 0 && strchr(id, '#')) /* a plain id may mean a newer input */
            fake_ends(c->e, id, CUZK_COMPLETED, text);
    }
    return NULL;
}

static void many_clients(void **state)
{
    (void)state;
    struct cuzk_config config = fake_config();
    config.max_batch_size = 2;
    config.max_batch_wait_ms = 10;
    config.memory_total = 100 * FAKE_MIB;
    struct cuzk_engine *e = fake_open(&config);
    struct client c[6];
    for (unsigned i = 0; i < 6; i++) {
        c[i] = (struct client){e, i, 0};
        pthread_create(&c[i].thread, NULL, client_main, &c[i]);
    }
    for (unsigned i = 0; i < 6; i++)
        pthread_join(c[i].thread, NULL);
    cuzk_engine_drain(e);
    assert_int_equal(fake.proved, 24);
    fake_close(e);
}

/* A smaller budget makes no admitted job fail: one that is too small for them is refused, and the former limits stay. */
static void a_budget_too_small_for_a_job_is_refused(void **state)
{
    struct cuzk_config config = fake_config(), next = config;
    struct cuzk_error err;
    struct cuzk_view v;
    char id[160];
    (void)state;
    struct cuzk_engine *e = fake_open(&config);
    fake.gate = 1;
    fake_submit(e, id, "large", CUZK_POREP, "c=1 large"); /* 67 MiB */
    fake_submit(e, id, "ended", CUZK_POREP, "c=1 ended");
    fake_submit(e, id, "small", CUZK_POREP, "small");
    assert_int_equal(cuzk_cancel(e, &(int){0}, "ended", &err), CUZK_OK);
    next.memory_total = 70 * FAKE_MIB; /* an eighth is reserve */
    next.queue_limit = 1;
    assert_int_equal(cuzk_engine_reconfigure(e, &next, &err), CUZK_RESOURCE_EXHAUSTED);
    assert_string_equal(err.cause, "can-never-fit");
    assert_non_null(strstr(err.message, "job large takes 7"));
    assert_non_null(strstr(err.message, "the new memory budget is 73400320 with a reserve of "));
    assert_non_null(strstr(err.message, "a budget of 1073741824"));
    assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
    assert_int_equal(v.memory_total, config.memory_total);
    cuzk_view_clean_up(&v);
    fake_submit(e, id, "another", CUZK_POREP, "another"); /* the former queue_limit */
    fake.gate = 0;
    fake_ends(e, "large", CUZK_COMPLETED, "c=1 large");
    fake_ends(e, "small", CUZK_COMPLETED, "small");
    fake_ends(e, "another", CUZK_COMPLETED, "another");
    assert_int_equal(cuzk_engine_reconfigure(e, &next, &err), CUZK_OK); /* nobody is in the way */
    fake_close(e);
}

static void plans(void **state)
{
    (void)state;
    struct cuzk_bill bill;
    struct cuzk_error err;
    assert_int_equal(cuzk_plan(&bill, "porep-32g", 16, &err), CUZK_OK);
    assert_int_equal(bill.partitions, 10);
    assert_true(bill.total_bytes >= bill.transform_bytes + bill.msm_bytes + bill.assignment_bytes);
    assert_true(bill.transform_bytes >= UINT64_C(8) << 30);
    assert_true(bill.total_bytes < UINT64_C(32) << 30);
    assert_int_equal(cuzk_plan(&bill, "porep-33g", 16, &err), CUZK_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proves_a_job),
        cmocka_unit_test(same_input_is_one_job),
        cmocka_unit_test(plain_id_means_the_newest),
        cmocka_unit_test(refuses),
        cmocka_unit_test(memory_binds),
        cmocka_unit_test(cancels),
        cmocka_unit_test(urgent_before_old),
        cmocka_unit_test(urgency_reaches_what_is_in_flight),
        cmocka_unit_test(calls_when_done),
        cmocka_unit_test(failures_stay_with_their_job),
        cmocka_unit_test(preloads_and_evicts),
        cmocka_unit_test(evicts_the_least_recently_used),
        cmocka_unit_test(forgets_results),
        cmocka_unit_test(drains),
        cmocka_unit_test(many_clients),
        cmocka_unit_test(a_budget_too_small_for_a_job_is_refused),
        cmocka_unit_test(plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
