/* Base64 with the standard alphabet, padded and canonical: what Rust's STANDARD engine and Go's
 * StdEncoding.Strict accept. */
#ifndef CUZK_FILECOIN_BASE64_H
#define CUZK_FILECOIN_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Decodes n characters. A part that is not the text's last must have a multiple of four and no
 * padding. out holds n / 4 * 3 bytes. Returns the number of bytes, or -1 with *bad = position of
 * the first character at fault (n: too short). */
ptrdiff_t base64_decode(uint8_t *out, const char *text, size_t n, int last, size_t *bad);

/* Encodes n bytes, padded when n isn't a multiple of three; a part that is not the text's last
 * must have a multiple of three. out holds (n + 2) / 3 * 4 characters, no NUL; returns their
 * number. */
size_t base64_encode(char *out, const void *data, size_t n);

#endif
