#include "filecoin/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 256 * 1024 };

struct block {
    struct block *next;
    size_t used, size; /* of data */
    uint64_t data[];
};

struct arena {
    struct block *blocks; /* the newest first */
};

struct arena *arena_new(void)
{
    return calloc(1, sizeof(struct arena));
}

void arena_destroy(struct arena *a)
{
    if (a == NULL)
        return;
    for (struct block *b = a->blocks; b != NULL;) {
        struct block *next = b->next;
        free(b);
        b = next;
    }
    free(a);
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 7) & ~(size_t)7;
    struct block *b = a->blocks;
    if (b == NULL || b->size - b->used < size) {
        size_t block_size = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        b = calloc(1, sizeof *b + block_size);
        if (b == NULL)
            return NULL;
        b->size = block_size;
        b->next = a->blocks;
        a->blocks = b;
    }
    void *p = (char *)b->data + b->used;
    b->used += size;
    return p;
}

char *arena_strdup(struct arena *a, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = arena_alloc(a, n);
    return copy == NULL ? NULL : memcpy(copy, text, n);
}
