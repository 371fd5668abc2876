#include "proof/porep.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "circuit/porep.h"
#include "groth16/prove.h"
#include "groth16/verify.h"
#include "proof/params.h"

/* What all partitions of a job share. */
struct porep_work {
    const struct porep_job *job;
    struct porep_vanilla vanilla;
    const struct circuit *circuit;
    struct shape_stats stats;
    struct params_file params;
    struct prepared_vk *pvk;
    struct prover *prover;
    struct assignment assignment;
    struct fr *inputs; /* of one partition, for verification */
    size_t inputs_len;
};

static void work_clean_up(struct porep_work *w)
{
    free(w->inputs);
    assignment_clean_up(&w->assignment);
    prover_destroy(w->prover);
    prepared_vk_destroy(w->pvk);
    params_close(&w->params);
    shape_stats_clean_up(&w->stats);
    porep_vanilla_clean_up(&w->vanilla);
}

/* Adds the time since *since to *total and moves *since on. */
static void lap(uint64_t *total, uint64_t *since)
{
    uint64_t now = clock_monotonic_ns();
    *total += now - *since;
    *since = now;
}

static struct porep_statement statement_of(const struct porep_vanilla *v)
{
    struct porep_statement s = {
        .seal = v->seal, .replica_id = v->replica_id, .comm_d = v->comm_d, .comm_r = v->comm_r};
    for (size_t i = 0; i < sizeof s.seed; i++)
        s.seed[i] = v->seed[i];
    return s;
}

static int check_params(struct porep_work *w, struct error *err)
{
    const struct porep_job *job = w->job;
    int rc = circuit_params_check(&w->params, w->circuit, &w->stats, job->param_dir, err);
    if (rc == 0 && job->published)
        rc = circuit_params_require_published(w->circuit, job->param_dir, job->sink, err);
    if (rc == 0 && job->check_points)
        rc = params_check_points(&w->params, job->pool, job->sink, err);
    return rc;
}

static int check_partition_option(const struct porep_work *w, struct error *err)
{
    const struct porep_job *job = w->job;
    if (job->partition != POREP_ALL_PARTITIONS && (size_t)job->partition >= w->vanilla.partitions)
        return error_set(err, ERR_USAGE, "partition-out-of-range",
                         "partition %d asked for, but %s has %zu", job->partition, job->c1_path,
                         w->vanilla.partitions);
    if (job->fixed_rs && job->partition == POREP_ALL_PARTITIONS && w->vanilla.partitions != 1)
        return error_set(err, ERR_USAGE, "rs-needs-partition",
                         "r and s are for one partition, but %s has %zu: name one", job->c1_path,
                         w->vanilla.partitions);
    return 0;
}

/* Everything that can refuse the job comes before everything that costs. */
static int work_init(struct porep_work *w, struct porep_timings *t, struct error *err)
{
    const struct porep_job *job = w->job;
    uint64_t since = clock_monotonic_ns();
    int rc = porep_vanilla_read(&w->vanilla, job->c1_path, err);
    if (rc == 0)
        rc = check_partition_option(w, err);
    lap(&t->load_ns, &since);
    if (rc == 0)
        rc = porep_vanilla_check(&w->vanilla, job->pool, job->sink, err);
    lap(&t->check_ns, &since);
    if (rc != 0)
        return rc;

    w->circuit = circuit_of(CIRCUIT_POREP, w->vanilla.seal->shape->id);
    rc = circuit_params_open(&w->params, w->circuit, job->param_dir, err);
    if (rc == 0)
        rc = circuit_stats(&w->stats, w->circuit, err);
    if (rc == 0)
        rc = check_params(w, err);
    if (rc == 0)
        rc = prepared_vk_new(&w->pvk, &w->params.vk, err);
    if (rc == 0)
        rc = prover_new(&w->prover, &w->params, &w->stats.density,
                        circuit_names(w->circuit)->log2_domain, job->pool, err);
    if (rc == 0) {
        w->inputs_len = porep_public_inputs_len(w->vanilla.seal);
        w->inputs = malloc(w->inputs_len * sizeof *w->inputs);
        if (w->inputs == NULL)
            rc = error_set(err, ERR_OS, "out-of-memory", "no memory for public inputs");
    }
    lap(&t->load_ns, &since);
    return rc;
}

