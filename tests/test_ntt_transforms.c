/* ctest: quick asan tsan */
/* Transforms against the reference's vectors, direct evaluation and each other; the quotient against its definition. */
#include "hash/sha256.h"
#include "ntt_checks.h"

#include "cpu_paths.h"

static void fill(struct fr *x, size_t n, const char *label)
{
    for (size_t i = 0; i < n; i++)
        det_fr(&x[i], "%s %zu", label, i);
}

/* Long vectors are given by the SHA-256 of their bytes. */
static void expect(yajl_val list, const struct fr *x, size_t n)
{
    if (YAJL_IS_OBJECT(list)) {
        uint8_t expected[32], digest[32], *bytes = malloc(32 * n);
        assert_non_null(bytes);
        for (size_t i = 0; i < n; i++)
            fr_to_bytes(bytes + 32 * i, &x[i]);
        sha256(digest, bytes, 32 * n);
        json_hex(expected, 32, json_get(list, "sha256"));
        assert_memory_equal(digest, expected, 32);
        free(bytes);
        return;
    }
    assert_int_equal(json_len(list), n);
    for (size_t i = 0; i < n; i++) {
        uint8_t expected[32], got[32];
        json_hex(expected, 32, json_at(list, i));
        fr_to_bytes(got, &x[i]);
        assert_memory_equal(got, expected, 32);
    }
}

static void reference_case(yajl_val test)
{
    size_t n = json_u64(json_get(test, "n")), m = json_u64(json_get(test, "m"));
    unsigned log2 = (unsigned)__builtin_ctzll(m);
    struct error err;
    struct ntt_domain d;
    struct fr *x = new_vector(m), seven_inverse, root;
    uint8_t omega[32], expected[32];
    assert_int_equal(ntt_domain_init(&d, log2, NULL, &err), 0);
    assert_int_equal(d.n, m);
    ntt_root_of_unity(&root, log2);
    fr_to_bytes(omega, &root);
    json_hex(expected, 32, json_get(test, "omega"));
    assert_memory_equal(omega, expected, 32);

    fill(x, n, "fft");
    ntt_forward(&d, x, NULL);
    reverse_order(x, log2);
    expect(json_get(test, "fft"), x, m);

    memset(x, 0, m * sizeof *x);
    fill(x, n, "fft");
    reverse_order(x, log2);
    ntt_inverse(&d, x, NULL);
    expect(json_get(test, "ifft"), x, m);

    fr_inv(&seven_inverse, &FR_GENERATOR);
    scale_by_powers(x, m, &seven_inverse);
    expect(json_get(test, "icoset_fft"), x, m);

    memset(x, 0, m * sizeof *x);
    fill(x, n, "fft");
    scale_by_powers(x, m, &FR_GENERATOR);
    ntt_forward(&d, x, NULL);
    reverse_order(x, log2);
    expect(json_get(test, "coset_fft"), x, m);
    free(x);
    ntt_domain_clean_up(&d);
}

static void equal_to_reference(void **state)
{
    (void)state;
    yajl_val data = json_load("vectors/fft.json");
    yajl_val cases = json_get(data, "cases"), roots = json_get(data, "roots");
    assert_true(json_len(cases) >= 10);
    for (size_t i = 0; i < json_len(cases); i++)
        reference_case(json_at(cases, i));
    assert_int_equal(json_len(roots), 33);
    for (size_t i = 0; i <= 32; i++) {
        uint8_t expected[32], got[32];
        struct fr root;
        ntt_root_of_unity(&root, (unsigned)json_u64(json_get(json_at(roots, i), "log2")));
        fr_to_bytes(got, &root);
        json_hex(expected, 32, json_get(json_at(roots, i), "omega"));
        assert_memory_equal(got, expected, 32);
    }
    yajl_tree_free(data);
}

/* Up to 2^14 the whole walk: no strided pass, and one of one or two levels. */
static void equal_to_evaluation(void **state)
{
    (void)state;
    for (unsigned log2 = 0; log2 <= 14; log2++) {
        struct error err;
        struct ntt_domain d;
        size_t n = (size_t)1 << log2;
        struct fr *x = new_vector(n), *values = new_vector(n), root, at, expected;
        assert_int_equal(ntt_domain_init(&d, log2, NULL, &err), 0);
        ntt_root_of_unity(&root, log2);
        fill(x, n, "walk");
        memcpy(values, x, n * sizeof *x);
        ntt_forward(&d, values, NULL);
        reverse_order(values, log2);
        for (size_t k = 0; k < n; k += n <= 64 ? 1 : n / 8 + 5) {
            fr_pow_u64(&at, &root, k);
            evaluate(&expected, x, n, &at);
            assert_true(fr_equal(&values[k], &expected));
        }
        reverse_order(values, log2);
        ntt_inverse(&d, values, NULL);
        assert_memory_equal(values, x, n * sizeof *x);
        free(x);
        free(values);
        ntt_domain_clean_up(&d);
    }
}

static void quotient_is_exact(void **state)
{
    (void)state;
    for (unsigned log2 = 1; log2 <= 14; log2++) {
        size_t n = (size_t)1 << log2;
        for (size_t len = n / 2 + 1; len <= n; len += n - n / 2 - 1 > 0 ? n - n / 2 - 1 : 1) {
            struct error err;
            struct ntt_domain d;
            struct rows rows;
            struct fr *h = new_vector(n), *tmp = new_vector(n);
            assert_int_equal(ntt_domain_init(&d, log2, NULL, &err), 0);
            rows_new(&rows, len);
            memset(h, 0xa5, n * sizeof *h);
            assert_int_equal(
                ntt_quotient(h, tmp, &d, &rows.v[0], &rows.v[1], &rows.v[2], NULL, NULL, &err), 0);
            check_quotient(&d, &rows, h);
            rows_free(&rows);
            ntt_domain_clean_up(&d);
            free(h);
            free(tmp);
        }
    }
}

