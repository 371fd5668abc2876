/* Text for people and terminals. */
#ifndef CUZK_BASE_TEXT_H
#define CUZK_BASE_TEXT_H

#include <stddef.h>

/* Length of the well-formed UTF-8 sequence (RFC 3629) at s, which ends with a NUL; 0 if there is none. */
size_t utf8_length(const char *s);

/* Whether UTF-8 text holds a control character (C0, DEL, C1), a line or paragraph separator (U+2028, U+2029) or a bidirectional control
 * (U+202A to U+202E, U+2066 to U+2069). */
int text_has_controls(const char *text);

/* in, which may come from outside, on one line: those characters and bytes that are no UTF-8 become \xNN. What does not fit into cap
 * bytes (the NUL included; cap > 0) is cut, between characters. Returns out. */
const char *text_printable(char *out, size_t cap, const char *in);

#endif
