/* The tests of G1 and G2, written once. Included with GROUP (g1, g2), BASE (fp, fp2), GENERATOR, COMPRESSED, UNCOMPRESSED (bytes). */
#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define G(name) CAT(GROUP, name)
#define B(name) CAT(BASE, name)
#define POINT struct GROUP
#define AFFINE_(g) struct g##_affine
#define AFFINE__(g) AFFINE_(g)
#define AFFINE AFFINE__(GROUP)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define KEY(suffix) TEXT(GROUP) suffix

static void G(multiple)(POINT *r, uint64_t k)
{
    const uint64_t scalar[4] = {k};
    POINT g;
    G(from_affine)(&g, &GENERATOR);
    G(mul)(r, &g, scalar);
}

static void G(multiple_fr)(POINT *r, const struct fr *k)
{
    POINT g;
    G(from_affine)(&g, &GENERATOR);
    G(mul_fr)(r, &g, k);
}

static void G(check_vectors)(yajl_val root)
{
    yajl_val points = json_get(root, "points");
    assert_true(json_len(points) >= 7);
    for (size_t i = 0; i < json_len(points); i++) {
        yajl_val v = json_at(points, i);
        uint8_t k[32], c[COMPRESSED], u[UNCOMPRESSED], want_c[COMPRESSED], want_u[UNCOMPRESSED];
        struct fr scalar;
        POINT p;
        AFFINE a, back;
        json_hex(k, 32, json_get(v, "scalar_le"));
        json_hex(want_c, COMPRESSED, json_get(v, KEY("_compressed")));
        json_hex(want_u, UNCOMPRESSED, json_get(v, KEY("_uncompressed")));
        assert_int_equal(fr_from_bytes(&scalar, k), 0);
        G(multiple_fr)(&p, &scalar);
        G(to_affine)(&a, &p);
        G(to_compressed)(c, &a);
        G(to_uncompressed)(u, &a);
        assert_memory_equal(c, want_c, COMPRESSED);
        assert_memory_equal(u, want_u, UNCOMPRESSED);
        enum point_status want = fr_is_zero(&scalar) ? POINT_INFINITY : POINT_OK;
        for (enum point_check check = POINT_CHECK_NONE; check <= POINT_CHECK_SUBGROUP; check++) {
            memset(&back, 0xff, sizeof back);
            assert_int_equal(G(from_compressed)(&back, c, check), want);
            assert_true(G(affine_equal)(&back, &a));
            memset(&back, 0xff, sizeof back);
            assert_int_equal(G(from_uncompressed)(&back, u, check), want);
            assert_true(G(affine_equal)(&back, &a));
        }
    }
}

/* The sum of 100 products, each term by its own multiplication. */
static void G(check_sum)(yajl_val root)
{
    uint8_t want[COMPRESSED], got[COMPRESSED];
    POINT sum, term;
    AFFINE a;
    G(set_infinity)(&sum);
    for (int i = 0; i < 100; i++) {
        struct fr k, s;
        det_fr(&k, "msm p %d", i);
        det_fr(&s, "msm s %d", i);
        G(multiple_fr)(&term, &k);
        G(mul_fr)(&term, &term, &s);
        G(add)(&sum, &sum, &term);
    }
    G(to_affine)(&a, &sum);
    G(to_compressed)(got, &a);
    json_hex(want, COMPRESSED, json_get(json_get(root, "msm100"), TEXT(GROUP)));
    assert_memory_equal(got, want, COMPRESSED);
}

