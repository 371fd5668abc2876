#include "service/json_text.h"

#include <stddef.h>

/* Length of the well-formed UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80                 ? 1
               : *s >= 0xc2 && *s < 0xe0 ? 2
               : *s >= 0xe0 && *s < 0xf0 ? 3
               : *s >= 0xf0 && *s < 0xf5 ? 4
                                         : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void json_put_string(FILE *f, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', f);
    while (*s != '\0') {
        size_t n = utf8_length(s);
        if (n == 0)
            fputs("\\ufffd", f);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(f, "\\u%04x", *s);
        else if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else
            fwrite(s, 1, n, f);
        s += n == 0 ? 1 : n;
    }
    fputc('"', f);
}
