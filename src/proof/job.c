#include "proof/job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/timing.h"
#include "groth16/prove.h"
#include "proof/params.h"

/* Adds the time since *since to *total and moves *since on. phase: for CUZK_TIMING, may be NULL. */
static void lap(uint64_t *total, uint64_t *since, const char *phase, int partition)
{
    uint64_t now = clock_monotonic_ns();
    if (phase != NULL)
        timing_phase(phase, partition, now - *since);
    *total += now - *since;
    *since = now;
}

static const struct circuit *circuit_of_input(const struct proof_input *in)
{
    return circuit_of(in->kind->circuit, in->size);
}

/* How many public inputs a partition has, without ONE. */
static size_t inputs_len(const struct circuit *circuit)
{
    return circuit_names(circuit)->inputs - 1;
}

/* Bytes against a statement computed without the circuit. inputs: room for inputs_len. */
static int verify_partition(struct fr *inputs, const struct prepared_vk *pvk,
                            const uint8_t bytes[PROOF_BYTES], const struct proof_input *in,
                            unsigned partition, struct error *err)
{
    struct proof proof;
    int rc = proof_from_bytes(&proof, bytes, err);
    if (rc == 0)
        rc = in->kind->public_inputs(inputs, in, partition, err);
    if (rc == 0)
        rc = groth16_verify(pvk, &proof, inputs, inputs_len(circuit_of_input(in)), err);
    return rc;
}

/* ---- One partition ---- */

struct proof_worker {
    const struct circuit_keys *keys;
    struct pool *pool;
    struct prover *prover;
    struct assignment assignment;
    struct fr *inputs; /* for verification */
};

int proof_worker_new(struct proof_worker **out, const struct circuit_keys *keys, struct pool *pool,
                     struct error *err)
{
    struct proof_worker *w = calloc(1, sizeof *w);
    if (w != NULL)
        w->inputs = calloc(inputs_len(keys->circuit), sizeof *w->inputs);
    if (w == NULL || w->inputs == NULL) {
        free(w);
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a prover");
    }
    w->keys = keys;
    w->pool = pool;
    int rc = prover_new(&w->prover, &keys->params, &keys->stats.density,
                        circuit_names(keys->circuit)->log2_domain, pool, err);
    if (rc != 0) {
        proof_worker_destroy(w);
        return rc;
    }
    *out = w;
    return 0;
}

void proof_worker_destroy(struct proof_worker *w)
{
    if (w == NULL)
        return;
    assignment_clean_up(&w->assignment);
    prover_destroy(w->prover);
    free(w->inputs);
    free(w);
}

static int synthesize(struct proof_worker *w, const struct proof_input *in, unsigned partition,
                      struct error *err)
{
    struct cs cs;
    assignment_reset(&w->assignment);
    cs_init_native(&cs, &w->assignment, w->pool);
    in->kind->synthesize(&cs, in, partition);
    int rc = cs_finish(&cs, err);
    cs_clean_up(&cs);
    return rc;
}

static int assemble(uint8_t out[PROOF_BYTES], const struct proof_worker *w,
                    const struct groth16_sums *sums, const struct proof_rs *fixed,
                    struct error *err)
{
    struct proof_rs rs;
    int rc = 0;
    if (fixed != NULL)
        rs = *fixed;
    else if (fr_random(&rs.r) != 0 || fr_random(&rs.s) != 0)
        rc = error_set(err, ERR_OS, "no-randomness", "getrandom failed");
    if (rc == 0) {
        struct proof proof;
        groth16_assemble(&proof, sums, &w->keys->params.vk, &rs.r, &rs.s);
        proof_to_bytes(out, &proof);
    }
    wipe(&rs, sizeof rs);
    return rc;
}

static int prove_once(uint8_t out[PROOF_BYTES], struct proof_timings *t, struct proof_worker *w,
                      const struct proof_input *in, unsigned partition, const struct proof_rs *rs,
                      const struct progress_sink *sink, struct error *err)
{
    struct groth16_sums sums;
    struct groth16_timings g = {0};
    uint64_t since = clock_monotonic_ns();
    const int number = (int)(in->first_number + partition);
    int rc = synthesize(w, in, partition, err);
    lap(&t->synthesis_ns, &since, "synthesis", number);
    if (rc == 0)
        rc = prover_sums(&sums, &g, w->prover, &w->assignment, sink, err);
    t->ntt_ns += g.ntt_ns;
    t->msm_ns += g.msm_ns;
    if (rc == 0) {
        timing_phase("ntt", number, g.ntt_ns);
        timing_phase("msm", number, g.msm_ns);
    }
    if (rc == 0)
        rc = assemble(out, w, &sums, rs, err);
    if (rc != 0)
        return rc;
    since = clock_monotonic_ns();
    rc = verify_partition(w->inputs, w->keys->pvk, out, in, partition, err);
    lap(&t->verify_ns, &since, "verify", number);
    return rc;
}

/* A proof that does not verify, or an H that does not exist, after a checked input. */
static int is_fault(int rc, const struct error *err)
{
    return rc == ERR_INVALID_PROOF ||
           (rc == ERR_DATA && strcmp(err->cause, "witness-unsatisfied") == 0);
}

