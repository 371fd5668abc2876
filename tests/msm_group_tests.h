/* What must hold for sums over G1 and over G2, written once. Included by test_msm_sums.c with GROUP (g1, g2), COORD_PREFIX (fp, fp2) and
 * GENERATOR. Points are known multiples of the generator, so every sum has a second way to be computed: in the scalars. */

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define G(name) CAT(GROUP, name)
#define M(name) CAT(CAT(msm, GROUP), name)
#define FB(name) CAT(CAT(fixed_base, GROUP), name)
#define T(name) CAT(CAT(GROUP, test), name)
#define POINT struct GROUP
#define AFFINE struct CAT(GROUP, affine)
#define COORD struct COORD_PREFIX

/* points[i] = logs[i] * generator */
struct T(points) {
    AFFINE *points;
    struct fr *logs;
    size_t n;
};

/* An arithmetic progression. */
static void T(points_init)(struct T(points) * p, size_t n, const char *tag)
{
    struct fr log, step;
    POINT base, at, by, *all = malloc(n * sizeof *all);
    COORD *scratch = malloc(n * sizeof *scratch);
    *p = (struct T(points)){malloc(n * sizeof *p->points), malloc(n * sizeof *p->logs), n};
    det_fr(&log, "%s first", tag);
    det_fr(&step, "%s step", tag);
    G(from_affine)(&base, &GENERATOR);
    G(mul_fr)(&at, &base, &log);
    G(mul_fr)(&by, &base, &step);
    for (size_t i = 0; i < n; i++) {
        all[i] = at;
        p->logs[i] = log;
        G(add)(&at, &at, &by);
        fr_add(&log, &log, &step);
    }
    G(batch_to_affine)(p->points, all, n, scratch);
    free(all);
    free(scratch);
}

static void T(points_clean_up)(struct T(points) * p)
{
    free(p->points);
    free(p->logs);
}

static void T(assert_is_multiple)(const POINT *sum, const struct fr *scalar)
{
    POINT expected;
    G(from_affine)(&expected, &GENERATOR);
    G(mul_fr)(&expected, &expected, scalar);
    assert_true(G(equal)(sum, &expected));
}

struct T(object) {
    struct pool *pool;
    CAT(struct msm, GROUP) * m;
};

static struct T(object) T(object_new)(size_t expected, unsigned threads)
{
    struct T(object) o;
    struct error err;
    o.pool = new_pool(threads);
    assert_int_equal(M(new)(&o.m, expected, o.pool, &err), 0);
    return o;
}

static void T(object_destroy)(struct T(object) * o)
{
    M(destroy)(o->m);
    pool_destroy(o->pool);
}

/* sum of scalars * points in slices of the given size, against the sum in the logs. */
static void T(check_sum)(CAT(struct msm, GROUP) * m, const struct T(points) * p,
                         const struct fr *scalars, size_t n, size_t slice)
{
    uint64_t(*limbs)[4] = malloc((n + 1) * sizeof *limbs);
    struct fr expected = FR_ZERO, t;
    POINT sum;
    assert_true(n <= p->n);
    for (size_t i = 0; i < n; i++) {
        fr_to_limbs(limbs[i], &scalars[i]);
        fr_mul(&t, &scalars[i], &p->logs[i]);
        fr_add(&expected, &expected, &t);
    }
    for (size_t i = 0; i < n; i += slice)
        M(add)(m, p->points + i, (const uint64_t(*)[4])(limbs + i), n - i < slice ? n - i : slice);
    M(finish)(m, &sum);
    T(assert_is_multiple)(&sum, &expected);
    free(limbs);
}

/* The same object over many sizes and slices: each finish must leave it empty. */
static void T(random_scalars)(size_t expected, unsigned threads)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 333};
    struct T(object) o = T(object_new)(expected, threads);
    struct T(points) p;
    struct fr *scalars = random_scalars(600, "msm random");
    T(points_init)(&p, 600, "msm points");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        T(check_sum)(o.m, &p, scalars, sizes[i], 1000);
    T(check_sum)(o.m, &p, scalars, 600, 600);
    T(check_sum)(o.m, &p, scalars, 600, 311);
    T(check_sum)(o.m, &p, scalars, 100, 1);
    T(points_clean_up)(&p);
    free(scalars);
    T(object_destroy)(&o);
}

