#include "service/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "proof/registry.h"
#include "service/config_text.h"
#include "service/toml.h"

static int out_of_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for the configuration");
}

void string_list_clean_up(struct string_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct string_list){NULL, 0};
}

int string_list_add(struct string_list *list, const char *text, size_t n, struct error *err)
{
    char **items = realloc(list->items, (list->n + 2) * sizeof *items);
    if (items == NULL)
        return out_of_memory(err);
    list->items = items;
    items[list->n] = strndup(text, n);
    if (items[list->n] == NULL)
        return out_of_memory(err);
    items[++list->n] = NULL;
    return 0;
}

/* Non-empty parts of a comma-separated text, without spaces around them. */
static int list_split(struct string_list *list, const char *text, struct error *err)
{
    while (*text != '\0') {
        text += strspn(text, ", ");
        size_t n = strcspn(text, ",");
        size_t used = n;
        while (used > 0 && text[used - 1] == ' ')
            used--;
        if (used > 0 && string_list_add(list, text, used, err) != 0)
            return err->code;
        text += n;
    }
    return 0;
}

static const struct config_key *find_key(const char *name)
{
    const struct config_key *key;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        if (strcmp(key->name, name) == 0)
            return key;
    }
    return NULL;
}

static size_t index_of(const struct config_key *key)
{
    return (size_t)(key - config_key_at(0));
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* The key itself is mistyped, or it stands in the wrong section. */
static unsigned key_distance(const char *name, const char *key)
{
    unsigned whole = text_distance(name, key);
    unsigned part = 1 + text_distance(last_part(name), last_part(key));
    return whole < part ? whole : part;
}

static const char *nearest_key(const char *name)
{
    const struct config_key *key;
    const char *best = "";
    unsigned least = UINT32_MAX;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        unsigned distance = key_distance(name, key->name);
        if (distance < least) {
            least = distance;
            best = key->name;
        }
    }
    return best;
}

static void *member(struct config *config, const struct config_key *key)
{
    return (char *)config + key->offset;
}

static int bad_value(const struct config_key *key, const char *value, const char *origin,
                     const char *wanted, struct error *err)
{
    return error_set(err, ERR_CONFIG, "config-value", "%s: %s takes %s, not \"%.80s\"", origin,
                     key->name, wanted, value);
}

static int set_number(uint64_t *out, const struct config_key *key, const char *value,
                      const char *origin, struct error *err)
{
    char wanted[80];
    uint64_t number;
    if (text_number(&number, value) == 0 && number >= key->min && number <= key->max) {
        *out = number;
        return 0;
    }
    snprintf(wanted, sizeof wanted, "a whole number from %llu to %llu",
             (unsigned long long)key->min, (unsigned long long)key->max);
    return bad_value(key, value, origin, wanted, err);
}

static int set_size(uint64_t *out, const struct config_key *key, const char *value,
                    const char *origin, struct error *err)
{
    int budget = key->type == CONFIG_BUDGET;
    if (budget && strcmp(value, "auto") == 0) {
        *out = 0;
        return 0;
    }
    if (text_size(out, value) == 0 && (!budget || *out > 0))
        return 0;
    return bad_value(key, value, origin,
                     budget ? "\"auto\" or a size like \"64GiB\"" : "a size like \"5GiB\"", err);
}

static int set_string(char **out, const char *value, struct error *err)
{
    char *copy = strdup(value);
    if (copy == NULL)
        return out_of_memory(err);
    free(*out);
    *out = copy;
    return 0;
}

static int set_level(enum log_level *out, const struct config_key *key, const char *value,
                     const char *origin, struct error *err)
{
    return log_level_parse(out, value) == 0
               ? 0
               : bad_value(key, value, origin, "error, warn, info, debug or trace", err);
}

static int set_format(enum log_format *out, const struct config_key *key, const char *value,
                      const char *origin, struct error *err)
{
    int json = strcmp(value, "json") == 0;
    if (!json && strcmp(value, "text") != 0)
        return bad_value(key, value, origin, "\"text\" or \"json\"", err);
    *out = json ? LOG_JSON : LOG_TEXT;
    return 0;
}

