/* JSON strings onto a stream. */
#ifndef CUZK_SERVICE_JSON_TEXT_H
#define CUZK_SERVICE_JSON_TEXT_H

#include <stdio.h>

/* With quotes; control characters are escaped, bytes that are no UTF-8 become U+FFFD. */
void json_put_string(FILE *f, const char *text);

#endif