/* More points than the object gathers at once. */
static void T(many_slices)(unsigned threads)
{
    enum { N = 4500 };
    struct T(object) o = T(object_new)(1000, threads);
    struct T(points) p;
    struct fr *scalars = random_scalars(N, "msm many");
    T(points_init)(&p, N, "msm many points");
    T(check_sum)(o.m, &p, scalars, N, 1777);
    T(points_clean_up)(&p);
    free(scalars);
    T(object_destroy)(&o);
}

/* +-2^k and their neighbours, 0, r - 1, the halves of r: every window's edges, for windows of every width. */
static void T(boundary_scalars)(size_t expected)
{
    struct T(object) o = T(object_new)(expected, 2);
    struct T(points) p;
    size_t n;
    struct fr *scalars = boundary_scalars(&n);
    T(points_init)(&p, n, "msm boundary");
    T(check_sum)(o.m, &p, scalars, n, 100000);
    for (size_t i = 0; i < n; i += 299) /* and each alone */
        T(check_sum)(o.m, &(struct T(points)){p.points + i, p.logs + i, 1}, scalars + i, 1, 1);
    T(points_clean_up)(&p);
    free(scalars);
    T(object_destroy)(&o);
}

/* Equal, opposite and infinite points meet in every bucket. */
static void T(degenerate_points)(size_t expected)
{
    enum { N = 700 };
    struct T(object) o = T(object_new)(expected, 2);
    struct T(points) p;
    struct fr *scalars = random_scalars(N, "msm degenerate");
    T(points_init)(&p, N, "msm degenerate points");
    for (size_t i = 0; i < N; i++) {
        if (i % 5 == 1) { /* opposite */
            G(affine_neg)(&p.points[i], &p.points[i - 1]);
            fr_neg(&p.logs[i], &p.logs[i - 1]);
        } else if (i % 5 == 2) { /* equal */
            p.points[i] = p.points[0];
            p.logs[i] = p.logs[0];
        } else if (i % 5 == 3) {
            G(affine_set_infinity)(&p.points[i]);
            p.logs[i] = FR_ZERO;
        }
    }
    T(check_sum)(o.m, &p, scalars, N, N);
    for (size_t i = 0; i < N; i++) /* few buckets */
        fr_from_i64(&scalars[i], (int64_t)(i % 4) - 2);
    T(check_sum)(o.m, &p, scalars, N, N);
    for (size_t i = 0; i < N; i++) /* one bucket a window, and opposite points cancel in it */
        scalars[i] = scalars[0];
    T(check_sum)(o.m, &p, scalars, N, 501);
    for (size_t i = 0; i < N; i++) {
        p.points[i] = p.points[0];
        p.logs[i] = p.logs[0];
    }
    det_fr(&scalars[0], "msm equal");
    for (size_t i = 0; i < N; i++)
        scalars[i] = scalars[0];
    T(check_sum)(o.m, &p, scalars, N, N);
    T(points_clean_up)(&p);
    free(scalars);
    T(object_destroy)(&o);
}

/* One bucket gets more points than the rounds take at once. */
static void T(one_bucket)(size_t n)
{
    struct T(object) o = T(object_new)(n, 3);
    struct T(points) p;
    struct fr *scalars = malloc(n * sizeof *scalars);
    T(points_init)(&p, n, "msm one bucket");
    for (size_t i = 0; i < n; i++)
        fr_from_i64(&scalars[i], i % 100 == 7 ? (int64_t)i : -3);
    T(check_sum)(o.m, &p, scalars, n, n);
    T(points_clean_up)(&p);
    free(scalars);
    T(object_destroy)(&o);
}

