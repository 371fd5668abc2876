/* ctest: quick asan
 * The configuration: every key has an effect, every mistake a message that helps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "service/config.h"
#include "service/config_text.h"

static const char *no_variable(const char *name)
{
    (void)name;
    return NULL;
}

static int read_text(struct config *c, const char *text, struct error *err)
{
    assert_int_equal(config_init(c, err), 0);
    return config_read(c, text, strlen(text), "test.toml", err);
}

/* What a key holds, as text. */
static void value_text(char *out, size_t size, const struct config *c, const struct config_key *key)
{
    const void *at = (const char *)c + key->offset;
    const struct string_list *list = at;
    *out = '\0';
    switch (key->type) {
    case CONFIG_STRING:
        snprintf(out, size, "%s", *(char *const *)at);
        return;
    case CONFIG_STRINGS:
    case CONFIG_ADDRESSES:
        for (size_t i = 0; i < list->n; i++)
            snprintf(out + strlen(out), size - strlen(out), "[%s]", list->items[i]);
        return;
    case CONFIG_BOOL:
    case CONFIG_LEVEL:
    case CONFIG_FORMAT:
        snprintf(out, size, "%d", *(const int *)at);
        return;
    default:
        snprintf(out, size, "%llu", (unsigned long long)*(const uint64_t *)at);
    }
}

/* A value of the key's type that is not its default: as TOML, as a variable's text, and as value_text shows it. */
struct sample {
    const char *toml, *text, *shown;
};
static struct sample sample_of(const struct config_key *key)
{
    switch (key->type) {
    case CONFIG_STRING:
        return (struct sample){"\"/x/y\"", "/x/y", "/x/y"};
    case CONFIG_STRINGS:
        return (struct sample){"[\"porep-2k\", \"snap-2k\"]", "porep-2k,snap-2k",
                               "[porep-2k][snap-2k]"};
    case CONFIG_ADDRESSES:
        return (struct sample){"\"unix:///a, 127.0.0.1:1\"", "unix:///a,127.0.0.1:1",
                               "[unix:///a][127.0.0.1:1]"};
    case CONFIG_BOOL:
        return (struct sample){"true", "yes", "1"};
    case CONFIG_NUMBER:
        return (struct sample){"7", "7", "7"};
    case CONFIG_NUMBERS:
        return (struct sample){"[0, 1]", "1", ""};
    case CONFIG_SIZE:
    case CONFIG_BUDGET:
        return (struct sample){"\"3GiB\"", "3GiB", "3221225472"};
    case CONFIG_DURATION:
        return (struct sample){"\"7m\"", "420", "420000"};
    case CONFIG_LEVEL:
        return (struct sample){"\"debug\"", "cuzk=trace,debug", "3"};
    case CONFIG_FORMAT:
        return (struct sample){"\"json\"", "json", "1"};
    }
    abort();
}

static void check_effect(const struct config *c, const struct config_key *key, const char *shown)
{
    char now[200], before[200];
    struct config fresh;
    struct error err;
    if (key->note != NULL) {
        assert_int_equal(c->warnings.n, 1);
        assert_string_equal(c->warnings.items[0], key->note);
        return;
    }
    assert_int_equal(c->warnings.n, 0);
    value_text(now, sizeof now, c, key);
    assert_string_equal(now, shown);
    assert_int_equal(config_init(&fresh, &err), 0);
    value_text(before, sizeof before, &fresh, key);
    assert_string_not_equal(before, now);
    config_clean_up(&fresh);
}

static void every_key_in_a_file(void **state)
{
    const struct config_key *key;
    (void)state;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        struct config c;
        struct error err;
        char text[300];
        struct sample s = sample_of(key);
        snprintf(text, sizeof text, "[%.*s]\n%s = %s\n", (int)(strchr(key->name, '.') - key->name),
                 key->name, strchr(key->name, '.') + 1, s.toml);
        if (read_text(&c, text, &err) != 0)
            fail_msg("%s: %s", text, err.text);
        check_effect(&c, key, s.shown);
        config_clean_up(&c);
    }
}

