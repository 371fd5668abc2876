#include "gadget/poseidon_trace.h"

#include <assert.h>
#include <pthread.h>

#include "field/x86_64/fr8.h"

/* The state of nine: element 0 by the scalar kernels, elements 1 to 8 side by side, one a lane. What a vector is multiplied with is kept
 * at 2^260, so products stay at 2^256. Through the partial rounds' S-boxes goes element 0 only; its next value is a multiple of
 * the S-box's result plus a sum over the other elements as they were, which vectors form meanwhile. */

enum { WIDTH = 9, LANES = 8, HALF_FULL_ROUNDS = POSEIDON_FULL_ROUNDS / 2, REDUCE_EVERY = 8 };

/* ---- Constants ---- */

/* Lane k belongs to element k + 1; vectors at 2^260. */
struct dense {
    struct fr8 column[WIDTH]; /* what element i counts for in elements 1 to 8 */
    struct fr row0[WIDTH];    /* and in element 0 */
};

static struct {
    struct dense mds, pre_sparse;
    struct fr8 w_hat[POSEIDON_MAX_PARTIAL_ROUNDS], v_rest[POSEIDON_MAX_PARTIAL_ROUNDS];
} lanes;

IFMA static struct fr8 at_260(const struct fr *v)
{
    struct fr x[LANES];
    for (int k = 0; k < LANES; k++) {
        x[k] = v[k];
        for (int i = 0; i < 4; i++)
            fr_double(&x[k], &x[k]);
    }
    return fr8_load(x);
}

IFMA static void derive_dense(struct dense *d,
                              const struct fr m[POSEIDON_MAX_WIDTH][POSEIDON_MAX_WIDTH])
{
    for (int i = 0; i < WIDTH; i++) {
        struct fr column[LANES];
        for (int k = 0; k < LANES; k++)
            column[k] = m[k + 1][i];
        d->column[i] = at_260(column);
        d->row0[i] = m[0][i];
    }
}

IFMA static void derive(void)
{
    const struct poseidon_constants *c = poseidon_constants(WIDTH - 1, POSEIDON_MERKLE);
    derive_dense(&lanes.mds, c->mds);
    derive_dense(&lanes.pre_sparse, c->pre_sparse);
    for (unsigned r = 0; r < c->partial_rounds; r++) {
        lanes.w_hat[r] = at_260(c->sparse[r].w_hat + 1);
        lanes.v_rest[r] = at_260(c->sparse[r].v_rest);
    }
}

/* ---- Vectors ---- */

/* v in all lanes. */
IFMA_INLINE struct fr8 fr8_of(const struct fr *v)
{
    return (struct fr8){
        {fr8_splat(v->l[0] & FR8_MASK), fr8_splat((v->l[0] >> 52 | v->l[1] << 12) & FR8_MASK),
         fr8_splat((v->l[1] >> 40 | v->l[2] << 24) & FR8_MASK),
         fr8_splat((v->l[2] >> 28 | v->l[3] << 36) & FR8_MASK), fr8_splat(v->l[3] >> 16)}};
}

IFMA_INLINE struct fr8 fr8_of_lane(struct fr8 a, int k)
{
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_permutexvar_epi64(fr8_splat((uint64_t)k), a.l[i]);
    return a;
}

/* 16 a for a < 2 r: what brings the square of a back to where a was. */
IFMA_INLINE struct fr8 fr8_times_16(struct fr8 a)
{
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_slli_epi64(a.l[i], 4);
    return fr8_normal(a);
}

/* a b at 2^256, canonical, for canonical a and b. */
IFMA_INLINE struct fr8 fr8_product(struct fr8 a, struct fr8 b)
{
    return fr8_canonical(fr8_mul(a, fr8_times_16(b)));
}

/* A sum of products by columns, low and high halves apart for shorter chains. */
struct wide8 {
    __m512i low[9], high[9];
};

