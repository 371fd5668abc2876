/* SHA-256 from libcrypto, which takes the SHA extensions where the machine has them. */
#ifndef CUZK_HASH_SHA256_H
#define CUZK_HASH_SHA256_H

#include <stddef.h>
#include <stdint.h>

void sha256(uint8_t out[32], const void *data, size_t n);

/* Several pieces, one digest. Out of memory ends the process. */
struct sha256_stream;
struct sha256_stream *sha256_new(void);
void sha256_update(struct sha256_stream *s, const void *data, size_t n);
void sha256_finish(struct sha256_stream *s, uint8_t out[32]); /* destroys s */

extern const uint32_t SHA256_IV[8], SHA256_K[64]; /* FIPS 180-4 */

#endif
