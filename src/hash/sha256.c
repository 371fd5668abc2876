#define OPENSSL_SUPPRESS_DEPRECATED
#include "hash/sha256.h"

#include <openssl/sha.h>
#include <stdlib.h>

/* Not through EVP, which allocates each time: an input's check makes thousands of digests, and must not end when memory does. */
void sha256(uint8_t out[32], const void *data, size_t n)
{
    SHA256_CTX ctx;
    SHA256_Init(&ctx);
    SHA256_Update(&ctx, data, n);
    SHA256_Final(out, &ctx);
}

struct sha256_stream {
    SHA256_CTX ctx;
};

struct sha256_stream *sha256_new(void)
{
    struct sha256_stream *s = malloc(sizeof *s);
    if (s == NULL)
        abort();
    SHA256_Init(&s->ctx);
    return s;
}

void sha256_update(struct sha256_stream *s, const void *data, size_t n)
{
    SHA256_Update(&s->ctx, data, n);
}

void sha256_finish(struct sha256_stream *s, uint8_t out[32])
{
    SHA256_Final(out, &s->ctx);
    free(s);
}

const uint32_t SHA256_IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

const uint32_t SHA256_K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
