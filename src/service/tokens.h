/* Bearer tokens from a file. */
#ifndef CUZK_SERVICE_TOKENS_H
#define CUZK_SERVICE_TOKENS_H

#include "service/config.h"

/* One token a line; empty lines and lines that start with # are skipped. Without any token: ERR_CONFIG. A file that others may read, or with a NUL
 * byte, is ERR_CONFIG too. */
int tokens_read(struct string_list *out, const char *path, struct error *err);

#endif
