#include "filecoin/challenges.h"

#include <assert.h>
#include <string.h>

#include "hash/blake2.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

enum { SYNTHETIC_SET_MAX = 1 << 18 };

static void store_le32(uint8_t out[4], uint32_t v)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

/* The little-endian integer mod (nodes - 1), + 1: never node 0. */
static uint32_t to_challenge(const uint8_t le[32], uint64_t nodes)
{
    uint64_t rest = 0;
    for (int i = 31; i >= 0; i--)
        rest = (rest << 8 | le[i]) % (nodes - 1);
    return (uint32_t)(rest + 1);
}

void challenges_interactive(uint32_t *out, unsigned count, uint64_t nodes,
                            const uint8_t replica_id[32], const uint8_t seed[32], uint32_t first)
{
    uint8_t in[68], d[32];
    memcpy(in, replica_id, 32);
    memcpy(in + 32, seed, 32);
    for (unsigned i = 0; i < count; i++) {
        store_le32(in + 64, first + i);
        sha256(d, in, sizeof in);
        out[i] = to_challenge(d, nodes);
    }
}

void challenges_non_interactive(uint32_t *out, unsigned count, uint64_t nodes,
                                const uint8_t replica_id[32], const uint8_t comm_r[32],
                                uint32_t first)
{
    static const char tag[] = "filecoin.io|PoRep|1|NonInteractive|1";
    enum { TAG = sizeof tag - 1 };
    uint8_t in[TAG + 68], d[32];
    memcpy(in, tag, TAG);
    memcpy(in + TAG, replica_id, 32);
    memcpy(in + TAG + 32, comm_r, 32);
    for (unsigned i = 0; i < count; i++) {
        store_le32(in + TAG + 64, first + i);
        sha256(d, in, sizeof in);
        out[i] = to_challenge(d, nodes);
    }
}

/* The keystream that draws (Generation) or selects (Selection) synthetic challenges. */
static void synthetic_stream(struct chacha *c, const char *purpose, const uint8_t a[32],
                             const uint8_t b[32])
{
    uint8_t in[64], key[32];
    memcpy(in, a, 32);
    memcpy(in + 32, b, 32);
    blake2b_digest(key, sizeof key, purpose, strlen(purpose), in, sizeof in);
    chacha_init_ietf(c, key, (const uint8_t *)"synth-porep");
}

static void synthetic_set(struct chacha *c, uint32_t *out, unsigned count, uint64_t nodes,
                          uint32_t first)
{
    uint8_t le[32];
    chacha_seek(c, (uint64_t)first * sizeof le);
    for (unsigned i = 0; i < count; i++) {
        chacha_bytes(c, le, sizeof le);
        out[i] = to_challenge(le, nodes);
    }
}

void challenges_synthetic_set(uint32_t *out, unsigned count, uint64_t nodes,
                              const uint8_t replica_id[32], const uint8_t comm_r[32],
                              uint32_t first)
{
    struct chacha c;
    synthetic_stream(&c, "filecoin.io|PoRep|1|Synthetic|1|Generation", replica_id, comm_r);
    synthetic_set(&c, out, count, nodes, first);
}

void challenges_synthetic(uint32_t *out, unsigned count, uint64_t nodes, uint32_t n,
                          const uint8_t replica_id[32], const uint8_t comm_r[32],
                          const uint8_t seed[32], uint32_t first)
{
    struct chacha set, select;
    synthetic_stream(&set, "filecoin.io|PoRep|1|Synthetic|1|Generation", replica_id, comm_r);
    synthetic_stream(&select, "filecoin.io|PoRep|1|Synthetic|1|Selection", replica_id, seed);
    chacha_seek(&select, (uint64_t)first * 4);
    for (unsigned i = 0; i < count; i++) {
        uint8_t b[4];
        chacha_bytes(&select, b, sizeof b);
        uint32_t v =
            (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        synthetic_set(&set, &out[i], 1, nodes, v % n);
    }
}

void porep_challenges(uint32_t *out, const struct registered_seal *seal,
                      const uint8_t replica_id[32], const uint8_t comm_r[32],
                      const uint8_t seed[32], unsigned partition)
{
    uint64_t nodes = seal->shape->nodes;
    unsigned count = seal->shape->challenges;
    uint32_t first = partition * count;
    assert(partition < registered_seal_partitions(seal));
    switch (seal->feature) {
    case POREP_INTERACTIVE:
        challenges_interactive(out, count, nodes, replica_id, seed, first);
        break;
    case POREP_SYNTHETIC:
        challenges_synthetic(out, count, nodes,
                             nodes < SYNTHETIC_SET_MAX ? (uint32_t)nodes : SYNTHETIC_SET_MAX,
                             replica_id, comm_r, seed, first);
        break;
    case POREP_NON_INTERACTIVE:
        challenges_non_interactive(out, count, nodes, replica_id, comm_r, first);
        break;
    }
}