/* A fault is this machine's or program's: try once more, then say so. */
int proof_worker_prove(uint8_t out[PROOF_BYTES], struct proof_timings *timings,
                       struct proof_worker *w, const struct proof_input *in, unsigned partition,
                       const struct proof_rs *rs, const struct progress_sink *sink,
                       struct error *err)
{
    enum { ATTEMPTS = 2 };
    assert(circuit_of_input(in) == w->keys->circuit && partition < in->partitions);
    for (int i = 0; i < ATTEMPTS; i++) {
        int rc = prove_once(out, timings, w, in, partition, rs, sink, err);
        if (!is_fault(rc, err))
            return rc;
        timings->faults++;
    }
    wipe(out, PROOF_BYTES);
    return error_set(
        err, ERR_SOFTWARE, "self-check-failed",
        "partition %u: the proof does not verify, in %d attempts; it was not given out. Most "
        "likely a "
        "point of %s is wrong, which \"cuzk params verify --circuit %s --points\" tells; else this "
        "machine computes wrongly, or cuzk does",
        in->first_number + partition, ATTEMPTS, w->keys->params.file.path,
        circuit_names(w->keys->circuit)->id);
}

/* ---- All at once ---- */

/* Everything that can refuse the input comes before everything that costs. */
static int take_input(struct proof_input *in, const struct proof_job *job, struct proof_timings *t,
                      struct error *err)
{
    uint64_t since = clock_monotonic_ns();
    int rc = proof_input_decode(in, job->kind, &job->request, ERR_DATA, err);
    lap(&t->load_ns, &since, "decode", TIMING_NO_PARTITION);
    if (rc != 0)
        return rc;
    if (job->fixed_rs && in->count != 1)
        rc = error_set(err, ERR_USAGE, "rs-needs-partition",
                       "r and s are for one partition, but %s has %u: name one",
                       job->request.path != NULL ? job->request.path : "the input", in->partitions);
    if (rc == 0)
        rc = proof_input_check(in, job->pool, job->sink, err);
    lap(&t->check_ns, &since, "check", TIMING_NO_PARTITION);
    return rc;
}

static int prove_all(struct proof_result *out, struct proof_worker *w, const struct proof_input *in,
                     const struct proof_job *job, struct error *err)
{
    out->partitions = in->count;
    out->proof = malloc((size_t)in->count * PROOF_BYTES);
    if (out->proof == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %u proofs", in->count);
    for (unsigned k = 0; k < in->count; k++) {
        int rc = proof_worker_prove(out->proof + (size_t)k * PROOF_BYTES, &out->timings, w, in,
                                    in->first + k, job->fixed_rs ? &job->rs : NULL, job->sink, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int proof_job_run(struct proof_result *out, const struct proof_job *job, struct error *err)
{
    struct proof_input in = {0};
    struct circuit_keys keys = {0};
    struct proof_worker *worker = NULL;
    uint64_t began = clock_monotonic_ns(), since;
    *out = (struct proof_result){0};
    int rc = take_input(&in, job, &out->timings, err);
    since = clock_monotonic_ns();
    if (rc == 0)
        rc = circuit_keys_open(&keys, circuit_of_input(&in), &job->keys, job->pool, job->sink, err);
    if (rc == 0)
        rc = proof_worker_new(&worker, &keys, job->pool, err);
    lap(&out->timings.load_ns, &since, "load", TIMING_NO_PARTITION);
    out->constraints = keys.stats.num_constraints + keys.stats.num_inputs;
    if (rc == 0)
        rc = prove_all(out, worker, &in, job, err);
    proof_worker_destroy(worker);
    circuit_keys_close(&keys);
    proof_input_clean_up(&in);
    lap(&out->timings.total_ns, &began, NULL, TIMING_NO_PARTITION);
    if (rc != 0)
        proof_result_clean_up(out);
    return rc;
}

void proof_result_clean_up(struct proof_result *r)
{
    free(r->proof);
    *r = (struct proof_result){0};
}

/* ---- Verification ---- */

static int verify_all(const struct proof_input *in, const struct prepared_vk *pvk,
                      const uint8_t *bytes, struct error *err)
{
    struct fr *inputs = calloc(inputs_len(circuit_of_input(in)), sizeof *inputs);
    if (inputs == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for public inputs");
    int rc = 0;
    for (unsigned k = 0; k < in->count && rc == 0; k++) {
        rc = verify_partition(inputs, pvk, bytes + (size_t)k * PROOF_BYTES, in, in->first + k, err);
        if (rc != 0)
            error_prefix(err, "partition %u", in->first_number + in->first + k);
    }
    free(inputs);
    return rc;
}

int proof_verify(const struct proof_kind *kind, const struct proof_request *request,
                 const char *param_dir, const char *proof_path, const uint8_t *proof,
                 size_t proof_len, struct error *err)
{
    struct proof_input in = {0};
    struct prepared_vk *pvk = NULL;
    int rc = proof_input_decode(&in, kind, request, ERR_INVALID_PROOF, err);
    if (rc != 0)
        return rc;
    if (proof_len != (size_t)in.count * PROOF_BYTES)
        rc =
            error_set(err, ERR_INVALID_PROOF, "proof-wrong-length",
                      "the proof has %zu bytes; expected %zu, or %zu hexadecimal digits: %d for "
                      "each of %u partition%s",
                      proof_len, (size_t)in.count * PROOF_BYTES, 2 * (size_t)in.count * PROOF_BYTES,
                      PROOF_BYTES, in.count, in.count == 1 ? "" : "s");
    if (rc == 0 && request->published)
        rc = circuit_vk_require_published(circuit_of_input(&in), param_dir, err);
    if (rc == 0)
        rc = circuit_vk_open(&pvk, circuit_of_input(&in), param_dir, err);
    if (rc == 0)
        rc = verify_all(&in, pvk, proof, err);
    if (rc == ERR_INVALID_PROOF)
        file_blame(err, proof_path);
    prepared_vk_destroy(pvk);
    proof_input_clean_up(&in);
    return rc;
}