static void wrong_rows_are_found(void **state)
{
    (void)state;
    for (unsigned log2 = 1; log2 <= 13; log2 += 3) {
        size_t n = (size_t)1 << log2;
        struct error err;
        struct ntt_domain d;
        struct rows rows;
        struct fr *h = new_vector(n), *tmp = new_vector(n);
        assert_int_equal(ntt_domain_init(&d, log2, NULL, &err), 0);
        for (size_t wrong = 0; wrong < n; wrong += n / 2) {
            rows_new(&rows, n);
            if (rows.v[2].small[wrong] == TVEC_FULL)
                fr_add(&rows.v[2].full[0], &rows.v[2].full[0], &FR_ONE);
            else
                rows.v[2].small[wrong]++;
            assert_int_equal(
                ntt_quotient(h, tmp, &d, &rows.v[0], &rows.v[1], &rows.v[2], NULL, NULL, &err),
                ERR_DATA);
            assert_string_equal(err.cause, "witness-unsatisfied");
            rows_free(&rows);
        }
        ntt_domain_clean_up(&d);
        free(h);
        free(tmp);
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    enum { LOG2 = 14, N = 1 << LOG2 };
    struct error err;
    struct ntt_domain d;
    struct rows rows;
    struct fr *h = new_vector(N), *tmp = new_vector(N), *first = new_vector(N);
    rows_new(&rows, N - 100);
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct pool *pool;
        assert_int_equal(pool_new(&pool, threads, &err), 0);
        assert_int_equal(ntt_domain_init(&d, LOG2, pool, &err), 0);
        assert_int_equal(
            ntt_quotient(h, tmp, &d, &rows.v[0], &rows.v[1], &rows.v[2], pool, NULL, &err), 0);
        if (threads == 1)
            memcpy(first, h, N * sizeof *h);
        assert_memory_equal(h, first, N * sizeof *h);
        ntt_forward(&d, h, pool);
        ntt_inverse(&d, h, pool);
        assert_memory_equal(h, first, N * sizeof *h);
        ntt_domain_clean_up(&d);
        pool_destroy(pool);
    }
    rows_free(&rows);
    free(h);
    free(tmp);
    free(first);
}

/* The largest elements, which leave kernels that reduce late the least room. */
static void extreme_elements(void **state)
{
    (void)state;
    for (unsigned log2 = 5; log2 <= 15; log2++) {
        size_t n = (size_t)1 << log2;
        struct error err;
        struct ntt_domain d;
        struct fr *x = new_vector(n), expected;
        assert_int_equal(ntt_domain_init(&d, log2, NULL, &err), 0);
        for (int pattern = 0; pattern < 3; pattern++) {
            for (size_t i = 0; i < n; i++)
                for (int l = 0; l < 4; l++) /* r - 1 as stored, alone and between zeros */
                    x[i].l[l] =
                        pattern == 0 || i % 3 == (size_t)pattern ? FR_MODULUS[l] - (l == 0) : 0;
            struct fr *y = new_vector(n), sum = FR_ZERO;
            memcpy(y, x, n * sizeof *x);
            for (size_t i = 0; i < n; i++)
                fr_add(&sum, &sum, &x[i]);
            ntt_forward(&d, y, NULL);
            assert_true(fr_equal(&y[0], &sum));
            evaluate(&expected, x, n, &FR_MINUS_ONE);
            assert_true(fr_equal(&y[1], &expected));
            ntt_inverse(&d, y, NULL);
            assert_memory_equal(x, y, n * sizeof *x);
            ntt_inverse(&d, y, NULL);
            ntt_forward(&d, y, NULL);
            assert_memory_equal(x, y, n * sizeof *x);
            free(y);
        }
        ntt_domain_clean_up(&d);
        free(x);
    }
}

/* Progress ends at its total, and domains that Fr has no roots for are refused. */
static void count_event(void *ctx, struct progress *p, enum progress_event event, uint64_t done)
{
    (void)event;
    uint64_t *last = ctx;
    last[0] = done;
    last[1] = p->total;
}

static void edges(void **state)
{
    (void)state;
    struct error err;
    struct ntt_domain d;
    assert_int_equal(ntt_domain_init(&d, NTT_MAX_LOG2 + 1, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "domain-too-large");
    ntt_domain_clean_up(&d);

    enum { LOG2 = 13, N = 1 << LOG2 };
    uint64_t last[2] = {0};
    struct progress_sink sink = {.event = count_event, .ctx = last};
    struct rows rows;
    struct fr *h = new_vector(N), *tmp = new_vector(N);
    rows_new(&rows, N);
    assert_int_equal(ntt_domain_init(&d, LOG2, NULL, &err), 0);
    assert_int_equal(
        ntt_quotient(h, tmp, &d, &rows.v[0], &rows.v[1], &rows.v[2], NULL, &sink, &err), 0);
    assert_true(last[0] > 0);
    assert_int_equal(last[0], last[1]);
    ntt_domain_clean_up(&d);
    rows_free(&rows);
    free(h);
    free(tmp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_to_reference),
        cmocka_unit_test(equal_to_evaluation),
        cmocka_unit_test(quotient_is_exact),
        cmocka_unit_test(wrong_rows_are_found),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(extreme_elements),
        cmocka_unit_test(edges),
    };
    int failed = 0;
    FOR_EACH_CPU_PATH(path)
    failed += cmocka_run_group_tests_name(cpu_path_name(path), tests, NULL, NULL);
    return failed;
}
