/* What stands between the engine and the network: one struct that gRPC's and HTTP's handlers share. */
#ifndef CUZK_SERVICE_SERVICE_H
#define CUZK_SERVICE_SERVICE_H

#include <stdatomic.h>

#include "cuzk/engine.h"
#include "service/log.h"
#include "service/rpc.h"
#include "service/timeline.h"

struct proving;
struct health;

struct service {
    struct cuzk_engine *engine;
    struct log *log;
    struct timeline *timeline;
    const char *param_dir;
    char *const *
        preload; /* circuits that must be there before their kind is ready; ends with NULL; may be NULL */
    atomic_uint_fast64_t
        loaded_once; /* bit i: preload[i] was there; it may be evicted later and comes back when needed */
    atomic_int draining;
    struct proving *proving;
    struct health *health;
};

/* Fills in proving and health; the other members are set. */
int service_start(struct service *service, struct error *err);
/* Answers UNAVAILABLE to all who still wait for a job: it is journalled and not finished. */
void service_abandon(struct service *service);
void service_clean_up(struct service *service); /* after the servers that use it have stopped */

/* For the engine's timeline, ctx is the struct service: passes events on to its timeline and learns from them. */
void service_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                   const char *detail);

/* All that the gRPC server offers; ctx is the struct service. */
extern const struct rpc_method *const service_methods[];

/* Whether a kind can be proven at once: 1, or 0 with the reason ("draining", "no parameters in DIR", "porep-32g is being loaded"). */
int service_kind_ready(const struct service *service, enum cuzk_kind kind,
                       const struct cuzk_view *view, char *reason, size_t size);

/* Logs what the memory budget is too small for: a job of it would be refused whenever it came. */
void service_warn_of_budget(const struct service *service);

#endif
