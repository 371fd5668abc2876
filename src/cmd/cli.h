/* What the commands share: options, output, exit. Argument parsing and printing only. */
#ifndef CUZK_CMD_CLI_H
#define CUZK_CMD_CLI_H

#include <getopt.h>
#include <stdint.h>
#include <yajl/yajl_gen.h>

#include "base/error.h"
#include "base/pool.h"
#include "field/fr.h"

/* Environment and CPU: call first in main. Prints the error and returns its exit code, 0 if all is well. */
int cli_init(void);
/* Runs fn on a stack that does not depend on ulimit -s, and returns what it returns, or the exit code of an error it printed. */
int cli_run(int (*fn)(void *ctx), void *ctx);

struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit code */
    const char *usage;                 /* for --help */
};
/* The main of a program with n commands, whose own usage lists them: --help wherever it stands, --version, or a command, for which both of
 * the above are done. Returns the exit code. */
int cli_main(const char *program, const char *usage, const struct cli_command *commands, size_t n,
             int argc, char **argv);

/* "error: text" to stderr; returns the exit code. */
int cli_fail(const struct error *err);
/* A usage error: an error line; returns 2. */
int cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The last line after a usage error: where to read more. command: "" for none. Returns 2. */
int cli_see_help(const char *program, const char *command);

/* getopt_long, which lets the last of several values win: an option with a value that was there before, or whose value is empty, is an error line
 * and '?', as an unknown one is. *seen: 0 before the first call, for at most 64 options. */
int cli_option(int argc, char **argv, const char *letters, const struct option *options,
               uint64_t *seen);

/* Option values. Each returns 0 or the exit code 2 after an error line. */
int cli_parse_u64(uint64_t *out, const char *option, const char *text, uint64_t max);
int cli_parse_fr(struct fr *out, const char *option,
                 const char *text); /* 64 hex digits, little-endian, < r */
int cli_parse_bytes32(uint8_t out[32], const char *option, const char *text);

/* Files to be read: at most one of them is standard input, else it is a usage error. 0 or the exit code 2. */
struct cli_file {
    const char *option, *path; /* path NULL: not given */
};
int cli_one_stdin(const struct cli_file *files, size_t n);

/* Parameter directory: flag, CUZK_PARAM_CACHE, FIL_PROOFS_PARAMETER_CACHE, /var/tmp/filecoin-proof-parameters. */
const char *cli_param_dir(const char *flag);

/* FIL_PROOFS_VERIFY_PRODUCTION_PARAMS as a truth value; any other word is an error. 0 or the exit code 2. */
int cli_published_params(int *out);

/* JSON on stdout: one object. Helpers over yajl_gen: key then value. */
yajl_gen cli_json_open(void); /* starts the object */
void cli_json_string(yajl_gen g, const char *key, const char *value);
void cli_json_u64(yajl_gen g, const char *key, uint64_t value);
void cli_json_double(yajl_gen g, const char *key, double value); /* three decimals */
void cli_json_bool(yajl_gen g, const char *key, int value);
void cli_json_begin(yajl_gen g, const char *key); /* nested object */
void cli_json_end(yajl_gen g);
/* Prints the object and a newline, frees g. Returns the exit code: 0, or 74 when stdout cannot be written. */
int cli_json_close(yajl_gen g);
/* Flushes stdout and checks it: a full disk or closed pipe behind stdout is an error, not silence. 0 or 74. */
int cli_flush(void);

#endif
