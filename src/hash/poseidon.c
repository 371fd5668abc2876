#include "hash/poseidon.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

enum {
    W = POSEIDON_MAX_WIDTH,
    HALF_FULL_ROUNDS = POSEIDON_FULL_ROUNDS / 2,
    MAX_ROUNDS = POSEIDON_FULL_ROUNDS + POSEIDON_MAX_PARTIAL_ROUNDS,
    FIELD_BITS = 255,
};

/* ---- Grain: the generator of the round constants ---- */

struct grain {
    uint8_t bit[80];
    unsigned first; /* bit[first] is the oldest bit */
};

static unsigned grain_step(struct grain *g)
{
    static const uint8_t taps[] = {62, 51, 38, 23, 13, 0};
    unsigned b = 0;
    for (size_t i = 0; i < sizeof taps; i++)
        b ^= g->bit[(g->first + taps[i]) % 80];
    g->bit[g->first] = (uint8_t)b;
    g->first = (g->first + 1) % 80;
    return b;
}

static unsigned grain_put(struct grain *g, unsigned at, unsigned bits, unsigned value)
{
    for (unsigned i = 0; i < bits; i++)
        g->bit[at + i] = value >> (bits - 1 - i) & 1;
    return at + bits;
}

static void grain_init(struct grain *g, unsigned width, unsigned partial_rounds)
{
    g->first = 0;
    unsigned at = grain_put(g, 0, 2, 1); /* a prime field */
    at = grain_put(g, at, 4, 1);         /* the S-box tag of the reference implementation */
    at = grain_put(g, at, 12, FIELD_BITS);
    at = grain_put(g, at, 12, width);
    at = grain_put(g, at, 10, POSEIDON_FULL_ROUNDS);
    at = grain_put(g, at, 10, partial_rounds);
    at = grain_put(g, at, 30, (1u << 30) - 1);
    assert(at == 80);
    for (int i = 0; i < 160; i++)
        grain_step(g);
}

/* Of each pair of bits the second one counts, if the first is 1. */
static unsigned grain_bit(struct grain *g)
{
    while (!grain_step(g))
        grain_step(g);
    return grain_step(g);
}

static void grain_element(struct fr *out, struct grain *g)
{
    uint8_t le[32];
    do {
        memset(le, 0, sizeof le);
        for (int i = FIELD_BITS - 1; i >= 0; i--)
            le[i / 8] |= (uint8_t)(grain_bit(g) << (i % 8));
    } while (fr_from_bytes(out, le) != 0);
}

/* ---- Linear algebra on n x n corners ---- */

/* out_j = sum_i in_i * m[i][j]; out and in differ. */
static void apply(struct fr *out, const struct fr m[W][W], const struct fr *in, unsigned n)
{
    for (unsigned j = 0; j < n; j++) {
        struct fr sum, p;
        fr_mul(&sum, &in[0], &m[0][j]);
        for (unsigned i = 1; i < n; i++) {
            fr_mul(&p, &in[i], &m[i][j]);
            fr_add(&sum, &sum, &p);
        }
        out[j] = sum;
    }
}

/* out = a * b; out differs from both. */
static void multiply(struct fr out[W][W], const struct fr a[W][W], const struct fr b[W][W],
                     unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        apply(out[i], b, a[i], n);
}

/* Gauss-Jordan without a search for pivots: the matrices here are Cauchy and its products, fixed, and covered by tests. */
static void invert(struct fr out[W][W], const struct fr m[W][W], unsigned n)
{
    struct fr a[W][W], f, p;
    memcpy(a, m, sizeof a);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++)
            out[i][j] = i == j ? FR_ONE : FR_ZERO;
    for (unsigned k = 0; k < n; k++) {
        assert(!fr_is_zero(&a[k][k]));
        fr_inv(&f, &a[k][k]);
        for (unsigned j = 0; j < n; j++) {
            fr_mul(&a[k][j], &a[k][j], &f);
            fr_mul(&out[k][j], &out[k][j], &f);
        }
        for (unsigned i = 0; i < n; i++) {
            if (i == k)
                continue;
            f = a[i][k];
            for (unsigned j = 0; j < n; j++) {
                fr_mul(&p, &f, &a[k][j]);
                fr_sub(&a[i][j], &a[i][j], &p);
                fr_mul(&p, &f, &out[k][j]);
                fr_sub(&out[i][j], &out[i][j], &p);
            }
        }
    }
}

