#include "cmd/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cpu.h"
#include "base/hex.h"
#include "field/field.h"

int cli_init(void)
{
    struct error err;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails, and its file is named */
    if (cpu_init(&err) != 0)
        return cli_fail(&err);
    field_init();
    return 0;
}

int cli_fail(const struct error *err)
{
    fflush(stdout);
    fprintf(stderr, "error: %s (%s)\n", err->text, err->cause);
    return -err->code;
}

int cli_usage(const char *usage, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("error: ", stderr);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\n%s", usage);
    return -ERR_USAGE;
}

int cli_wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}

int cli_parse_u64(uint64_t *out, const char *option, const char *text, uint64_t max)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || v > max) {
        fprintf(stderr, "error: %s takes a whole number from 0 to %llu, not \"%.40s\"\n", option,
                (unsigned long long)max, text);
        return -ERR_USAGE;
    }
    *out = v;
    return 0;
}

int cli_parse_bytes32(uint8_t out[32], const char *option, const char *text)
{
    if (hex_decode(out, 32, text) == 0)
        return 0;
    fprintf(stderr, "error: %s takes 64 hexadecimal digits\n", option);
    return -ERR_USAGE;
}

int cli_parse_fr(struct fr *out, const char *option, const char *text)
{
    uint8_t bytes[32];
    int rc = cli_parse_bytes32(bytes, option, text);
    if (rc != 0)
        return rc;
    if (fr_from_bytes(out, bytes) == 0)
        return 0;
    fprintf(stderr, "error: %s is not below the scalar field's modulus\n", option);
    return -ERR_USAGE;
}

const char *cli_param_dir(const char *flag)
{
    static const char *const variables[] = {"CUZK_PARAM_CACHE", "FIL_PROOFS_PARAMETER_CACHE"};
    if (flag != NULL)
        return flag;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && *value != '\0')
            return value;
    }
    return "/var/tmp/filecoin-proof-parameters";
}

int cli_published_params(int *out)
{
    static const char *const words[2][6] = {{"", "0", "false", "no", "off"},
                                            {"1", "true", "yes", "on"}};
    static const char name[] = "FIL_PROOFS_VERIFY_PRODUCTION_PARAMS";
    const char *value = getenv(name);
    *out = 0;
    for (int v = 0; v < 2; v++)
        for (int i = 0; words[v][i] != NULL; i++)
            if (value == NULL || strcasecmp(value, words[v][i]) == 0) {
                *out = v;
                return 0;
            }
    fprintf(stderr, "error: %s is 1 or 0, true or false, not \"%.40s\"\n", name, value);
    return -ERR_USAGE;
}

static void json_key(yajl_gen g, const char *key)
{
    yajl_gen_string(g, (const unsigned char *)key, strlen(key));
}

yajl_gen cli_json_open(void)
{
    yajl_gen g = yajl_gen_alloc(NULL);
    if (g == NULL)
        abort();
    yajl_gen_map_open(g);
    return g;
}

void cli_json_string(yajl_gen g, const char *key, const char *value)
{
    json_key(g, key);
    yajl_gen_string(g, (const unsigned char *)value, strlen(value));
}

void cli_json_u64(yajl_gen g, const char *key, uint64_t value)
{
    char text[24];
    json_key(g, key);
    yajl_gen_number(g, text,
                    (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)value));
}

void cli_json_double(yajl_gen g, const char *key, double value)
{
    char text[48];
    json_key(g, key);
    yajl_gen_number(g, text, (size_t)snprintf(text, sizeof text, "%.3f", value));
}

void cli_json_bool(yajl_gen g, const char *key, int value)
{
    json_key(g, key);
    yajl_gen_bool(g, value);
}

void cli_json_begin(yajl_gen g, const char *key)
{
    json_key(g, key);
    yajl_gen_map_open(g);
}

void cli_json_end(yajl_gen g)
{
    yajl_gen_map_close(g);
}

int cli_json_close(yajl_gen g)
{
    const unsigned char *text;
    size_t n;
    yajl_gen_map_close(g);
    yajl_gen_get_buf(g, &text, &n);
    fwrite(text, 1, n, stdout);
    fputc('\n', stdout);
    yajl_gen_free(g);
    return cli_flush();
}

int cli_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "error: cannot write to standard output: %s (output-failed)\n",
            strerror(errno));
    return -ERR_IO;
}
