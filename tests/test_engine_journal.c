/* ctest: quick asan */
/* A process that is killed at each state of the journal: the next one has the same jobs, ends each once, and proves only what was not
 * journalled. */
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/state.h"
#include "engine_fake.h"

static char dir[] = "/tmp/cuzk-journal-XXXXXX", path[200];

static void remove_journal(void)
{
    static const char *const suffix[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        char file[220];
        snprintf(file, sizeof file, "%s%s", path, suffix[i]);
        unlink(file);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (*path)
        return 0;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/journal.db", dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_journal();
    return rmdir(dir);
}

static struct cuzk_config journal_config(void)
{
    struct cuzk_config config = fake_config();
    config.journal_path = path;
    return config;
}

/* Goes through every state, one job after the other; ids are the same in each life. */
static void live(struct cuzk_engine *e)
{
    struct cuzk_error err;
    char id[160];
    int was_running;
    fake_submit(e, id, "done", CUZK_POREP, "p=3 done");
    fake_submit(e, id, "also", CUZK_POREP, "p=3 done"); /* a second name */
    fake_ends(e, "done", CUZK_COMPLETED, "p=3 done");
    fake_submit(e, id, "failed", CUZK_POREP, "p=2 fail=1");
    fake_ends(e, "failed", CUZK_FAILED, "");
    fake_submit(e, id, "cancelled", CUZK_POREP, "t=100000 c");
    assert_int_equal(cuzk_cancel(e, &was_running, "cancelled", &err), CUZK_OK);
    fake_ends(e, "cancelled", CUZK_CANCELLED, "");
}

static void assert_killed(pid_t child, const char *where)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail_msg("%s was not reached", where);
}

/* What fails in the child ends it: it doesn't go on with the next test. */
static pid_t fork_life(void)
{
    pid_t child = fork();
    if (child == 0)
        setenv("CMOCKA_TEST_ABORT", "1", 1);
    return child;
}

static void crash_at(const char *where)
{
    pid_t child = fork_life();
    if (child == 0) {
        struct cuzk_config config = journal_config();
        if (strstr(where, "forgotten"))
            config.keep_results_ms = 1;
        setenv("CUZK_CRASH_AT", where, 1);
        struct cuzk_engine *e = fake_open(&config);
        live(e);
        fake_sleep_ms(3000);
        _exit(1);
    }
    assert_killed(child, where);
}

/* Of the job "done" that came back proven. */
static unsigned count_partitions(struct cuzk_engine *e)
{
    struct cuzk_view v;
    struct cuzk_error err;
    unsigned n = 0;
    assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
    for (size_t i = 0; i < v.jobs_n; i++)
        for (size_t k = 0; k < v.jobs[i].partitions_n && v.jobs[i].partitions_n == 3; k++)
            n += v.jobs[i].partitions[k].state == CUZK_P_DONE;
    cuzk_view_clean_up(&v);
    return n;
}

/* ---- What is in the journal at last: every job has ended, and each input was completed once ---- */

struct ends {
    uint8_t completed[16][32];
    size_t n;
};

static int count_end(void *ctx, const struct journal_job *job, struct error *err)
{
    struct ends *ends = ctx;
    (void)err;
    assert_in_range(job->state, CUZK_COMPLETED, CUZK_CANCELLED);
    if (job->state != CUZK_COMPLETED)
        return 0;
    for (size_t i = 0; i < ends->n; i++)
        assert_memory_not_equal(ends->completed[i], job->hash, 32);
    memcpy(ends->completed[ends->n++], job->hash, 32);
    return 0;
}

static int skip_partition(void *ctx, uint64_t seq, unsigned i, const struct job_partition *p,
                          struct error *err)
{
    (void)ctx, (void)seq, (void)i, (void)p, (void)err;
    return 0;
}

static int skip_attempt(void *ctx, uint64_t seq, unsigned i, unsigned deaths, struct error *err)
{
    (void)ctx, (void)seq, (void)i, (void)deaths, (void)err;
    return 0;
}

static int skip_name(void *ctx, uint64_t seq, const char *base, unsigned n, struct error *err)
{
    (void)ctx, (void)seq, (void)base, (void)n, (void)err;
    return 0;
}