/* A single value; lists come element by element. */
static int set_value(void *out, const struct config_key *key, const char *value, const char *origin,
                     struct error *err)
{
    uint64_t number;
    switch (key->type) {
    case CONFIG_STRING:
        return set_string(out, value, err);
    case CONFIG_STRINGS:
    case CONFIG_ADDRESSES:
        return list_split(out, value, err);
    case CONFIG_BOOL:
        return text_bool(out, value) == 0 ? 0 : bad_value(key, value, origin, "true or false", err);
    case CONFIG_NUMBER:
        return set_number(out, key, value, origin, err);
    case CONFIG_NUMBERS:
        return set_number(&number, key, value, origin, err);
    case CONFIG_SIZE:
    case CONFIG_BUDGET:
        return set_size(out, key, value, origin, err);
    case CONFIG_DURATION:
        return text_duration(out, value) == 0
                   ? 0
                   : bad_value(key, value, origin, "a time like \"5m\", \"300s\"", err);
    case CONFIG_LEVEL:
        return set_level(out, key, value, origin, err);
    case CONFIG_FORMAT:
        return set_format(out, key, value, origin, err);
    }
    abort();
}

static int is_list(const struct config_key *key)
{
    return key->type == CONFIG_STRINGS || key->type == CONFIG_ADDRESSES;
}

/* A key that is accepted without effect: its warning, once. */
static int warn_of(struct config *config, const struct config_key *key, struct error *err)
{
    for (size_t i = 0; i < config->warnings.n; i++) {
        if (strcmp(config->warnings.items[i], key->note) == 0)
            return 0;
    }
    return string_list_add(&config->warnings, key->note, strlen(key->note), err);
}

static int set_key(struct config *config, const struct config_key *key, const char *const *values,
                   size_t n, const char *origin, struct error *err)
{
    if (key->note != NULL)
        return warn_of(config, key, err);
    snprintf(config->origin[index_of(key)], CONFIG_ORIGIN_MAX, "%s", origin);
    if (is_list(key))
        string_list_clean_up(member(config, key));
    for (size_t i = 0; i < n; i++) {
        if (set_value(member(config, key), key, values[i], origin, err) != 0)
            return err->code;
    }
    return 0;
}

int config_set(struct config *config, const char *name, const char *value, const char *origin,
               struct error *err)
{
    const struct config_key *key = find_key(name);
    if (key == NULL)
        return error_set(err, ERR_CONFIG, "config-unknown-key",
                         "%s: no key \"%.80s\", did you mean \"%s\"?", origin, name,
                         nearest_key(name));
    return set_key(config, key, &value, 1, origin, err);
}

int config_init(struct config *config, struct error *err)
{
    const struct config_key *key;
    *config = (struct config){0};
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        if (key->note == NULL && set_key(config, key, &key->fallback, 1, "default", err) != 0) {
            config_clean_up(config);
            return err->code;
        }
    }
    return 0;
}

void config_clean_up(struct config *config)
{
    const struct config_key *key;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        if (key->note != NULL)
            continue;
        if (is_list(key))
            string_list_clean_up(member(config, key));
        else if (key->type == CONFIG_STRING)
            free(*(char **)member(config, key));
    }
    string_list_clean_up(&config->warnings);
    *config = (struct config){0};
}

/* What TOML calls the type that a key wants. */
static const char *toml_wanted(const struct config_key *key, const struct toml_item *it)
{
    int list = it->type == TOML_ARRAY;
    switch (key->type) {
    case CONFIG_BOOL:
        return it->type == TOML_BOOLEAN ? NULL : "true or false";
    case CONFIG_NUMBER:
        return it->type == TOML_INTEGER ? NULL : "a number without quotes";
    case CONFIG_NUMBERS:
        return list ? NULL : "an array of numbers";
    case CONFIG_STRINGS:
        return list ? NULL : "an array of strings";
    case CONFIG_ADDRESSES:
        return list || it->type == TOML_STRING ? NULL : "a string or an array of strings";
    default:
        return it->type == TOML_STRING ? NULL : "a string in quotes";
    }
}