/* ---- Derivation of the constants ---- */

static void derive_mds(struct poseidon_constants *c)
{
    for (unsigned i = 0; i < c->width; i++)
        for (unsigned j = 0; j < c->width; j++) {
            fr_from_u64(&c->mds[i][j], i + j + c->width);
            fr_inv(&c->mds[i][j], &c->mds[i][j]);
        }
}

/* Splits the matrix of every partial round into a sparse one and one that commutes with the S-box of element 0 and so moves
 * into the round before; what is left at the front is pre_sparse. */
static void derive_sparse(struct poseidon_constants *c)
{
    unsigned t = c->width;
    struct fr cur[W][W], hat[W][W], inverse[W][W], w[W];
    memcpy(cur, c->mds, sizeof cur);
    for (unsigned r = c->partial_rounds; r-- > 0;) {
        struct poseidon_sparse *s = &c->sparse[r];
        for (unsigned i = 1; i < t; i++) {
            w[i - 1] = cur[i][0];
            s->v_rest[i - 1] = cur[0][i];
            for (unsigned j = 1; j < t; j++)
                hat[i - 1][j - 1] = cur[i][j];
        }
        invert(inverse, (const struct fr(*)[W])hat, t - 1);
        s->w_hat[0] = cur[0][0];
        apply(s->w_hat + 1, (const struct fr(*)[W])inverse, w, t - 1);

        for (unsigned i = 1; i < t; i++)
            cur[0][i] = cur[i][0] = FR_ZERO;
        cur[0][0] = FR_ONE;
        multiply(hat, (const struct fr(*)[W])c->mds, (const struct fr(*)[W])cur, t);
        memcpy(cur, hat, sizeof cur);
    }
    for (unsigned i = 0; i < t; i++)
        for (unsigned j = 0; j < t; j++)
            c->pre_sparse[j][i] = cur[i][j];
}

/* Moves the round constants behind the S-boxes and gathers those of the partial rounds in element 0. */
static void derive_keys(struct poseidon_constants *c)
{
    unsigned t = c->width, rp = c->partial_rounds;
    struct fr rk[MAX_ROUNDS][W], inverse[W][W], acc[W], x[W], single[POSEIDON_MAX_PARTIAL_ROUNDS];
    struct grain g;
    grain_init(&g, t, rp);
    for (unsigned r = 0; r < POSEIDON_FULL_ROUNDS + rp; r++)
        for (unsigned i = 0; i < t; i++)
            grain_element(&rk[r][i], &g);
    invert(inverse, (const struct fr(*)[W])c->mds, t);
    const struct fr(*inv)[W] = (const struct fr(*)[W])inverse;

    unsigned last_partial =
        HALF_FULL_ROUNDS + rp; /* the round whose keys the accumulation starts with */
    memcpy(acc, rk[last_partial], sizeof acc);
    for (unsigned i = 0; i < rp; i++) {
        apply(x, inv, acc, t);
        single[rp - 1 - i] = x[0];
        x[0] = FR_ZERO;
        for (unsigned j = 0; j < t; j++)
            fr_add(&acc[j], &rk[last_partial - 1 - i][j], &x[j]);
    }

    struct fr *k = c->keys;
    memcpy(k, rk[0], t * sizeof *k);
    k += t;
    for (unsigned r = 1; r < HALF_FULL_ROUNDS; r++, k += t)
        apply(k, inv, rk[r], t);
    apply(k, inv, acc, t);
    k += t;
    memcpy(k, single, rp * sizeof *k);
    k += rp;
    for (unsigned r = last_partial + 1; r < last_partial + HALF_FULL_ROUNDS; r++, k += t)
        apply(k, inv, rk[r], t);
    c->keys_len = (size_t)(k - c->keys);
}

static void derive(struct poseidon_constants *c, unsigned arity, uint64_t tag)
{
    c->arity = arity;
    c->width = arity + 1;
    c->partial_rounds = arity == 2 ? 55 : arity == 4 ? 56 : 57;
    fr_from_u64(&c->tag, tag);
    derive_mds(c);
    derive_sparse(c);
    derive_keys(c);
}