static void expect_one_end_each(void)
{
    struct journal *j;
    struct error err;
    struct ends ends = {.n = 0};
    struct journal_visitor v = {count_end, skip_partition, skip_attempt, skip_name, &ends};
    assert_int_equal(journal_open(&j, path, &err), 0);
    assert_int_equal(journal_visit(j, &v, &err), 0);
    assert_int_equal(ends.n, 1);
    journal_close(j);
}

/* R37 */
static void survives_kill(void **state)
{
    static const char *const points[] = {
        "before-queued",    "queued",    "before-named",     "named",
        "before-running",   "running",   "before-partition", "partition",
        "before-completed", "completed", "before-failed",    "failed",
        "before-cancelled", "cancelled", "before-forgotten", "forgotten"};
    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        remove_journal();
        crash_at(points[i]);
        struct cuzk_config config = journal_config();
        struct cuzk_engine *e = fake_open_shut(&config);
        unsigned kept = count_partitions(e); /* nothing is proven before that */
        fake.gate = 0;
        live(e); /* what came back is attached to or ends as before */
        int expected = 3 - (int)kept;
        if (strcmp(points[i], "queued") == 0)
            assert_int_equal(kept, 0);
        if (strcmp(points[i], "completed") == 0)
            assert_int_equal(kept, 3);
        /* And the first partition of the job that fails, if it comes before the second: once more if what came back of it has
         * failed before it is submitted again. */
        if (fake.proved < expected || fake.proved > expected + 2)
            fail_msg("%s: %d partitions proven, %u were kept", points[i], fake.proved, kept);
        fake_ends(e, "also", CUZK_COMPLETED, "p=3 done");
        fake_close(e);
        expect_one_end_each();
    }
}

/* Results are there in the next life, with their times and messages; nothing is proven for them. */
static void results_outlive_the_process(void **state)
{
    (void)state;
    struct cuzk_config config = journal_config();
    struct cuzk_result r;
    struct cuzk_error err;
    struct cuzk_engine *e, *second;
    remove_journal();
    e = fake_open(&config);
    live(e);
    fake_close(e);
    for (int life = 0; life < 2; life++) {
        e = fake_open(&config);
        fake_ends(e, "done", CUZK_COMPLETED, "p=3 done");
        fake_ends(e, "also", CUZK_COMPLETED, "p=3 done");
        fake_ends(e, "cancelled", CUZK_CANCELLED, "");
        assert_int_equal(cuzk_await(e, &r, "failed", 0, &err), CUZK_OK);
        assert_string_equal(r.message, "partition 1: unsatisfied");
        cuzk_result_clean_up(&r);
        assert_int_equal(fake.proved, 0);
        assert_int_equal(engine_open_with(&second, &config, &fake_backend, &err),
                         CUZK_RESOURCE_EXHAUSTED);
        assert_string_equal(err.cause, "journal-in-use");
        fake_close(e);
    }
}

/* A stop in the middle: the job goes on in the next life from where it was. */
static void goes_on_after_a_stop(void **state)
{
    (void)state;
    struct cuzk_config config = journal_config();
    char id[160];
    remove_journal();
    struct cuzk_engine *e = fake_open_shut(&config);
    fake_submit(e, id, "long", CUZK_POREP, "p=40 held=4");
    fake_await(&fake.proved, 4);
    cuzk_engine_stop(e);
    cuzk_engine_drain(e);
    fake_close(e);
    e = fake_open(&config);
    fake_ends(e, "long", CUZK_COMPLETED, "p=40 held=4");
    assert_int_equal(fake.proved, 40 - 4);
    fake_close(e);
}

/* ---- Jobs that the process dies of ---- */

/* A life that ends by itself, with what body(e) does; the gate is shut. */
static void die(void (*body)(struct cuzk_engine *e), int decode_dies)
{
    pid_t child = fork_life();
    if (child == 0) {
        struct cuzk_config config = journal_config();
        fake.decode_dies = decode_dies;
        body(fake_open_shut(&config));
        fake_sleep_ms(20000);
        _exit(1);
    }
    assert_killed(child, "the end of the process");
}

