/* What proves: behind one small interface, so that the engine's tests can prove without circuits and let anything fail. */
#ifndef CUZK_ENGINE_BACKEND_H
#define CUZK_ENGINE_BACKEND_H

#include "base/pool.h"
#include "base/progress.h"
#include "cuzk/engine.h"
#include "groth16/vk.h"

struct backend_bill {
    uint64_t mapped_bytes;     /* the parameter file: page cache */
    uint64_t keys_bytes;       /* densities */
    uint64_t assignment_bytes; /* of one partition; the following too */
    uint64_t transform_bytes, msm_bytes;
    unsigned partitions; /* of a usual job */
    uint64_t input_bytes;
};

struct backend_input {
    void *input;
    unsigned circuit, first,
        partitions; /* partitions [first, first + partitions) of the input are wanted */
};

struct backend_times {
    uint64_t synthesis_ms, compute_ms;
    unsigned faults; /* proofs that did not verify: made again, or given up */
};

struct backend {
    unsigned circuits;
    const char *(*circuit_id)(unsigned circuit);
    int (*bill)(struct backend_bill *out, unsigned circuit, unsigned threads, struct error *err);
    /* Whether the parameters are there: ERR_NO_INPUT and so on. */
    int (*available)(unsigned circuit, const char *param_dir, struct error *err);
    int (*keys_open)(void **keys, unsigned circuit, const char *param_dir, struct pool *pool,
                     struct error *err);
    void (*keys_close)(void *keys);
    int (*keys_current)(const void *keys); /* the file is still the one that was opened */
    int (*worker_new)(void **worker, void *keys, struct pool *pool, struct error *err);
    void (*worker_destroy)(void *worker);
    /* Decodes and checks. Nothing of the request is kept. */
    int (*decode)(struct backend_input *out, const struct cuzk_request *request, struct pool *pool,
                  struct error *err);
    void (*input_free)(void *input);
    /* One verified partition. ERR_TEMP_FAIL "cancelled" when the sink says so; ERR_SOFTWARE "self-check-failed"
     * after the second that does not verify. times are filled in either way. */
    int (*prove)(uint8_t out[PROOF_BYTES], struct backend_times *times, void *worker,
                 const void *input, unsigned partition, const struct progress_sink *sink,
                 struct error *err);
};

extern const struct backend backend_cpu;

/* As cuzk_engine_open, with another backend. */
int engine_open_with(struct cuzk_engine **out, const struct cuzk_config *config,
                     const struct backend *backend, struct cuzk_error *err);

#endif
