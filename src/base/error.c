#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

int error_set(struct error *err, int code, const char *cause, const char *fmt, ...)
{
    char raw[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    err->code = code;
    err->cause = cause;
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    text_printable(err->text, sizeof err->text, raw);
    return code;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
    char raw[2 * sizeof err->text];
    va_list args;
    va_start(args, fmt);
    if (vsnprintf(raw, sizeof err->text, fmt, args) < 0)
        *raw = '\0';
    va_end(args);
    size_t n = strlen(raw);
    snprintf(raw + n, sizeof raw - n, ": %s", err->text);
    text_printable(err->text, sizeof err->text, raw);
    return err->code;
}
