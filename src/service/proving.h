/* The eight methods of cuzk.v1.ProvingEngine, and those who wait for a job. Nobody's thread waits: the engine tells when a job has
 * ended. */
#ifndef CUZK_SERVICE_PROVING_H
#define CUZK_SERVICE_PROVING_H

#include "service/rpc.h"

struct service;
struct proving;

int proving_new(struct proving **out, struct error *err);
/* Answers UNAVAILABLE to all who wait. */
void proving_abandon(struct proving *proving);
/* Nobody waits any more and the engine calls no one back. NULL is harmless. */
void proving_destroy(struct proving *proving);

extern const struct rpc_method proving_submit, proving_await, proving_prove, proving_cancel,
    proving_status, proving_metrics, proving_preload, proving_evict;

#endif