IFMA_INLINE void wide8_add(struct wide8 *t, const struct fr8 *a, struct fr8 b)
{
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++) {
        LIMBS_UNROLL
        for (int j = 0; j < 5; j++) {
            t->low[i + j] = _mm512_madd52lo_epu64(t->low[i + j], a->l[j], b.l[i]);
            t->high[i + j] = _mm512_madd52hi_epu64(t->high[i + j], a->l[j], b.l[i]);
        }
    }
}

/* t / 2^260, loose; n products of canonical factors: below (1 + 0.0284 n) r. */
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

/* out[i] = the sum of the lanes of limb i. */
IFMA_INLINE void sum_lanes(uint64_t out[6], struct fr8 a)
{
    __m256i half[6];
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++)
        half[i] =
            _mm256_add_epi64(_mm512_castsi512_si256(a.l[i]), _mm512_extracti64x4_epi64(a.l[i], 1));
    half[5] = half[4];
    LIMBS_UNROLL
    for (int i = 0; i < 6; i += 2) {
        __m256i pair = _mm256_add_epi64(_mm256_unpacklo_epi64(half[i], half[i + 1]),
                                        _mm256_unpackhi_epi64(half[i], half[i + 1]));
        _mm_storeu_si128((__m128i *)(out + i), _mm_add_epi64(_mm256_castsi256_si128(pair),
                                                             _mm256_extracti128_si256(pair, 1)));
    }
}

/* The sum of the lanes of a loose vector, canonical; it is below 16 r. The quotient is estimated from the bits above 2^254:
 * 565 = floor(2^264 / r). What is left is below 2^254 + 1.01 r. */
IFMA_INLINE void fr8_sum(struct fr *r, struct fr8 a)
{
    static const struct fr modulus = {
        {0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}};
    uint64_t sum[6];
    int64_t s[5], carry = 0;
    sum_lanes(sum, a);
    LIMBS_UNROLL
    for (int i = 0; i < 4; i++)
        sum[i + 1] += sum[i] >> 52;
    int64_t q = (int64_t)((sum[4] >> 46) * 565 >> 10);
    LIMBS_UNROLL
    for (int i = 0; i < 5; i++) {
        s[i] = (int64_t)(i < 4 ? sum[i] & FR8_MASK : sum[i]) - q * (int64_t)FR8_R[i] + carry;
        carry = s[i] >> 52;
        s[i] &= (int64_t)FR8_MASK;
    }
    const uint64_t *l = (const uint64_t *)s;
    struct fr v = {{l[0] | l[1] << 52, l[1] >> 12 | l[2] << 40, l[2] >> 24 | l[3] << 28,
                    l[3] >> 36 | l[4] << 16}};
    fr_sub(r, &v, &modulus); /* v itself where it is below r */
}

/* ---- Rounds ---- */

struct state {
    struct fr first;
    struct fr8 rest; /* below 2 r, loose */
};

/* x^2, x^4, x^5 + post. */
static void sbox_first(struct fr *at, struct fr *x, const struct fr *post)
{
    fr_sqr(&at[0], x);
    fr_sqr(&at[1], &at[0]);
    fr_mul(x, x, &at[1]);
    if (post != NULL)
        fr_add(x, x, post);
    at[2] = *x;
}

/* at[stride k] = lane k */
IFMA_INLINE void scatter(struct fr *at, size_t stride, struct fr8 canonical)
{
    struct fr v[LANES];
    fr8_store_canonical(v, canonical);
    LIMBS_UNROLL
    for (int k = 0; k < LANES; k++)
        at[stride * (size_t)k] = v[k];
}

/* The same of canonical lanes, at[stride k] being lane k's. Returns x^5 + post. */
IFMA_INLINE struct fr8 sbox_rest(struct fr *at, size_t stride, struct fr8 x, const struct fr *post)
{
    struct fr8 x2 = fr8_product(x, x);
    scatter(at, stride, x2);
    struct fr8 x4 = fr8_product(x2, x2);
    scatter(at + 1, stride, x4);
    struct fr8 x5 = fr8_mul(x, fr8_times_16(x4));
    if (post != NULL)
        x5 = fr8_add(x5, fr8_load(post));
    x5 = fr8_canonical(x5);
    scatter(at + 2, stride, x5);
    return x5;
}

