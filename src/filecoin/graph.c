#include "filecoin/graph.h"

#include <assert.h>
#include <string.h>

#include "hash/blake2.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

enum { DRG_DRAWS = GRAPH_DRG_PARENTS - 1, FEISTEL_ROUNDS = 3 };

/* SHA-256(tag || porep_id) */
static void domain_digest(uint8_t out[32], const char *tag, const uint8_t porep_id[32])
{
    uint8_t text[64 + 32];
    size_t n = strlen(tag);
    assert(n <= 64);
    memcpy(text, tag, n);
    memcpy(text + n, porep_id, 32);
    sha256(out, text, n + 32);
}

static unsigned ceil_log2(uint64_t v)
{
    unsigned bits = 0;
    while ((uint64_t)1 << bits < v)
        bits++;
    return bits;
}

void graph_init(struct graph *g, uint64_t nodes, enum api_version api, const uint8_t porep_id[32])
{
    assert(nodes >= 2 && nodes <= (uint64_t)1 << 32);
    uint8_t d[32];
    g->nodes = nodes;
    g->api = api;
    domain_digest(d, "Filecoin_DRSample", porep_id);
    memcpy(g->drg_seed, d, sizeof g->drg_seed);
    domain_digest(d, "Filecoin_Feistel", porep_id);
    for (unsigned i = 0; i < FEISTEL_ROUNDS; i++) {
        g->feistel_keys[i] = 0;
        for (unsigned j = 0; j < 8; j++)
            g->feistel_keys[i] |= (uint64_t)d[8 * i + j] << (8 * j);
    }
    g->feistel_half_bits = (ceil_log2(nodes * GRAPH_EXP_PARENTS) + 1) / 2;
}

void graph_drg_parents(uint32_t out[GRAPH_DRG_PARENTS], const struct graph *g, uint64_t node)
{
    assert(node < g->nodes);
    if (node < 2) {
        memset(out, 0, GRAPH_DRG_PARENTS * sizeof *out);
        return;
    }
    /* The predecessor comes last in API 1.0, first since. */
    unsigned first = g->api == API_1_0 ? 0 : 1;
    out[g->api == API_1_0 ? DRG_DRAWS : 0] = (uint32_t)(node - 1);

    uint8_t key[32];
    memcpy(key, g->drg_seed, sizeof g->drg_seed);
    for (unsigned i = 0; i < 4; i++)
        key[28 + i] = (uint8_t)(node >> (8 * i));
    struct chacha rng;
    chacha_init_rand(&rng, key, 8);

    /* DRSample on a graph with five meta nodes for each node. */
    uint64_t meta = node * DRG_DRAWS;
    unsigned buckets = ceil_log2(meta);
    for (unsigned i = 0; i < DRG_DRAWS; i++) {
        uint64_t big = (uint64_t)1 << (chacha_u64(&rng) % buckets + 1);
        if (big > meta)
            big = meta;
        uint64_t small = big >> 1 < 2 ? 2 : big >> 1;
        uint64_t distance = small + chacha_u64(&rng) % (big - small + 1);
        uint64_t parent = (meta - distance) / DRG_DRAWS;
        out[first + i] = (uint32_t)(parent == node ? node - 1 : parent);
    }
}

static uint64_t feistel_round(uint64_t right, uint64_t key, unsigned half_bits)
{
    uint8_t in[16], d[64];
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) {
        in[i] = (uint8_t)(right >> (56 - 8 * i));
        in[8 + i] = (uint8_t)(key >> (56 - 8 * i));
    }
    blake2b_digest(d, sizeof d, NULL, 0, in, sizeof in);
    for (unsigned i = 0; i < 8; i++)
        v = v << 8 | d[i];
    return v & (((uint64_t)1 << half_bits) - 1);
}

/* A permutation of [0, 4^half_bits). */
static uint64_t feistel(const struct graph *g, uint64_t v)
{
    unsigned h = g->feistel_half_bits;
    uint64_t left = v >> h, right = v & (((uint64_t)1 << h) - 1);
    for (unsigned i = 0; i < FEISTEL_ROUNDS; i++) {
        uint64_t t = left ^ feistel_round(right, g->feistel_keys[i], h);
        left = right;
        right = t;
    }
    return left << h | right;
}

void graph_exp_parents(uint32_t out[GRAPH_EXP_PARENTS], const struct graph *g, uint64_t node)
{
    assert(node < g->nodes);
    for (unsigned i = 0; i < GRAPH_EXP_PARENTS; i++) {
        uint64_t u = feistel(g, node * GRAPH_EXP_PARENTS + i);
        while (u >= g->nodes * GRAPH_EXP_PARENTS)
            u = feistel(g, u);
        if (g->api == API_1_0) /* the chain's first graphs lost the upper bits here */
            u = (uint32_t)u;
        out[i] = (uint32_t)(u / GRAPH_EXP_PARENTS);
    }
}