static int elements_fit(const struct config_key *key, const struct toml_item *it)
{
    enum toml_type wanted = key->type == CONFIG_NUMBERS ? TOML_INTEGER : TOML_STRING;
    for (size_t i = 0; i < it->items_n; i++) {
        if (it->items[i].type != wanted)
            return 0;
    }
    return 1;
}

/* What is wrong in one line. */
struct fault {
    unsigned line;
    struct error err;
};

struct reading {
    struct config *config;
    const char *name;
    struct error *err;
    struct fault *faults;
    size_t n;
};

/* One value of the file as the text that set_value reads. */
static void item_text(char *out, size_t size, const struct toml_item *it)
{
    if (it->type == TOML_BOOLEAN)
        snprintf(out, size, "%s", it->integer ? "true" : "false");
    else
        snprintf(out, size, "%lld", (long long)it->integer);
}

static int set_items(struct reading *r, const struct config_key *key, const struct toml_item *items,
                     size_t n, const char *origin)
{
    char number[24];
    if (n == 0) /* an empty array */
        return set_key(r->config, key, NULL, 0, origin, r->err);
    const char **values = calloc(n, sizeof *values);
    if (values == NULL)
        return out_of_memory(r->err);
    int rc = 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = items[i].string;
        if (items[i].type != TOML_STRING) {
            item_text(number, sizeof number, &items[i]);
            values[i] = number; /* arrays of numbers are kept by no key: each is only checked */
        }
    }
    rc = set_key(r->config, key, values, n, origin, r->err);
    free(values);
    return rc;
}

static int set_item(struct reading *r, const struct toml_item *it)
{
    char origin[CONFIG_ORIGIN_MAX];
    snprintf(origin, sizeof origin, "%.120s line %u", r->name, it->line);
    const struct config_key *key = find_key(it->key);
    if (key == NULL) {
        size_t n = strlen(it->key);
        const struct config_key *any;
        for (size_t i = 0; (any = config_key_at(i)) != NULL; i++) {
            if (strncmp(any->name, it->key, n) == 0 && any->name[n] == '.' &&
                it->type == TOML_OTHER)
                return 0; /* an empty section */
        }
        return config_set(r->config, it->key, "", origin, r->err);
    }
    const char *wanted = toml_wanted(key, it);
    if (wanted == NULL && it->type == TOML_ARRAY && !elements_fit(key, it))
        wanted = key->type == CONFIG_NUMBERS ? "an array of numbers" : "an array of strings";
    if (wanted != NULL)
        return error_set(r->err, ERR_CONFIG, "config-type", "%s: %s takes %s", origin, key->name,
                         wanted);
    int list = it->type == TOML_ARRAY;
    return set_items(r, key, list ? it->items : it, list ? it->items_n : 1, origin);
}

/* Goes on after what is wrong, so that all of it can be mended at once. */
static int read_item(void *ctx, const struct toml_item *it)
{
    struct reading *r = ctx;
    if (set_item(r, it) == 0)
        return 0;
    struct fault *faults = realloc(r->faults, (r->n + 1) * sizeof *faults);
    if (faults == NULL || r->err->code != ERR_CONFIG)
        return r->err->code;
    r->faults = faults;
    faults[r->n++] = (struct fault){it->line, *r->err};
    return 0;
}