static void submit_killer(struct cuzk_engine *e)
{
    char id[160];
    fake.gate = 0;
    fake_submit(e, id, "bystander", CUZK_POREP, "t=300 beside it");
    fake_submit(e, id, "killer", CUZK_POREP, "p=2 dies=1");
}

static void submit_harmless(struct cuzk_engine *e)
{
    char id[160];
    fake_submit(e, id, "harmless", CUZK_POREP, "harmless");
    kill(getpid(), SIGKILL);
}

static void submit_nothing(struct cuzk_engine *e)
{
    (void)e;
    fake.gate = 0;
}

/* Events of one kind. */
static const char *expected_event;
static char events[8][300];
static int events_n;

static void on_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                     const char *detail)
{
    (void)ctx, (void)ms;
    if (strcmp(event, expected_event) == 0 && events_n < 8)
        snprintf(events[events_n++], sizeof events[0], "%s: %s", job_id, detail);
}

static struct cuzk_engine *open_after_deaths(void)
{
    struct cuzk_config config = journal_config();
    config.timeline = on_event;
    expected_event = "interrupted";
    events_n = 0;
    return fake_open(&config);
}

static void expect_failure(struct cuzk_engine *e, const char *id, const char *message)
{
    struct cuzk_result r;
    struct cuzk_error err;
    assert_int_equal(cuzk_await(e, &r, id, 20000, &err), CUZK_OK);
    assert_int_equal(r.state, CUZK_FAILED);
    assert_string_equal(r.message, message);
    cuzk_result_clean_up(&r);
}

/* Three deaths are its own; what was proven beside it at the first is proven. */
static void a_job_that_kills_is_given_up(void **state)
{
    static const char cause[] =
        "the daemon died 3 times while proving it (partition 1); it is not tried again";
    char expected[200];
    (void)state;
    remove_journal();
    for (int life = 0; life < 3; life++)
        die(life == 0 ? submit_killer : submit_nothing, 0);
    struct cuzk_engine *e = open_after_deaths();
    expect_failure(e, "killer", cause);
    fake_ends(e, "bystander", CUZK_COMPLETED, "t=300 beside it");
    snprintf(expected, sizeof expected, "killer: %s", cause);
    assert_int_equal(events_n, 1);
    assert_string_equal(events[0], expected);
    fake_close(e);
}

static void an_input_that_kills_is_given_up(void **state)
{
    (void)state;
    remove_journal();
    die(submit_harmless, 0);
    for (int life = 0; life < 3; life++)
        die(submit_nothing, 1);
    struct cuzk_engine *e = open_after_deaths();
    expect_failure(e, "harmless",
                   "the daemon died 3 times while reading its input; it is not tried again");
    assert_int_equal(fake.decoded, 0);
    fake_close(e);
}

/* However often. */
static void a_job_that_was_stopped_is_not(void **state)
{
    struct cuzk_config config = journal_config();
    char id[160];
    (void)state;
    remove_journal();
    for (int life = 0; life < 4; life++) {
        struct cuzk_engine *e = fake_open(&config);
        fake_submit(e, id, "stopped", CUZK_POREP, "t=1000 stopped");
        fake_await(&fake.proving, 1);
        cuzk_engine_stop(e);
        fake_close(e);
    }
    struct cuzk_engine *e = open_after_deaths();
    fake_ends(e, "stopped", CUZK_COMPLETED, "t=1000 stopped");
    assert_int_equal(events_n, 0);
    fake_close(e);
}

