#include "service/json_text.h"

#include <stddef.h>

#include "base/text.h"

void json_put_string(FILE *f, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', f);
    while (*s != '\0') {
        size_t n = utf8_length((const char *)s);
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
