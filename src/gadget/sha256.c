#include "gadget/sha256.h"

#include <string.h>

#include "gadget/sha256_native.h"
#include "gadget/uint32.h"
#include "hash/sha256.h"

/* Blocks of a message of n * 256 bits with its padding: a 1, zeros, the length in 64 bits. */
static size_t blocks(size_t n)
{
    return (n * 256 + 1 + 64 + 511) / 512;
}

/* Word i of the padding behind n pieces: i counts from the message's first word. */
static uint32_t padding_word(size_t n, size_t i)
{
    uint64_t bits = (uint64_t)n * 256;
    if (i == n * 8)
        return 0x80000000;
    if (i == blocks(n) * 16 - 2)
        return (uint32_t)(bits >> 32);
    return i == blocks(n) * 16 - 1 ? (uint32_t)bits : 0;
}

/* ---- rows ---- */

/* w[16 .. 64) from w[0 .. 16). */
static void extend_message(struct cs *cs, struct multieq *m, struct uint32 w[64])
{
    for (size_t i = 16; i < 64; i++) {
        struct uint32 s0 = uint32_rotr(&w[i - 15], 7), r = uint32_rotr(&w[i - 15], 18);
        s0 = uint32_xor(cs, &s0, &r);
        r = uint32_shr(&w[i - 15], 3);
        s0 = uint32_xor(cs, &s0, &r);
        struct uint32 s1 = uint32_rotr(&w[i - 2], 17);
        r = uint32_rotr(&w[i - 2], 19);
        s1 = uint32_xor(cs, &s1, &r);
        r = uint32_shr(&w[i - 2], 10);
        s1 = uint32_xor(cs, &s1, &r);
        const struct uint32 *ops[] = {&w[i - 16], &s0, &w[i - 7], &s1};
        w[i] = uint32_addmany(cs, m, ops, 4);
    }
}

/* rotr x ^ rotr y ^ rotr z */
static struct uint32 sigma(struct cs *cs, const struct uint32 *a, unsigned x, unsigned y,
                           unsigned z)
{
    struct uint32 s = uint32_rotr(a, x), r = uint32_rotr(a, y);
    s = uint32_xor(cs, &s, &r);
    r = uint32_rotr(a, z);
    return uint32_xor(cs, &s, &r);
}

/* The operands of a round's two sums. The sums are computed in the next round, where their bits
 * are wanted: new e is h + S1 + ch + K + w + d, new a is h + S1 + ch + K + w + S0 + maj. */
struct deferred {
    struct uint32 h, s1, ch, k, w, d, s0, maj;
};

static struct uint32 add_e(struct cs *cs, struct multieq *m, const struct deferred *t,
                           const struct uint32 *more)
{
    const struct uint32 *ops[] = {&t->h, &t->s1, &t->ch, &t->k, &t->w, &t->d, more};
    return uint32_addmany(cs, m, ops, more != NULL ? 7 : 6);
}

static struct uint32 add_a(struct cs *cs, struct multieq *m, const struct deferred *t,
                           const struct uint32 *more)
{
    const struct uint32 *ops[] = {&t->h, &t->s1, &t->ch, &t->k, &t->w, &t->s0, &t->maj, more};
    return uint32_addmany(cs, m, ops, more != NULL ? 8 : 7);
}

/* s = a .. h; in and out, a and e of the last round still deferred. */
static void run_rounds(struct cs *cs, struct multieq *m, struct uint32 s[8], struct deferred *t,
                       const struct uint32 w[64])
{
    for (size_t i = 0; i < 64; i++) {
        if (i > 0)
            s[4] = add_e(cs, m, t, NULL);
        struct uint32 s1 = sigma(cs, &s[4], 6, 11, 25);
        struct uint32 ch = uint32_ch(cs, &s[4], &s[5], &s[6]);
        if (i > 0)
            s[0] = add_a(cs, m, t, NULL);
        t->s0 = sigma(cs, &s[0], 2, 13, 22);
        t->maj = uint32_maj(cs, &s[0], &s[1], &s[2]);
        t->s1 = s1;
        t->ch = ch;
        t->k = uint32_constant(SHA256_K[i]);
        t->w = w[i];
        t->d = s[3];
        t->h = s[7];
        memmove(&s[1], &s[0], 3 * sizeof s[0]);
        memmove(&s[5], &s[4], 3 * sizeof s[0]);
    }
}

