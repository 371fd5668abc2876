/* The kernel for G1 and G2. Included with GROUP (g1, g2), COORD_PREFIX (fp, fp2), COORD_ONE, and DEGREE (1, 2) of the coordinates over
 * Fp, after coord8_mul and coord8_sqr for struct coord8. */

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define G(name) CAT(GROUP, name)
#define C(name) CAT(COORD_PREFIX, name)
#define AFFINE struct CAT(GROUP, affine)
#define PAIR struct CAT(GROUP, pair)
#define COORD struct COORD_PREFIX

enum { COORD_WORDS = 6 * DEGREE, GROUPS_AHEAD = 2 };

/* What the way forward leaves for the way back, for eight pairs. Exponents (see fp8.h): the differences are at 2^416 and so leave their
 * product's exponent alone: prefix stays at 2^416, the running inverse at 2^432. So the slope comes out at 2^400 and its square at
 * 2^384, where the coordinates are. */
struct group {
    struct coord8 difference; /* x_q - x_p at 2^416 */
    struct coord8 prefix;     /* product of this lane's differences in the groups before */
    struct coord8 rise;       /* y_q - y_p at 2^384 */
    struct coord8 x, y;       /* of p; y loose */
    struct coord8 x_sum;      /* x_p + x_q, loose */
};
_Static_assert(sizeof(struct group) == IFMA_LANES * IFMA_PAIR_WORDS * DEGREE * sizeof(uint64_t),
               "the header's scratch");

#define FOR_EACH_PART(i) FP8_UNROLL for (int i = 0; i < DEGREE; i++)

IFMA_INLINE struct coord8 coord8_add(struct coord8 a, struct coord8 b)
{
    FOR_EACH_PART(i)
    a.part[i] = fp8_add(a.part[i], b.part[i]);
    return a;
}

/* a - b + k p, loose. */
IFMA_INLINE struct coord8 coord8_sub(struct coord8 a, struct coord8 b, uint64_t k)
{
    FOR_EACH_PART(i)
    a.part[i] = fp8_add_p(fp8_sub(a.part[i], b.part[i]), k);
    return a;
}

IFMA_INLINE struct coord8 coord8_normal(struct coord8 a)
{
    FOR_EACH_PART(i)
    a.part[i] = fp8_normal(a.part[i]);
    return a;
}

IFMA_INLINE struct coord8 coord8_reduce(struct coord8 a)
{
    FOR_EACH_PART(i)
    a.part[i] = fp8_reduce(a.part[i]);
    return a;
}

IFMA_INLINE struct coord8 coord8_shift(struct coord8 a, unsigned s)
{
    FOR_EACH_PART(i)
    a.part[i] = fp8_shift(a.part[i], s);
    return a;
}

IFMA_INLINE struct coord8 coord8_negate(struct coord8 a, __mmask8 lanes)
{
    FOR_EACH_PART(i)
    a.part[i] = fp8_negate(a.part[i], lanes);
    return a;
}

IFMA_INLINE __mmask8 zero_lanes(struct coord8 a)
{
    __m512i any = a.part[0].l[0];
    FOR_EACH_PART(i)
    FP8_UNROLL
    for (int j = 0; j < 8; j++)
        any = _mm512_or_si512(any, a.part[i].l[j]);
    return _mm512_testn_epi64_mask(any, any);
}

static void set_lane(struct coord8 *r, int lane, const COORD *a)
{
    const struct fp *part = (const struct fp *)a;
    FOR_EACH_PART(i)
    fp8_set_lane(&r->part[i], lane, &part[i]);
}

static void get_lane(COORD *r, const struct coord8 *a, int lane)
{
    struct fp *part = (struct fp *)r;
    FOR_EACH_PART(i)
    fp8_get_lane(&part[i], &a->part[i], lane);
}

static inline const char *ref_bytes(uintptr_t ref)
{
    return (const char *)(ref & ~(uintptr_t)REF_FLAGS);
}

IFMA_INLINE struct coord8 from_words(const __m512i w[COORD_WORDS])
{
    struct coord8 r;
    FOR_EACH_PART(i)
    r.part[i] = fp8_from_words(w + 6 * i);
    return r;
}

