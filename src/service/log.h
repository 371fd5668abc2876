/* Log lines on stdout, in the layout operators know from the Rust daemon, or as JSON; TIMELINE lines on stderr. */
#ifndef CUZK_SERVICE_LOG_H
#define CUZK_SERVICE_LOG_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE, LOG_LEVELS };
enum log_format { LOG_TEXT, LOG_JSON };

/* A sink. Lines are written whole, from any thread. */
struct log {
    FILE *out;
    enum log_format format;
    _Atomic int level; /* enum log_level: more is left out */
};

void log_init(struct log *log, FILE *out, enum log_format format, enum log_level level);

/* message, then pairs of field name and value, both strings, ended by NULL. Control characters in values are escaped: they may come from
 * clients. */
void log_write(struct log *log, enum log_level level, const char *target, const char *message, ...)
    __attribute__((sentinel));

/* A number as a field's value: the text lives in the caller's statement. */
struct log_number {
    char text[24];
};
struct log_number log_number(uint64_t value);
#define LOG_N(value) (log_number(value).text)

/* "info", "cuzk=debug,warn" (the level without target, else the last one): 0, or -1 if there is no level in it. */
int log_level_parse(enum log_level *out, const char *text);
const char *log_level_name(enum log_level level); /* lower case */

#endif
