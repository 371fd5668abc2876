/* One PoRep job, from C1 bytes to verified proofs. */
#ifndef CUZK_PROOF_POREP_H
#define CUZK_PROOF_POREP_H

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "field/fr.h"
#include "filecoin/porep_vanilla.h"
#include "groth16/vk.h"

enum { POREP_ALL_PARTITIONS = -1 };

struct porep_job {
    const char *c1_path;
    const char *param_dir;
    int partition; /* or POREP_ALL_PARTITIONS */
    int fixed_rs;  /* r and s are given: a single partition only */
    struct fr r, s;
    int check_points; /* every point of the parameter file */
    int published;    /* refuse parameters whose digests are not the published ones */
    struct pool *pool;
    const struct progress_sink *sink; /* may be NULL */
};

/* Wall time of the stages, summed over partitions. */
struct porep_timings {
    uint64_t load_ns; /* C1, parameters' header, density of the circuit */
    uint64_t check_ns, synthesis_ns, ntt_ns, msm_ns, verify_ns, total_ns;
};

struct porep_result {
    uint8_t *proof;       /* partitions * PROOF_BYTES */
    unsigned partitions;  /* proven */
    uint64_t constraints; /* of one partition, final rows included */
    struct porep_timings timings;
};

/* Every partition's proof is verified by itself before the result is given out; one that fails is made again once, then the job fails
 * with ERR_SOFTWARE naming the partition. r and s come from getrandom unless fixed and are wiped. */
int porep_prove(struct porep_result *out, const struct porep_job *job, struct error *err);
void porep_result_clean_up(struct porep_result *r);

/* Who sealed: replica_id must follow from it. */
struct porep_prover {
    int given;
    uint8_t prover_id[32];
};

/* proof_bytes = partitions * PROOF_BYTES for all partitions, or one proof of job partition. 0, ERR_INVALID_PROOF, or another error. */
int porep_verify(const char *c1_path, const char *param_dir, const uint8_t *proof, size_t proof_len,
                 int partition, const struct porep_prover *prover, struct error *err);

#endif
