/* The daemon's configuration: TOML file, then CUZK_* variables, then what the command line says. One table of keys drives reading,
 * variables, messages and the list of keys. */
#ifndef CUZK_SERVICE_CONFIG_H
#define CUZK_SERVICE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cuzk/engine.h"
#include "service/log.h"

struct string_list {
    char **items; /* ends with NULL; NULL when empty */
    size_t n;
};

int string_list_add(struct string_list *list, const char *text, size_t n, struct error *err);
void string_list_clean_up(struct string_list *list); /* harmless when zeroed */

enum { CONFIG_KEYS = 40, CONFIG_ORIGIN_MAX = 160 }; /* at most */

/* Sizes in bytes, times in milliseconds. Strings are never NULL; "" is "not set". */
struct config {
    struct string_list listen; /* unix://PATH or IP:PORT */
    char *status_listen;       /* IP:PORT */
    int allow_insecure;
    char *tls_cert, *tls_key, *tls_client_ca, *token_file;
    uint64_t memory_total; /* 0 = auto */
    uint64_t safety_margin, eviction_min_idle_ms;
    uint64_t max_batch_size, max_batch_wait_ms, queue_limit;
    uint64_t threads;
    char *param_cache;
    struct string_list preload;
    enum log_level log_level;
    enum log_format log_format;
    char *journal, *capsule_dir;
    uint64_t keep_results_ms;
    struct string_list warnings; /* deprecated keys and keys without effect that were set */
    char origin[CONFIG_KEYS][CONFIG_ORIGIN_MAX]; /* who set each key: "cuzk.toml line 12" */
};

enum config_type {
    CONFIG_STRING,
    CONFIG_STRINGS,
    CONFIG_ADDRESSES, /* a string, comma-separated, or an array of strings */
    CONFIG_BOOL,
    CONFIG_NUMBER,
    CONFIG_NUMBERS,
    CONFIG_SIZE,     /* "64GiB", "500MB", "1048576" */
    CONFIG_BUDGET,   /* a size or "auto" */
    CONFIG_DURATION, /* "5m", "300s", "300" */
    CONFIG_LEVEL,
    CONFIG_FORMAT, /* text, json */
};

struct config_key {
    const char *name; /* "memory.total_budget" */
    enum config_type type;
    size_t offset;        /* in struct config */
    const char *fallback; /* the default, as text */
    uint64_t min, max;    /* numbers */
    int reload;           /* SIGHUP applies it */
    const char *
        note; /* not NULL: the key is accepted and has no effect; this warning is given when it is set */
    const char *also; /* other variables that set it, as a text; may be NULL */
};
/* All keys, in the order of documentation; NULL past the last. */
const struct config_key *config_key_at(size_t i);
/* "CUZK_MEMORY_TOTAL_BUDGET". */
void config_variable(char *out, size_t size, const struct config_key *key);

/* Defaults. Fails only without memory. */
int config_init(struct config *config, struct error *err);
void config_clean_up(struct config *config); /* harmless when zeroed */

/* TOML text. Unknown keys, wrong types and values are errors (ERR_CONFIG) that name the line and the nearest key; all are named, in their
 * order, as far as there is room, then counted. */
int config_read(struct config *config, const char *text, size_t n, const char *name,
                struct error *err);
/* The file; absent is an error (ERR_NO_INPUT) unless optional. */
int config_read_file(struct config *config, const char *path, int optional, struct error *err);
/* CUZK_SECTION_KEY for every key, plus CUZK_PARAM_CACHE. lookup is getenv or a test's. FIL_PROOFS_PARAMETER_CACHE is the default of
 * srs.param_cache and must be looked at before the file: see config_init_environment. */
int config_read_environment(struct config *config, const char *(*lookup)(const char *name),
                            struct error *err);
int config_init_environment(struct config *config, const char *(*lookup)(const char *name),
                            struct error *err);
/* One key from text; origin leads the message. */
int config_set(struct config *config, const char *name, const char *value, const char *origin,
               struct error *err);
/* Puts in front of the text which key is at fault and who set it: "cuzk.toml line 12: jobs.journal: ". Returns err->code. */
int config_blame(const struct config *config, const char *name, struct error *err);
/* What no single key can tell: certificate without key, TLS without a TCP address, insecure listeners; and unknown circuits. */
int config_check(const struct config *config, struct error *err);

/* Sets what the engine takes of it; pointers stay the config's. */
void config_engine(struct cuzk_config *out, const struct config *config);
/* Names of keys whose values differ and that a reload can't change, comma-separated; "" when there are none. */
void config_restart_keys(char *out, size_t size, const struct config *before,
                         const struct config *after);

#endif
