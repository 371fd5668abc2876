#include "filecoin/base64.h"

enum { INVALID = 64 };

/* Value of a character; INVALID outside the alphabet. */
static unsigned value_of(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26u;
    if (c >= '0' && c <= '9')
        return c - '0' + 52u;
    return c == '+' ? 62 : c == '/' ? 63 : INVALID;
}

ptrdiff_t base64_decode(uint8_t *out, const char *text, size_t n, int last, size_t *bad)
{
    uint8_t *p = out;
    for (size_t i = 0; i < n; i += 4) {
        unsigned v[4], padding = 0;
        for (size_t j = 0; j < 4; j++) {
            if (i + j >= n) {
                *bad = n;
                return -1;
            }
            v[j] = value_of((unsigned char)text[i + j]);
            if (v[j] == INVALID || padding > 0) {
                if (text[i + j] != '=' || !last || i + 4 != n || j < 2) {
                    *bad = i + j;
                    return -1;
                }
                v[j] = 0;
                padding++;
            }
        }
        uint32_t word = (uint32_t)(v[0] << 18 | v[1] << 12 | v[2] << 6 | v[3]);
        /* The bits that padding cuts off must be 0. */
        if ((padding == 1 && (word & 0xff) != 0) || (padding == 2 && (word & 0xffff) != 0)) {
            *bad = i + 3 - padding;
            return -1;
        }
        *p++ = (uint8_t)(word >> 16);
        if (padding < 2)
            *p++ = (uint8_t)(word >> 8);
        if (padding < 1)
            *p++ = (uint8_t)word;
    }
    return p - out;
}

size_t base64_encode(char *out, const void *data, size_t n)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = data;
    char *p = out;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t word = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                        (left > 2 ? (uint32_t)in[i + 2] : 0);
        *p++ = alphabet[word >> 18];
        *p++ = alphabet[word >> 12 & 63];
        *p++ = left > 1 ? alphabet[word >> 6 & 63] : '=';
        *p++ = left > 2 ? alphabet[word & 63] : '=';
    }
    return (size_t)(p - out);
}
