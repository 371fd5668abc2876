#include <limits.h>

#include "service/config.h"

#define AT(member) offsetof(struct config, member)
#define TEXT(name, type, member, fallback, reload)                                                 \
    {                                                                                              \
        name, type, AT(member), fallback, 0, 0, reload, NULL, NULL                                 \
    }
#define TEXT_ALSO(name, type, member, fallback, reload, also)                                      \
    {                                                                                              \
        name, type, AT(member), fallback, 0, 0, reload, NULL, also                                 \
    }
#define NUMBER(name, member, fallback, min, max, reload)                                           \
    {                                                                                              \
        name, CONFIG_NUMBER, AT(member), fallback, min, max, reload, NULL, NULL                    \
    }
#define IGNORED(name, type, note)                                                                  \
    {                                                                                              \
        name, type, 0, NULL, 0, UINT32_MAX, 0, note, NULL                                          \
    }

#define CPU_ONLY " has no effect: this build proves on the CPU"
#define BY_BUDGET " has no effect: partitions are admitted by the memory budget"

/* clang-format off */
static const struct config_key keys[] = {
    TEXT("daemon.listen", CONFIG_ADDRESSES, listen, "unix:///run/curio/cuzk.sock", 0),
    TEXT("daemon.status_listen", CONFIG_STRING, status_listen, "", 0),
    TEXT("daemon.allow_insecure", CONFIG_BOOL, allow_insecure, "false", 0),
    TEXT("tls.cert", CONFIG_STRING, tls_cert, "", 0),
    TEXT("tls.key", CONFIG_STRING, tls_key, "", 0),
    TEXT("tls.client_ca", CONFIG_STRING, tls_client_ca, "", 0),
    TEXT("auth.token_file", CONFIG_STRING, token_file, "", 0),
    TEXT("memory.total_budget", CONFIG_BUDGET, memory_total, "auto", 1),
    TEXT("memory.safety_margin", CONFIG_SIZE, safety_margin, "5GiB", 1),
    TEXT("memory.eviction_min_idle", CONFIG_DURATION, eviction_min_idle_ms, "5m", 1),
    IGNORED("memory.pinned_budget", CONFIG_STRING,
            "memory.pinned_budget is deprecated — memory is now managed by the unified total_budget"),
    IGNORED("memory.working_memory_budget", CONFIG_STRING,
            "memory.working_memory_budget is deprecated — memory is now managed by the unified total_budget"),
    IGNORED("gpus.devices", CONFIG_NUMBERS, "gpus.devices" CPU_ONLY),
    IGNORED("gpus.gpu_threads", CONFIG_NUMBER, "gpus.gpu_threads" CPU_ONLY),
    IGNORED("gpus.gpu_workers_per_device", CONFIG_NUMBER, "gpus.gpu_workers_per_device" CPU_ONLY),
    NUMBER("scheduler.max_batch_size", max_batch_size, "1", 1, 1024, 1),
    NUMBER("scheduler.max_batch_wait_ms", max_batch_wait_ms, "10000", 0, UINT64_MAX, 1),
    NUMBER("scheduler.queue_limit", queue_limit, "1024", 1, UINT32_MAX, 1),
    IGNORED("scheduler.sort_by_type", CONFIG_BOOL,
            "scheduler.sort_by_type has no effect: jobs run by priority, deadline and age"),
    NUMBER("synthesis.threads", threads, "0", 0, 4096, 0),
    IGNORED("synthesis.partition_workers", CONFIG_NUMBER,
            "synthesis.partition_workers is deprecated — concurrency is now managed by the memory budget"),
    IGNORED("pipeline.enabled", CONFIG_BOOL, "pipeline.enabled has no effect: every job goes through the pipeline"),
    IGNORED("pipeline.synthesis_lookahead", CONFIG_NUMBER, "pipeline.synthesis_lookahead" BY_BUDGET),
    IGNORED("pipeline.synthesis_concurrency", CONFIG_NUMBER, "pipeline.synthesis_concurrency" BY_BUDGET),
    IGNORED("pipeline.max_parallel_synthesis", CONFIG_NUMBER, "pipeline.max_parallel_synthesis" BY_BUDGET),
    IGNORED("pipeline.slot_size", CONFIG_NUMBER, "pipeline.slot_size" BY_BUDGET),
    IGNORED("pipeline.max_gpu_queue_depth", CONFIG_NUMBER, "pipeline.max_gpu_queue_depth" BY_BUDGET),
    TEXT_ALSO("srs.param_cache", CONFIG_STRING, param_cache, "/data/zk/params", 0,
              "CUZK_PARAM_CACHE; FIL_PROOFS_PARAMETER_CACHE instead of the default"),
    TEXT("srs.preload", CONFIG_STRINGS, preload, "", 0),
    TEXT_ALSO("logging.level", CONFIG_LEVEL, log_level, "info", 1, "RUST_LOG, which goes before --log-level"),
    TEXT("logging.format", CONFIG_FORMAT, log_format, "text", 0),
    TEXT("jobs.journal", CONFIG_STRING, journal, "", 0),
    TEXT("jobs.keep_results", CONFIG_DURATION, keep_results_ms, "1h", 1),
    TEXT("jobs.capsule_dir", CONFIG_STRING, capsule_dir, "", 0),
};
/* clang-format on */

_Static_assert(sizeof keys / sizeof *keys <= CONFIG_KEYS, "each key has an origin");

const struct config_key *config_key_at(size_t i)
{
    return i < sizeof keys / sizeof *keys ? &keys[i] : NULL;
}