/* A point is 12 words in G1, 24 in G2: blocks of eight, and in G1 a rest of four. The signs are those of the references. */
IFMA_INLINE void load_points(struct coord8 *x, struct coord8 *y, const uintptr_t refs[IFMA_LANES])
{
    __m512i word[2 * COORD_WORDS];
    unsigned negative = 0;
    FP8_UNROLL
    for (int block = 0; block + 8 <= 2 * COORD_WORDS; block += 8) {
        FP8_UNROLL
        for (int k = 0; k < IFMA_LANES; k++)
            word[block + k] = _mm512_loadu_si512(ref_bytes(refs[k]) + 8 * block);
        transpose8(word + block);
    }
    if (DEGREE == 1) {
        __m512i row[4];
        FP8_UNROLL
        for (int k = 0; k < 4; k++) {
            __m256i low = _mm256_loadu_si256((const __m256i *)(ref_bytes(refs[k]) + 64));
            __m256i high = _mm256_loadu_si256((const __m256i *)(ref_bytes(refs[k + 4]) + 64));
            row[k] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        }
        transpose_rows4(word + 8, row);
    }
    for (int k = 0; k < IFMA_LANES; k++)
        negative |= (unsigned)(refs[k] & REF_NEGATIVE) << k;
    *x = from_words(word);
    *y = coord8_negate(from_words(word + COORD_WORDS), (__mmask8)negative);
}

IFMA_INLINE void store_points(const PAIR *pair, struct coord8 x, struct coord8 y)
{
    __m512i word[2 * COORD_WORDS], row[4];
    FOR_EACH_PART(i)
    {
        fp8_to_words(word + 6 * i, x.part[i]);
        fp8_to_words(word + COORD_WORDS + 6 * i, y.part[i]);
    }
    FP8_UNROLL
    for (int block = 0; block + 8 <= 2 * COORD_WORDS; block += 8)
        transpose8(word + block);
    if (DEGREE == 1)
        transpose_words4(row, word + 8);
    FP8_UNROLL
    for (int k = 0; k < IFMA_LANES; k++) {
        char *out = (char *)pair[k].out;
        if (!out)
            continue;
        FP8_UNROLL
        for (int block = 0; block + 8 <= 2 * COORD_WORDS; block += 8)
            _mm512_storeu_si512(out + 8 * block, word[block + k]);
        if (DEGREE == 1) {
            __m512i two = row[k / 4 * 2 + k % 2];
            _mm256_storeu_si256((__m256i *)(out + 64), k & 2 ? _mm512_extracti64x4_epi64(two, 1)
                                                             : _mm512_castsi512_si256(two));
        }
    }
}

/* The lanes of the mask may hold pairs that the chord does not add. d: the difference at 2^384. */
static __attribute__((noinline)) void special_lanes(struct coord8 *d, struct group *g, PAIR *pair,
                                                    unsigned lanes)
{
    for (int k = 0; k < IFMA_LANES; k++) {
        if (!(lanes >> k & 1))
            continue;
        const AFFINE *p = (const AFFINE *)ref_bytes(pair[k].p),
                     *q = (const AFFINE *)ref_bytes(pair[k].q);
        COORD difference, rise, square, one = COORD_ONE;
        C(sub)(&difference, &q->x, &p->x);
        if (G(pair_is_special)(&pair[k], &difference)) {
            set_lane(d, k, &one);            /* anything but 0 */
        } else if (pair[k].p & REF_DOUBLE) { /* slope 3 x^2 / 2 y */
            C(sqr)(&square, &p->x);
            C(double)(&rise, &square);
            C(add)(&rise, &rise, &square);
            set_lane(d, k, &difference);
            set_lane(&g->rise, k, &rise);
        }
    }
}

/* Loads eight pairs and leaves all but the prefix in g. */
IFMA_INLINE void load_group(struct group *g, PAIR *pair)
{
    struct coord8 xp, yp, xq, yq, d;
    uintptr_t p[IFMA_LANES], q[IFMA_LANES];
    for (int k = 0; k < IFMA_LANES; k++) {
        p[k] = pair[k].p;
        q[k] = pair[k].q;
    }
    load_points(&xp, &yp, p);
    load_points(&xq, &yq, q);
    g->rise = coord8_normal(coord8_sub(yq, yp, 1));
    g->x = xp;
    g->y = yp;
    g->x_sum = coord8_add(xp, xq);
    d = coord8_sub(xq, xp, 0);
    unsigned odd = zero_lanes(d) | zero_lanes(xp) | zero_lanes(xq);
    d = coord8_normal(coord8_sub(xq, xp, 1));
    if (__builtin_expect(odd != 0, 0))
        special_lanes(&d, g, pair, odd);
    g->difference = coord8_shift(d, 32);
}

