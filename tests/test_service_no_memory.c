/* Not for sanitizers, which bring a malloc of their own. */
/* R42: the n-th allocation of a request's way from the wire into the engine fails, for every n. The answer says so, nothing is lost, and
 * the next request is served. What libgrpc does then is its own affair: it ends the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/backend.h"
#include "filecoin/base64.h"
#include "json_data.h"
#include "service/wire.h"

/* ---- The program's own malloc: counts what lives, and fails where it is told ---- */

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t k, size_t n);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);
extern void __libc_free(void *p);

static atomic_long living, until_failure = -1; /* negative: none is to fail */
static atomic_int failed;

static int fails(void)
{
    if (atomic_load(&until_failure) < 0 || atomic_fetch_sub(&until_failure, 1) != 0)
        return 0;
    failed = 1;
    return 1;
}

static void *given(void *p)
{
    living += p != NULL;
    return p;
}

void *malloc(size_t n)
{
    return fails() ? NULL : given(__libc_malloc(n));
}

void *calloc(size_t k, size_t n)
{
    return fails() ? NULL : given(__libc_calloc(k, n));
}

void *realloc(void *p, size_t n)
{
    if (fails())
        return NULL;
    return p == NULL ? given(__libc_realloc(p, n)) : __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return fails() ? NULL : given(__libc_memalign(alignment, n));
}

void free(void *p)
{
    living -= p != NULL;
    __libc_free(p);
}

/* ---- The engine decodes and checks as it does, and proves nothing ---- */

static int available(unsigned circuit, const char *dir, struct error *err)
{
    (void)circuit, (void)dir, (void)err;
    return 0;
}

static int keys_open(void **keys, unsigned circuit, const char *dir, struct pool *pool,
                     struct error *err)
{
    (void)keys, (void)circuit, (void)dir, (void)pool;
    return error_set(err, ERR_CONFIG, "params-absent", "there are none here");
}

static struct cuzk_engine *open_engine(const char *journal)
{
    static struct backend backend;
    struct cuzk_engine *e;
    struct cuzk_config config;
    struct cuzk_error err;
    backend = backend_cpu;
    backend.available = available;
    backend.keys_open = keys_open;
    cuzk_config_init(&config);
    config.memory_total = UINT64_C(4) << 30;
    config.threads = 2;
    config.keep_results_ms = 0;
    config.journal_path = journal;
    if (engine_open_with(&e, &config, &backend, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return e;
}

static void wait_until_empty(struct cuzk_engine *e)
{
    struct cuzk_view v;
    struct cuzk_error err;
    size_t jobs;
    do {
        usleep(1000);
        assert_int_equal(cuzk_view_take(e, &v, &err), CUZK_OK);
        jobs = v.jobs_n;
        cuzk_view_clean_up(&v);
    } while (jobs > 0);
    usleep(1000);
}

/* From bytes to a job; the job fails for want of parameters and is forgotten. */
static int serve(struct cuzk_engine *e, const uint8_t *data, size_t n, struct cuzk_error *err)
{
    char id[160];
    uint32_t position;
    struct wire_request request;
    ProtobufCMessage *m = wire_unpack(&cuzk__v1__submit_proof_request__descriptor, data, n, err);
    if (m == NULL)
        return -1;
    int rc = wire_request_init(&request, (Cuzk__V1__SubmitProofRequest *)m, err);
    if (rc == 0)
        rc = cuzk_submit(e, id, &position, &request.request, err) == CUZK_OK ? 0 : -1;
    wire_request_clean_up(&request);
    protobuf_c_message_free_unpacked(m, NULL);
    return rc;
}

static void fail_each(struct cuzk_engine *e, const uint8_t *data, size_t n, int leaks_count)
{
    struct cuzk_error err;
    long refused = 0, at = 0;
    assert_int_equal(serve(e, data, n, &err), 0); /* what is made once is made */
    wait_until_empty(e);
    for (;; at++) {
        long before = living;
        failed = 0;
        until_failure = at;
        int rc = serve(e, data, n, &err);
        until_failure = -1;
        wait_until_empty(e);
        if (!failed) {
            assert_int_equal(rc, 0);
            break;
        }
        refused += rc != 0;
        if (rc != 0 && (err.status != CUZK_INTERNAL || strcmp(err.cause, "out-of-memory") != 0))
            fail_msg("allocation %ld: %s: %s", at, err.cause, err.message);
        if (leaks_count && living != before)
            fail_msg("allocation %ld: %ld are lost", at, living - before);
        assert_int_equal(serve(e, data, n, &err), 0);
        wait_until_empty(e);
    }
    print_message("%ld allocations failed, %ld requests refused\n", at, refused);
    assert_true(refused >= 5);
}

static uint8_t *pack(size_t *n, const Cuzk__V1__SubmitProofRequest *m)
{
    *n = protobuf_c_message_get_packed_size(&m->base);
    uint8_t *data = malloc(*n);
    protobuf_c_message_pack(&m->base, data);
    return data;
}

static uint8_t *porep(size_t *n)
{
    size_t c1_n;
    char *c1 = data_read(&c1_n, "proofs/porep-2kib-m1000-s11.c1.json");
    Cuzk__V1__SubmitProofRequest m = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    m.request_id = (char *)"porep";
    m.proof_kind = CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT;
    m.sector_number = 11;
    m.miner_id = 1000;
    m.vanilla_proof = (ProtobufCBinaryData){c1_n, (uint8_t *)c1};
    uint8_t *data = pack(n, &m);
    free(c1);
    return data;
}

static uint8_t *winning(size_t *n)
{
    size_t text_n, bad;
    uint8_t randomness[32];
    yajl_val post = json_load("proofs/winning-2kib-1.json");
    char *list = data_read(&text_n, "proofs/winning-2kib-1.vanilla.json");
    char *from = strchr(list, '"') + 1, *to = strchr(from, '"');
    uint8_t *proof = malloc(text_n);
    ptrdiff_t proof_n = base64_decode(proof, from, (size_t)(to - from), 1, &bad);
    json_hex(randomness, 32, json_get(post, "randomness"));
    ProtobufCBinaryData proofs[1] = {{(size_t)proof_n, proof}};
    Cuzk__V1__SubmitProofRequest m = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    m.request_id = (char *)"winning";
    m.proof_kind = CUZK__V1__PROOF_KIND__WINNING_POST;
    m.n_vanilla_proofs = 1;
    m.vanilla_proofs = proofs;
    m.randomness = (ProtobufCBinaryData){32, randomness};
    uint8_t *data = pack(n, &m);
    yajl_tree_free(post);
    free(list);
    free(proof);
    return data;
}

static void from_the_wire(void **state)
{
    uint8_t *(*const requests[])(size_t * n) = {porep, winning};
    (void)state;
    struct cuzk_engine *e = open_engine(NULL);
    for (size_t i = 0; i < 2; i++) {
        size_t n;
        uint8_t *data = requests[i](&n);
        fail_each(e, data, n, 1);
        free(data);
    }
    cuzk_engine_close(e);
}

/* SQLite keeps caches, so that only the answers are looked at. */
static void with_a_journal(void **state)
{
    (void)state;
    size_t n;
    char dir[] = "/tmp/cuzk-memory-XXXXXX", path[64], command[80];
    uint8_t *data = porep(&n);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/jobs.db", dir);
    struct cuzk_engine *e = open_engine(path);
    fail_each(e, data, n, 0);
    cuzk_engine_close(e);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_wire),
        cmocka_unit_test(with_a_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