/* The operand pairs that incomplete formulas get wrong: equal, opposite, infinity, through every function that adds. */
static void G(check_one_addition)(uint64_t i, uint64_t j)
{
    POINT p, q, sum, t;
    AFFINE pa, qa;
    G(multiple)(&p, i);
    G(multiple)(&q, j);
    G(multiple)(&sum, i + j);
    G(to_affine)(&pa, &p);
    G(to_affine)(&qa, &q);
    G(add)(&t, &p, &q);
    assert_true(G(equal)(&t, &sum));
    t = p;
    G(add)(&t, &t, &q);
    assert_true(G(equal)(&t, &sum));
    t = q;
    G(add)(&t, &p, &t);
    assert_true(G(equal)(&t, &sum));
    G(add_affine)(&t, &p, &qa);
    assert_true(G(equal)(&t, &sum));
    t = p;
    G(add_affine)(&t, &t, &qa);
    assert_true(G(equal)(&t, &sum));
    G(add_two_affine)(&t, &pa, &qa);
    assert_true(G(equal)(&t, &sum));
    G(sub)(&t, &sum, &q);
    assert_true(G(equal)(&t, &p));
    G(affine_neg)(&qa, &qa);
    G(add_affine)(&t, &sum, &qa);
    assert_true(G(equal)(&t, &p));
    assert_int_equal(G(equal)(&p, &q), i == j);
    if (i == j) {
        G(double)(&t, &p);
        assert_true(G(equal)(&t, &sum));
        G(double_affine)(&t, &pa);
        assert_true(G(equal)(&t, &sum));
        G(add_two_affine)(&t, &pa, &qa); /* qa is -q by now */
        assert_true(G(is_infinity)(&t));
        G(sub)(&t, &p, &p);
        assert_true(G(is_infinity)(&t));
    }
}

