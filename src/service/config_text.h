/* Values of configuration keys as people write them. */
#ifndef CUZK_SERVICE_CONFIG_TEXT_H
#define CUZK_SERVICE_CONFIG_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* 0, or -1 when text is none of these or too large. */
int text_number(uint64_t *out, const char *text);
int text_size(uint64_t *out, const char *text); /* bytes: plain, KiB MiB GiB TiB, KB MB GB TB */
int text_duration(uint64_t *out,
                  const char *text);       /* milliseconds: ms, s, m, h; plain is seconds */
int text_bool(int *out, const char *text); /* true false 1 0 yes no on off, any case */

/* Edits from one to the other (Levenshtein), for "did you mean". */
unsigned text_distance(const char *a, const char *b);

/* The listening address of text. */
enum address_type { ADDRESS_UNIX, ADDRESS_TCP, ADDRESS_BAD };
struct address {
    enum address_type type;
    int loopback;
    const char *path;   /* unix: into text */
    char host_port[64]; /* TCP: as given, without a scheme */
};
/* unix://PATH, IP:PORT, [IPv6]:PORT; http:// before the latter two is skipped. Host names are ADDRESS_BAD. */
struct address text_address(const char *text);

#endif
