/* Large aligned buffers: whole pages from mmap, huge pages where offered, excluded from core dumps when they hold a witness. */
#ifndef CUZK_BASE_BUFFER_H
#define CUZK_BASE_BUFFER_H

#include <stddef.h>

#include "base/error.h"

struct buffer {
    void *data; /* 4096-byte aligned, zeroed by the system on first use */
    size_t size;
};

/* "what" names the buffer in the error message. size 0 gives data == NULL. */
int buffer_init(struct buffer *buf, size_t size, const char *what, struct error *err);
/* Makes a buffer larger (a zeroed one too); data is kept and may move, what is new is zero. After an error buf is as before. */
int buffer_grow(struct buffer *buf, size_t size, const char *what, struct error *err);
void buffer_clean_up(struct buffer *buf);

/* Overwrites [data, data + n) in a way the compiler keeps. */
void wipe(void *data, size_t n);

#endif