static void compress(struct cs *cs, struct multieq *m, struct uint32 hash[8], struct uint32 w[64])
{
    struct uint32 s[8];
    struct deferred t;
    memcpy(s, hash, sizeof s);
    extend_message(cs, m, w);
    run_rounds(cs, m, s, &t, w);
    for (size_t i = 0; i < 8; i++) {
        const struct uint32 *ops[] = {&hash[i], &s[i]};
        struct uint32 sum;
        if (i == 0)
            sum = add_a(cs, m, &t, &hash[0]);
        else if (i == 4)
            sum = add_e(cs, m, &t, &hash[4]);
        else
            sum = uint32_addmany(cs, m, ops, 2);
        hash[i] = sum;
    }
    multieq_flush(cs, m);
}

static void rows(struct cs *cs, struct bits256 *digest, const struct bits256 *const *pieces,
                 size_t n)
{
    struct multieq m = {0};
    struct uint32 hash[8], w[64];
    for (size_t i = 0; i < 8; i++)
        hash[i] = uint32_constant(SHA256_IV[i]);
    for (size_t block = 0; block < blocks(n); block++) {
        for (size_t i = 0; i < 16; i++) {
            size_t at = block * 16 + i;
            if (at >= n * 8) {
                w[i] = uint32_constant(padding_word(n, at));
                continue;
            }
            for (size_t j = 0; j < 32; j++)
                w[i].bit[j] = pieces[at / 8]->bit[at % 8 * 32 + 31 - j];
        }
        compress(cs, &m, hash, w);
    }
    for (size_t i = 0; i < 256; i++)
        digest->bit[i] = hash[i / 32].bit[31 - i % 32];
    multieq_clean_up(&m);
}

/* ---- native ---- */

static uint32_t load_be32(const uint8_t b[4])
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void native(struct cs *cs, struct bits256 *digest, const struct bits256 *const *pieces,
                   size_t n)
{
    struct sha256_state s = {.variable = 0};
    memcpy(s.hash, SHA256_IV, sizeof s.hash);
    for (size_t block = 0; block < blocks(n); block++) {
        struct sha256_message m;
        for (size_t i = 0; i < 16; i++) {
            size_t at = block * 16 + i;
            if (at < n * 8) {
                m.w[i] = load_be32(pieces[at / 8]->value + at % 8 * 4);
                m.constant[i] = load_be32(pieces[at / 8]->constant + at % 8 * 4);
            } else {
                m.w[i] = padding_word(n, at);
                m.constant[i] = UINT32_MAX;
            }
        }
        sha256_native_block(cs, &s, &m);
    }
    for (size_t i = 0; i < 32; i++)
        digest->value[i] = (uint8_t)(s.hash[i / 4] >> (24 - i % 4 * 8));
    memset(digest->constant, s.variable ? 0 : 0xff, sizeof digest->constant);
}

void sha256_gadget(struct cs *cs, struct bits256 *digest, const struct bits256 *const *pieces,
                   size_t n)
{
    if (cs->mode == CS_NATIVE)
        native(cs, digest, pieces, n);
    else
        rows(cs, digest, pieces, n);
}

struct num sha256_hash2(struct cs *cs, const struct num *left, const struct num *right)
{
    struct bits256 l, r, digest;
    const struct bits256 *const pieces[] = {&l, &r};
    num_to_bits256(cs, &l, left);
    num_to_bits256(cs, &r, right);
    sha256_gadget(cs, &digest, pieces, 2);
    return num_pack_digest(cs, &digest);
}
