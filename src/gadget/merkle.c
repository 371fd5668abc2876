#include "gadget/merkle.h"

#include <assert.h>
#include <string.h>

#include "gadget/poseidon.h"
#include "gadget/sha256.h"

enum { MAX_ARITY = 16, MAX_INDEX_BITS = 64, MAX_SELECT = 128 };

/* The hand-made insertions: pN is output position N; the names of the elements and bits are those of circuits §5. */

static void insert_2(struct cs *cs, struct num *out, const struct num *e, const struct num *s,
                     const struct bit *bits)
{
    out[0] = num_pick(cs, bits[0], &s[0], e);
    out[1] = num_pick(cs, bits[0], e, &s[0]);
}

static void insert_4(struct cs *cs, struct num *out, const struct num *e, const struct num *s,
                     const struct bit *bits)
{
    struct bit b0 = bits[0], b1 = bits[1];
    const struct num *b = &s[0], *c = &s[1], *d = &s[2];
    struct num x;
    x = num_pick(cs, b0, b, e);
    out[0] = num_pick(cs, b1, b, &x);
    x = num_pick(cs, b0, e, b);
    out[1] = num_pick(cs, b1, c, &x);
    x = num_pick(cs, b0, d, e);
    out[2] = num_pick(cs, b1, &x, c);
    x = num_pick(cs, b0, e, d);
    out[3] = num_pick(cs, b1, &x, d);
}

static void insert_8(struct cs *cs, struct num *out, const struct num *e, const struct num *s,
                     const struct bit *bits)
{
    struct bit b0 = bits[0], b1 = bits[1], b2 = bits[2];
    const struct num *b = &s[0], *c = &s[1], *d = &s[2], *f = &s[4], *g = &s[5], *h = &s[6];
    struct num x;
    struct bit nor = bit_nor_alloc(cs, b0, b1);
    struct bit and = bit_and(cs, b0, b1);

    x = num_pick(cs, nor, e, b);
    out[0] = num_pick(cs, b2, b, &x);

    x = num_pick(cs, b0, e, b);
    x = num_pick(cs, b1, c, &x);
    out[1] = num_pick(cs, b2, c, &x);

    x = num_pick(cs, b0, d, e);
    x = num_pick(cs, b1, &x, c);
    out[2] = num_pick(cs, b2, d, &x);

    x = num_pick(cs, and, e, d);
    out[3] = num_pick(cs, b2, &s[3], &x);

    x = num_pick(cs, nor, e, f);
    out[4] = num_pick(cs, b2, &x, &s[3]);

    x = num_pick(cs, b0, e, f);
    x = num_pick(cs, b1, g, &x);
    out[5] = num_pick(cs, b2, &x, f);

    x = num_pick(cs, b0, h, e);
    x = num_pick(cs, b1, &x, g);
    out[6] = num_pick(cs, b2, &x, g);

    x = num_pick(cs, and, e, h);
    out[7] = num_pick(cs, b2, &x, h);
}

/* Position p holds, for each possible place of e, what stands there then; select among these. */
static void insert_any(struct cs *cs, struct num *out, const struct num *e, const struct num *s,
                       const struct bit *bits, size_t size)
{
    struct num column[MAX_ARITY];
    assert(size <= MAX_ARITY);
    for (size_t p = 0; p < size; p++) {
        for (size_t place = 0; place < size; place++)
            column[place] = p == place ? *e : s[p < place ? p : p - 1];
        out[p] = select_gadget(cs, column, size, bits);
    }
}

void insert_gadget(struct cs *cs, struct num *out, const struct num *e, const struct num *siblings,
                   const struct bit *bits, size_t size)
{
    switch (size) {
    case 2:
        insert_2(cs, out, e, siblings, bits);
        break;
    case 4:
        insert_4(cs, out, e, siblings, bits);
        break;
    case 8:
        insert_8(cs, out, e, siblings, bits);
        break;
    default:
        insert_any(cs, out, e, siblings, bits, size);
    }
}

struct num select_gadget(struct cs *cs, const struct num *list, size_t n, const struct bit *bits)
{
    struct num state[MAX_SELECT];
    assert(n >= 1 && n <= MAX_SELECT && (n & (n - 1)) == 0);
    memcpy(state, list, n * sizeof *state);
    size_t k = (size_t)__builtin_ctzl(n);
    for (size_t half = n / 2; half > 0; half /= 2) {
        struct bit bit = bits[--k];
        for (size_t j = 0; j < half; j++)
            state[j] = num_pick(cs, bit, &state[half + j], &state[j]);
    }
    return state[0];
}

