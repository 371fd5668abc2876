/* One job of any proof kind, from bytes to verified proofs. */
#ifndef CUZK_PROOF_JOB_H
#define CUZK_PROOF_JOB_H

#include "groth16/vk.h"
#include "proof/keys.h"
#include "proof/kind.h"

/* Wall time of the stages, summed over partitions. */
struct proof_timings {
    uint64_t load_ns; /* input, parameters' header, density of the circuit */
    uint64_t check_ns, synthesis_ns, ntt_ns, msm_ns, verify_ns, total_ns;
    unsigned faults; /* proofs that did not verify: made again, or given up */
};

/* Given randomness: reproducible, not zero-knowledge. */
struct proof_rs {
    struct fr r, s;
};

/* ---- By step, for many jobs over one set of keys ---- */

/* Memory that proofs of one circuit reuse; one partition at a time. The keys outlive it. */
struct proof_worker;
int proof_worker_new(struct proof_worker **out, const struct circuit_keys *keys, struct pool *pool,
                     struct error *err);
void proof_worker_destroy(struct proof_worker *w); /* NULL is harmless */

/* Partition `partition` of an input of the keys' circuit, which has been checked. The bytes are verified before they are given out;
 * if they are not valid they are made again once, then it is an ERR_SOFTWARE that names the partition. rs NULL: r and s come from
 * getrandom; they are wiped. Timings are added to. */
int proof_worker_prove(uint8_t out[PROOF_BYTES], struct proof_timings *timings,
                       struct proof_worker *w, const struct proof_input *in, unsigned partition,
                       const struct proof_rs *rs, const struct progress_sink *sink,
                       struct error *err);

/* ---- All at once ---- */

struct proof_job {
    const struct proof_kind *kind;
    struct proof_request request;
    struct keys_request keys;
    int fixed_rs; /* rs is given: a single partition only */
    struct proof_rs rs;
    struct pool *pool;
    const struct progress_sink *sink; /* may be NULL */
};

struct proof_result {
    uint8_t *proof;       /* partitions * PROOF_BYTES */
    unsigned partitions;  /* proven */
    uint64_t constraints; /* of one partition, final rows included */
    struct proof_timings timings;
};

/* Decodes and checks the input, opens the keys, proves the partitions wanted. */
int proof_job_run(struct proof_result *out, const struct proof_job *job, struct error *err);
void proof_result_clean_up(struct proof_result *r);

/* proof has the partitions wanted, in order. What it says is taken from the request's input, of which only the statement is
 * believed. proof_path: the proof's file, for messages, or NULL. 0, ERR_INVALID_PROOF, or another error. */
int proof_verify(const struct proof_kind *kind, const struct proof_request *request,
                 const char *param_dir, const char *proof_path, const uint8_t *proof,
                 size_t proof_len, struct error *err);

#endif
