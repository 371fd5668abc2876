/* BLAKE2b and BLAKE2s from libb2, whose own names (blake2b, blake2b_update, ...) these wrap. Out of memory ends the process. */
#ifndef CUZK_HASH_BLAKE2_H
#define CUZK_HASH_BLAKE2_H

#include <stddef.h>
#include <stdint.h>

/* out_len is 1..64, key_len 0..64 (0: unkeyed). */
void blake2b_digest(uint8_t *out, size_t out_len, const void *key, size_t key_len, const void *data,
                    size_t n);

struct blake2b_stream;
struct blake2b_stream *blake2b_stream_new(size_t out_len); /* unkeyed, out_len 1..64 */
void blake2b_stream_update(struct blake2b_stream *s, const void *data, size_t n);
void blake2b_stream_finish(struct blake2b_stream *s, uint8_t *out); /* destroys s */

/* BLAKE2s-256, unkeyed. */
struct blake2s_stream;
struct blake2s_stream *blake2s_stream_new(void);
void blake2s_stream_update(struct blake2s_stream *s, const void *data, size_t n);
void blake2s_stream_peek(const struct blake2s_stream *s, uint8_t out[32]); /* so far; s goes on */
void blake2s_stream_finish(struct blake2s_stream *s, uint8_t out[32]);     /* destroys s */

#endif
