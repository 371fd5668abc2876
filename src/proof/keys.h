/* One circuit's parameters, opened and checked once, for any number of jobs on any number of threads. */
#ifndef CUZK_PROOF_KEYS_H
#define CUZK_PROOF_KEYS_H

#include "groth16/params.h"
#include "groth16/verify.h"
#include "proof/registry.h"

struct circuit_keys {
    const struct circuit *circuit;
    struct shape_stats stats; /* counts and density */
    struct params_file params;
    struct prepared_vk *pvk;
};

struct keys_request {
    const char *param_dir;
    int check_points; /* every point of the parameter file */
    int published;    /* refuse parameters whose digests are not the published ones */
};

/* The parameter file against the circuit, itself and its .vk file. */
int circuit_keys_open(struct circuit_keys *out, const struct circuit *circuit,
                      const struct keys_request *request, struct pool *pool,
                      const struct progress_sink *sink, struct error *err);
void circuit_keys_close(struct circuit_keys *keys); /* harmless when zeroed */

/* The key of the .vk file alone, which is all that verification needs. */
int circuit_vk_open(struct prepared_vk **out, const struct circuit *circuit, const char *param_dir,
                    struct error *err);

#endif
