/* Lower-case hexadecimal. */
#ifndef CUZK_BASE_HEX_H
#define CUZK_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

/* out holds 2n + 1 bytes and ends with NUL. */
void hex_encode(char *out, const uint8_t *in, size_t n);

/* text must be exactly 2n digits, of either case, and nothing else. 0, or -1 with out partly written. */
int hex_decode(uint8_t *out, size_t n, const char *text);

#endif
