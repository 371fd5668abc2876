#include "hash/blake2.h"

#include <assert.h>
#include <blake2.h>
#include <stdlib.h>

void blake2b_digest(uint8_t *out, size_t out_len, const void *key, size_t key_len, const void *data,
                    size_t n)
{
    int rc = blake2b(out, data, key, out_len, n, key_len);
    assert(rc == 0);
    (void)rc;
}

struct blake2b_stream {
    blake2b_state state;
    size_t out_len;
};

/* libb2's states ask for the alignment of a cache line. */
static void *new_aligned(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (p == NULL)
        abort();
    return p;
}

struct blake2b_stream *blake2b_stream_new(size_t out_len)
{
    struct blake2b_stream *s = new_aligned(sizeof *s);
    int rc = blake2b_init(&s->state, out_len);
    assert(rc == 0);
    (void)rc;
    s->out_len = out_len;
    return s;
}

void blake2b_stream_update(struct blake2b_stream *s, const void *data, size_t n)
{
    blake2b_update(&s->state, data, n);
}

void blake2b_stream_finish(struct blake2b_stream *s, uint8_t *out)
{
    blake2b_final(&s->state, out, s->out_len);
    free(s);
}

struct blake2s_stream {
    blake2s_state state;
};

struct blake2s_stream *blake2s_stream_new(void)
{
    struct blake2s_stream *s = new_aligned(sizeof *s);
    int rc = blake2s_init(&s->state, 32);
    assert(rc == 0);
    (void)rc;
    return s;
}

void blake2s_stream_update(struct blake2s_stream *s, const void *data, size_t n)
{
    blake2s_update(&s->state, data, n);
}

void blake2s_stream_peek(const struct blake2s_stream *s, uint8_t out[32])
{
    blake2s_state copy = s->state;
    blake2s_final(&copy, out, 32);
}

void blake2s_stream_finish(struct blake2s_stream *s, uint8_t out[32])
{
    blake2s_final(&s->state, out, 32);
    free(s);
}