static struct poseidon_constants merkle2, merkle4, merkle8, merkle11, snap2;

static void derive_merkle2(void)
{
    derive(&merkle2, 2, (1u << 2) - 1);
}
static void derive_merkle4(void)
{
    derive(&merkle4, 4, (1u << 4) - 1);
}
static void derive_merkle8(void)
{
    derive(&merkle8, 8, (1u << 8) - 1);
}
static void derive_merkle11(void)
{
    derive(&merkle11, 11, (1u << 11) - 1);
}
static void derive_snap2(void)
{
    derive(&snap2, 2, (uint64_t)1 << 40);
}

const struct poseidon_constants *poseidon_constants(unsigned arity, enum poseidon_domain domain)
{
    static struct {
        unsigned arity;
        enum poseidon_domain domain;
        struct poseidon_constants *c;
        void (*derive)(void);
        pthread_once_t once;
    } known[] = {
        {2, POSEIDON_MERKLE, &merkle2, derive_merkle2, PTHREAD_ONCE_INIT},
        {4, POSEIDON_MERKLE, &merkle4, derive_merkle4, PTHREAD_ONCE_INIT},
        {8, POSEIDON_MERKLE, &merkle8, derive_merkle8, PTHREAD_ONCE_INIT},
        {11, POSEIDON_MERKLE, &merkle11, derive_merkle11, PTHREAD_ONCE_INIT},
        {2, POSEIDON_SNAP, &snap2, derive_snap2, PTHREAD_ONCE_INIT},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].arity == arity && known[i].domain == domain) {
            pthread_once(&known[i].once, known[i].derive);
            return known[i].c;
        }
    assert(!"arity and domain that Filecoin has");
    return NULL;
}

/* ---- The permutation ---- */

static void quintic(struct fr *x)
{
    struct fr y;
    fr_sqr(&y, x);
    fr_sqr(&y, &y);
    fr_mul(x, x, &y);
}

/* state_j becomes m[j] . state. */
static void apply_dense(struct fr *state, const struct fr m[W][W], unsigned t)
{
    struct fr in[W];
    memcpy(in, state, t * sizeof *in);
    for (unsigned j = 0; j < t; j++)
        fr_dot(&state[j], m[j], in, t);
}

/* The sparse step: new0 = w_hat . state, new_j = state_j + v_rest[j-1] * state_0. */
static void apply_sparse(struct fr *state, const struct poseidon_sparse *s, unsigned t)
{
    struct fr sum, p;
    fr_dot(&sum, state, s->w_hat, t);
    for (unsigned j = 1; j < t; j++) {
        fr_mul(&p, &state[0], &s->v_rest[j - 1]);
        fr_add(&state[j], &state[j], &p);
    }
    state[0] = sum;
}

void poseidon_hash(struct fr *out, const struct poseidon_constants *c, const struct fr *in)
{
    unsigned t = c->width;
    const struct fr *key = c->keys;
    struct fr state[W];
    fr_add(&state[0], &c->tag, key++);
    for (unsigned i = 1; i < t; i++)
        fr_add(&state[i], &in[i - 1], key++);

    for (unsigned r = 0; r < HALF_FULL_ROUNDS; r++) {
        for (unsigned i = 0; i < t; i++) {
            quintic(&state[i]);
            fr_add(&state[i], &state[i], key++);
        }
        apply_dense(state, r + 1 < HALF_FULL_ROUNDS ? c->mds : c->pre_sparse, t);
    }
    for (unsigned r = 0; r < c->partial_rounds; r++) {
        quintic(&state[0]);
        fr_add(&state[0], &state[0], key++);
        apply_sparse(state, &c->sparse[r], t);
    }
    for (unsigned r = 0; r + 1 < HALF_FULL_ROUNDS; r++) {
        for (unsigned i = 0; i < t; i++) {
            quintic(&state[i]);
            fr_add(&state[i], &state[i], key++);
        }
        apply_dense(state, c->mds, t);
    }
    /* Of the last round only element 1 is asked for. */
    for (unsigned i = 0; i < t; i++)
        quintic(&state[i]);
    fr_dot(out, c->mds[1], state, t);
    assert(key == c->keys + c->keys_len);
}
