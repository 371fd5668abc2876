/* Randomness for secrets. */
#ifndef CUZK_BASE_RAND_H
#define CUZK_BASE_RAND_H

#include <stddef.h>

/* Fills out[0 .. n) from getrandom(2). 0 or ERR_OS. */
int rand_fill(void *out, size_t n);

#endif
