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
        cmocka_unit_test(test_stand_in),
#ifdef __x86_64__
        cmocka_unit_test(test_kernel),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
