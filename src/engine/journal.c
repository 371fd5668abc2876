#include "engine/journal.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash/sha256.h"

enum { DIGEST_VALUES = 4 }; /* of digest(...) in SQL */
enum { JOURNAL_VERSION = 2, JOURNAL_ID = 0x63757a6b /* "cuzk", since version 2 */ };

struct journal {
    sqlite3 *db;
    pthread_mutex_t lock;
    int counts_no_more; /* attempts */
};

static const char schema_1[] =
    "CREATE TABLE job(seq INTEGER PRIMARY KEY, hash BLOB NOT NULL, kind INTEGER NOT NULL,"
    " priority INTEGER NOT NULL, circuit TEXT NOT NULL, first INTEGER NOT NULL,"
    " partitions INTEGER NOT NULL, state INTEGER NOT NULL, submitted_ms INTEGER NOT NULL,"
    " ended_ms INTEGER NOT NULL, deadline_ms INTEGER NOT NULL, message TEXT NOT NULL);"
    "CREATE TABLE payload(seq INTEGER PRIMARY KEY, data BLOB NOT NULL);"
    "CREATE TABLE partition(seq INTEGER NOT NULL, i INTEGER NOT NULL, proof BLOB NOT NULL,"
    " synthesis_ms INTEGER NOT NULL, compute_ms INTEGER NOT NULL, PRIMARY KEY(seq, i));"
    "CREATE TABLE name(base TEXT NOT NULL, n INTEGER NOT NULL, seq INTEGER NOT NULL,"
    " PRIMARY KEY(base, n));";
/* SQLite's pages have no checksums, and what is in these tables is given out as it is. So each row has a digest of itself and of
 * what its job proves. */
#define OF_JOB " (SELECT hash FROM job WHERE job.seq = "
#define PARTITION_DIGEST " digest(" OF_JOB "partition.seq), seq, i, proof)"
#define NAME_DIGEST " digest(" OF_JOB "name.seq), seq, n, base)"
/* What each version has more than the one before. */
static const char schema_2[] =
    "CREATE TABLE attempt(seq INTEGER NOT NULL, i INTEGER NOT NULL, n INTEGER NOT NULL,"
    " now INTEGER NOT NULL, PRIMARY KEY(seq, i));" /* now: 1 of n is under way */
    "ALTER TABLE partition ADD COLUMN digest BLOB;"
    "ALTER TABLE name ADD COLUMN digest BLOB;"
    "UPDATE partition SET digest =" PARTITION_DIGEST "; UPDATE name SET digest =" NAME_DIGEST
    ";"
    "PRAGMA application_id = 1668643435;" /* JOURNAL_ID */
    "PRAGMA user_version = 2;";

void journal_crash_point(const char *prefix, const char *name)
{
    const char *at = getenv("CUZK_CRASH_AT");
    size_t n = strlen(prefix);
    if (at && strncmp(at, prefix, n) == 0 && strcmp(at + n, name) == 0)
        kill(getpid(), SIGKILL);
}

static int fail(struct journal *j, int code, struct error *err)
{
    const char *why = j->db ? sqlite3_errmsg(j->db) : sqlite3_errstr(code);
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err, ERR_TEMP_FAIL, "journal-in-use",
                         "the journal is in use by another process");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error_set(err, ERR_DATA, "journal-damaged", "the journal is damaged: %s", why);
    case SQLITE_READONLY:
        return error_set(err, ERR_NO_PERM, "journal-read-only", "the journal is read-only");
    case SQLITE_NOMEM:
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the journal");
    case SQLITE_CANTOPEN:
        return error_set(err, ERR_IO, "journal-failed", "the journal cannot be opened: %s",
                         j->db ? strerror(sqlite3_system_errno(j->db)) : why);
    case SQLITE_FULL:
        return error_set(err, ERR_IO, "journal-disk-full", "the journal's disk is full");
    default:
        return error_set(err, ERR_IO, "journal-failed", "the journal: %s", why);
    }
}

