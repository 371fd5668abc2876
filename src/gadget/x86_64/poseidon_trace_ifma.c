#include "gadget/poseidon_trace.h"

#include <pthread.h>

#include "field/x86_64/fr8.h"

/* Eight hashes side by side, one a lane. Constants are kept at 2^260, so products with them stay at 2^256; of two values one is taken
 * 16 times, which does the same. What is a variable is brought into canonical form; else values are kept as small as their next use
 * needs. */

enum {
    W = POSEIDON_MAX_WIDTH,
    HALF_FULL_ROUNDS = POSEIDON_FULL_ROUNDS / 2,
    REDUCE_EVERY = 8,
    KEYS = W * POSEIDON_FULL_ROUNDS + POSEIDON_MAX_PARTIAL_ROUNDS,
};

/* ---- Constants ---- */

struct tables {
    struct fr8_limbs mds[W][W], pre_sparse[W][W]; /* at 2^260 */
    struct {
        struct fr8_limbs w_hat[W], v_rest[W - 1];
    } sparse[POSEIDON_MAX_PARTIAL_ROUNDS];
    struct fr8_limbs keys[KEYS]; /* at 2^256: they are added */
};

static void derive(struct tables *t, unsigned arity)
{
    const struct poseidon_constants *c = poseidon_constants(arity, POSEIDON_MERKLE);
    for (unsigned j = 0; j < c->width; j++)
        for (unsigned i = 0; i < c->width; i++) {
            t->mds[j][i] = fr8_cut_at_260(&c->mds[j][i]);
            t->pre_sparse[j][i] = fr8_cut_at_260(&c->pre_sparse[j][i]);
        }
    for (unsigned r = 0; r < c->partial_rounds; r++)
        for (unsigned j = 0; j < c->width; j++) {
            t->sparse[r].w_hat[j] = fr8_cut_at_260(&c->sparse[r].w_hat[j]);
            if (j > 0)
                t->sparse[r].v_rest[j - 1] = fr8_cut_at_260(&c->sparse[r].v_rest[j - 1]);
        }
    for (size_t i = 0; i < c->keys_len; i++)
        t->keys[i] = fr8_cut(&c->keys[i]);
}

static struct tables tables2, tables4, tables8, tables11;

static void derive_all(void)
{
    derive(&tables2, 2);
    derive(&tables4, 4);
    derive(&tables8, 8);
    derive(&tables11, 11);
}

static const struct tables *tables_of(unsigned arity)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, derive_all);
    return arity == 2 ? &tables2 : arity == 4 ? &tables4 : arity == 8 ? &tables8 : &tables11;
}

/* ---- Vectors ---- */

IFMA_INLINE struct fr8 in_all_lanes(const struct fr8_limbs *v)
{
    struct fr8 a;
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        a.l[i] = fr8_splat(v->l[i]);
    return a;
}

/* 16 a for canonical a. */
IFMA_INLINE struct fr8 times_16(struct fr8 a)
{
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_slli_epi64(a.l[i], 4);
    return fr8_normal(a);
}

/* A sum of products by columns, low and high halves apart for shorter chains. */
struct wide8 {
    __m512i low[9], high[9];
};

IFMA_INLINE void wide8_add(struct wide8 *t, const struct fr8_limbs *m, struct fr8 v)
{
    LIMBS_UNROLL
    for (int j = 0; j < 5; j++) {
        const __m512i a = fr8_splat(m->l[j]);
        LIMBS_UNROLL
        for (int i = 0; i < 5; i++) {
            t->low[i + j] = _mm512_madd52lo_epu64(t->low[i + j], a, v.l[i]);
            t->high[i + j] = _mm512_madd52hi_epu64(t->high[i + j], a, v.l[i]);
        }
    }
}

/* t / 2^260, loose; n products of canonical factors and normal ones up to A r: below (1 + 0.0284 n A) r. */
IFMA_INLINE struct fr8 wide8_reduce(const struct wide8 *t)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i l[10];
    l[0] = t->low[0];
    LIMBS_UNROLL
    for (int i = 1; i < 9; i++)
        l[i] = _mm512_add_epi64(t->low[i], t->high[i - 1]);
    l[9] = t->high[8];
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++) {
        __m512i q = _mm512_madd52lo_epu64(zero, l[i], fr8_splat(FR8_M0));
        LIMBS_UNROLL
        for (int j = 0; j < 5; j++) {
            l[i + j] = _mm512_madd52lo_epu64(l[i + j], q, fr8_splat(FR8_R[j]));
            l[i + j + 1] = _mm512_madd52hi_epu64(l[i + j + 1], q, fr8_splat(FR8_R[j]));
        }
        l[i + 1] = _mm512_add_epi64(l[i + 1], _mm512_srli_epi64(l[i], 52));
    }
    return (struct fr8){{l[5], l[6], l[7], l[8], l[9]}};
}

/* The sum of m[i] v[i], loose; v normal. */
IFMA_INLINE struct fr8 dot(const struct fr8_limbs *m, const struct fr8 *v, unsigned n)
{
    struct wide8 t = {0};
    for (unsigned i = 0; i < n; i++)
        wide8_add(&t, &m[i], v[i]);
    return wide8_reduce(&t);
}