/* Values of every type; slices that end anywhere; the dense ones overflow what the object gathers. */
static void T(typed)(size_t expected, unsigned threads, size_t n, size_t slice,
                     unsigned dense_of_256)
{
    struct T(object) o = T(object_new)(expected, threads);
    struct T(points) p;
    int8_t *small = malloc(n);
    struct fr *full = malloc((n + 1) * sizeof *full), expected_log = FR_ZERO, t;
    size_t fulls = 0, used = 0;
    POINT sum;
    T(points_init)(&p, n, "msm typed");
    for (size_t i = 0; i < n; i++) {
        small[i] = typed_value(i, dense_of_256);
        if (small[i] == TVEC_FULL) {
            det_fr(&full[fulls], "msm full %zu", fulls);
            fulls++;
        }
    }
    fulls = 0;
    for (size_t i = 0; i < n; i++) {
        if (small[i] == TVEC_FULL)
            t = full[fulls++];
        else
            fr_from_i64(&t, small[i]);
        fr_mul(&t, &t, &p.logs[i]);
        fr_add(&expected_log, &expected_log, &t);
    }
    for (size_t i = 0; i < n; i += slice)
        used +=
            M(add_typed)(o.m, p.points + i, small + i, full + used, n - i < slice ? n - i : slice);
    assert_int_equal(used, fulls);
    M(finish)(o.m, &sum);
    T(assert_is_multiple)(&sum, &expected_log);
    T(points_clean_up)(&p);
    free(small);
    free(full);
    T(object_destroy)(&o);
}

/* Bits only, with no full array; cancelling units; typed and plain slices in one sum. */
static void T(typed_edges)(void)
{
    enum { N = 300 };
    struct T(object) o = T(object_new)(0, 2);
    struct T(points) p;
    int8_t small[N];
    struct fr expected = FR_ZERO, *scalars = random_scalars(N, "msm mixed");
    uint64_t limbs[N][4];
    POINT sum;
    T(points_init)(&p, N, "msm typed edges");
    M(add_typed)(o.m, p.points, NULL, NULL, 0);
    M(finish)(o.m, &sum);
    assert_true(G(is_infinity)(&sum));
    for (size_t i = 0; i < N; i++)
        small[i] = i % 3 == 0;
    assert_int_equal(M(add_typed)(o.m, p.points, small, NULL, N), 0);
    for (size_t i = 0; i < N; i++)
        small[i] = (int8_t)-small[i];
    M(add_typed)(o.m, p.points, small, NULL, N);
    M(finish)(o.m, &sum);
    assert_true(G(is_infinity)(&sum));
    for (size_t i = 0; i < N; i++) {
        struct fr t;
        small[i] = (int8_t)(i % 5) - 2;
        fr_from_i64(&t, small[i]);
        fr_add(&t, &t, &scalars[i]);
        fr_mul(&t, &t, &p.logs[i]);
        fr_add(&expected, &expected, &t);
        fr_to_limbs(limbs[i], &scalars[i]);
    }
    M(add)(o.m, p.points, (const uint64_t(*)[4])limbs, N);
    M(add_typed)(o.m, p.points, small, NULL, N);
    M(finish)(o.m, &sum);
    T(assert_is_multiple)(&sum, &expected);
    T(points_clean_up)(&p);
    free(scalars);
    T(object_destroy)(&o);
}

