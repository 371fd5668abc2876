#include "base/text.h"

#include <stdio.h>
#include <string.h>

size_t utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
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

/* U+2028 and U+2029 end lines, U+202A to E and U+2066 to 9 change the order in which what follows is shown. */
static int is_layout(const unsigned char *u)
{
    return u[0] == 0xe2 && ((u[1] == 0x80 && u[2] >= 0xa8 && u[2] <= 0xae) ||
                            (u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9));
}

/* C0, DEL, C1 as UTF-8 writes it, and what acts like them. */
static int is_control(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    return u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && u[1] < 0xa0) || is_layout(u);
}

int text_has_controls(const char *text)
{
    for (; *text != '\0'; text++)
        if (is_control(text))
            return 1;
    return 0;
}

const char *text_printable(char *out, size_t cap, const char *in)
{
    size_t at = 0;
    while (*in != '\0') {
        char escaped[5];
        const char *put = in;
        size_t len = utf8_length(in), taken = len, n = len;
        if (len == 0 || is_control(in)) {
            snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*in);
            put = escaped;
            taken = 1;
            n = 4;
        }
        if (n >= cap - at)
            break;
        memcpy(out + at, put, n);
        at += n;
        in += taken;
    }
    out[at] = '\0';
    return out;
}
