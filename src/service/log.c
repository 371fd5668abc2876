#include "service/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char *const level_names[LOG_LEVELS] = {"error", "warn", "info", "debug", "trace"};

void log_init(struct log *log, FILE *out, enum log_format format, enum log_level level)
{
    log->out = out;
    log->format = format;
    atomic_store(&log->level, level);
}

static void put_escaped(FILE *f, const char *text, int json)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c < 0x20 || *c == 0x7f)
            fprintf(f, json ? "\\u%04x" : "\\x%02x", *c);
        else if (json && (*c == '"' || *c == '\\'))
            fprintf(f, "\\%c", *c);
        else
            fputc(*c, f);
    }
}

static int is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text) && strlen(text) < 16;
}

static void put_stamp(FILE *f)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    fprintf(f, "%s.%06ldZ", text, now.tv_nsec / 1000);
}

static void put_json(FILE *f, const char *level, const char *target, const char *message,
                     va_list fields)
{
    const char *key, *value;
    fputs("{\"timestamp\":\"", f);
    put_stamp(f);
    fprintf(f, "\",\"level\":\"%s\",\"fields\":{\"message\":\"", level);
    put_escaped(f, message, 1);
    fputc('"', f);
    while ((key = va_arg(fields, const char *)) != NULL) {
        value = va_arg(fields, const char *);
        fprintf(f, ",\"%s\":", key);
        if (is_number(value)) {
            fputs(value, f);
        } else {
            fputc('"', f);
            put_escaped(f, value, 1);
            fputc('"', f);
        }
    }
    fprintf(f, "},\"target\":\"%s\"}\n", target);
}

static void put_text(FILE *f, const char *level, const char *target, const char *message,
                     va_list fields)
{
    const char *key, *value;
    put_stamp(f);
    fprintf(f, " %5s %s: ", level, target);
    put_escaped(f, message, 0);
    while ((key = va_arg(fields, const char *)) != NULL) {
        value = va_arg(fields, const char *);
        fprintf(f, " %s=", key);
        put_escaped(f, value, 0);
    }
    fputc('\n', f);
}

void log_write(struct log *log, enum log_level level, const char *target, const char *message, ...)
{
    if ((int)level > atomic_load(&log->level))
        return;
    char *line = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&line, &n);
    if (f == NULL)
        return;
    char upper[8] = "";
    for (size_t i = 0; level_names[level][i] != '\0'; i++)
        upper[i] = (char)(level_names[level][i] - 'a' + 'A');
    va_list fields;
    va_start(fields, message);
    (log->format == LOG_JSON ? put_json : put_text)(f, upper, target, message, fields);
    va_end(fields);
    if (fclose(f) == 0) {
        fwrite(line, 1, n, log->out);
        fflush(log->out);
    }
    free(line);
}

struct log_number log_number(uint64_t value)
{
    struct log_number number;
    snprintf(number.text, sizeof number.text, "%llu", (unsigned long long)value);
    return number;
}

int log_level_parse(enum log_level *out, const char *text)
{
    int found = 0, bare = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        const char *equals = memchr(text, '=', n);
        const char *name = equals == NULL ? text : equals + 1;
        size_t length = n - (size_t)(name - text);
        for (unsigned i = 0; i < LOG_LEVELS && !bare; i++) {
            if (strlen(level_names[i]) == length &&
                strncasecmp(level_names[i], name, length) == 0) {
                *out = (enum log_level)i;
                found = 1;
                bare = equals == NULL;
            }
        }
        text += n + (text[n] == ',');
    }
    return found ? 0 : -1;
}

const char *log_level_name(enum log_level level)
{
    return level_names[level];
}