static void run_sql(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int count_deaths_in_file(void)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT total(n) FROM attempt", -1, &st, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int n = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

static void be_killed_in(struct cuzk_engine *e, void (*ends)(struct cuzk_engine *e))
{
    char id[160];
    fake_submit(e, id, "slow", CUZK_POREP, "slow");
    fake_await(&fake.proving, 1);
    setenv("CUZK_CRASH_AT", "stopping", 1);
    if (ends)
        ends(e);
    kill(getpid(), SIGKILL);
}

static void be_killed(struct cuzk_engine *e)
{
    be_killed_in(e, NULL);
}

static void be_killed_in_a_drain(struct cuzk_engine *e)
{
    be_killed_in(e, cuzk_engine_drain);
}

static void be_killed_in_a_stop(struct cuzk_engine *e)
{
    be_killed_in(e, cuzk_engine_stop);
}

/* systemd kills what it has told to end and that has not in time: as often as it likes. What was counted before is kept. */
static void a_kill_after_the_end_began_does_not_count(void **state)
{
    (void)state;
    remove_journal();
    die(be_killed, 0);
    for (int life = 0; life < 4; life++)
        die(life % 2 ? be_killed_in_a_drain : be_killed_in_a_stop, 0);
    assert_int_equal(count_deaths_in_file(), 1);
    struct cuzk_engine *e = open_after_deaths();
    fake_ends(e, "slow", CUZK_COMPLETED, "slow");
    assert_int_equal(events_n, 1);
    assert_string_equal(events[0], "slow: the daemon died 1 time while proving it (partition 0)");
    fake_close(e);
}

static struct journal *reopen(struct journal *j)
{
    struct error err;
    journal_close(j);
    assert_int_equal(journal_open(&j, path, &err), 0);
    return j;
}

static void nothing_counts_after_the_end_began(void **state)
{
    struct journal *j;
    struct error err;
    (void)state;
    remove_journal();
    j = reopen(NULL);
    assert_int_equal(journal_begin_attempt(j, 1, 0, &err), 0);
    j = reopen(j); /* a death in partition 0 */
    assert_int_equal(journal_begin_attempt(j, 1, 0, &err), 0);
    assert_int_equal(journal_begin_attempt(j, 1, 1, &err), 0);
    assert_int_equal(journal_count_no_more(j, &err), 0);
    assert_int_equal(journal_begin_attempt(j, 1, 2, &err), 0);
    assert_int_equal(journal_end_attempt(j, 1, 0, &err), 0); /* given up */
    j = reopen(j);
    assert_int_equal(journal_begin_attempt(j, 1, 3, &err), 0); /* and another in partition 3 */
    journal_close(j);
    assert_int_equal(count_deaths_in_file(), 2);
}

/* One of version 1, which counted no attempts. */
static void an_old_journal_goes_on(void **state)
{
    struct cuzk_config config = journal_config();
    char id[160];
    (void)state;
    remove_journal();
    struct cuzk_engine *e = fake_open(&config);
    fake_submit(e, id, "older", CUZK_POREP, "p=3 older");
    fake_ends(e, "older", CUZK_COMPLETED, "p=3 older");
    fake.gate = 1;
    fake_submit(e, id, "old", CUZK_POREP, "p=2 old");
    cuzk_engine_close(e);
    run_sql(
        "DROP TABLE attempt; ALTER TABLE partition DROP COLUMN digest;"
        "ALTER TABLE name DROP COLUMN digest; PRAGMA user_version = 1;"
        "PRAGMA application_id = 0");
    e = fake_open(&config);
    fake_ends(e, "older", CUZK_COMPLETED, "p=3 older");
    fake_ends(e, "old", CUZK_COMPLETED, "p=2 old");
    assert_int_equal(fake.proved, 2);
    fake_close(e);
    e = fake_open(&config); /* and is the new one's then */
    fake_ends(e, "old", CUZK_COMPLETED, "p=2 old");
    fake_close(e);
}

/* ---- Damage that SQLite does not see ---- */

/* A life that leaves job 1 completed and job 2 ("long") under way with four partitions proven. */
static void live_before_damage(void)
{
    struct cuzk_config config = journal_config();
    char id[160];
    remove_journal();
    struct cuzk_engine *e = fake_open(&config);
    fake_submit(e, id, "done", CUZK_POREP, "p=3 done");
    fake_ends(e, "done", CUZK_COMPLETED, "p=3 done");
    fake.gate = 1;
    fake_submit(e, id, "long", CUZK_POREP, "p=40 held=4");
    fake_await(&fake.proved, 3 + 4);
    cuzk_engine_stop(e);
    cuzk_engine_drain(e);
    fake_close(e);
}

static struct cuzk_engine *open_damaged(const char *sql)
{
    struct cuzk_config config = journal_config();
    run_sql(sql);
    config.timeline = on_event;
    expected_event = "journal-damage";
    events_n = 0;
    return fake_open(&config);
}

/* What is wrong in the file is never a result, neither of a job nor in the place of another's. */
static void damaged_proofs_are_made_again(void **state)
{
    static const char *const damage[] = {
        "UPDATE partition SET proof = zeroblob(192) WHERE i = 1",
        "UPDATE partition SET proof = substr(proof, 1, 191) WHERE i = 1",
        ("CREATE TEMP TABLE was AS SELECT * FROM partition;"
         "UPDATE partition SET (proof, digest) = (SELECT proof, digest FROM was"
         " WHERE was.seq = 3 - partition.seq AND was.i = 1) WHERE i = 1"),
        ("UPDATE partition SET (proof, digest) = (SELECT proof, digest FROM partition p"
         " WHERE p.seq = partition.seq AND p.i = 0) WHERE i = 1"),
    };
    char id[160];
    (void)state;
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        live_before_damage();
        struct cuzk_engine *e = open_damaged(damage[i]);
        expect_failure(e, "done", "the proof was damaged in the journal: submit the job again");
        fake_submit(e, id, "done", CUZK_POREP, "p=3 done");
        assert_string_equal(id, "done");
        fake_ends(e, "done", CUZK_COMPLETED, "p=3 done");
        fake_ends(e, "long", CUZK_COMPLETED, "p=40 held=4");
        assert_int_equal(fake.proved, 3 + 40 - 4 + 1);
        assert_int_equal(events_n, 2);
        assert_string_equal(events[0], "done: the proof of partition 1 was damaged in the journal");
        assert_string_equal(events[1],
                            "long: the proof of partition 1 was damaged in the journal"
                            " and is made again");
        fake_close(e);
        e = open_damaged("SELECT 1");
        fake_ends(e, "done", CUZK_COMPLETED, "p=3 done");
        fake_ends(e, "long", CUZK_COMPLETED, "p=40 held=4");
        fake_close(e);
    }
}

