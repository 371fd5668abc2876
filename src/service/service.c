#include "service/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proof/registry.h"
#include "service/health.h"
#include "service/proving.h"
#include "service/reflection.h"
#include "service/wire.h"

const struct rpc_method *const service_methods[] = {&proving_submit,
                                                    &proving_await,
                                                    &proving_prove,
                                                    &proving_cancel,
                                                    &proving_status,
                                                    &proving_metrics,
                                                    &proving_preload,
                                                    &proving_evict,
                                                    &health_check,
                                                    &health_watch,
                                                    &reflection_v1,
                                                    &reflection_v1alpha,
                                                    NULL};

int service_start(struct service *service, struct error *err)
{
    if (proving_new(&service->proving, err) != 0)
        return err->code;
    if (health_new(&service->health, service, err) == 0)
        return 0;
    proving_destroy(service->proving);
    service->proving = NULL;
    return err->code;
}

void service_abandon(struct service *service)
{
    proving_abandon(service->proving);
    health_end_watches(service->health);
}

void service_clean_up(struct service *service)
{
    health_destroy(service->health);
    proving_destroy(service->proving);
    service->health = NULL;
    service->proving = NULL;
}

static enum circuit_kind circuit_kind_of(enum cuzk_kind kind)
{
    static const enum circuit_kind kinds[CUZK_KINDS] = {CIRCUIT_KINDS, CIRCUIT_POREP, CIRCUIT_SNAP,
                                                        CIRCUIT_WPOST, CIRCUIT_WINNING};
    return kinds[kind];
}

static int is_there(const struct circuit *circuit, const char *param_dir)
{
    char *path = circuit_file_path(circuit, param_dir, "params");
    int found = path != NULL && access(path, R_OK) == 0;
    free(path);
    return found;
}

static int has_parameters(const char *param_dir, enum circuit_kind kind)
{
    for (int size = 0; size < SECTOR_SIZES; size++) {
        const struct circuit *circuit = circuit_of(kind, (enum sector_size)size);
        if (circuit != NULL && is_there(circuit, param_dir))
            return 1;
    }
    return 0;
}

/* Circuits whose parameters are there although no job of them can run; then the kind, if that leaves none of it. */
static void warn_of_kind(const struct service *s, enum cuzk_kind kind)
{
    struct cuzk_error err;
    unsigned there = 0, there_fit = 0, fit = 0;
    for (int size = 0; size < SECTOR_SIZES; size++) {
        const struct circuit *circuit = circuit_of(circuit_kind_of(kind), (enum sector_size)size);
        if (circuit == NULL)
            continue;
        const char *id = circuit_names(circuit)->id;
        int found = is_there(circuit, s->param_dir);
        int fits = cuzk_could_fit(s->engine, id, kind, &err) == 0;
        fit += (unsigned)fits;
        there += (unsigned)found;
        there_fit += (unsigned)(found && fits);
        if (found && !fits)
            log_write(s->log, LOG_WARN, "cuzk_daemon",
                      "memory.total_budget is too small for a circuit whose parameters are there",
                      "circuit", id, "error", err.message, NULL);
    }
    if (there > 0 ? there_fit == 0 : fit == 0)
        log_write(s->log, LOG_WARN, "cuzk_daemon",
                  "memory.total_budget is too small for every job of a kind", "proof_kind",
                  wire_kind_names[kind], NULL);
}

void service_warn_of_budget(const struct service *service)
{
    for (int k = 1; k < CUZK_KINDS; k++)
        warn_of_kind(service, (enum cuzk_kind)k);
}

enum { PRELOADS = 64 }; /* bits of loaded_once; there are fewer circuits */

void service_event(void *ctx, uint64_t ms, const char *event, const char *job_id,
                   const char *detail)
{
    struct service *s = ctx;
    timeline_event(s->timeline, ms, event, job_id, detail);
    if (strcmp(event, "interrupted") == 0)
        log_write(s->log, LOG_WARN, "cuzk_server::service", "a job was interrupted", "job_id",
                  job_id, "cause", detail, NULL);
    if (strcmp(event, "journal-damage") == 0)
        log_write(s->log, LOG_ERROR, "cuzk_server::service", "damage in the journal", "job_id",
                  job_id, "cause", detail, NULL);
    if (strcmp(event, "srs-loaded") != 0 || s->preload == NULL)
        return;
    for (unsigned i = 0; i < PRELOADS && s->preload[i] != NULL; i++) {
        if (strcmp(s->preload[i], detail) == 0)
            atomic_fetch_or(&s->loaded_once, UINT64_C(1) << i);
    }
}

int service_kind_ready(const struct service *service, enum cuzk_kind kind,
                       const struct cuzk_view *view, char *reason, size_t size)
{
    enum circuit_kind circuits = circuit_kind_of(kind);
    *reason = '\0';
    if (view->draining || atomic_load(&service->draining)) {
        snprintf(reason, size, "draining");
        return 0;
    }
    if (!has_parameters(service->param_dir, circuits)) {
        snprintf(reason, size, "no parameters in %s", service->param_dir);
        return 0;
    }
    uint64_t loaded = atomic_load(&service->loaded_once);
    for (unsigned i = 0; i < PRELOADS && service->preload && service->preload[i]; i++) {
        const char *id = service->preload[i];
        const struct circuit_params *params = circuit_params_by_id(id);
        if (params == NULL || params->kind != circuits || loaded >> i & 1)
            continue;
        snprintf(reason, size, "%s is being loaded", id);
        return 0;
    }
    return 1;
}