static int run(struct journal *j, const char *sql, struct error *err)
{
    int rc = sqlite3_exec(j->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail(j, rc, err);
}

/* ---- Statements: a letter for each value, i: uint64_t, t: text, b: bytes with their size_t length ---- */

static int prepare(sqlite3_stmt **out, struct journal *j, const char *sql, struct error *err)
{
    int rc = sqlite3_prepare_v2(j->db, sql, -1, out, NULL);
    return rc == SQLITE_OK ? 0 : fail(j, rc, err);
}

static int execute(struct journal *j, struct error *err, const char *sql, const char *types, ...)
{
    sqlite3_stmt *st;
    va_list args;
    if (prepare(&st, j, sql, err) != 0)
        return err->code;
    va_start(args, types);
    for (int i = 1; *types; types++, i++) {
        if (*types == 'i') {
            sqlite3_bind_int64(st, i, (sqlite3_int64)va_arg(args, uint64_t));
        } else if (*types == 't') {
            sqlite3_bind_text(st, i, va_arg(args, const char *), -1, SQLITE_STATIC);
        } else {
            const void *data = va_arg(args, const void *);
            sqlite3_bind_blob64(st, i, data, va_arg(args, size_t), SQLITE_STATIC);
        }
    }
    va_end(args);
    int rc = sqlite3_step(st);
    rc = rc == SQLITE_DONE ? 0 : fail(j, rc, err);
    sqlite3_finalize(st);
    return rc;
}

static int begin(struct journal *j, const char *crash, struct error *err)
{
    journal_crash_point("before-", crash);
    pthread_mutex_lock(&j->lock);
    if (run(j, "BEGIN IMMEDIATE", err) == 0)
        return 0;
    pthread_mutex_unlock(&j->lock);
    return err->code;
}

static int end(struct journal *j, int rc, const char *crash, struct error *err)
{
    struct error ignored;
    if (rc == 0)
        rc = run(j, "COMMIT", err);
    if (rc != 0 && !sqlite3_get_autocommit(j->db))
        run(j, "ROLLBACK", &ignored);
    pthread_mutex_unlock(&j->lock);
    if (rc == 0)
        journal_crash_point("", crash);
    return rc;
}

/* ---- Opening ---- */

/* digest(...) in SQL: SHA-256 over the values, each as its type and its own SHA-256. Allocates nothing. */
static void sql_digest(sqlite3_context *context, int n, sqlite3_value **values)
{
    uint8_t parts[DIGEST_VALUES][1 + 32], digest[32];
    for (int i = 0; i < n; i++) {
        int type = sqlite3_value_type(values[i]);
        parts[i][0] = (uint8_t)type;
        if (type == SQLITE_BLOB || type == SQLITE_TEXT) {
            const void *bytes = sqlite3_value_blob(values[i]); /* NULL: none */
            sha256(parts[i] + 1, bytes ? bytes : "", (size_t)sqlite3_value_bytes(values[i]));
        } else {
            sqlite3_int64 integer = sqlite3_value_int64(values[i]);
            sha256(parts[i] + 1, &integer, sizeof integer);
        }
    }
    sha256(digest, parts, (size_t)n * sizeof *parts);
    sqlite3_result_blob(context, digest, sizeof digest, SQLITE_TRANSIENT);
}

static int read_number(int *out, struct journal *j, const char *sql, struct error *err)
{
    sqlite3_stmt *st;
    if (prepare(&st, j, sql, err) != 0)
        return err->code;
    int rc = sqlite3_step(st);
    *out = sqlite3_column_int(st, 0);
    rc = rc == SQLITE_ROW ? 0 : fail(j, rc, err);
    sqlite3_finalize(st);
    return rc;
}

/* Before anything is written: the file may be another program's. */
static int look(int *version, struct journal *j, const char *path, struct error *err)
{
    static const char ours[] =
        "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
        " AND name IN ('job', 'payload', 'partition', 'name')";
    int id = 0, all = 0, own = 0;
    if (read_number(version, j, "PRAGMA user_version", err) != 0 ||
        read_number(&id, j, "PRAGMA application_id", err) != 0 ||
        read_number(&all, j, "SELECT count(*) FROM sqlite_master", err) != 0 ||
        read_number(&own, j, ours, err) != 0)
        return err->code;
    int fits = *version == 0 ? all == 0 && id == 0
                             : *version > 0 && own == 4 && id == (*version == 1 ? 0 : JOURNAL_ID);
    if (!fits)
        return error_set(err, ERR_CONFIG, "journal-foreign",
                         "%s: a database, but no journal of cuzk: it has version %d, application"
                         " %d and %d of 4 tables",
                         path, *version, id, own);
    if (*version > JOURNAL_VERSION)
        return error_set(err, ERR_CONFIG, "journal-newer",
                         "%s: a journal of version %d, this program knows version %d", path,
                         *version, JOURNAL_VERSION);
    return 0;
}

/* What is refused is not written to when it is closed either. */
static int keep_as_it_is(struct journal *j, int on, struct error *err)
{
    int rc = sqlite3_db_config(j->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, NULL);
    return rc == SQLITE_OK ? 0 : fail(j, rc, err);
}

/* The exclusive lock is held from the first write until the process ends, however it ends. */
static int set_up(struct journal *j, const char *path, struct error *err)
{
    int version = 0;
    if (sqlite3_db_readonly(j->db, "main") == 1)
        return fail(j, SQLITE_READONLY, err);
    if (keep_as_it_is(j, 1, err) != 0 ||
        run(j, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF", err) != 0 ||
        look(&version, j, path, err) != 0 || keep_as_it_is(j, 0, err) != 0 ||
        run(j,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "PRAGMA journal_size_limit = 67108864; BEGIN IMMEDIATE",
            err) != 0)
        return err->code;
    if (version < 1 && run(j, schema_1, err) != 0)
        return err->code;
    if (version < 2 && run(j, schema_2, err) != 0)
        return err->code;
    return run(j, "UPDATE attempt SET now = 0 WHERE now; COMMIT", err); /* they were deaths */
}

int journal_open(struct journal **out, const char *path, struct error *err)
{
    struct journal *j = calloc(1, sizeof *j);
    if (!j)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the journal");
    pthread_mutex_init(&j->lock, NULL);
    int rc = sqlite3_open_v2(
        path, &j->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(j->db, "digest", DIGEST_VALUES,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_digest, NULL,
                                        NULL, NULL);
    rc = rc == SQLITE_OK ? set_up(j, path, err) : fail(j, rc, err);
    if (rc != 0) {
        if (strncmp(err->text, path, strlen(path)) != 0)
            error_prefix(err, "%s", path);
        journal_close(j);
        return rc;
    }
    *out = j;
    return 0;
}

void journal_close(struct journal *j)
{
    if (!j)
        return;
    sqlite3_close_v2(j->db);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

/* ---- Writing ---- */

static int put_name(struct journal *j, uint64_t seq, const char *base, unsigned n,
                    struct error *err)
{
    return execute(
        j, err, "INSERT OR REPLACE INTO name VALUES(?1, ?2, ?3, digest(" OF_JOB "?3), ?3, ?2, ?1))",
        "tii", base, (uint64_t)n, seq);
}

int journal_add_job(struct journal *j, const struct journal_job *job, const void *payload,
                    size_t payload_n, const char *base, unsigned n, struct error *err)
{
    if (begin(j, "queued", err) != 0)
        return err->code;
    int rc = execute(j, err, "INSERT INTO job VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     "ibiitiiiiiit", job->seq, job->hash, sizeof job->hash, (uint64_t)job->kind,
                     (uint64_t)job->priority, job->circuit, (uint64_t)job->first,
                     (uint64_t)job->partitions_n, (uint64_t)job->state, job->submitted_ms,
                     job->ended_ms, job->deadline_ms, job->message);
    if (rc == 0)
        rc =
            execute(j, err, "INSERT INTO payload VALUES(?, ?)", "ib", job->seq, payload, payload_n);
    if (rc == 0)
        rc = put_name(j, job->seq, base, n, err);
    return end(j, rc, "queued", err);
}

int journal_add_name(struct journal *j, uint64_t seq, const char *base, unsigned n,
                     enum cuzk_priority priority, uint64_t deadline_ms, struct error *err)
{
    if (begin(j, "named", err) != 0)
        return err->code;
    int rc = put_name(j, seq, base, n, err);
    if (rc == 0)
        rc = execute(j, err,
                     "UPDATE job SET priority = max(priority, ?), deadline_ms ="
                     " coalesce(min(nullif(deadline_ms, 0), nullif(?, 0)), max(deadline_ms, ?))"
                     " WHERE seq = ?",
                     "iiii", (uint64_t)priority, deadline_ms, deadline_ms, seq);
    return end(j, rc, "named", err);
}

static const char *state_name(enum cuzk_job_state state)
{
    static const char *const names[] = {[CUZK_QUEUED] = "queued",
                                        [CUZK_RUNNING] = "running",
                                        [CUZK_COMPLETED] = "completed",
                                        [CUZK_FAILED] = "failed",
                                        [CUZK_CANCELLED] = "cancelled"};
    return names[state];
}

/* What has ended stays so: that it runs may be written late, when it has been cancelled meanwhile. */
static int put_state(struct journal *j, uint64_t seq, enum cuzk_job_state state, uint64_t ended_ms,
                     const char *message, struct error *err)
{
    return execute(j, err,
                   "UPDATE job SET state = ?, ended_ms = ?, message = ? WHERE seq = ?"
                   " AND state < ?",
                   "iitii", (uint64_t)state, ended_ms, message, seq, (uint64_t)CUZK_COMPLETED);
}

int journal_set_state(struct journal *j, uint64_t seq, enum cuzk_job_state state, uint64_t ended_ms,
                      const char *message, struct error *err)
{
    if (begin(j, state_name(state), err) != 0)
        return err->code;
    int rc = put_state(j, seq, state, ended_ms, message, err);
    if (rc == 0 && job_state_ended(state))
        rc = execute(j, err, "DELETE FROM payload WHERE seq = ?", "i", seq);
    if (rc == 0 && job_state_ended(state))
        rc = execute(j, err, "DELETE FROM attempt WHERE seq = ?", "i", seq);
    return end(j, rc, state_name(state), err);
}

static int drop_attempt(struct journal *j, uint64_t seq, unsigned i, struct error *err)
{
    return execute(j, err, "DELETE FROM attempt WHERE seq = ? AND i = ?", "ii", seq, (uint64_t)i);
}

int journal_begin_attempt(struct journal *j, uint64_t seq, unsigned i, struct error *err)
{
    if (begin(j, state_name(CUZK_RUNNING), err) != 0)
        return err->code;
    int rc = put_state(j, seq, CUZK_RUNNING, 0, "", err);
    if (rc == 0 && !j->counts_no_more)
        rc = execute(j, err,
                     "INSERT INTO attempt VALUES(?, ?, 1, 1)"
                     " ON CONFLICT(seq, i) DO UPDATE SET n = n + 1, now = 1",
                     "ii", seq, (uint64_t)i);
    return end(j, rc, state_name(CUZK_RUNNING), err);
}

int journal_end_attempt(struct journal *j, uint64_t seq, unsigned i, struct error *err)
{
    if (begin(j, "abandoned", err) != 0)
        return err->code;
    return end(j, j->counts_no_more ? 0 : drop_attempt(j, seq, i, err), "abandoned", err);
}

int journal_count_no_more(struct journal *j, struct error *err)
{
    if (begin(j, "stopping", err) != 0)
        return err->code;
    j->counts_no_more = 1;
    int rc = run(
        j, "UPDATE attempt SET n = n - 1, now = 0 WHERE now; DELETE FROM attempt WHERE n = 0", err);
    return end(j, rc, "stopping", err);
}

int journal_add_partition(struct journal *j, uint64_t seq, unsigned partition,
                          const struct job_partition *p, struct error *err)
{
    if (begin(j, "partition", err) != 0)
        return err->code;
    int rc = execute(j, err,
                     "INSERT OR REPLACE INTO partition VALUES(?1, ?2, ?3, ?4, ?5, digest(" OF_JOB
                     "?1), ?1, ?2, ?3))",
                     "iibii", seq, (uint64_t)partition, p->proof, sizeof p->proof, p->synthesis_ms,
                     p->compute_ms);
    if (rc == 0)
        rc = drop_attempt(j, seq, partition, err);
    return end(j, rc, "partition", err);
}

int journal_forget(struct journal *j, uint64_t seq, struct error *err)
{
    static const char *const sql[] = {
        "DELETE FROM job WHERE seq = ?", "DELETE FROM payload WHERE seq = ?",
        "DELETE FROM partition WHERE seq = ?", "DELETE FROM attempt WHERE seq = ?",
        "DELETE FROM name WHERE seq = ?"};
    int rc = 0;
    if (begin(j, "forgotten", err) != 0)
        return err->code;
    for (size_t i = 0; i < sizeof sql / sizeof *sql && rc == 0; i++)
        rc = execute(j, err, sql[i], "i", seq);
    return end(j, rc, "forgotten", err);
}

/* ---- Reading ---- */

int journal_payload(uint8_t **out, size_t *n, struct journal *j, uint64_t seq, struct error *err)
{
    sqlite3_stmt *st;
    pthread_mutex_lock(&j->lock);
    int rc = prepare(&st, j, "SELECT data FROM payload WHERE seq = ?", err);
    if (rc == 0) {
        sqlite3_bind_int64(st, 1, (sqlite3_int64)seq);
        int step = sqlite3_step(st);
        const void *data = step == SQLITE_ROW ? sqlite3_column_blob(st, 0) : NULL;
        *n = (size_t)(data ? sqlite3_column_bytes(st, 0) : 0);
        *out = data ? malloc(*n) : NULL;
        if (*out)
            memcpy(*out, data, *n);
        else if (data)
            rc = error_set(err, ERR_OS, "out-of-memory", "no memory for a request");
        else
            rc = step == SQLITE_ROW || step == SQLITE_DONE
                     ? error_set(err, ERR_NO_INPUT, "request-gone", "the journal has no request")
                     : fail(j, step, err);
        sqlite3_finalize(st);
    }
    pthread_mutex_unlock(&j->lock);
    return rc;
}

/* Calls row for each row. */
static int visit(struct journal *j, const char *sql, const struct journal_visitor *v,
                 int (*row)(sqlite3_stmt *st, const struct journal_visitor *v, struct error *err),
                 struct error *err)
{
    sqlite3_stmt *st;
    int rc = prepare(&st, j, sql, err), step = SQLITE_DONE;
    if (rc != 0)
        return rc;
    while (rc == 0 && (step = sqlite3_step(st)) == SQLITE_ROW)
        rc = row(st, v, err);
    if (rc == 0 && step != SQLITE_DONE)
        rc = fail(j, step, err);
    sqlite3_finalize(st);
    return rc;
}

static uint64_t number(sqlite3_stmt *st, int column)
{
    return (uint64_t)sqlite3_column_int64(st, column);
}

static void copy_text(char *out, size_t n, sqlite3_stmt *st, int column)
{
    const unsigned char *text = sqlite3_column_text(st, column);
    snprintf(out, n, "%s", text ? (const char *)text : "");
}

static int copy_blob(void *out, size_t n, sqlite3_stmt *st, int column)
{
    const void *data = sqlite3_column_blob(st, column);
    if (!data || (size_t)sqlite3_column_bytes(st, column) != n)
        return -1;
    memcpy(out, data, n);
    return 0;
}

static int damaged(struct error *err, const char *what)
{
    return error_set(err, ERR_DATA, "journal-damaged", "the journal is damaged: %s", what);
}

static int visit_job(sqlite3_stmt *st, const struct journal_visitor *v, struct error *err)
{
    struct journal_job job = {.seq = number(st, 0)};
    uint64_t kind = number(st, 2), priority = number(st, 3), first = number(st, 5),
             partitions = number(st, 6), state = number(st, 7);
    if (copy_blob(job.hash, sizeof job.hash, st, 1) != 0 || kind < CUZK_POREP ||
        kind > CUZK_WINNING_POST || priority < CUZK_LOW || priority > CUZK_CRITICAL ||
        partitions == 0 || partitions > 1 << 16 || first > 1 << 30 || state > CUZK_CANCELLED)
        return damaged(err, "a job");
    job.kind = (enum cuzk_kind)kind;
    job.priority = (enum cuzk_priority)priority;
    job.first = (unsigned)first;
    job.partitions_n = (unsigned)partitions;
    job.state = (enum cuzk_job_state)state;
    job.submitted_ms = number(st, 8);
    job.ended_ms = number(st, 9);
    job.deadline_ms = number(st, 10);
    copy_text(job.circuit, sizeof job.circuit, st, 4);
    copy_text(job.message, sizeof job.message, st, 11);
    return v->job(v->ctx, &job, err);
}

static int visit_partition(sqlite3_stmt *st, const struct journal_visitor *v, struct error *err)
{
    struct job_partition p = {
        .state = CUZK_P_DONE, .synthesis_ms = number(st, 3), .compute_ms = number(st, 4)};
    uint64_t i = number(st, 1);
    if (i > 1 << 16)
        return damaged(err, "a partition");
    if (!sqlite3_column_int(st, 5) || copy_blob(p.proof, sizeof p.proof, st, 2) != 0)
        return v->partition(v->ctx, number(st, 0), (unsigned)i, NULL, err);
    return v->partition(v->ctx, number(st, 0), (unsigned)i, &p, err);
}

static int visit_attempt(sqlite3_stmt *st, const struct journal_visitor *v, struct error *err)
{
    uint64_t i = number(st, 1), n = number(st, 2);
    if (i > 1 << 16 || n == 0 || n > 1 << 30)
        return damaged(err, "an attempt");
    return v->attempt(v->ctx, number(st, 0), (unsigned)i, (unsigned)n, err);
}

static int visit_name(sqlite3_stmt *st, const struct journal_visitor *v, struct error *err)
{
    char base[JOB_NAME_MAX];
    uint64_t n = number(st, 1);
    copy_text(base, sizeof base, st, 0);
    int intact = sqlite3_column_int(st, 3) && n > 0 && n <= 1 << 30;
    return v->name(v->ctx, intact ? number(st, 2) : 0, base, (unsigned)n, err);
}

int journal_visit(struct journal *j, const struct journal_visitor *v, struct error *err)
{
    pthread_mutex_lock(&j->lock);
    int rc = visit(j, "SELECT * FROM job ORDER BY seq", v, visit_job, err);
    if (rc == 0)
        rc = visit(j,
                   "SELECT seq, i, proof, synthesis_ms, compute_ms, digest IS" PARTITION_DIGEST
                   " FROM partition ORDER BY seq, i",
                   v, visit_partition, err);
    if (rc == 0)
        rc = visit(j, "SELECT seq, i, n FROM attempt ORDER BY seq, i", v, visit_attempt, err);
    if (rc == 0)
        rc = visit(j, "SELECT base, n, seq, digest IS" NAME_DIGEST " FROM name ORDER BY base, n", v,
                   visit_name, err);
    pthread_mutex_unlock(&j->lock);
    return rc;
}