/* A name leads to no other job, and a request is not proven as another's. */
static void damaged_names_and_requests_are_no_others(void **state)
{
    struct cuzk_result r;
    struct cuzk_error err;
    char id[160];
    (void)state;
    live_before_damage();
    struct cuzk_engine *e = open_damaged("UPDATE name SET seq = 1 WHERE base = 'long'");
    assert_int_equal(cuzk_await(e, &r, "long", 1, &err), CUZK_NOT_FOUND);
    assert_int_equal(events_n, 1);
    assert_string_equal(events[0], "long: the name was damaged in the journal and is gone");
    fake_submit(e, id, "long", CUZK_POREP, "p=40 held=4");
    fake_ends(e, id, CUZK_COMPLETED, "p=40 held=4");
    fake_close(e);
    live_before_damage();
    e = open_damaged(
        "UPDATE payload SET data = CAST(replace(CAST(data AS TEXT), 'held=4', 'held=5')"
        " AS BLOB) WHERE instr(data, CAST('held=4' AS BLOB))");
    expect_failure(e, "long", "a request in the journal is damaged");
    fake_close(e);
}

static void submit_as(struct cuzk_engine *e, enum cuzk_priority priority, uint64_t deadline_ms)
{
    struct cuzk_request r = fake_request("a", CUZK_POREP, "urgent later");
    struct cuzk_error err;
    char id[160];
    uint32_t position;
    r.priority = priority;
    r.deadline_ms = deadline_ms;
    assert_int_equal(cuzk_submit(e, id, &position, &r, &err), CUZK_OK);
    assert_string_equal(id, "a");
}

static const struct job *only_job(struct cuzk_engine *e)
{
    assert_non_null(e->sched.jobs.first);
    assert_null(e->sched.jobs.first->next);
    return e->sched.jobs.first;
}

