#include "cmd/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/hex.h"
#include "base/temp_names.h"
#include "base/text.h"
#include "base/thread.h"
#include "field/field.h"

/* A file opened while one of the three standard streams is closed would take its place, and what we print would go into it. What stands in for
 * them fails as the closed one would. */
static void occupy_closed_streams(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void end_by_signal(int signo)
{
    temp_names_unlink();
    signal(signo, SIG_DFL);
    raise(signo);
}

static void handle_signals(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails, and its file is named */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], end_by_signal) == SIG_IGN) /* as nohup wants it */
            signal(ends[i], SIG_IGN);
}

int cli_init(void)
{
    struct error err;
    occupy_closed_streams();
    handle_signals();
    thread_raise_default();
    if (cpu_init(&err) != 0)
        return cli_fail(&err);
    field_init();
    return 0;
}

struct run {
    int (*fn)(void *ctx);
    void *ctx;
    int rc;
};

static void *run_main(void *arg)
{
    struct run *run = arg;
    run->rc = run->fn(run->ctx);
    return NULL;
}

int cli_run(int (*fn)(void *ctx), void *ctx)
{
    struct run run = {.fn = fn, .ctx = ctx};
    struct error err;
    pthread_t thread;
    if (thread_start(&thread, run_main, &run) != 0) {
        error_set(&err, ERR_OS, "no-threads", "the system gives no thread");
        return cli_fail(&err);
    }
    pthread_join(thread, NULL);
    return run.rc;
}

struct call {
    const struct cli_command *command;
    int argc;
    char **argv;
};

static int run_command(void *ctx)
{
    const struct call *c = ctx;
    return c->command->run(c->argc, c->argv);
}

static int is_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

static int print_help(const char *usage)
{
    fputs(usage, stdout);
    return cli_flush();
}

/* argv[0] is the command's name. */
static int call_command(const char *program, const struct cli_command *command, int argc,
                        char **argv)
{
    struct call call = {command, argc, argv};
    for (int i = 1; i < argc; i++)
        if (is_help(argv[i]))
            return print_help(command->usage);
    int rc = cli_init();
    if (rc != 0)
        return rc;
    rc = cli_run(run_command, &call);
    return rc == -ERR_USAGE ? cli_see_help(program, command->name) : rc;
}

int cli_main(const char *program, const char *usage, const struct cli_command *commands, size_t n,
             int argc, char **argv)
{
    if (argc < 2) {
        cli_usage("a command is missing");
    } else if (strcmp(argv[1], "--version") == 0) {
        printf("%s %s\n", program, CUZK_VERSION);
        return cli_flush();
    } else if (is_help(argv[1])) {
        return print_help(usage);
    } else {
        for (size_t i = 0; i < n; i++)
            if (strcmp(argv[1], commands[i].name) == 0)
                return call_command(program, &commands[i], argc - 1, argv + 1);
        cli_usage("%s \"%.40s\"", argv[1][0] == '-' ? "unknown option" : "no command", argv[1]);
    }
    return cli_see_help(program, "");
}

int cli_fail(const struct error *err)
{
    fflush(stdout);
    fprintf(stderr, "error: %s (%s)\n", err->text, err->cause);
    return -err->code;
}

int cli_usage(const char *fmt, ...)
{
    char raw[600], text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    fprintf(stderr, "error: %s\n", text_printable(text, sizeof text, raw));
    return -ERR_USAGE;
}

int cli_see_help(const char *program, const char *command)
{
    fprintf(stderr, "see '%s%s%s --help'\n", program, *command ? " " : "", command);
    return -ERR_USAGE;
}

int cli_one_stdin(const struct cli_file *files, size_t n)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    const char *taken = NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (files[i].path == NULL || strcmp(files[i].path, names[k]) != 0)
                continue;
            if (taken != NULL)
                return cli_usage("%s and %s are both standard input, which can be read once", taken,
                                 files[i].option);
            taken = files[i].option;
        }
    return 0;
}

static int begins_an_option(const char *name, const struct option *options)
{
    for (; options->name != NULL; options++)
        if (strncmp(options->name, name, strcspn(name, "=")) == 0)
            return 1;
    return 0;
}

/* What getopt_long found wrong. Of a long option it keeps no name, but has just passed it. */
static void option_error(char **argv, const struct option *options)
{
    const char *given = argv[optind - 1];
    for (const struct option *o = options; optopt != 0 && o->name != NULL; o++)
        if (o->val == optopt) {
            cli_usage("--%s takes %s value", o->name, o->has_arg == no_argument ? "no" : "a");
            return;
        }
    if (optopt != 0)
        cli_usage("unknown option \"-%c\"", optopt);
    else if (begins_an_option(given + 2, options))
        cli_usage("\"%.60s\" begins more than one option", given);
    else
        cli_usage("unknown option \"%.60s\"", given);
}

int cli_option(int argc, char **argv, const char *letters, const struct option *options,
               uint64_t *seen)
{
    opterr = 0;
    int opt = getopt_long(argc, argv, letters, options, NULL);
    if (opt == '?')
        option_error(argv, options);
    for (unsigned i = 0; options[i].name != NULL; i++) {
        if (options[i].val != opt || options[i].has_arg == no_argument)
            continue;
        if (*seen >> i & 1) {
            cli_usage("--%s is given more than once", options[i].name);
            return '?';
        }
        if (*optarg == '\0') { /* of a variable that is not set, most likely */
            cli_usage("--%s is given an empty value", options[i].name);
            return '?';
        }
        *seen |= UINT64_C(1) << i;
    }
    return opt;
}

int cli_parse_u64(uint64_t *out, const char *option, const char *text, uint64_t max)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || v > max) {
        return cli_usage("%s takes a whole number from 0 to %llu, not \"%.40s\"", option,
                         (unsigned long long)max, text);
    }
    *out = v;
    return 0;
}

int cli_parse_bytes32(uint8_t out[32], const char *option, const char *text)
{
    if (hex_decode(out, 32, text) == 0)
        return 0;
    return cli_usage("%s takes 64 hexadecimal digits, not \"%.70s\"", option, text);
}

int cli_parse_fr(struct fr *out, const char *option, const char *text)
{
    uint8_t bytes[32];
    int rc = cli_parse_bytes32(bytes, option, text);
    if (rc != 0)
        return rc;
    if (fr_from_bytes(out, bytes) == 0)
        return 0;
    return cli_usage("%s is not below the scalar field's modulus", option);
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
    return cli_usage("%s is 1 or 0, true or false, not \"%.40s\"", name, value);
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