/* ---- Rounds ---- */

struct hashes {
    const struct tables *t;
    const struct fr8_limbs *key; /* the next one to be added */
    unsigned width;
    struct fr *const *aux; /* of the n hashes */
    size_t n, next;        /* variable */
    struct fr8 s[W];       /* their states */
};

IFMA_INLINE void put(struct hashes *h, struct fr8 canonical)
{
    struct fr v[8];
    fr8_store_canonical(v, canonical);
    for (size_t k = 0; k < h->n; k++)
        h->aux[k][h->next] = v[k];
    h->next++;
}

/* x^2, x^4, and x^5 + key, which it returns; x canonical. Without a key: x^5. */
IFMA static struct fr8 quintic(struct hashes *h, struct fr8 x, const struct fr8_limbs *key)
{
    struct fr8 x2 = fr8_canonical(fr8_mul(x, times_16(x)));
    struct fr8 x4 = fr8_canonical(fr8_mul(x2, times_16(x2)));
    struct fr8 x5 = fr8_mul(x, times_16(x4));
    put(h, x2);
    put(h, x4);
    if (key != NULL)
        x5 = fr8_add(x5, in_all_lanes(key));
    x5 = fr8_canonical(x5);
    put(h, x5);
    return x5;
}

IFMA static struct fr8 sbox(struct hashes *h, struct fr8 loose, const struct fr8_limbs *key)
{
    struct fr8 x = fr8_canonical(loose);
    put(h, x);
    return quintic(h, x, key);
}

IFMA static void full_sboxes(struct hashes *h, int last)
{
    for (unsigned i = 0; i < h->width; i++)
        h->s[i] = sbox(h, h->s[i], last ? NULL : h->key++);
}

/* The state is canonical, and loose afterwards. */
IFMA static void apply_dense(struct hashes *h, const struct fr8_limbs m[W][W])
{
    struct fr8 in[W];
    for (unsigned i = 0; i < h->width; i++)
        in[i] = h->s[i];
    for (unsigned j = 0; j < h->width; j++)
        h->s[j] = dot(m[j], in, h->width);
}

/* Elements 1.. grow by up to 1.03 r a round. Their sum doesn't wait for the S-box. */
IFMA static void partial_round(struct hashes *h, unsigned r)
{
    const struct fr8_limbs *w_hat = h->t->sparse[r].w_hat, *v_rest = h->t->sparse[r].v_rest;
    struct wide8 sum = {0};
    for (unsigned j = 1; j < h->width; j++)
        wide8_add(&sum, &w_hat[j], h->s[j]);
    struct fr8 x = sbox(h, h->s[0], h->key++);
    wide8_add(&sum, &w_hat[0], x);
    h->s[0] = wide8_reduce(&sum);
    for (unsigned j = 1; j < h->width; j++) {
        struct fr8 y = fr8_normal(fr8_add(h->s[j], fr8_mul(in_all_lanes(&v_rest[j - 1]), x)));
        h->s[j] = r % REDUCE_EVERY == REDUCE_EVERY - 1 ? fr8_normal(fr8_reduce(y)) : y;
    }
}

IFMA static void first_round(struct hashes *h, const struct poseidon_constants *c,
                             const struct fr (*in)[8])
{
    struct fr x;
    poseidon_tag_sbox(&x, c);
    const struct fr8_limbs tag = fr8_cut(&x); /* a constant of the circuit */
    h->s[0] = in_all_lanes(&tag);
    h->key = &h->t->keys[c->width + 1];
    for (unsigned i = 1; i < c->width; i++) {
        struct fr8 sum = fr8_add(fr8_load(in[i - 1]), in_all_lanes(&h->t->keys[i]));
        h->s[i] = quintic(h, fr8_canonical(sum), h->key++);
    }
}

IFMA void poseidon_trace_ifma(struct fr *const *aux, size_t n, const struct poseidon_constants *c,
                              const struct fr (*in)[8])
{
    struct hashes h = {.t = tables_of(c->arity), .width = c->width, .aux = aux, .n = n};
    first_round(&h, c, in);
    apply_dense(&h, h.t->mds);
    for (int r = 1; r < HALF_FULL_ROUNDS; r++) {
        full_sboxes(&h, 0);
        apply_dense(&h, r + 1 < HALF_FULL_ROUNDS ? h.t->mds : h.t->pre_sparse);
    }
    for (unsigned j = 1; j < c->width; j++)
        h.s[j] = fr8_normal(h.s[j]);
    for (unsigned r = 0; r < c->partial_rounds; r++)
        partial_round(&h, r);
    for (int r = 0; r + 1 < HALF_FULL_ROUNDS; r++) {
        full_sboxes(&h, 0);
        apply_dense(&h, h.t->mds);
    }
    full_sboxes(&h, 1);
    put(&h, fr8_canonical(dot(h.t->mds[1], h.s, c->width))); /* only element 1 is asked for */
}