/* What a job becomes by attaching comes back too. */
static void urgency_outlives_the_process(void **state)
{
    (void)state;
    struct cuzk_config config = journal_config();
    remove_journal();
    struct cuzk_engine *e = fake_open_shut(&config);
    submit_as(e, CUZK_LOW, 0);
    submit_as(e, CUZK_HIGH, 0);
    submit_as(e, CUZK_NORMAL, 3600000);
    submit_as(e, CUZK_LOW, 7200000);
    uint64_t deadline_ms = only_job(e)->deadline_ms;
    assert_int_not_equal(deadline_ms, 0);
    cuzk_engine_stop(e);
    fake_close(e);
    e = fake_open_shut(&config);
    assert_int_equal(only_job(e)->priority, CUZK_HIGH);
    assert_int_equal(only_job(e)->deadline_ms, deadline_ms);
    fake.gate = 0;
    fake_ends(e, "a", CUZK_COMPLETED, "urgent later");
    fake_close(e);
}

/* "It runs" may be written after "it was cancelled", by another thread. */
static void an_end_stays(void **state)
{
    static const uint8_t payload[1];
    struct journal_job job = {.seq = 1,
                              .hash = {7},
                              .kind = CUZK_POREP,
                              .priority = CUZK_NORMAL,
                              .circuit = "small",
                              .partitions_n = 1};
    struct ends ends = {.n = 0};
    struct journal_visitor v = {count_end, skip_partition, skip_attempt, skip_name, &ends};
    struct journal *j;
    struct error err;
    (void)state;
    remove_journal();
    assert_int_equal(journal_open(&j, path, &err), 0);
    assert_int_equal(journal_add_job(j, &job, payload, 1, "a", 1, &err), 0);
    assert_int_equal(journal_set_state(j, 1, CUZK_CANCELLED, 5, "", &err), 0);
    assert_int_equal(journal_set_state(j, 1, CUZK_RUNNING, 0, "", &err), 0);
    assert_int_equal(journal_visit(j, &v, &err), 0); /* none that has not ended */
    assert_int_equal(ends.n, 0);
    journal_close(j);
}

static void move_times(int64_t ms)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "UPDATE job SET submitted_ms = submitted_ms + %" PRId64
             ", ended_ms = iif(ended_ms, ended_ms + %" PRId64 ", 0)",
             ms, ms);
    run_sql(sql);
}

/* The wall clock is ten years behind in the next life: results are kept, what was under way goes on, and times stay sane. */
static void clock_set_back_between_lives(void **state)
{
    (void)state;
    struct cuzk_config config = journal_config();
    struct cuzk_result r;
    struct cuzk_view v;
    struct cuzk_error err;
    char id[160];
    remove_journal();
    struct cuzk_engine *e = fake_open(&config);
    fake_submit(e, id, "done", CUZK_POREP, "p=3 done");
    fake_ends(e, "done", CUZK_COMPLETED, "p=3 done");
    fake.gate = 1;
    fake_submit(e, id, "under way", CUZK_POREP, "p=2 under way");
    fake_close(e);
    move_times(INT64_C(315576000000));
    e = fake_open(&config);
    fake_ends(e, "under way", CUZK_COMPLETED, "p=2 under way");
    fake_ends(e, "done", CUZK_COMPLETED, "p=3 done");
    assert_int_equal(cuzk_await(e, &r, "under way", 0, &err), CUZK_OK);
    assert_true(r.total_ms < 60000 && r.queue_wait_ms < 60000);
    cuzk_result_clean_up(&r);
    assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
    assert_int_equal(v.jobs_n, 2);
    assert_true(v.kind[CUZK_POREP].duration.ms_sum < 60000);
    cuzk_view_clean_up(&v);
    fake_close(e);
}

static void refuses_what_is_no_journal(void **state)
{
    (void)state;
    struct cuzk_config config = journal_config();
    struct cuzk_engine *e;
    struct cuzk_error err;
    struct error plain;
    struct journal *j;
    remove_journal();
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fprintf(file, "this is no journal, ");
    fclose(file);
    assert_int_equal(engine_open_with(&e, &config, &fake_backend, &err), CUZK_INVALID_ARGUMENT);
    assert_string_equal(err.cause, "journal-damaged");
    remove_journal();
    assert_int_equal(journal_open(&j, "/nowhere/journal", &plain), ERR_IO);
    assert_non_null(strstr(plain.text, "/nowhere/journal"));
}

