#include "service/descriptors.h"

#include <stdio.h>
#include <string.h>

#include "service/embedded.h"

/* Field numbers of descriptor.proto. */
enum {
    SET_FILE = 1,
    FILE_NAME = 1,
    FILE_PACKAGE = 2,
    FILE_MESSAGE = 4,
    FILE_ENUM = 5,
    FILE_SERVICE = 6,
    ANY_NAME = 1,
    MESSAGE_NESTED = 3,
    MESSAGE_ENUM = 4,
    SERVICE_METHOD = 2,
};

/* A piece of a message still to be read. protoc wrote it, so it is well-formed; reading stops where it is not. */
struct piece {
    const uint8_t *at, *end;
};

static int take_varint(struct piece *p, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && p->at < p->end; shift += 7) {
        uint8_t byte = *p->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return 1;
    }
    return 0;
}

/* The next field with a length: its number and contents. Fields without one are stepped over. */
static int next_field(struct piece *p, uint64_t *number, struct piece *contents)
{
    uint64_t tag, n;
    while (take_varint(p, &tag)) {
        if ((tag & 7) == 0 && take_varint(p, &n))
            continue;
        if ((tag & 7) != 2 || !take_varint(p, &n) || n > (uint64_t)(p->end - p->at))
            return 0;
        *number = tag >> 3;
        *contents = (struct piece){p->at, p->at + n};
        p->at += n;
        return 1;
    }
    return 0;
}

static struct piece first_field(struct piece p, uint64_t wanted)
{
    uint64_t number;
    struct piece contents;
    while (next_field(&p, &number, &contents)) {
        if (number == wanted)
            return contents;
    }
    return (struct piece){NULL, NULL};
}

/* If name starts with the piece's text and goes on with a dot or ends there: what follows; else NULL. */
static const char *after(const char *name, struct piece text)
{
    size_t n = (size_t)(text.end - text.at);
    if (n == 0 || strncmp(name, (const char *)text.at, n) != 0)
        return NULL;
    return name[n] == '.' ? name + n + 1 : name[n] == '\0' ? name + n : NULL;
}

/* Whether the element (a message, enumeration, service, method) is called name or holds it. inner: numbers of the fields that hold named
 * elements, ends with 0. */
static int holds(struct piece element, const char *name, const uint64_t *inner)
{
    static const uint64_t none[] = {0}, message[] = {MESSAGE_NESTED, MESSAGE_ENUM, 0};
    uint64_t number;
    struct piece contents;
    const char *rest = after(name, first_field(element, ANY_NAME));
    if (rest == NULL || *rest == '\0')
        return rest != NULL;
    while (next_field(&element, &number, &contents)) {
        for (const uint64_t *i = inner; *i != 0; i++) {
            if (*i != number)
                continue;
            if (holds(contents, rest, number == MESSAGE_NESTED ? message : none))
                return 1;
        }
    }
    return 0;
}

static int file_holds(struct piece file, const char *symbol)
{
    static const uint64_t none[] = {0}, message[] = {MESSAGE_NESTED, MESSAGE_ENUM, 0},
                          service[] = {SERVICE_METHOD, 0};
    uint64_t number;
    struct piece contents;
    const char *rest = after(symbol, first_field(file, FILE_PACKAGE));
    if (rest == NULL || *rest == '\0')
        return 0;
    while (next_field(&file, &number, &contents)) {
        if ((number == FILE_MESSAGE && holds(contents, rest, message)) ||
            (number == FILE_ENUM && holds(contents, rest, none)) ||
            (number == FILE_SERVICE && holds(contents, rest, service)))
            return 1;
    }
    return 0;
}

static int file_is(struct piece file, const char *name)
{
    struct piece own = first_field(file, FILE_NAME);
    size_t n = (size_t)(own.end - own.at);
    return strlen(name) == n && memcmp(own.at, name, n) == 0;
}

static int find(struct descriptor *out, int (*fits)(struct piece file, const char *name),
                const char *name)
{
    struct piece set = {embedded_descriptors, embedded_descriptors_end}, file;
    uint64_t number;
    while (next_field(&set, &number, &file)) {
        if (number == SET_FILE && fits(file, name)) {
            *out = (struct descriptor){file.at, (size_t)(file.end - file.at)};
            return 1;
        }
    }
    return 0;
}

int descriptor_by_file(struct descriptor *out, const char *name)
{
    return find(out, file_is, name);
}

int descriptor_by_symbol(struct descriptor *out, const char *symbol)
{
    return find(out, file_holds, symbol);
}