/* A slice of more values than are counted at once, nearly all of them zeros whose points are never read. */
static void T(typed_sparse)(void)
{
    const size_t n = (1 << 20) + 5000;
    struct T(object) o = T(object_new)(10, 2);
    struct T(points) p;
    AFFINE *points = calloc(n, sizeof *points);
    int8_t *small = calloc(n, 1);
    struct fr full[2], expected = FR_ZERO, t;
    const size_t where[] = {0, 4095, 4096, (1 << 20) - 1, 1 << 20, n - 1};
    const int8_t value[] = {1, -1, TVEC_FULL, 7, TVEC_FULL, 1};
    POINT sum;
    T(points_init)(&p, 6, "msm sparse");
    det_fr(&full[0], "msm sparse full 0");
    det_fr(&full[1], "msm sparse full 1");
    for (size_t i = 0, k = 0; i < 6; i++) {
        points[where[i]] = p.points[i];
        small[where[i]] = value[i];
        if (value[i] == TVEC_FULL)
            t = full[k++];
        else
            fr_from_i64(&t, value[i]);
        fr_mul(&t, &t, &p.logs[i]);
        fr_add(&expected, &expected, &t);
    }
    assert_int_equal(M(add_typed)(o.m, points, small, full, n), 2);
    M(finish)(o.m, &sum);
    T(assert_is_multiple)(&sum, &expected);
    T(points_clean_up)(&p);
    free(points);
    free(small);
    T(object_destroy)(&o);
}

/* The reference's own sum over 100 points. */
static void T(reference_sum)(const char *compressed_hex)
{
    enum { N = 100, BYTES = sizeof(COORD) };
    struct T(object) o = T(object_new)(N, 2);
    AFFINE points[N], affine;
    uint64_t limbs[N][4];
    uint8_t expected[BYTES], actual[BYTES];
    POINT base, sum;
    G(from_affine)(&base, &GENERATOR);
    for (int i = 0; i < N; i++) {
        struct fr s, log;
        POINT p;
        det_fr(&log, "msm p %d", i);
        det_fr(&s, "msm s %d", i);
        G(mul_fr)(&p, &base, &log);
        G(to_affine)(&points[i], &p);
        fr_to_limbs(limbs[i], &s);
    }
    M(add)(o.m, points, (const uint64_t(*)[4])limbs, N);
    M(finish)(o.m, &sum);
    G(to_affine)(&affine, &sum);
    G(to_compressed)(actual, &affine);
    hex_bytes(expected, BYTES, compressed_hex);
    assert_memory_equal(actual, expected, BYTES);
    T(object_destroy)(&o);
}

static void T(check_multiples)(CAT(struct fixed_base, GROUP) * f, const AFFINE *base,
                               const struct fr *scalars, size_t n, unsigned threads)
{
    AFFINE *out = malloc((n + 1) * sizeof *out), expected;
    struct pool *pool = new_pool(threads);
    FB(mul)(f, out, scalars, n, pool);
    for (size_t i = 0; i < n; i++) {
        POINT p;
        G(from_affine)(&p, base);
        G(mul_fr)(&p, &p, &scalars[i]);
        G(to_affine)(&expected, &p);
        assert_true(G(affine_equal)(&out[i], &expected));
    }
    pool_destroy(pool);
    free(out);
}

static void T(fixed_base)(size_t expected, unsigned threads)
{
    CAT(struct fixed_base, GROUP) * f;
    struct error err;
    size_t n;
    struct fr *boundary = boundary_scalars(&n), *random = random_scalars(50, "fixed base");
    POINT p;
    AFFINE base;
    G(from_affine)(&p, &GENERATOR);
    G(mul_fr)(&p, &p, &random[0]);
    G(to_affine)(&base, &p);
    assert_int_equal(FB(new)(&f, &base, expected, &err), 0);
    for (size_t i = 0; i < n; i += 300)
        T(check_multiples)(f, &base, boundary + i, n - i < 30 ? n - i : 30, threads);
    T(check_multiples)(f, &base, random, 40, threads);
    T(check_multiples)(f, &base, random, 1, threads);
    T(check_multiples)(f, &base, random, 0, threads);
    FB(destroy)(f);
    G(affine_set_infinity)(&base); /* every multiple of infinity is infinity */
    assert_int_equal(FB(new)(&f, &base, 1, &err), 0);
    T(check_multiples)(f, &base, random, 10, 1);
    FB(destroy)(f);
    FB(destroy)(NULL);
    free(boundary);
    free(random);
}

#undef CAT_
#undef CAT
#undef G
#undef M
#undef FB
#undef T
#undef POINT
#undef AFFINE
#undef COORD