/* The file's bytes, and those of its log, in *n. */
static uint8_t *read_journal(size_t *n)
{
    static const char *const suffix[] = {"", "-wal"};
    uint8_t *bytes = malloc(1 << 20);
    *n = 0;
    for (size_t i = 0; i < 2; i++) {
        char name[220];
        snprintf(name, sizeof name, "%s%s", path, suffix[i]);
        FILE *file = fopen(name, "rb");
        if (!file)
            continue;
        *n += fread(bytes + *n, 1, ((size_t)1 << 20) - *n, file);
        fclose(file);
    }
    return bytes;
}

static void expect_untouched(const char *cause)
{
    size_t before_n, after_n;
    struct journal *j;
    struct error err;
    uint8_t *before = read_journal(&before_n);
    assert_int_not_equal(before_n, 0);
    if (journal_open(&j, path, &err) == 0)
        fail_msg("%s: it was opened", cause);
    assert_string_equal(err.cause, cause);
    assert_non_null(strstr(err.text, path));
    uint8_t *after = read_journal(&after_n);
    assert_int_equal(after_n, before_n);
    assert_memory_equal(after, before, before_n);
    free(before);
    free(after);
}

static void make_journal(void)
{
    struct error err;
    struct journal *j;
    remove_journal();
    assert_int_equal(journal_open(&j, path, &err), 0);
    journal_close(j);
}

/* Other programs' databases, journals of later versions: not a byte of them changes. */
static void what_is_not_ours_is_not_touched(void **state)
{
    static const char *const foreign[] = {
        "CREATE TABLE t(a)",
        "CREATE TABLE t(a); PRAGMA user_version = 1",
        "CREATE TABLE job(a); PRAGMA user_version = 2",
        "CREATE TABLE t(a); PRAGMA user_version = -1",
        "CREATE TABLE t(a); PRAGMA user_version = 77",
        "PRAGMA application_id = 7",
        "PRAGMA journal_mode = WAL; CREATE TABLE t(a); PRAGMA user_version = 1",
    };
    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        remove_journal();
        run_sql(foreign[i]);
        expect_untouched("journal-foreign");
    }
    make_journal();
    run_sql("PRAGMA application_id = 7");
    expect_untouched("journal-foreign");
    make_journal();
    run_sql("PRAGMA user_version = 3");
    expect_untouched("journal-newer");
}

/* Killed with its log not yet in the file: that stays as it is too. */
static void a_foreign_log_is_not_touched(void **state)
{
    (void)state;
    remove_journal();
    pid_t child = fork();
    if (child == 0) {
        sqlite3 *db;
        if (sqlite3_open(path, &db) == SQLITE_OK)
            sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)", NULL, NULL, NULL);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    expect_untouched("journal-foreign");
}

/* Who may write everything becomes somebody else first. */
static void a_read_only_file_is_called_so(void **state)
{
    (void)state;
    make_journal();
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(dir, 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        struct journal *j;
        struct error err = {0};
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        _exit(journal_open(&j, path, &err) != ERR_NO_PERM ||
              strcmp(err.cause, "journal-read-only") != 0 || !strstr(err.text, path));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_kill),
        cmocka_unit_test(results_outlive_the_process),
        cmocka_unit_test(goes_on_after_a_stop),
        cmocka_unit_test(a_job_that_kills_is_given_up),
        cmocka_unit_test(an_input_that_kills_is_given_up),
        cmocka_unit_test(a_job_that_was_stopped_is_not),
        cmocka_unit_test(a_kill_after_the_end_began_does_not_count),
        cmocka_unit_test(nothing_counts_after_the_end_began),
        cmocka_unit_test(an_old_journal_goes_on),
        cmocka_unit_test(damaged_proofs_are_made_again),
        cmocka_unit_test(damaged_names_and_requests_are_no_others),
        cmocka_unit_test(urgency_outlives_the_process),
        cmocka_unit_test(an_end_stays),
        cmocka_unit_test(clock_set_back_between_lives),
        cmocka_unit_test(refuses_what_is_no_journal),
        cmocka_unit_test(what_is_not_ours_is_not_touched),
        cmocka_unit_test(a_foreign_log_is_not_touched),
        cmocka_unit_test(a_read_only_file_is_called_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
