/* ChaCha keystreams: draws of the graph (8 rounds, rand_chacha's ChaCha8Rng) and of synthetic challenges (20 rounds, IETF
 * nonce). At most 2^32 blocks are taken of a stream. */
#ifndef CUZK_HASH_CHACHA_H
#define CUZK_HASH_CHACHA_H

#include <stdint.h>

struct chacha {
    uint32_t state[16];
    uint8_t block[64];
    unsigned rounds, used; /* used: bytes taken of block */
};

/* rand_chacha: 64-bit block counter and 64-bit stream number, both 0. */
void chacha_init_rand(struct chacha *c, const uint8_t key[32], unsigned rounds);
/* RFC 8439: 32-bit block counter 0, 96-bit nonce. 20 rounds. */
void chacha_init_ietf(struct chacha *c, const uint8_t key[32], const uint8_t nonce[12]);
/* Goes to byte `position` of the stream. */
void chacha_seek(struct chacha *c, uint64_t position);
void chacha_bytes(struct chacha *c, uint8_t *out, unsigned n);
/* rand_chacha's next_u64 on whole 64-bit draws: low word first. */
uint64_t chacha_u64(struct chacha *c);

#endif