static const char *only_name, *only_value;
static const char *only_variable(const char *name)
{
    return strcmp(name, only_name) == 0 ? only_value : NULL;
}

static void every_key_in_the_environment(void **state)
{
    const struct config_key *key;
    (void)state;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        struct config c;
        struct error err;
        char name[80];
        struct sample s = sample_of(key);
        config_variable(name, sizeof name, key);
        assert_memory_equal(name, "CUZK_", 5);
        only_name = name;
        only_value = s.text;
        assert_int_equal(config_init(&c, &err), 0);
        if (config_read_environment(&c, only_variable, &err) != 0)
            fail_msg("%s: %s", name, err.text);
        check_effect(&c, key, s.shown);
        config_clean_up(&c);
    }
}

static void every_key_minds_its_type(void **state)
{
    const struct config_key *key;
    (void)state;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        struct config c;
        struct error err;
        char text[300];
        snprintf(text, sizeof text, "\n%s = 1.5\n", key->name);
        assert_int_equal(read_text(&c, text, &err), ERR_CONFIG);
        assert_string_equal(err.cause, "config-type");
        assert_non_null(strstr(err.text, "test.toml line 2"));
        assert_non_null(strstr(err.text, key->name));
        config_clean_up(&c);
    }
}

#define BRACKETS "[[[[[[[[[[[[[[[[[[[["

static void mistakes(void **state)
{
    static const struct {
        const char *text, *cause, *words;
    } cases[] = {
        {"[memory]\ntotal_buget = \"1GiB\"\n", "config-unknown-key",
         "line 2: no key \"memory.total_buget\", did you mean \"memory.total_budget\"?"},
        {"[memry]\ntotal_budget = \"1GiB\"\n", "config-unknown-key",
         "did you mean \"memory.total_budget\"?"},
        {"listen = \"x\"\n", "config-unknown-key", "daemon.listen"},
        {"[unknown]\n", "config-unknown-key", "no key \"unknown\""},
        {"[memory]\ntotal_budget = \"lots\"\n", "config-value", "\"auto\" or a size"},
        {"[memory]\ntotal_budget = \"0\"\n", "config-value", "memory.total_budget"},
        {"[memory]\nsafety_margin = \"5 gib\"\n", "config-value", "a size"},
        {"[memory]\nsafety_margin = \"99999999999TiB\"\n", "config-value", "a size"},
        {"[memory]\neviction_min_idle = \"soon\"\n", "config-value", "a time"},
        {"[scheduler]\nmax_batch_size = 0\n", "config-value", "from 1 to 1024"},
        {"[scheduler]\nmax_batch_size = -1\n", "config-value", "from 1 to 1024"},
        {"[srs]\npreload = [1]\n", "config-type", "an array of strings"},
        {"[logging]\nlevel = \"loud\"\n", "config-value", "error, warn, info"},
        {"[logging]\nformat = \"xml\"\n", "config-value", "\"text\" or \"json\""},
        {"[daemon]\nlisten = \"a\"\nlisten = \"b\"\n", "config-syntax", "test.toml line "},
        {"[daemon\n", "config-syntax", "test.toml line 1: "},
        {"\n\nlisten\n", "config-syntax", "test.toml line 3: missing key-value separator `=`"},
        {"[daemon]\n'\xff' = 1\n", "config-syntax", "byte 10 is not UTF-8"},
        {"daemon.listen = " BRACKETS BRACKETS BRACKETS BRACKETS BRACKETS BRACKETS "\n",
         "config-syntax", "nested too deep"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config c;
        struct error err;
        assert_int_equal(read_text(&c, cases[i].text, &err), ERR_CONFIG);
        if (strcmp(err.cause, cases[i].cause) != 0 || strstr(err.text, cases[i].words) == NULL)
            fail_msg("%s: %s (%s)", cases[i].text, err.text, err.cause);
        config_clean_up(&c);
    }
}

static void empty_sections_and_defaults(void **state)
{
    struct config c;
    struct cuzk_config engine;
    struct error err;
    (void)state;
    assert_int_equal(read_text(&c, "[daemon]\n[gpus]\n", &err), 0);
    assert_int_equal(config_read_environment(&c, no_variable, &err), 0);
    assert_int_equal(c.listen.n, 1);
    assert_string_equal(c.listen.items[0], "unix:///run/curio/cuzk.sock");
    assert_string_equal(c.param_cache, "/data/zk/params");
    assert_int_equal(c.safety_margin, 5368709120);
    assert_int_equal(c.eviction_min_idle_ms, 300000);
    assert_int_equal(c.max_batch_wait_ms, 10000);
    assert_int_equal(config_check(&c, &err), 0);
    memset(&engine, 0, sizeof engine);
    config_engine(&engine, &c);
    assert_string_equal(engine.param_dir, "/data/zk/params");
    assert_null(engine.journal_path);
    assert_null(engine.preload);
    config_clean_up(&c);
}

/* All that is wrong with a file at once, in its order; what there is no room for is counted. */
static void all_faults_are_named(void **state)
{
    struct config c;
    struct error err;
    char text[800] = "";
    (void)state;
    assert_int_equal(read_text(&c,
                               "[jobs]\njournel = \"x\"\n[memory]\ntotal_budget = 3\n"
                               "[scheduler]\nqueue_limit = 0\n",
                               &err),
                     ERR_CONFIG);
    config_clean_up(&c);
    assert_string_equal(err.cause, "config-unknown-key");
    assert_string_equal(
        err.text,
        "test.toml line 2: no key \"jobs.journel\", did you mean \"jobs.journal\"?; "
        "line 4: memory.total_budget takes a string in quotes; "
        "line 6: scheduler.queue_limit takes a whole number from 1 to 4294967295, not "
        "\"0\"");
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "[x%d]\nqueue_limit = 1\n", i);
    assert_int_equal(read_text(&c, text, &err), ERR_CONFIG);
    config_clean_up(&c);
    assert_memory_equal(err.text, "test.toml line 2: no key \"x0.queue_limit\"", 41);
    unsigned named = 0, more = 0;
    for (const char *at = err.text; (at = strstr(at, "no key")) != NULL; at++)
        named++;
    const char *count = strstr(err.text, "; and ");
    assert_non_null(count);
    assert_int_equal(sscanf(count, "; and %u more", &more), 1);
    assert_int_equal(named + more, 20);
}

