/* The body of one native compression, included by each path after it has defined
 *   struct lanes                           32 signed bytes
 *   lanes_spread(x)                        byte i = bit i of x
 *   lanes_and, lanes_xor, lanes_or (x, y)
 *   lanes_twice(x), lanes_negate(x)        of bytes 0 and 1
 *   lanes_store(at, x)                     32 bytes
 *   lanes_store_pairs(at, x, y)            64 bytes: x0 y0 x1 y1 ...
 *   compact(x, mask)                       bits of x under the mask, moved together from bit 0 on
 *
 * A group is the 32 rows of one word operation; its row values and new variables are planes of
 * bits. Rows that fold away because an operand bit is a constant are squeezed out of the planes. A
 * group stores 32 bytes even if it has fewer rows: what follows in the same block overwrites the
 * rest, and the block ends in a 33-bit sum and a single row, which are stored exactly. */
#include <string.h>

#include "gadget/sha256_native.h"
#include "gadget/uint32.h"
#include "hash/sha256.h"

/* All operands variable: 48 * (61 + 54 + 34) + 64 * 224 + 126 * 35 + 2 * 35 + 6 * 33 bits. */
enum {
    BLOCK_AUX = 26166,
    BLOCK_SUMS = 26, /* MultiEq rows */
    BLOCK_ROWS = BLOCK_AUX + BLOCK_SUMS,
};

#define BLOCK_INLINE static inline __attribute__((always_inline))

struct block_out {
    int8_t *aux, *a, *b, *c;
    struct fr *a_full, *c_full;
    uint64_t sum[4]; /* MultiEq's left side so far */
    unsigned bits_used;
};

/* A word with constant bits, and variables that stand for the opposite of the bit (xor with a
 * constant 1). */
struct masked {
    uint32_t value, constant, negated;
};