static int compare_faults(const void *a, const void *b)
{
    const struct fault *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

/* The first line's, and behind it the others without the file's name. */
static int report_faults(const struct reading *r)
{
    enum { ROOM_FOR_COUNT = 32 };
    char prefix[CONFIG_ORIGIN_MAX], *text = r->err->text;
    if (r->n == 0)
        return 0;
    size_t skip = (size_t)snprintf(prefix, sizeof prefix, "%.120s ", r->name);
    qsort(r->faults, r->n, sizeof *r->faults, compare_faults);
    *r->err = r->faults[0].err;
    for (size_t i = 1; i < r->n; i++) {
        const char *more = r->faults[i].err.text;
        size_t used = strlen(text), room = sizeof r->err->text - used;
        more += strncmp(more, prefix, skip) == 0 ? skip : 0;
        if (strlen(more) + ROOM_FOR_COUNT > room) {
            snprintf(text + used, room, "; and %zu more", r->n - i);
            break;
        }
        snprintf(text + used, room, "; %s", more);
    }
    return r->err->code;
}

int config_read(struct config *config, const char *text, size_t n, const char *name,
                struct error *err)
{
    struct reading r = {config, name, err, NULL, 0};
    char message[sizeof err->text];
    err->code = 0;
    int rc = toml_read(text, n, name, read_item, &r, message, sizeof message);
    if (rc == 0)
        rc = report_faults(&r);
    else if (err->code == 0)
        error_set(err, ERR_CONFIG, "config-syntax", "%s", message);
    free(r.faults);
    return rc == 0 ? 0 : err->code;
}

int config_read_file(struct config *config, const char *path, int optional, struct error *err)
{
    uint8_t *text;
    size_t n;
    if (file_read(&text, &n, path, 1 << 20, err) != 0)
        return optional && err->code == ERR_NO_INPUT ? 0 : err->code;
    int rc = config_read(config, (const char *)text, n, path, err);
    free(text);
    return rc;
}

int config_init_environment(struct config *config, const char *(*lookup)(const char *name),
                            struct error *err)
{
    const char *value = lookup("FIL_PROOFS_PARAMETER_CACHE");
    if (value == NULL || *value == '\0')
        return 0;
    return config_set(config, "srs.param_cache", value, "FIL_PROOFS_PARAMETER_CACHE", err);
}

void config_variable(char *out, size_t size, const struct config_key *key)
{
    size_t n = (size_t)snprintf(out, size, "CUZK_%s", key->name);
    for (size_t i = 0; i < n && out[i] != '\0'; i++)
        out[i] = out[i] == '.' ? '_' : (char)toupper(out[i]);
}

int config_read_environment(struct config *config, const char *(*lookup)(const char *name),
                            struct error *err)
{
    const struct config_key *key;
    const char *value = lookup("CUZK_PARAM_CACHE");
    if (value != NULL && *value != '\0' &&
        config_set(config, "srs.param_cache", value, "CUZK_PARAM_CACHE", err) != 0)
        return err->code;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        char variable[80];
        config_variable(variable, sizeof variable, key);
        value = lookup(variable);
        if (value != NULL && set_key(config, key, &value, 1, variable, err) != 0)
            return err->code;
    }
    return 0;
}

int config_blame(const struct config *config, const char *name, struct error *err)
{
    return error_prefix(err, "%s: %s", config->origin[index_of(find_key(name))], name);
}

static int check_listener(const struct config *config, const char *text, const char *key,
                          struct error *err)
{
    struct address a = text_address(text);
    int status = strcmp(key, "daemon.status_listen") == 0;
    if (a.type == ADDRESS_BAD || (status && a.type != ADDRESS_TCP))
        error_set(err, ERR_CONFIG, "listen-address", "\"%.100s\" is not %sIP:PORT", text,
                  status ? "" : "unix://PATH or ");
    else if (!a.loopback && !config->allow_insecure && *config->token_file == '\0' &&
             (status || *config->tls_cert == '\0'))
        error_set(err, ERR_CONFIG, "listen-insecure",
                  "%.100s is reachable from outside and has neither tls.cert nor auth.token_file; "
                  "set one, listen on 127.0.0.1, or set daemon.allow_insecure = true",
                  text);
    else
        return 0;
    return config_blame(config, key, err);
}

