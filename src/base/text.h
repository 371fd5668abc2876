/* Text for people and terminals. */
#ifndef CUZK_BASE_TEXT_H
#define CUZK_BASE_TEXT_H

#include <stddef.h>

/* Length of the well-formed UTF-8 sequence (RFC 3629) at s, which ends with a NUL; 0 if there is none. */
size_t utf8_length(const char *s);

/* in, which may come from outside, on one line: control characters and bytes that are no UTF-8 become \xNN. What does not fit into cap
 * bytes (the NUL included; cap > 0) is cut, between characters. Returns out. */
const char *text_printable(char *out, size_t cap, const char *in);

#endif