/* What is wrong with values that fit their keys names the key as well, and who set it. */
static void who_set_it(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"[srs]\npreload = [\"winning-2k\", \"porep-32gb\"]\n",
         "test.toml line 2: srs.preload: no circuit \"porep-32gb\", did you mean \"porep-32g\"?"},
        {"\n[tls]\nkey = \"k\"\n",
         "test.toml line 3: tls.key: tls.cert and tls.key must be set together"},
        {"[daemon]\nlisten = \"host:1\"\n",
         "test.toml line 2: daemon.listen: \"host:1\" is not unix://PATH or IP:PORT"},
    };
    struct config c;
    struct error err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_text(&c, cases[i].text, &err), 0);
        assert_int_equal(config_check(&c, &err), ERR_CONFIG);
        assert_string_equal(err.text, cases[i].expected);
        config_clean_up(&c);
    }
    assert_int_equal(read_text(&c, "[daemon]\nlisten = \"unix:///x\"\n", &err), 0);
    assert_int_equal(config_set(&c, "daemon.listen", "y", "--listen", &err), 0);
    assert_int_equal(config_check(&c, &err), ERR_CONFIG);
    assert_memory_equal(err.text, "--listen: daemon.listen: ", 25);
    config_clean_up(&c);
}

static void listeners(void **state)
{
    static const struct {
        const char *text, *cause;
    } cases[] = {
        {"[daemon]\nlisten = \"127.0.0.1:9820\"\n", NULL},
        {"[daemon]\nlisten = \"[::1]:9820\"\n", NULL},
        {"[daemon]\nlisten = \"0.0.0.0:9820\"\n", "listen-insecure"},
        {"[daemon]\nlisten = \"[::]:9820\"\n", "listen-insecure"},
        {"[daemon]\nlisten = [\"unix:///x\", \"10.0.0.1:9820\"]\n", "listen-insecure"},
        {"[daemon]\nlisten = \"0.0.0.0:9820\"\nallow_insecure = true\n", NULL},
        {"[daemon]\nlisten = \"0.0.0.0:9820\"\n[tls]\ncert = \"c\"\nkey = \"k\"\n", NULL},
        {"[daemon]\nlisten = \"0.0.0.0:9820\"\n[auth]\ntoken_file = \"t\"\n", NULL},
        {"[daemon]\nstatus_listen = \"0.0.0.0:9821\"\n[tls]\ncert = \"c\"\nkey = \"k\"\n",
         "listen-insecure"},
        {"[tls]\ncert = \"c\"\n", "tls-incomplete"},
        {"[tls]\nclient_ca = \"c\"\n", "tls-incomplete"},
        {"[daemon]\nlisten = \"localhost:9820\"\n", "listen-address"},
        {"[daemon]\nlisten = \"127.0.0.1:99999\"\n", "listen-address"},
        {"[daemon]\nlisten = []\n", "listen-address"},
        {"[daemon]\nstatus_listen = \"unix:///x\"\n", "listen-address"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config c;
        struct error err = {.cause = ""};
        if (read_text(&c, cases[i].text, &err) != 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        int rc = config_check(&c, &err);
        if (rc != (cases[i].cause == NULL ? 0 : ERR_CONFIG) ||
            (rc != 0 && strcmp(err.cause, cases[i].cause) != 0))
            fail_msg("%s: %d %s", cases[i].text, rc, err.text);
        config_clean_up(&c);
    }
}

static void restart_keys(void **state)
{
    struct config a, b;
    struct error err;
    char names[100];
    (void)state;
    assert_int_equal(read_text(&a, "", &err), 0);
    assert_int_equal(read_text(&b,
                               "[memory]\ntotal_budget = \"1GiB\"\n[tls]\ncert = \"x\"\n"
                               "[synthesis]\nthreads = 3\n[srs]\npreload = [\"snap-2k\"]\n",
                               &err),
                     0);
    config_restart_keys(names, sizeof names, &a, &b);
    assert_string_equal(names, "tls.cert, synthesis.threads, srs.preload");
    config_clean_up(&a);
    config_clean_up(&b);
}

static void parameter_directory_variables(void **state)
{
    struct config c;
    struct error err;
    (void)state;
    only_name = "FIL_PROOFS_PARAMETER_CACHE";
    only_value = "/fil";
    assert_int_equal(config_init(&c, &err), 0);
    assert_int_equal(config_init_environment(&c, only_variable, &err), 0);
    assert_string_equal(c.param_cache, "/fil");
    assert_int_equal(config_read(&c, "srs.param_cache = '/file'", 25, "t", &err), 0);
    assert_string_equal(c.param_cache, "/file");
    only_name = "CUZK_PARAM_CACHE";
    only_value = "/variable";
    assert_int_equal(config_read_environment(&c, only_variable, &err), 0);
    assert_string_equal(c.param_cache, "/variable");
    config_clean_up(&c);
}

static void distances(void **state)
{
    (void)state;
    assert_int_equal(text_distance("", ""), 0);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_distance("abc", ""), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_in_a_file),
        cmocka_unit_test(every_key_in_the_environment),
        cmocka_unit_test(every_key_minds_its_type),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(empty_sections_and_defaults),
        cmocka_unit_test(all_faults_are_named),
        cmocka_unit_test(who_set_it),
        cmocka_unit_test(listeners),
        cmocka_unit_test(restart_keys),
        cmocka_unit_test(parameter_directory_variables),
        cmocka_unit_test(distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