static int check_tls(const struct config *config, struct error *err)
{
    const char *at_fault = *config->tls_cert != '\0'  ? "tls.cert"
                           : *config->tls_key != '\0' ? "tls.key"
                                                      : "tls.client_ca";
    if ((*config->tls_cert == '\0') != (*config->tls_key == '\0'))
        error_set(err, ERR_CONFIG, "tls-incomplete", "tls.cert and tls.key must be set together");
    else if (*config->tls_client_ca != '\0' && *config->tls_cert == '\0')
        error_set(err, ERR_CONFIG, "tls-incomplete", "it needs tls.cert and tls.key");
    else
        return 0;
    return config_blame(config, at_fault, err);
}

static int check_circuit(const struct config *config, const char *id, struct error *err)
{
    const struct circuit *circuit;
    const char *nearest = "";
    unsigned least = UINT32_MAX;
    for (size_t i = 0; (circuit = circuit_at(i)) != NULL; i++) {
        const char *known = circuit_names(circuit)->id;
        unsigned distance = text_distance(id, known);
        if (distance < least) {
            least = distance;
            nearest = known;
        }
    }
    if (least == 0)
        return 0;
    error_set(err, ERR_CONFIG, "circuit-unknown", "no circuit \"%.80s\", did you mean \"%s\"?", id,
              nearest);
    return config_blame(config, "srs.preload", err);
}

int config_check(const struct config *config, struct error *err)
{
    if (config->listen.n == 0) {
        error_set(err, ERR_CONFIG, "listen-address", "it is empty");
        return config_blame(config, "daemon.listen", err);
    }
    if (check_tls(config, err) != 0)
        return err->code;
    for (size_t i = 0; i < config->listen.n; i++) {
        if (check_listener(config, config->listen.items[i], "daemon.listen", err) != 0)
            return err->code;
    }
    for (size_t i = 0; i < config->preload.n; i++) {
        if (check_circuit(config, config->preload.items[i], err) != 0)
            return err->code;
    }
    if (*config->status_listen != '\0')
        return check_listener(config, config->status_listen, "daemon.status_listen", err);
    return 0;
}

static const char *or_null(const char *text)
{
    return *text == '\0' ? NULL : text;
}

void config_engine(struct cuzk_config *out, const struct config *config)
{
    cuzk_config_init(out);
    out->param_dir = config->param_cache;
    out->journal_path = or_null(config->journal);
    out->memory_total = config->memory_total;
    out->memory_safety_margin = config->safety_margin;
    out->eviction_min_idle_ms = config->eviction_min_idle_ms;
    out->threads = (unsigned)config->threads;
    out->max_batch_size = (unsigned)config->max_batch_size;
    out->max_batch_wait_ms = config->max_batch_wait_ms;
    out->queue_limit = (unsigned)config->queue_limit;
    out->keep_results_ms = config->keep_results_ms;
    out->capsule_dir = or_null(config->capsule_dir);
    out->preload = (const char *const *)config->preload.items;
}

static int lists_equal(const struct string_list *a, const struct string_list *b)
{
    if (a->n != b->n)
        return 0;
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->items[i], b->items[i]) != 0)
            return 0;
    }
    return 1;
}

static int same_value(const struct config_key *key, const struct config *a, const struct config *b)
{
    const void *x = (const char *)a + key->offset, *y = (const char *)b + key->offset;
    if (is_list(key))
        return lists_equal(x, y);
    if (key->type == CONFIG_STRING)
        return strcmp(*(char *const *)x, *(char *const *)y) == 0;
    if (key->type == CONFIG_BOOL || key->type == CONFIG_LEVEL || key->type == CONFIG_FORMAT)
        return *(const int *)x == *(const int *)y;
    return *(const uint64_t *)x == *(const uint64_t *)y;
}

void config_restart_keys(char *out, size_t size, const struct config *before,
                         const struct config *after)
{
    const struct config_key *key;
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        if (key->note != NULL || key->reload || same_value(key, before, after))
            continue;
        int n = snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", key->name);
        if (n < 0 || (size_t)n >= size - used)
            return;
        used += (size_t)n;
    }
}
