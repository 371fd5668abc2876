#include "service/config_text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Digits, then *rest. */
static int leading_number(uint64_t *out, const char **rest, const char *text)
{
    char *end;
    while (*text == ' ')
        text++;
    if (*text < '0' || *text > '9')
        return -1;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0)
        return -1;
    while (*end == ' ')
        end++;
    *out = value;
    *rest = end;
    return 0;
}

int text_number(uint64_t *out, const char *text)
{
    const char *rest;
    return leading_number(out, &rest, text) == 0 && *rest == '\0' ? 0 : -1;
}

struct unit {
    const char *name;
    uint64_t factor;
};

static int with_unit(uint64_t *out, const char *text, const struct unit *units, size_t n)
{
    const char *rest;
    uint64_t value;
    if (leading_number(&value, &rest, text) != 0)
        return -1;
    size_t length = strlen(rest);
    while (length > 0 && rest[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < n; i++) {
        if (strlen(units[i].name) == length && strncmp(units[i].name, rest, length) == 0)
            return __builtin_mul_overflow(value, units[i].factor, out) ? -1 : 0;
    }
    return -1;
}

int text_size(uint64_t *out, const char *text)
{
    static const struct unit units[] = {
        {"", 1},
        {"KiB", 1ull << 10},
        {"MiB", 1ull << 20},
        {"GiB", 1ull << 30},
        {"TiB", 1ull << 40},
        {"KB", 1000},
        {"MB", 1000000},
        {"GB", 1000000000},
        {"TB", 1000000000000},
    };
    return with_unit(out, text, units, sizeof units / sizeof *units);
}

int text_duration(uint64_t *out, const char *text)
{
    static const struct unit units[] = {
        {"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    return with_unit(out, text, units, sizeof units / sizeof *units);
}

int text_bool(int *out, const char *text)
{
    static const char *const words[] = {"false", "true", "0", "1", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(words[i], text) == 0) {
            *out = (int)(i & 1);
            return 0;
        }
    }
    return -1;
}

unsigned text_distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    unsigned row[MOST + 1];
    size_t n = strnlen(b, MOST), m = strnlen(a, MOST);
    for (unsigned j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            unsigned insert = row[j - 1] + 1, erase = row[j] + 1;
            unsigned least = insert < erase ? insert : erase;
            diagonal = row[j];
            row[j] = change < least ? change : least;
        }
    }
    return row[n];
}

static int is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static int is_ip(const char *host)
{
    uint8_t out[16];
    return inet_pton(AF_INET, host, out) == 1 || inet_pton(AF_INET6, host, out) == 1;
}

struct address text_address(const char *text)
{
    struct address a = {.type = ADDRESS_BAD};
    if (strncmp(text, "unix:", 5) == 0) {
        a.path = text + (strncmp(text + 5, "//", 2) == 0 ? 7 : 5);
        a.loopback = 1;
        a.type = *a.path == '\0' ? ADDRESS_BAD : ADDRESS_UNIX;
        return a;
    }
    if (strncmp(text, "http://", 7) == 0)
        text += 7;
    if (strlen(text) >= sizeof a.host_port)
        return a;
    strcpy(a.host_port, text);
    char host[sizeof a.host_port];
    const char *colon = strrchr(text, ':');
    uint64_t port;
    if (colon == NULL || text_number(&port, colon + 1) != 0 || port > 65535)
        return a;
    int bracketed = text[0] == '[' && colon > text + 1 && colon[-1] == ']';
    snprintf(host, sizeof host, "%.*s", (int)(colon - text) - 2 * bracketed, text + bracketed);
    if (!is_ip(host) || (strchr(host, ':') != NULL) != bracketed)
        return a;
    a.loopback = is_loopback(host);
    a.type = ADDRESS_TCP;
    return a;
}