static int synthesize(struct porep_work *w, unsigned partition, struct error *err)
{
    struct cs cs;
    assignment_reset(&w->assignment);
    cs_init_native(&cs, &w->assignment, w->job->pool);
    porep_synthesize(&cs, &w->vanilla, partition);
    int rc = cs_finish(&cs, err);
    cs_clean_up(&cs);
    return rc;
}

static int assemble(struct proof *proof, const struct porep_work *w,
                    const struct groth16_sums *sums, struct error *err)
{
    struct fr r = w->job->r, s = w->job->s;
    int rc = 0;
    if (!w->job->fixed_rs && (fr_random(&r) != 0 || fr_random(&s) != 0))
        rc = error_set(err, ERR_OS, "no-randomness", "getrandom failed");
    else
        groth16_assemble(proof, sums, &w->params.vk, &r, &s);
    wipe(&r, sizeof r);
    wipe(&s, sizeof s);
    return rc;
}

static int prove_once(uint8_t out[PROOF_BYTES], struct porep_work *w, unsigned partition,
                      struct porep_timings *t, struct error *err)
{
    struct groth16_sums sums;
    struct groth16_timings g = {0};
    struct proof proof, reread;
    uint64_t since = clock_monotonic_ns();
    int rc = synthesize(w, partition, err);
    lap(&t->synthesis_ns, &since);
    if (rc == 0)
        rc = prover_sums(&sums, &g, w->prover, &w->assignment, w->job->sink, err);
    t->ntt_ns += g.ntt_ns;
    t->msm_ns += g.msm_ns;
    if (rc == 0)
        rc = assemble(&proof, w, &sums, err);
    if (rc != 0)
        return rc;

    /* What is verified is the bytes that leave, against inputs computed without the circuit. */
    since = clock_monotonic_ns();
    struct porep_statement statement = statement_of(&w->vanilla);
    proof_to_bytes(out, &proof);
    rc = proof_from_bytes(&reread, out, err);
    if (rc == 0)
        rc = porep_public_inputs(w->inputs, &statement, partition, err);
    if (rc == 0)
        rc = groth16_verify(w->pvk, &reread, w->inputs, w->inputs_len, err);
    lap(&t->verify_ns, &since);
    return rc;
}

/* A proof that does not verify after a checked input is a fault of this machine or program: try once more, then say so. */
static int prove_partition(uint8_t out[PROOF_BYTES], struct porep_work *w, unsigned partition,
                           struct porep_timings *t, struct error *err)
{
    enum { ATTEMPTS = 2 };
    int rc = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        rc = prove_once(out, w, partition, t, err);
        if (rc != ERR_INVALID_PROOF)
            return rc;
    }
    return error_set(
        err, ERR_SOFTWARE, "self-check-failed",
        "partition %u: the proof does not verify, in %d attempts; it was not given out", partition,
        ATTEMPTS);
}

