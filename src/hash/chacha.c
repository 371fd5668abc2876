#include "hash/chacha.h"

#include <assert.h>
#include <string.h>

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static uint32_t rotl(uint32_t v, int n)
{
    return v << n | v >> (32 - n);
}

static void quarter_round(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotl(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotl(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotl(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotl(x[b] ^ x[c], 7);
}

/* Fills block for the counter in state[12] and counts on. */
static void next_block(struct chacha *c)
{
    uint32_t x[16];
    memcpy(x, c->state, sizeof x);
    for (unsigned r = 0; r < c->rounds; r += 2) {
        for (int i = 0; i < 4; i++)
            quarter_round(x, i, i + 4, i + 8, i + 12);
        for (int i = 0; i < 4; i++)
            quarter_round(x, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
    }
    for (int i = 0; i < 16; i++)
        store32(c->block + 4 * i, x[i] + c->state[i]);
    c->state[12]++;
    c->used = 0;
}

static void init(struct chacha *c, const uint8_t key[32], unsigned rounds)
{
    memset(c, 0, sizeof *c);
    for (unsigned i = 0; i < 4; i++)
        c->state[i] = load32((const uint8_t *)"expand 32-byte k" + 4 * i);
    for (unsigned i = 0; i < 8; i++)
        c->state[4 + i] = load32(key + 4 * i);
    c->rounds = rounds;
    c->used = sizeof c->block;
}

void chacha_init_rand(struct chacha *c, const uint8_t key[32], unsigned rounds)
{
    init(c, key, rounds);
}

void chacha_init_ietf(struct chacha *c, const uint8_t key[32], const uint8_t nonce[12])
{
    init(c, key, 20);
    for (unsigned i = 0; i < 3; i++)
        c->state[13 + i] = load32(nonce + 4 * i);
}

void chacha_seek(struct chacha *c, uint64_t position)
{
    assert(position / 64 <= UINT32_MAX);
    c->state[12] = (uint32_t)(position / 64);
    next_block(c);
    c->used = (unsigned)(position % 64);
}

void chacha_bytes(struct chacha *c, uint8_t *out, unsigned n)
{
    while (n > 0) {
        if (c->used == sizeof c->block)
            next_block(c);
        unsigned take = (unsigned)sizeof c->block - c->used;
        if (take > n)
            take = n;
        memcpy(out, c->block + c->used, take);
        c->used += take;
        out += take;
        n -= take;
    }
}

uint64_t chacha_u64(struct chacha *c)
{
    uint8_t b[8];
    chacha_bytes(c, b, 8);
    return (uint64_t)load32(b) | (uint64_t)load32(b + 4) << 32;
}