/* Of the eight lanes' products at 2^416: their inverses at 2^432. A struct fp that holds v 2^416 reads as v 2^32 at 2^384, so
 * its inverse is v^-1 2^352; times 2^464 / 2^384. */
static IFMA struct coord8 invert_lanes(struct coord8 products)
{
    static const struct fp to_432 = {{0x85f37dbaa0c09d50, 0xbe8e5bb226834dac, 0x07a7715aa0647077,
                                      0x5e3c7e53b5339ea3, 0x33dd93c1a8feab46, 0x02bf69384f92d3e0}};
    COORD v[IFMA_LANES], scratch[IFMA_LANES];
    products = coord8_reduce(products);
    for (int k = 0; k < IFMA_LANES; k++)
        get_lane(&v[k], &products, k);
    C(batch_inv)(v, IFMA_LANES, scratch);
    for (int k = 0; k < IFMA_LANES; k++) {
        struct fp *part = (struct fp *)&v[k];
        for (int i = 0; i < DEGREE; i++)
            fp_mul(&part[i], &part[i], &to_432);
        set_lane(&products, k, &v[k]);
    }
    return products;
}

IFMA_INLINE void finish_group(const struct group *g, const PAIR *pair, struct coord8 inverse)
{
    struct coord8 slope = coord8_mul(g->rise, inverse); /* at 2^400 */
    struct coord8 x = coord8_reduce(coord8_sub(coord8_sqr(slope), g->x_sum, 2));
    struct coord8 run = coord8_normal(coord8_sub(g->x, x, 1));
    struct coord8 y = coord8_mul(slope, coord8_shift(run, 16));
    y = coord8_reduce(coord8_sub(y, g->y, 1));
    store_points(pair, x, y);
}

/* Fills the last group with pairs of distinct points whose sum nobody wants. */
static void pad_pairs(PAIR *pair, size_t n)
{
    static const uint64_t a[2 * COORD_WORDS] = {1, 1}, b[2 * COORD_WORDS] = {2, 1};
    for (; n % IFMA_LANES != 0; n++)
        pair[n] = (PAIR){(uintptr_t)a, (uintptr_t)b, NULL};
}

static inline __attribute__((always_inline)) void prefetch_group(const PAIR *pair)
{
    for (int k = 0; k < IFMA_LANES; k++)
        for (size_t at = 0; at < sizeof(AFFINE); at += 64) {
            __builtin_prefetch(ref_bytes(pair[k].p) + at);
            __builtin_prefetch(ref_bytes(pair[k].q) + at);
        }
}

IFMA void CAT(GROUP, batch_add_ifma)(PAIR *pair, size_t n,
                                     struct CAT(GROUP, ifma_scratch) * scratch)
{
    struct group *group = (struct group *)scratch->word;
    size_t groups = (n + IFMA_LANES - 1) / IFMA_LANES;
    struct coord8 acc = coord8_one_416();
    pad_pairs(pair, n);
    for (size_t i = 0; i < groups && i < GROUPS_AHEAD; i++)
        prefetch_group(pair + i * IFMA_LANES);
    for (size_t i = 0; i < groups; i++) {
        if (i + GROUPS_AHEAD < groups)
            prefetch_group(pair + (i + GROUPS_AHEAD) * IFMA_LANES);
        load_group(&group[i], pair + i * IFMA_LANES);
        group[i].prefix = acc;
        acc = coord8_mul(acc, group[i].difference);
    }
    acc = invert_lanes(acc);
    for (size_t i = groups; i-- > 0;) {
        struct coord8 inverse = coord8_mul(acc, group[i].prefix);
        acc = coord8_mul(acc, group[i].difference);
        finish_group(&group[i], pair + i * IFMA_LANES, inverse);
    }
}
