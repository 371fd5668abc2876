/* One batch through a kernel against the complete addition of src/curve. Included with GENERATOR after a kernel's source
 * (which defines GROUP), once per test. */

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define G(name) CAT(GROUP, name)
#define AFFINE struct CAT(GROUP, affine)
#define PAIR struct CAT(GROUP, pair)
#define SCRATCH struct CAT(GROUP, ifma_scratch)

/* Multiples of the generator, with infinity, and points that repeat and oppose one another. */
static void G(fill_points)(AFFINE *points, size_t n)
{
    struct GROUP sum;
    G(set_infinity)(&sum);
    for (size_t i = 0; i < n; i++) {
        G(to_affine)(&points[i], &sum);
        G(add_affine)(&sum, &sum, &GENERATOR);
        if (i % 7 == 6)
            points[i] = points[i - 3];
        if (i % 11 == 10)
            G(affine_neg)(&points[i], &points[i - 1]);
    }
}

static void G(expected_sum)(AFFINE *out, const AFFINE *p, int negate_p, const AFFINE *q,
                            int negate_q)
{
    AFFINE a = *p, b = *q;
    struct GROUP sum;
    if (negate_p)
        G(affine_neg)(&a, &a);
    if (negate_q)
        G(affine_neg)(&b, &b);
    G(add_two_affine)(&sum, &a, &b);
    G(to_affine)(out, &sum);
}

/* n pairs; every second sum goes in place of its p. step sets which points meet: 0 doubles all. */
static void G(check_batch)(void (*kernel)(PAIR *, size_t, SCRATCH *), size_t n, size_t step)
{
    AFFINE *points = malloc(2 * BATCH * sizeof *points), *sums = malloc(BATCH * sizeof *sums);
    AFFINE *expected = malloc(BATCH * sizeof *expected);
    PAIR *pairs = malloc(BATCH * sizeof *pairs);
    SCRATCH *scratch = aligned_alloc(64, sizeof *scratch);
    G(fill_points)(points, n);
    memcpy(points + BATCH, points, n * sizeof *points);
    for (size_t i = 0; i < n; i++) {
        AFFINE *p = &points[i], *q = &points[BATCH + (i + i * step % 5 + (step > 0)) % n];
        if (step == 0)
            q = &points[BATCH + i];
        int negate_p = i >> 1 & 1, negate_q = step == 0 ? negate_p : (int)(i >> 2 & 1);
        G(expected_sum)(&expected[i], p, negate_p, q, negate_q);
        pairs[i] = (PAIR){(uintptr_t)p | (unsigned)negate_p, (uintptr_t)q | (unsigned)negate_q,
                          i % 2 ? p : &sums[i]};
    }
    kernel(pairs, n, scratch);
    for (size_t i = 0; i < n; i++)
        assert_true(G(affine_equal)(i % 2 ? &points[i] : &sums[i], &expected[i]));
    free(points);
    free(sums);
    free(expected);
    free(pairs);
    free(scratch);
}

static void G(check_kernel)(void (*kernel)(PAIR *, size_t, SCRATCH *))
{
    for (size_t n = 1; n < 20; n++)
        G(check_batch)(kernel, n, n % 4);
    for (size_t step = 0; step < 5; step++)
        G(check_batch)(kernel, 100, step);
    G(check_batch)(kernel, BATCH, 3);
}

/* Near every multiple of p below 4p, and where the top limb equals that of a multiple although the value is below it. */
static void test_reduce(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 4; k++)
        for (int64_t delta = -1; delta <= 1; delta++)
            for (int limb = 0; limb < 7; limb++) {
                struct fp8 a = fp8_add_p(fp8_constant((const uint64_t[8]){0}), k);
                struct fp expected, actual;
                if (k == 0 && delta < 0)
                    continue;
                a.l[limb] = _mm512_add_epi64(a.l[limb], fp8_splat((uint64_t)delta));
                memset(&expected, 0, sizeof expected);
                expected.l[52 * limb / 64] = UINT64_C(1) << 52 * limb % 64;
                if (delta < 0)
                    fp_neg(&expected, &expected);
                if (delta == 0)
                    expected = FP_ZERO;
                a = fp8_reduce(a);
                for (int lane = 0; lane < 8; lane++) {
                    fp8_get_lane(&actual, &a, lane);
                    assert_true(fp_equal(&actual, &expected));
                }
            }
}

static void test_stand_in(void **state)
{
    (void)state;
    G(check_kernel)(CAT(GROUP, batch_add_stand_in));
}

#ifdef __x86_64__
void CAT(GROUP, batch_add_ifma)(PAIR *pair, size_t n, SCRATCH *scratch);

static void test_kernel(void **state)
{
    (void)state;
    if (!cpu_path_use(CPU_IFMA))
        skip();
    G(check_kernel)(CAT(GROUP, batch_add_ifma));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_stand_in),
#ifdef __x86_64__
        cmocka_unit_test(test_kernel),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