IFMA static struct fr *full_sboxes(struct fr *at, struct state *s, const struct fr *post)
{
    enum { STRIDE = 4 };
    at[0] = s->first;
    sbox_first(at + 1, &s->first, post);
    struct fr8 x = fr8_canonical(s->rest);
    scatter(at + STRIDE, STRIDE, x);
    s->rest = sbox_rest(at + STRIDE + 1, STRIDE, x, post == NULL ? NULL : post + 1);
    return at + STRIDE * WIDTH;
}

/* s.rest is canonical. */
IFMA static void apply_dense(struct state *s, const struct dense *m)
{
    struct fr in[WIDTH] = {s->first};
    struct wide8 t = {0};
    fr8_store_canonical(in + 1, s->rest);
    fr_dot(&s->first, m->row0, in, WIDTH);
    wide8_add(&t, &m->column[0], fr8_of(&in[0]));
    for (int i = 0; i < LANES; i++)
        wide8_add(&t, &m->column[i + 1], fr8_of_lane(s->rest, i));
    s->rest = wide8_reduce(&t);
}

IFMA static struct fr *partial_rounds(struct fr *at, struct state *s,
                                      const struct poseidon_constants *c, const struct fr *post)
{
    struct fr x = s->first, sum;
    struct fr8 rest = fr8_normal(s->rest); /* below 10 r */
    for (unsigned r = 0; r < c->partial_rounds; r++, at += 4) {
        fr8_sum(&sum, fr8_mul(lanes.w_hat[r], rest));
        at[0] = x;
        sbox_first(at + 1, &x, &post[r]);
        rest = fr8_add(rest, fr8_mul(lanes.v_rest[r], fr8_of(&x)));
        rest = fr8_normal(rest);
        if (r % REDUCE_EVERY == REDUCE_EVERY - 1)
            rest = fr8_normal(fr8_reduce(rest));
        fr_mul(&x, &x, &c->sparse[r].w_hat[0]);
        fr_add(&x, &x, &sum);
    }
    s->first = x;
    s->rest = fr8_reduce(rest);
    return at;
}

IFMA static struct fr *first_sboxes(struct fr *at, struct state *s,
                                    const struct poseidon_constants *c, const struct fr *in)
{
    enum { STRIDE = 3 };
    const struct fr *post = c->keys + WIDTH;
    struct fr unused[3];
    fr_add(&s->first, &c->tag, &c->keys[0]);
    sbox_first(unused, &s->first, post); /* a constant of the circuit */
    struct fr8 x = fr8_canonical(fr8_add(fr8_load(in), fr8_load(&c->keys[1])));
    s->rest = sbox_rest(at, STRIDE, x, post + 1);
    return at + STRIDE * LANES;
}

IFMA void poseidon_trace8_ifma(struct fr *aux, const struct poseidon_constants *c,
                               const struct fr *in)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct fr *post = c->keys + 2 * WIDTH;
    struct fr last[WIDTH];
    struct state s;
    assert(c->width == WIDTH);
    pthread_once(&once, derive);
    struct fr *at = first_sboxes(aux, &s, c, in);
    apply_dense(&s, &lanes.mds);
    for (int r = 1; r < HALF_FULL_ROUNDS; r++, post += WIDTH) {
        at = full_sboxes(at, &s, post);
        apply_dense(&s, r + 1 < HALF_FULL_ROUNDS ? &lanes.mds : &lanes.pre_sparse);
    }
    at = partial_rounds(at, &s, c, post);
    post += c->partial_rounds;
    for (int r = 0; r + 1 < HALF_FULL_ROUNDS; r++, post += WIDTH) {
        at = full_sboxes(at, &s, post);
        apply_dense(&s, &lanes.mds);
    }
    at = full_sboxes(at, &s, NULL);
    last[0] = s.first;
    fr8_store_canonical(last + 1, s.rest);
    fr_dot(at, c->mds[1], last, WIDTH); /* of the last round only element 1 is asked for */
}