/* cur[k] becomes the parent of children[k arity ..]. */
static void hash_children(struct cs *const cs[], size_t n, struct num *cur, enum merkle_hash hash,
                          unsigned arity, const struct num *children)
{
    if (hash == MERKLE_POSEIDON) {
        poseidon_gadgets(cs, n, cur, poseidon_constants(arity, POSEIDON_MERKLE), children);
        return;
    }
    assert(arity == 2);
    for (size_t k = 0; k < n; k++)
        cur[k] = sha256_hash2(cs[k], &children[2 * k], &children[2 * k + 1]);
}

static size_t index_bits(unsigned arity)
{
    assert(arity >= 2 && arity <= MAX_ARITY && (arity & (arity - 1)) == 0);
    return (size_t)__builtin_ctz(arity);
}

/* A level's children: index bits (to bits), siblings, insertion. */
static void merkle_children(struct cs *cs, struct num *children, const struct num *cur,
                            struct bit *bits, const struct merkle_witness *w, unsigned level)
{
    unsigned arity = w->arity[level];
    struct num siblings[MAX_ARITY];
    for (size_t i = 0; i < index_bits(arity); i++)
        bits[i] = bit_alloc(cs, w->index[level] >> i & 1);
    for (size_t i = 0; i + 1 < arity; i++)
        siblings[i] = num_alloc(cs, &w->siblings[level][i]);
    insert_gadget(cs, children, cur, siblings, bits, arity);
}

void merkle_path_gadgets(struct cs *const cs[], size_t n, const struct num *leaf,
                         const struct num *root, const struct merkle_witness *w)
{
    struct bit bits[CS_GROUP][MAX_INDEX_BITS];
    struct num cur[CS_GROUP], children[CS_GROUP * MAX_ARITY];
    size_t used = 0;
    assert(n <= CS_GROUP);
    memcpy(cur, leaf, n * sizeof *cur);
    for (unsigned level = 0; level < w->levels; level++) {
        unsigned arity = w->arity[level];
        assert(used + index_bits(arity) <= MAX_INDEX_BITS);
        for (size_t k = 0; k < n; k++) {
            assert(w[k].hash == w->hash && w[k].levels == w->levels && w[k].arity[level] == arity);
            merkle_children(cs[k], &children[k * arity], &cur[k], bits[k] + used, &w[k], level);
        }
        hash_children(cs, n, cur, w->hash, arity, children);
        used += index_bits(arity);
    }
    for (size_t k = 0; k < n; k++) {
        num_pack_into_input(cs[k], bits[k], used);
        num_equal(cs[k], &cur[k], &root[k]);
    }
}

void merkle_path_gadget(struct cs *cs, const struct num *leaf, const struct num *root,
                        const struct merkle_witness *w)
{
    merkle_path_gadgets(&cs, 1, leaf, root, w);
}

void merkle_known_path_gadget(struct cs *cs, const struct num *leaf, const struct num *root,
                              const struct merkle_variables *p)
{
    struct num cur = *leaf;
    const struct bit *bits = p->bits;
    const struct num *siblings = p->siblings;
    for (unsigned level = 0; level < p->levels; level++) {
        unsigned arity = p->arity[level];
        size_t n = index_bits(arity);
        struct num children[MAX_ARITY];
        insert_gadget(cs, children, &cur, siblings, bits, arity);
        hash_children(&cs, 1, &cur, p->hash, arity, children);
        bits += n;
        siblings += arity - 1;
    }
    num_equal(cs, &cur, root);
}

struct num merkle_sha256_root_gadget(struct cs *cs, const struct num *leaves, size_t n)
{
    struct num row[MAX_SELECT];
    assert(n >= 1 && n <= MAX_SELECT && (n & (n - 1)) == 0);
    memcpy(row, leaves, n * sizeof *row);
    for (size_t len = n / 2; len > 0; len /= 2)
        for (size_t i = 0; i < len; i++)
            row[i] = sha256_hash2(cs, &row[2 * i], &row[2 * i + 1]);
    return row[0];
}