static int prove_all(struct porep_result *out, struct porep_work *w, struct error *err)
{
    unsigned first = w->job->partition == POREP_ALL_PARTITIONS ? 0 : (unsigned)w->job->partition;
    unsigned count =
        w->job->partition == POREP_ALL_PARTITIONS ? (unsigned)w->vanilla.partitions : 1;
    out->partitions = count;
    out->constraints = w->stats.num_constraints + w->stats.num_inputs;
    out->proof = malloc((size_t)count * PROOF_BYTES);
    if (out->proof == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %u proofs", count);
    for (unsigned k = 0; k < count; k++) {
        int rc =
            prove_partition(out->proof + (size_t)k * PROOF_BYTES, w, first + k, &out->timings, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int porep_prove(struct porep_result *out, const struct porep_job *job, struct error *err)
{
    *out = (struct porep_result){0};
    struct porep_work work = {.job = job};
    uint64_t since = clock_monotonic_ns();
    int rc = work_init(&work, &out->timings, err);
    if (rc == 0)
        rc = prove_all(out, &work, err);
    work_clean_up(&work);
    lap(&out->timings.total_ns, &since);
    if (rc != 0)
        porep_result_clean_up(out);
    return rc;
}

void porep_result_clean_up(struct porep_result *r)
{
    free(r->proof);
    r->proof = NULL;
}

static int check_prover(const struct porep_vanilla *v, const struct porep_prover *prover,
                        const char *c1_path, struct error *err)
{
    struct node expected;
    if (!prover->given)
        return 0;
    if (!v->has_wrapper)
        return error_set(err, ERR_DATA, "no-sector-number",
                         "%s is a bare SealCommitPhase1Output without sector number: the prover id "
                         "cannot be checked",
                         c1_path);
    porep_replica_id(&expected, v->seal, prover->prover_id, v->sector_number, v->ticket,
                     &v->comm_d);
    if (memcmp(&expected, &v->replica_id, sizeof expected) == 0)
        return 0;
    return error_set(
        err, ERR_INVALID_PROOF, "replica-id-other-prover",
        "%s: replica_id does not follow from this prover, sector %llu, ticket and comm_d", c1_path,
        (unsigned long long)v->sector_number);
}

/* Partitions [first, first + count) against their statement. */
static int verify_partitions(const struct porep_vanilla *v, const struct prepared_vk *pvk,
                             const uint8_t *bytes, unsigned first, unsigned count,
                             struct error *err)
{
    struct porep_statement statement = statement_of(v);
    size_t n = porep_public_inputs_len(v->seal);
    struct fr *inputs = malloc(n * sizeof *inputs);
    int rc =
        inputs == NULL ? error_set(err, ERR_OS, "out-of-memory", "no memory for public inputs") : 0;
    for (unsigned k = 0; k < count && rc == 0; k++) {
        struct proof proof;
        rc = proof_from_bytes(&proof, bytes + (size_t)k * PROOF_BYTES, err);
        if (rc == 0)
            rc = porep_public_inputs(inputs, &statement, first + k, err);
        if (rc == 0)
            rc = groth16_verify(pvk, &proof, inputs, n, err);
        if (rc != 0)
            rc = error_prefix(err, "partition %u", first + k);
    }
    free(inputs);
    return rc;
}

int porep_verify(const char *c1_path, const char *param_dir, const uint8_t *proof, size_t proof_len,
                 int partition, const struct porep_prover *prover, struct error *err)
{
    struct porep_vanilla v = {0};
    struct verifying_key vk = {0};
    struct prepared_vk *pvk = NULL;
    char *vk_path = NULL;
    int rc = porep_vanilla_read(&v, c1_path, err);
    if (rc != 0)
        goto out;
    unsigned first = partition == POREP_ALL_PARTITIONS ? 0 : (unsigned)partition;
    unsigned count = partition == POREP_ALL_PARTITIONS ? (unsigned)v.partitions : 1;
    if (first + count > v.partitions) {
        rc = error_set(err, ERR_USAGE, "partition-out-of-range",
                       "partition %u asked for, but %s has %zu", first, c1_path, v.partitions);
        goto out;
    }
    if (proof_len != (size_t)count * PROOF_BYTES) {
        rc = error_set(err, ERR_INVALID_PROOF, "proof-wrong-length",
                       "the proof has %zu bytes; %u partition%s take %zu", proof_len, count,
                       count == 1 ? "" : "s", (size_t)count * PROOF_BYTES);
        goto out;
    }
    rc = check_prover(&v, prover, c1_path, err);
    if (rc != 0)
        goto out;
    vk_path = circuit_file_path(circuit_of(CIRCUIT_POREP, v.seal->shape->id), param_dir, "vk");
    if (vk_path == NULL) {
        rc = error_set(err, ERR_OS, "out-of-memory", "no memory for a path");
        goto out;
    }
    rc = vk_read(&vk, vk_path, err);
    if (rc == 0)
        rc = prepared_vk_new(&pvk, &vk, err);
    if (rc == 0)
        rc = verify_partitions(&v, pvk, proof, first, count, err);
out:
    prepared_vk_destroy(pvk);
    vk_clean_up(&vk);
    free(vk_path);
    porep_vanilla_clean_up(&v);
    return rc;
}
