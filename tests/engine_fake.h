/* A backend that proves nothing but lets anything happen, and counts. An input is a text: "p=3 t=20 fail=1 ..." */
#ifndef CUZK_TESTS_ENGINE_FAKE_H
#define CUZK_TESTS_ENGINE_FAKE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pthread.h>
#include <cmocka.h>

#include "cuzk/engine.h"
#include "engine/backend.h"
#include "hash/blake2.h"

struct fake_input {
    char text[200];
    unsigned partitions, tasks; /* tasks of 1 ms that each partition takes */
    int fails;                  /* the partition that fails, or -1 */
    int unverified;             /* it fails its check */
    int dies;                   /* the partition that the process dies of, or -1 */
    int held;                   /* the first partition that waits at the gate */
};

static struct {
    atomic_int inputs, keys, workers, proving, most_proving, opened, proved, decoded;
    atomic_int decode_dies;
    atomic_int keys_fail, keys_stale, absent, gate; /* gate: proving waits until it is open (0) */
    atomic_int order;                               /* of the partitions begun */
    pthread_mutex_t lock;
    char begun[64][64]; /* input texts in the order that their partitions began */
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline void fake_sleep_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Until the counter is that high. What never comes is a failure, and soon. */
static inline void fake_await(atomic_int *counter, int n)
{
    for (int ms = 0; *counter < n; ms++) {
        if (ms == 60000)
            fail_msg("%d instead of %d after a minute", *counter, n);
        fake_sleep_ms(1);
    }
}

static inline const char *fake_circuit_id(unsigned c)
{
    static const char *const ids[] = {"small", "large", "winning-32g"};
    return ids[c];
}

#define FAKE_MIB (UINT64_C(1) << 20)

static inline int fake_bill(struct backend_bill *out, unsigned c, unsigned threads,
                            struct error *err)
{
    (void)threads;
    (void)err;
    *out = (struct backend_bill){.mapped_bytes = 1000 + c,
                                 .keys_bytes = FAKE_MIB,
                                 .assignment_bytes = (c == 1 ? 64 : 8) * FAKE_MIB,
                                 .transform_bytes = FAKE_MIB,
                                 .msm_bytes = FAKE_MIB,
                                 .partitions = 1,
                                 .input_bytes = 1000};
    return 0;
}

static inline int fake_available(unsigned c, const char *dir, struct error *err)
{
    (void)c;
    (void)dir;
    return fake.absent ? error_set(err, ERR_NO_INPUT, "params-absent", "no parameters") : 0;
}

static inline int fake_keys_open(void **keys, unsigned c, const char *dir, struct pool *pool,
                                 struct error *err)
{
    (void)c;
    (void)dir;
    (void)pool;
    fake.opened++;
    if (fake.keys_fail > 0) {
        fake.keys_fail--;
        return error_set(err, ERR_CONFIG, "params-truncated", "the parameters are cut");
    }
    fake.keys++;
    fake.keys_stale = 0;
    *keys = malloc(1);
    return 0;
}

static inline void fake_keys_close(void *keys)
{
    fake.keys--;
    free(keys);
}

static inline int fake_keys_current(const void *keys)
{
    (void)keys;
    return !fake.keys_stale;
}

static inline int fake_worker_new(void **worker, void *keys, struct pool *pool, struct error *err)
{
    (void)keys;
    (void)err;
    fake.workers++;
    struct pool **w = malloc(sizeof(struct pool *));
    *w = pool;
    *worker = w;
    return 0;
}

static inline void fake_worker_destroy(void *worker)
{
    if (worker)
        fake.workers--;
    free(worker);
}

static inline long fake_field(const char *text, const char *name, long otherwise)
{
    char key[16];
    snprintf(key, sizeof key, "%s=", name);
    const char *at = strstr(text, key);
    return at ? strtol(at + strlen(key), NULL, 10) : otherwise;
}

static inline int fake_decode(struct backend_input *out, const struct cuzk_request *r,
                              struct pool *pool, struct error *err)
{
    (void)pool;
    fake.decoded++;
    if (fake.decode_dies)
        kill(getpid(), SIGKILL);
    struct fake_input *in = calloc(1, sizeof *in);
    size_t n = r->vanilla_proof.n < sizeof in->text - 1 ? r->vanilla_proof.n : sizeof in->text - 1;
    if (n)
        memcpy(in->text, r->vanilla_proof.data, n);
    if (n == 0 || strstr(in->text, "bad")) {
        free(in);
        return error_set(err, ERR_DATA, "c1-bad", "vanilla_proof: it is bad");
    }
    in->partitions = (unsigned)fake_field(in->text, "p", 1);
    in->tasks = (unsigned)fake_field(in->text, "t", 1);
    in->fails = (int)fake_field(in->text, "fail", -1);
    in->unverified = (int)fake_field(in->text, "unverified", 0);
    in->dies = (int)fake_field(in->text, "dies", -1);
    in->held = (int)fake_field(in->text, "held", 0);
    fake.inputs++;
    *out = (struct backend_input){in, (unsigned)fake_field(in->text, "c", 0), 0, in->partitions};
    return 0;
}

static inline void fake_input_free(void *input)
{
    fake.inputs--;
    free(input);
}

static inline void fake_task(void *ctx, size_t i)
{
    (void)ctx;
    (void)i;
    fake_sleep_ms(1);
}

/* What the proof of a partition is: three digests of the input's text and the partition. */
static inline void fake_expect(uint8_t out[PROOF_BYTES], const char *text, unsigned partition)
{
    char whole[256];
    for (unsigned i = 0; i < PROOF_BYTES / 64; i++) {
        int n = snprintf(whole, sizeof whole, "%s/%u/%u", text, partition, i);
        blake2b_digest(out + 64 * (size_t)i, 64, NULL, 0, whole, (size_t)n);
    }
}

static inline int fake_prove(uint8_t out[PROOF_BYTES], struct backend_times *times, void *worker,
                             const void *input, unsigned partition,
                             const struct progress_sink *sink, struct error *err)
{
    const struct fake_input *in = input;
    struct pool *pool = *(struct pool **)worker;
    struct progress p;
    pthread_mutex_lock(&fake.lock);
    snprintf(fake.begun[fake.order++ % 64], sizeof fake.begun[0], "%.63s", in->text);
    pthread_mutex_unlock(&fake.lock);
    int n = ++fake.proving, most = fake.most_proving;
    while (n > most && !atomic_compare_exchange_weak(&fake.most_proving, &most, n))
        ;
    if (in->dies == (int)partition)
        kill(getpid(), SIGKILL);
    progress_begin(&p, sink, "making H", 1);
    progress_end(&p);
    progress_begin(&p, sink, "summing points", 1);
    int cancelled = 0;
    int waits = (int)partition >= in->held;
    for (unsigned t = 0; (t < in->tasks || (waits && fake.gate)) && !cancelled; t++) {
        pool_run(pool, 1, fake_task, NULL);
        cancelled = progress_cancelled(sink);
    }
    progress_end(&p);
    fake.proving--;
    if (cancelled)
        return error_set(err, ERR_TEMP_FAIL, "cancelled", "cancelled");
    if (in->fails == (int)partition)
        return in->unverified ? error_set(err, ERR_SOFTWARE, "self-check-failed",
                                          "partition %u: unverified", partition)
                              : error_set(err, ERR_DATA, "witness-unsatisfied",
                                          "partition %u: unsatisfied", partition);
    *times = (struct backend_times){.synthesis_ms = 1, .compute_ms = 2};
    fake_expect(out, in->text, partition);
    fake.proved++;
    return 0;
}

static const struct backend fake_backend = {
    .circuits = 3,
    .circuit_id = fake_circuit_id,
    .bill = fake_bill,
    .available = fake_available,
    .keys_open = fake_keys_open,
    .keys_close = fake_keys_close,
    .keys_current = fake_keys_current,
    .worker_new = fake_worker_new,
    .worker_destroy = fake_worker_destroy,
    .decode = fake_decode,
    .input_free = fake_input_free,
    .prove = fake_prove,
};

static inline struct cuzk_config fake_config(void)
{
    struct cuzk_config config;
    cuzk_config_init(&config);
    config.param_dir = "/nowhere";
    config.memory_total = 1024 * FAKE_MIB;
    config.threads = 2;
    return config;
}

/* With the gate shut: what a journal brings back is proven only when the caller opens it. */
static inline struct cuzk_engine *fake_open_shut(const struct cuzk_config *config)
{
    struct cuzk_engine *e;
    struct cuzk_error err;
    fake.keys_fail = fake.keys_stale = fake.absent = 0;
    fake.opened = fake.proved = fake.most_proving = fake.order = fake.decoded = 0;
    fake.gate = 1;
    if (engine_open_with(&e, config, &fake_backend, &err) != CUZK_OK)
        fail_msg("open: %s", err.message);
    return e;
}

static inline struct cuzk_engine *fake_open(const struct cuzk_config *config)
{
    struct cuzk_engine *e = fake_open_shut(config);
    fake.gate = 0;
    return e;
}

/* Nothing that the backend gave out may be left. */
static inline void fake_close(struct cuzk_engine *e)
{
    fake.gate = 0;
    cuzk_engine_close(e);
    assert_int_equal(fake.inputs, 0);
    assert_int_equal(fake.keys, 0);
    assert_int_equal(fake.workers, 0);
}

static inline struct cuzk_request fake_request(const char *id, enum cuzk_kind kind,
                                               const char *text)
{
    return (struct cuzk_request){
        .request_id = id, .kind = kind, .vanilla_proof = {(const uint8_t *)text, strlen(text)}};
}

/* Submits, which must be accepted. */
static inline void fake_submit(struct cuzk_engine *e, char id[160], const char *request_id,
                               enum cuzk_kind kind, const char *text)
{
    struct cuzk_request r = fake_request(request_id, kind, text);
    struct cuzk_error err;
    uint32_t position;
    if (cuzk_submit(e, id, &position, &r, &err) != CUZK_OK)
        fail_msg("submit \"%s\": %s", text, err.message);
}

static inline int fake_refused(struct cuzk_engine *e, struct cuzk_error *err,
                               const char *request_id, enum cuzk_kind kind, const char *text)
{
    struct cuzk_request r = fake_request(request_id, kind, text);
    char id[160];
    uint32_t position;
    return cuzk_submit(e, id, &position, &r, err);
}

/* Waits for the end, which must be in that state; a completed job's proof is looked at. */
static inline void fake_ends(struct cuzk_engine *e, const char *id, enum cuzk_job_state state,
                             const char *text)
{
    struct cuzk_result r;
    struct cuzk_error err;
    if (cuzk_await(e, &r, id, 20000, &err) != CUZK_OK)
        fail_msg("await %s: %s", id, err.message);
    if (r.state != state)
        fail_msg("%s: state %d instead of %d: %s", id, r.state, state, r.message);
    if (state == CUZK_COMPLETED) {
        unsigned n = (unsigned)fake_field(text, "p", 1);
        assert_int_equal(r.proof_n, n * PROOF_BYTES);
        for (unsigned i = 0; i < n; i++) {
            uint8_t want[PROOF_BYTES];
            fake_expect(want, text, i);
            assert_memory_equal(r.proof + (size_t)i * PROOF_BYTES, want, PROOF_BYTES);
        }
    }
    cuzk_result_clean_up(&r);
}

#endif