static void G(check_laws)(void)
{
    for (uint64_t i = 0; i < 5; i++)
        for (uint64_t j = 0; j < 5; j++)
            G(check_one_addition)(i, j);

    struct fr a, b, c;
    POINT p, q, t;
    det_fr(&a, "law a");
    det_fr(&b, "law b");
    fr_add(&c, &a, &b);
    G(multiple_fr)(&p, &a);
    G(multiple_fr)(&q, &b);
    G(add)(&p, &p, &q);
    G(multiple_fr)(&t, &c);
    assert_true(G(equal)(&p, &t));

    /* Scalars at the window edges and above r. */
    static const uint64_t all_ones[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    POINT g;
    G(from_affine)(&g, &GENERATOR);
    G(mul)(&t, &g, FR_MODULUS);
    assert_true(G(is_infinity)(&t));
    G(mul)(&t, &g, all_ones);
    fr_from_limbs(&c, all_ones);
    G(multiple_fr)(&p, &c);
    assert_true(G(equal)(&p, &t));
    G(mul_fr)(&t, &g, &FR_MINUS_ONE);
    G(neg)(&p, &g);
    assert_true(G(equal)(&p, &t));
    p = g;
    for (uint64_t k = 1; k < 70; k++) {
        G(multiple)(&t, k);
        assert_true(G(equal)(&p, &t));
        G(add_affine)(&p, &p, &GENERATOR);
    }
}

static void G(check_batch)(void)
{
    POINT p[9];
    AFFINE out[9], one;
    struct BASE scratch[9];
    for (uint64_t i = 0; i < 9; i++)
        G(multiple)(&p[i], i % 4 == 0 ? 0 : i * 1000003);
    G(batch_to_affine)(out, p, 9, scratch);
    for (int i = 0; i < 9; i++) {
        G(to_affine)(&one, &p[i]);
        assert_true(G(affine_equal)(&out[i], &one));
        assert_int_equal(G(affine_is_infinity)(&out[i]), i % 4 == 0);
        assert_true(G(is_on_curve)(&one));
        assert_true(G(in_subgroup)(&one));
    }
    G(batch_to_affine)(out, p, 0, scratch);
}

/* Curve points with small x are outside the subgroup (the cofactor is about 2^125, for G2 2^509): the endomorphism's verdict must be
 * that of multiplying by r. */
static void G(check_subgroup)(void)
{
    int found = 0;
    for (uint64_t i = 1; found < 5; i++) {
        uint8_t bytes[UNCOMPRESSED] = {0}, c[COMPRESSED] = {0};
        AFFINE a, back;
        POINT p;
        c[0] = POINT_FLAG_COMPRESSED;
        c[COMPRESSED - 1] = (uint8_t)i;
        assert_true(i < 200);
        if (G(from_compressed)(&a, c, POINT_CHECK_CURVE) != POINT_OK)
            continue;
        found++;
        assert_true(G(is_on_curve)(&a));
        G(from_affine)(&p, &a);
        G(mul)(&p, &p, FR_MODULUS);
        assert_false(G(is_infinity)(&p));
        assert_false(G(in_subgroup)(&a));
        G(to_uncompressed)(bytes, &a);
        memset(&back, 0, sizeof back);
        assert_int_equal(G(from_compressed)(&back, c, POINT_CHECK_SUBGROUP), POINT_NOT_IN_SUBGROUP);
        assert_int_equal(G(from_uncompressed)(&back, bytes, POINT_CHECK_SUBGROUP),
                         POINT_NOT_IN_SUBGROUP);
        assert_true(G(affine_is_infinity)(&back));
        assert_int_equal(G(from_uncompressed)(&back, bytes, POINT_CHECK_CURVE), POINT_OK);
        assert_true(G(affine_equal)(&back, &a));
        /* The law holds outside the subgroup too: [2]P + P = [3]P. */
        static const uint64_t three[4] = {3};
        POINT q, t;
        G(from_affine)(&q, &a);
        G(mul)(&t, &q, three);
        G(double)(&q, &q);
        G(add_affine)(&q, &q, &a);
        assert_true(G(equal)(&q, &t));
    }
}

static void G(check_refusals)(void)
{
    uint8_t c[COMPRESSED], u[UNCOMPRESSED];
    AFFINE a, r = GENERATOR;
    POINT p;
    G(multiple)(&p, 12345);
    G(to_affine)(&a, &p);
    G(to_compressed)(c, &a);
    G(to_uncompressed)(u, &a);
    const uint8_t c0 = c[0], u0 = u[0];

    c[0] = c0 & 0x7f; /* not marked compressed */
    assert_int_equal(G(from_compressed)(&r, c, POINT_CHECK_NONE), POINT_BAD_FLAGS);
    c[0] = c0 | 0x40; /* infinity with coordinates */
    assert_int_equal(G(from_compressed)(&r, c, POINT_CHECK_NONE), POINT_BAD_FLAGS);
    for (unsigned flags = 0x20; flags <= 0xe0; flags += 0x20) { /* uncompressed: no flag is right */
        u[0] = (uint8_t)(u0 | flags);
        assert_int_equal(G(from_uncompressed)(&r, u, POINT_CHECK_NONE), POINT_BAD_FLAGS);
    }
    memset(c, 0, sizeof c);
    memset(u, 0, sizeof u);
    c[0] = 0xe0; /* infinity has no sign */
    assert_int_equal(G(from_compressed)(&r, c, POINT_CHECK_NONE), POINT_BAD_FLAGS);
    u[0] = 0x60;
    assert_int_equal(G(from_uncompressed)(&r, u, POINT_CHECK_NONE), POINT_BAD_FLAGS);
    c[0] = 0xc0, u[0] = 0x40;
    c[COMPRESSED - 1] = u[UNCOMPRESSED - 1] = 1;
    assert_int_equal(G(from_compressed)(&r, c, POINT_CHECK_NONE), POINT_BAD_FLAGS);
    assert_int_equal(G(from_uncompressed)(&r, u, POINT_CHECK_NONE), POINT_BAD_FLAGS);
    /* (0, 0) stands for infinity inside, but as coordinates it is no point. */
    memset(u, 0, sizeof u);
    assert_int_equal(G(from_uncompressed)(&r, u, POINT_CHECK_CURVE), POINT_NOT_ON_CURVE);

    /* A coordinate of p or above, in every place. */
    struct fp minus_one;
    uint8_t p_bytes[48];
    fp_neg(&minus_one, &FP_ONE);
    fp_to_bytes(p_bytes, &minus_one);
    p_bytes[47]++;
    for (size_t at = 0; at < UNCOMPRESSED; at += 48) {
        G(to_uncompressed)(u, &a);
        memcpy(u + at, p_bytes, 48);
        assert_int_equal(G(from_uncompressed)(&r, u, POINT_CHECK_NONE), POINT_NOT_CANONICAL);
        memset(u + at, 0xff, 48);
        u[0] &= 0x1f;
        assert_int_equal(G(from_uncompressed)(&r, u, POINT_CHECK_NONE), POINT_NOT_CANONICAL);
        if (at < COMPRESSED) {
            G(to_compressed)(c, &a);
            memcpy(c + at, p_bytes, 48);
            c[0] |= 0x80;
            assert_int_equal(G(from_compressed)(&r, c, POINT_CHECK_NONE), POINT_NOT_CANONICAL);
        }
    }
    assert_true(G(affine_equal)(&r, &GENERATOR)); /* no refusal touched it */
}

/* No single flipped bit passes, except the sign's, which gives the opposite point. */
static void G(check_bit_flips)(void)
{
    uint8_t c[COMPRESSED], u[UNCOMPRESSED];
    AFFINE a, r, minus;
    POINT p;
    G(multiple)(&p, 987654321);
    G(to_affine)(&a, &p);
    G(affine_neg)(&minus, &a);
    G(to_compressed)(c, &a);
    G(to_uncompressed)(u, &a);
    for (size_t bit = 0; bit < 8 * COMPRESSED; bit++) {
        c[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        enum point_status status = G(from_compressed)(&r, c, POINT_CHECK_SUBGROUP);
        c[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        if (bit == 2) {
            assert_int_equal(status, POINT_OK);
            assert_true(G(affine_equal)(&r, &minus));
        } else {
            assert_true(status > POINT_INFINITY);
        }
    }
    for (size_t bit = 0; bit < 8 * UNCOMPRESSED; bit++) {
        u[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        assert_true(G(from_uncompressed)(&r, u, POINT_CHECK_CURVE) > POINT_INFINITY);
        u[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
    }
}

/* Many at once: as one by one, up to the first that one by one is refused, or infinity. */
static void G(check_many)(void)
{
    enum { N = 11 };
    static const uint8_t first_bytes[] = {0x20, 0x40, 0x80, 0x1b};
    uint8_t in[N * UNCOMPRESSED], kept[UNCOMPRESSED];
    AFFINE a[N], r[N];
    enum point_status status;
    POINT p;
    for (size_t i = 0; i < N; i++) {
        G(multiple)(&p, 77 + i);
        G(to_affine)(&a[i], &p);
        G(to_uncompressed)(in + i * UNCOMPRESSED, &a[i]);
    }
    assert_int_equal(G(from_uncompressed_many)(r, &status, in, N), N);
    assert_int_equal(status, POINT_OK);
    assert_memory_equal(r, a, sizeof a);
    for (size_t i = 0; i < N; i++) {
        uint8_t *u = in + i * UNCOMPRESSED;
        memcpy(kept, u, UNCOMPRESSED);
        G(affine_set_infinity)(&r[0]);
        G(to_uncompressed)(u, &r[0]);
        assert_int_equal(G(from_uncompressed_many)(r, &status, in, N), i);
        assert_int_equal(status, POINT_INFINITY);
        memcpy(u, kept, UNCOMPRESSED);
        for (size_t k = 0; k < sizeof first_bytes; k++) {
            u[0] = first_bytes[k];
            assert_int_equal(G(from_uncompressed_many)(r, &status, in, N), i);
            assert_memory_equal(r, a, i * sizeof *a);
            assert_int_equal(status, k < 3 ? POINT_BAD_FLAGS : POINT_NOT_CANONICAL);
        }
        memcpy(u, kept, UNCOMPRESSED);
        memset(u + UNCOMPRESSED - 48, 0xff, 48);
        assert_int_equal(G(from_uncompressed_many)(r, &status, in, N), i);
        assert_int_equal(status, POINT_NOT_CANONICAL);
        memcpy(u, kept, UNCOMPRESSED);
    }
}

static void G(check_all)(yajl_val root)
{
    G(check_vectors)(root);
    G(check_sum)(root);
    G(check_laws)();
    G(check_batch)();
    G(check_subgroup)();
    G(check_refusals)();
    G(check_bit_flips)();
    G(check_many)();
}

#undef CAT_
#undef CAT
#undef G
#undef B
#undef POINT
#undef AFFINE_
#undef AFFINE__
#undef AFFINE
#undef TEXT_
#undef TEXT
#undef KEY
