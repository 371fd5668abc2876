/* Bump allocation: many small objects that live and die together. */
#ifndef CUZK_FILECOIN_ARENA_H
#define CUZK_FILECOIN_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);       /* NULL: no memory */
void arena_destroy(struct arena *a); /* NULL is harmless */

/* Zeroed, aligned for any object of 8-byte alignment. NULL: no memory. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *text);

#endif
