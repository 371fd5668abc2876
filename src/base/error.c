#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *cause, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    err->code = code;
    err->cause = cause;
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    return code;
}

int error_prefix(struct error *err, const char *fmt, ...)
{
    char rest[sizeof err->text];
    memcpy(rest, err->text, sizeof rest);
    va_list args;
    va_start(args, fmt);
    int written = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    size_t n = written < 0 ? 0 : strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n, ": %.*s", (int)(sizeof rest - 1), rest);
    return err->code;
}