BLOCK_INLINE uint32_t rotr(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

BLOCK_INLINE void advance(struct block_out *o, size_t n)
{
    o->aux += n;
    o->a += n;
    o->b += n;
    o->c += n;
}

/* The first n rows of <2x | y | x + y - z>; returns z. */
BLOCK_INLINE uint32_t emit_xor(struct block_out *o, uint32_t x, uint32_t y, size_t n)
{
    struct lanes px = lanes_spread(x), py = lanes_spread(y);
    lanes_store(o->aux, lanes_xor(px, py));
    lanes_store(o->a, lanes_twice(px));
    lanes_store(o->b, py);
    lanes_store(o->c, lanes_twice(lanes_and(px, py)));
    advance(o, n);
    return x ^ y;
}

/* <x | y | z>; z = x & y */
BLOCK_INLINE void emit_and(struct block_out *o, uint32_t x, uint32_t y)
{
    struct lanes px = lanes_spread(x), py = lanes_spread(y), pz = lanes_and(px, py);
    lanes_store(o->aux, pz);
    lanes_store(o->a, px);
    lanes_store(o->b, py);
    lanes_store(o->c, pz);
    advance(o, 32);
}

/* <f - g | e | ch - g> */
BLOCK_INLINE void emit_ch(struct block_out *o, uint32_t e, uint32_t f, uint32_t g)
{
    struct lanes pe = lanes_spread(e);
    struct lanes a = lanes_or(lanes_spread(f & ~g), lanes_negate(lanes_spread(~f & g)));
    lanes_store(o->aux, lanes_spread(g ^ (e & (f ^ g))));
    lanes_store(o->a, a);
    lanes_store(o->b, pe);
    lanes_store(o->c, lanes_and(a, lanes_negate(pe)));
    advance(o, 32);
}

/* Pairs: variables maj, bc; rows <b | c | bc> and <2bc - b - c | a | bc - maj>, where 2bc - b - c
 * = -(b ^ c). */
BLOCK_INLINE void emit_maj(struct block_out *o, uint32_t a, uint32_t b, uint32_t c)
{
    struct lanes pa = lanes_spread(a), pb = lanes_spread(b), pc = lanes_spread(c);
    struct lanes bc = lanes_and(pb, pc), differ = lanes_xor(pb, pc), high = lanes_and(pa, differ);
    lanes_store_pairs(o->aux, lanes_or(bc, high), bc);
    lanes_store_pairs(o->a, pb, lanes_negate(differ));
    lanes_store_pairs(o->b, pc, pa);
    lanes_store_pairs(o->c, bc, lanes_negate(high));
    advance(o, 64);
}

/* MultiEq's row <sum | 1 | result>: both sides have the same value. */
static void emit_sums(struct block_out *o)
{
    struct fr v;
    fr_from_limbs(&v, o->sum);
    *o->a++ = TVEC_FULL;
    *o->b++ = 1;
    *o->c++ = TVEC_FULL;
    *o->a_full++ = v;
    *o->c_full++ = v;
    memset(o->sum, 0, sizeof o->sum);
    o->bits_used = 0;
}

/* The result bits of a sum of n words with variables, <1 - a | a | 0> each, and its share of
 * MultiEq. */
BLOCK_INLINE uint32_t emit_sum(struct block_out *o, uint64_t sum, size_t n)
{
    unsigned bits = uint32_sum_bits(n);
    struct lanes value = lanes_spread((uint32_t)sum), zero = lanes_spread(0);
    lanes_store(o->aux, value);
    lanes_store(o->a, lanes_spread(~(uint32_t)sum));
    lanes_store(o->b, value);
    lanes_store(o->c, zero);
    for (unsigned i = 32; i < bits; i++) {
        int8_t carry = (int8_t)(sum >> i & 1);
        o->aux[i] = carry;
        o->a[i] = carry ^ 1;
        o->b[i] = carry;
        o->c[i] = 0;
    }
    advance(o, bits);

    if (o->bits_used + bits >= 254)
        emit_sums(o);
    unsigned limb = o->bits_used / 64, shift = o->bits_used % 64;
    uint64_t add[5] = {0};
    add[limb] = sum << shift;
    add[limb + 1] = sum >> 1 >> (63 - shift);
    limbs_add(o->sum, o->sum, add, 4);
    o->bits_used += bits;
    return (uint32_t)sum;
}

/* n words; a sum of constants has neither bits nor a share in MultiEq. */
BLOCK_INLINE uint32_t add(struct block_out *o, int variable, uint64_t sum, size_t n)
{
    return variable ? emit_sum(o, sum, n) : (uint32_t)sum;
}

/* Folding of circuits §2: a constant 0 gives the other operand, a constant 1 its opposite; of two
 * variables the plain one comes first. */
static struct masked xor_masked(struct block_out *o, struct masked x, struct masked y)
{
    struct masked z = {.value = x.value ^ y.value, .constant = x.constant & y.constant};
    uint32_t rows = ~(x.constant | y.constant), swap = x.negated & ~y.negated;
    if (rows != 0) {
        uint32_t vx = x.value ^ x.negated, vy = y.value ^ y.negated;
        uint32_t flip = (vx ^ vy) & swap;
        emit_xor(o, compact(vx ^ flip, rows), compact(vy ^ flip, rows),
                 (size_t)__builtin_popcount(rows));
    }
    z.negated = (x.negated | (x.value & x.constant)) ^ (y.negated | (y.value & y.constant));
    z.negated &= ~z.constant;
    return z;
}

/* rotr r1 ^ rotr r2 ^ (x >> s) of a message word */
BLOCK_INLINE uint32_t schedule_sigma(struct block_out *o, uint32_t x, uint32_t constant,
                                     unsigned r1, unsigned r2, unsigned s)
{
    uint32_t first = rotr(x, r1), second = rotr(x, r2);
    if (constant == 0) {
        uint32_t t = emit_xor(o, first, second, 32);
        emit_xor(o, t, x >> s, 32 - s); /* the bits shifted in are constant 0 */
        return t ^ x >> s;
    }
    if (constant != UINT32_MAX) {
        struct masked mx = {.value = first, .constant = rotr(constant, r1)};
        struct masked my = {.value = second, .constant = rotr(constant, r2)};
        struct masked mz = {.value = x >> s, .constant = ~(~constant >> s)};
        xor_masked(o, xor_masked(o, mx, my), mz);
    }
    return first ^ second ^ x >> s;
}

/* rotr r1 ^ rotr r2 ^ rotr r3 of a word of the state */
BLOCK_INLINE uint32_t state_sigma(struct block_out *o, uint32_t x, int variable, unsigned r1,
                                  unsigned r2, unsigned r3)
{
    uint32_t first = rotr(x, r1), second = rotr(x, r2), third = rotr(x, r3);
    if (variable) {
        emit_xor(o, first, second, 32);
        emit_xor(o, first ^ second, third, 32);
    }
    return first ^ second ^ third;
}

/* known = how many of e, f, g (a, b, c) are variables: constants of the first block leave from
 * behind, round by round. Against one variable and two constants every bit folds to a constant,
 * the variable or its opposite. */
BLOCK_INLINE uint32_t ch(struct block_out *o, unsigned known, uint32_t e, uint32_t f, uint32_t g)
{
    if (known >= 3)
        emit_ch(o, e, f, g);
    else if (known == 2)
        emit_and(o, e, f ^ g); /* g = 0: e & f; g = 1: not (e & not f) */
    return g ^ (e & (f ^ g));
}

BLOCK_INLINE uint32_t maj(struct block_out *o, unsigned known, uint32_t a, uint32_t b, uint32_t c)
{
    if (known >= 3)
        emit_maj(o, a, b, c);
    else if (known == 2)
        emit_and(o, a ^ c, b ^ c); /* c = 0: a & b; c = 1: not (not a & not b) */
    return (b & c) | (a & (b ^ c));
}

/* w[16 .. 64); the masks of those are all or nothing. */
BLOCK_INLINE void extend_message(struct block_out *o, uint32_t w[64], uint32_t constant[64])
{
    for (size_t i = 16; i < 64; i++) {
        uint64_t s0 = schedule_sigma(o, w[i - 15], constant[i - 15], 7, 18, 3);
        uint64_t s1 = schedule_sigma(o, w[i - 2], constant[i - 2], 17, 19, 10);
        constant[i] = constant[i - 16] & constant[i - 15] & constant[i - 7] & constant[i - 2];
        int variable = constant[i] != UINT32_MAX;
        w[i] = add(o, variable, w[i - 16] + s0 + w[i - 7] + s1, 4);
        constant[i] = variable ? 0 : UINT32_MAX;
    }
}

static void compress(struct block_out *o, struct sha256_state *state,
                     const struct sha256_message *m)
{
    uint32_t w[64], constant[64], s[8], *hash = state->hash;
    memcpy(w, m->w, sizeof m->w);
    memcpy(constant, m->constant, sizeof m->constant);
    memcpy(s, hash, sizeof s);
    extend_message(o, w, constant);

    unsigned known = state->variable ? 3 : 0;
    uint64_t e = s[4], a = s[0]; /* sums of the round before, not yet in bits */
    for (size_t i = 0; i < 64; i++) {
        s[4] = add(o, i > 0 && known > 0, e, 6);
        uint64_t t = s[7] + (uint64_t)state_sigma(o, s[4], known > 0, 6, 11, 25);
        t += ch(o, known, s[4], s[5], s[6]);
        s[0] = add(o, i > 0 && known > 0, a, 7);
        uint32_t s0 = state_sigma(o, s[0], known > 0, 2, 13, 22);
        a = s0 + (uint64_t)maj(o, known, s[0], s[1], s[2]);
        t += (uint64_t)SHA256_K[i] + w[i];
        a += t;
        e = t + s[3];
        memmove(&s[1], &s[0], 3 * sizeof s[0]);
        memmove(&s[5], &s[4], 3 * sizeof s[0]);
        if (known > 0 || constant[i] != UINT32_MAX)
            known++;
    }

    int variable = known > 0;
    hash[0] = add(o, variable, a + hash[0], 8);
    for (size_t i = 1; i < 4; i++)
        hash[i] = add(o, variable, (uint64_t)hash[i] + s[i], 2);
    hash[4] = add(o, variable, e + hash[4], 7);
    for (size_t i = 5; i < 8; i++)
        hash[i] = add(o, variable, (uint64_t)hash[i] + s[i], 2);
    if (variable)
        emit_sums(o);
    state->variable = variable;
}

BLOCK_INLINE void run_block(struct cs *cs, struct sha256_state *s, const struct sha256_message *m)
{
    native_reserve(cs, BLOCK_AUX, BLOCK_ROWS, 0, BLOCK_SUMS, 0, BLOCK_SUMS);
    struct native_cursor *at = cs->at;
    struct block_out o = {
        .aux = at[NATIVE_AUX].small,
        .a = at[NATIVE_A].small,
        .b = at[NATIVE_B].small,
        .c = at[NATIVE_C].small,
        .a_full = at[NATIVE_A].full,
        .c_full = at[NATIVE_C].full,
    };
    compress(&o, s, m);
    at[NATIVE_AUX].small = o.aux;
    at[NATIVE_A] = (struct native_cursor){o.a, o.a_full};
    at[NATIVE_B].small = o.b;
    at[NATIVE_C] = (struct native_cursor){o.c, o.c_full};
}
