/* ctest: needs=params_post timeout=900 */
/* Jobs: partitions wanted, many inputs over one set of keys, the self-check, and what cannot be asked for. WindowPoSt stands for all
 * kinds, as all that differs between them is their struct proof_kind. */
#include "proof_checks.h"

static struct proof_rig rig;

static int set_up(void **state)
{
    (void)state;
    rig_open(&rig, CIRCUIT_WPOST, SECTOR_2K);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static struct proof_job job_of(const struct proof_case *c)
{
    return (struct proof_job){
        .kind = c->in.kind, .request = c->request, .keys = test_keys, .pool = rig.pool};
}

/* Partition 1 by itself, with its own sector only; API 1.0 challenges depend on its number. */
static void test_one_partition(void **state)
{
    struct proof_case c;
    struct proof_result result;
    struct error err;
    uint8_t want[PROOF_BYTES];
    (void)state;
    case_post(&c, "window-2kib-v1-3sectors", &window_kind, 5);
    yajl_val variant = json_at(json_get(c.fixture, "fixed_rs_proofs"), 0);
    struct proof_job job = job_of(&c);
    job.request.partition = 1;
    job.request.proofs = c.list.proofs + 2;
    job.request.proofs_len = 1;
    job.fixed_rs = 1;
    fixture_rs(&job.rs, variant, 1);
    assert_ok(proof_job_run(&result, &job, &err), &err);
    assert_int_equal(result.partitions, 1);
    assert_int_equal(result.constraints, 21889);
    partition_bytes(want, json_get(variant, "proof"), 1);
    assert_memory_equal(result.proof, want, PROOF_BYTES);
    assert_ok(proof_verify(job.kind, &job.request, CUZK_TEST_PARAMS, NULL, result.proof,
                           PROOF_BYTES, &err),
              &err);
    job.request.partition = 2;
    assert_int_equal(proof_verify(job.kind, &job.request, CUZK_TEST_PARAMS, NULL, result.proof,
                                  PROOF_BYTES, &err),
                     ERR_INVALID_PROOF);
    proof_result_clean_up(&result);
    case_free(&c);
}

/* Random r and s: two runs differ, both verify, as a whole and not with partitions exchanged or left out. */
static void test_all_partitions(void **state)
{
    struct proof_case c;
    struct proof_result first, second;
    struct error err;
    uint8_t exchanged[2 * PROOF_BYTES];
    (void)state;
    case_post(&c, "window-2kib-v1_2-3sectors", &window_kind, 10);
    struct proof_job job = job_of(&c);
    assert_ok(proof_job_run(&first, &job, &err), &err);
    assert_ok(proof_job_run(&second, &job, &err), &err);
    assert_int_equal(first.partitions, 2);
    assert_memory_not_equal(first.proof, second.proof, sizeof exchanged);
    const uint8_t *proofs[] = {first.proof, second.proof};
    for (size_t i = 0; i < 2; i++)
        assert_ok(proof_verify(job.kind, &job.request, CUZK_TEST_PARAMS, NULL, proofs[i],
                               sizeof exchanged, &err),
                  &err);
    memcpy(exchanged, first.proof + PROOF_BYTES, PROOF_BYTES);
    memcpy(exchanged + PROOF_BYTES, first.proof, PROOF_BYTES);
    assert_error(proof_verify(job.kind, &job.request, CUZK_TEST_PARAMS, NULL, exchanged,
                              sizeof exchanged, &err),
                 &err, ERR_INVALID_PROOF, "proof-invalid", "partition 0");
    assert_error(proof_verify(job.kind, &job.request, CUZK_TEST_PARAMS, NULL, first.proof,
                              PROOF_BYTES, &err),
                 &err, ERR_INVALID_PROOF, "proof-wrong-length",
                 "192 bytes; expected 384, or 768 hexadecimal digits: 192 for each of 2 "
                 "partitions");
    proof_result_clean_up(&first);
    proof_result_clean_up(&second);
    case_free(&c);
}

/* One worker, inputs of several jobs one after the other: each gets the bytes that it gets alone. */
static void test_worker_reused(void **state)
{
    static const char *const names[] = {"window-2kib-v1_2-3sectors", "window-2kib-v1_2-1sector",
                                        "window-2kib-v1_2-3sectors"};
    struct proof_worker *worker;
    struct error err;
    (void)state;
    assert_ok(proof_worker_new(&worker, &rig.keys, rig.pool, &err), &err);
    for (size_t k = 0; k < 3; k++) {
        struct proof_case c;
        struct proof_timings timings = {0};
        struct proof_rs rs;
        uint8_t bytes[PROOF_BYTES], want[PROOF_BYTES];
        case_post(&c, names[k], &window_kind, 10);
        yajl_val variant = json_at(json_get(c.fixture, "fixed_rs_proofs"), 0);
        fixture_rs(&rs, variant, 0);
        assert_ok(proof_worker_prove(bytes, &timings, worker, &c.in, 0, &rs, NULL, &err), &err);
        partition_bytes(want, json_get(variant, "proof"), 0);
        assert_memory_equal(bytes, want, PROOF_BYTES);
        assert_true(timings.synthesis_ns > 0 && timings.ntt_ns > 0 && timings.msm_ns > 0 &&
                    timings.verify_ns > 0);
        case_free(&c);
    }
    proof_worker_destroy(worker);
}

/* ---- The self-check ---- */

static unsigned asked; /* for public inputs */

static int wrong_inputs(struct fr *out, const struct proof_input *in, unsigned partition,
                        struct error *err)
{
    asked++;
    int rc = window_kind.public_inputs(out, in, partition, err);
    fr_add(&out[0], &out[0], &FR_ONE);
    return rc;
}

static int inputs_wrong_once(struct fr *out, const struct proof_input *in, unsigned partition,
                             struct error *err)
{
    return asked == 0 ? wrong_inputs(out, in, partition, err)
                      : window_kind.public_inputs(out, in, partition, err);
}

/* A proof that is not the statement's is made again, and then kept back. */
static void test_self_check(void **state)
{
    struct proof_case c;
    struct proof_worker *worker;
    struct proof_timings timings = {0};
    struct error err;
    uint8_t bytes[PROOF_BYTES], zeros[PROOF_BYTES] = {0};
    struct proof_kind lying = window_kind;
    (void)state;
    case_post(&c, "window-2kib-v1_2-3sectors", &window_kind, 10);
    assert_ok(proof_worker_new(&worker, &rig.keys, rig.pool, &err), &err);
    lying.public_inputs = wrong_inputs;
    c.in.kind = &lying;
    asked = 0;
    assert_error(proof_worker_prove(bytes, &timings, worker, &c.in, 1, NULL, NULL, &err), &err,
                 ERR_SOFTWARE, "self-check-failed", "partition 1: the proof does not verify");
    /* Whoever reads this has to know what to do. */
    assert_non_null(strstr(err.text, rig.keys.params.file.path));
    assert_non_null(strstr(err.text, "cuzk params verify --circuit wpost-2k --points"));
    assert_int_equal(asked, 2);
    assert_memory_equal(bytes, zeros, PROOF_BYTES);
    lying.public_inputs = inputs_wrong_once;
    asked = 0;
    assert_ok(proof_worker_prove(bytes, &timings, worker, &c.in, 1, NULL, NULL, &err), &err);
    assert_int_equal(asked, 1);
    c.in.kind = &window_kind;
    proof_worker_destroy(worker);
    case_free(&c);
}

/* ---- Refusals ---- */

static void test_bad_requests(void **state)
{
    struct proof_case c;
    struct proof_result result;
    struct error err;
    (void)state;
    case_post(&c, "window-2kib-v1_2-3sectors", &window_kind, 10);
    struct proof_job job = job_of(&c);
    job.fixed_rs = 1;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_USAGE, "rs-needs-partition",
                 "the input has 2");
    job.request.partition = 0;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_DATA, "post-too-many-sectors", "3");
    job.request.registered_proof = 0;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_USAGE, "registered-proof-kind",
                 "StackedDrgWinning2KiBV1");
    job.request.registered_proof = 15;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_USAGE, "registered-proof", "15");
    job.request.registered_proof = 11;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_DATA, "post-too-many-sectors", "3");
    job.request.proofs_len = 1;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_DATA, "bincode-length",
                 "instead of 6");
    job.request.proofs_len = 0;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_DATA, "post-no-sectors", "no");
    job = job_of(&c);
    c.list.proofs[1].data[3000] ^= 1;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_DATA, "post-faulty-sectors", ": 22");
    c.list.proofs[1].data[3000] ^= 1;
    job.keys.param_dir = "/nonexistent";
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_NO_INPUT, "params-absent", "0170db");
    job.keys.param_dir = CUZK_TEST_PARAMS;
    job.keys.published = 1;
    assert_error(proof_job_run(&result, &job, &err), &err, ERR_CONFIG, "params-not-published",
                 "wpost-2k");
    assert_null(result.proof);
    case_free(&c);
}

static void test_kinds(void **state)
{
    const struct proof_kind *kind;
    struct error err;
    (void)state;
    assert_ok(proof_kind_by_name(&kind, "snap", &err), &err);
    assert_ptr_equal(kind, &snap_kind);
    assert_error(proof_kind_by_name(&kind, "wpost", &err), &err, ERR_USAGE, "kind-unknown",
                 "known: porep, window, winning, snap");
    struct proof_input in;
    struct proof_request none = {.partition = ALL_PARTITIONS};
    assert_error(proof_input_decode(&in, &porep_kind, &none, ERR_DATA, &err), &err, ERR_DATA,
                 "c1-count", "0 C1 outputs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_partition), cmocka_unit_test(test_all_partitions),
        cmocka_unit_test(test_worker_reused), cmocka_unit_test(test_self_check),
        cmocka_unit_test(test_bad_requests),  cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
