/* The tiny circuit of groth16_tiny in every mode, against what bellperson made of it. */
/* ctest: quick asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_data.h"
#include "r1cs/cs.h"
#include "r1cs/sinks.h"

struct tiny {
    int64_t x, b;
    int64_t y_error; /* 0, or a wrong result by that much */
};

struct values {
    struct fr x, x2, x3, sum, y, b;
};

static void compute(struct values *v, const struct tiny *t)
{
    struct fr k;
    fr_from_i64(&v->x, t->x);
    fr_from_i64(&v->b, t->b);
    fr_sqr(&v->x2, &v->x);
    fr_mul(&v->x3, &v->x2, &v->x);
    fr_from_i64(&k, 5);
    fr_add(&v->sum, &v->x3, &v->x);
    fr_add(&v->sum, &v->sum, &k);
    fr_from_i64(&k, t->y_error);
    fr_add(&v->y, &v->sum, &k);
}

/* y = x^3 + x + 5 and b a bit; the last row has two terms with coefficient zero, and the third lists its terms out of order and ONE in
 * pieces: both normalise to the fixture's rows. */
static void tiny_rows(struct cs *cs, const struct tiny *t)
{
    struct values v;
    compute(&v, t);
    uint32_t x = cs_alloc(cs, &v.x), x2 = cs_alloc(cs, &v.x2), x3 = cs_alloc(cs, &v.x3);
    uint32_t y = cs_alloc_input(cs, &v.y);
    uint32_t b = t->b == 0 || t->b == 1 ? cs_alloc_bit(cs, t->b == 1) : cs_alloc(cs, &v.b);
    lc_add_one(cs_a(cs), x);
    lc_add_one(cs_b(cs), x);
    lc_add_one(cs_c(cs), x2);
    cs_enforce(cs);
    lc_add_one(cs_a(cs), x2);
    lc_add_one(cs_b(cs), x);
    lc_add_one(cs_c(cs), x3);
    cs_enforce(cs);
    lc_add_i64(cs_a(cs), VAR_ONE, 7);
    lc_add_one(cs_a(cs), x3);
    lc_add_one(cs_a(cs), x);
    lc_add_i64(cs_a(cs), VAR_ONE, -2);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), y);
    cs_enforce(cs);
    lc_add_one(cs_a(cs), b);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_i64(cs_b(cs), b, -1);
    cs_enforce(cs);
    lc_add_i64(cs_a(cs), x2, 0);
    lc_add_one(cs_a(cs), b);
    lc_add_i64(cs_b(cs), x3, 0);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), b);
    cs_enforce(cs);
}

static void put_row(struct cs *cs, const struct fr *a, const struct fr *b, const struct fr *c)
{
    native_put_full(cs, NATIVE_A, a);
    native_put_full(cs, NATIVE_B, b);
    native_put_full(cs, NATIVE_C, c);
}

static void put_small_row(struct cs *cs, int64_t a, int64_t b, int64_t c)
{
    native_put_small(cs, NATIVE_A, (int8_t)a);
    native_put_small(cs, NATIVE_B, (int8_t)b);
    native_put_small(cs, NATIVE_C, (int8_t)c);
}

/* The same statement without variables or linear combinations. */
static void tiny_native(struct cs *cs, const struct tiny *t)
{
    struct values v;
    compute(&v, t);
    native_reserve(cs, 4, 5, 3, 5, 5, 5);
    native_put_full(cs, NATIVE_AUX, &v.x);
    native_put_full(cs, NATIVE_AUX, &v.x2);
    native_put_full(cs, NATIVE_AUX, &v.x3);
    native_input(cs, &v.y);
    native_put_small(cs, NATIVE_AUX, (int8_t)t->b);
    put_row(cs, &v.x, &v.x, &v.x2);
    put_row(cs, &v.x2, &v.x, &v.x3);
    put_row(cs, &v.sum, &FR_ONE, &v.y);
    put_small_row(cs, t->b, 1 - t->b, 0);
    put_small_row(cs, t->b, 1, t->b);
}

struct checkpoints {
    yajl_val want;
    size_t seen;
};

static void checkpoint(void *ctx, uint64_t rows, const uint8_t hash[32])
{
    struct checkpoints *c = ctx;
    uint8_t want[32];
    yajl_val at = json_at(c->want, c->seen++);
    assert_int_equal(rows, json_u64(json_at(at, 0)));
    json_hex(want, 32, json_at(at, 1));
    assert_memory_equal(hash, want, 32);
}

static const struct tiny BLANK = {0, 0, 0};

static void run_shape(const struct row_sink *sink)
{
    struct cs cs;
    struct error err;
    cs_init_shape(&cs, sink);
    tiny_rows(&cs, &BLANK);
    assert_int_equal(cs_finish(&cs, &err), 0);
    assert_int_equal(cs.num_inputs, 2);
    assert_int_equal(cs.num_aux, 4);
    assert_int_equal(cs.num_rows, 7);
    assert_null(cs.aux.v);
    cs_clean_up(&cs);
}

static void digest(void **state)
{
    yajl_val tiny = *state;
    uint8_t hash[32], want[32];
    struct checkpoints c = {.want = json_get(tiny, "checkpoints")};
    for (int with_checkpoints = 0; with_checkpoints < 2; with_checkpoints++) {
        struct shape_digest *d = shape_digest_new(2, 4, 5);
        if (with_checkpoints)
            shape_digest_checkpoints(d, 1, checkpoint, &c);
        struct row_sink sink = shape_digest_sink(d);
        run_shape(&sink);
        shape_digest_finish(d, hash);
        json_hex(want, 32, json_get(tiny, "test_cs_hash"));
        assert_memory_equal(hash, want, 32);
    }
    assert_int_equal(c.seen, json_len(c.want));
    struct shape_digest *d = shape_digest_new(2, 4, 6);
    struct row_sink sink = shape_digest_sink(d);
    run_shape(&sink);
    shape_digest_finish(d, hash);
    assert_memory_not_equal(hash, want, 32);
}

static void stats(void **state)
{
    yajl_val tiny = *state, nnz = json_get(tiny, "nnz");
    struct shape_stats s = {0};
    struct row_sink sink = shape_stats_sink(&s);
    struct cs cs;
    struct error err;
    cs_init_shape(&cs, &sink);
    tiny_rows(&cs, &BLANK);
    assert_int_equal(cs_finish(&cs, &err), 0);
    assert_int_equal(shape_stats_finish(&s, &cs, &err), 0);
    assert_int_equal(s.num_inputs, json_u64(json_get(tiny, "num_inputs")));
    assert_int_equal(s.num_aux, json_u64(json_get(tiny, "num_aux")));
    assert_int_equal(s.num_constraints, json_u64(json_get(tiny, "num_constraints")));
    assert_int_equal(s.nnz_a, json_u64(json_at(nnz, 0)));
    assert_int_equal(s.nnz_b, json_u64(json_at(nnz, 1)));
    assert_int_equal(s.nnz_c, json_u64(json_at(nnz, 2)));
    const struct density *d = &s.density;
    assert_int_equal(bitmap_popcount(&d->a_aux), json_u64(json_get(tiny, "a_aux_density")));
    assert_int_equal(bitmap_popcount(&d->b_aux), json_u64(json_get(tiny, "b_aux_density")));
    assert_int_equal(bitmap_popcount(&d->b_input), json_u64(json_get(tiny, "b_input_density")));
    assert_int_equal(d->a_aux.len, 4);
    assert_int_equal(d->b_aux.len, 4);
    assert_int_equal(d->b_input.len, 2);
    static const int b_aux[] = {1, 0, 0, 1, 0};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(bitmap_get(&d->b_aux, i), b_aux[i]);
    shape_stats_clean_up(&s);
    cs_clean_up(&cs);
}

/* SHA-256 of field elements as the fixture writes them. */
static void hash_elements(uint8_t out[32], const struct fr *v, size_t n)
{
    const struct tvec empty = {0};
    tvec_sha256(out, &empty, v, n);
}

static void check_trace(yajl_val trace, const char *key, const struct tvec *v)
{
    uint8_t hash[32], want[32];
    tvec_sha256(hash, v, NULL, 0);
    json_hex(want, 32, json_get(trace, key));
    assert_memory_equal(hash, want, 32);
}

static void check_csr(const struct csr *m, const struct cs *cs, yajl_val trace)
{
    static const char *const key[] = {"sha256_a_evals", "sha256_b_evals", "sha256_c_evals"};
    const struct csr_matrix *matrix[] = {&m->a, &m->b, &m->c};
    const struct fr_list *list[] = {&cs->a, &cs->b, &cs->c};
    for (int i = 0; i < 3; i++) {
        struct fr out[7];
        uint8_t hash[32], want[32];
        assert_int_equal(matrix[i]->rows, 7);
        assert_int_equal(matrix[i]->row[7], matrix[i]->nnz);
        csr_eval(out, m, matrix[i], cs->inputs.v, cs->aux.v, NULL);
        assert_memory_equal(out, list[i]->v, sizeof out);
        hash_elements(hash, out, 7);
        json_hex(want, 32, json_get(trace, key[i]));
        assert_memory_equal(hash, want, 32);
    }
}

/* Values by linear combination, by recorded matrices and by the native statement, against the prover's traces. */
static void evaluation(void **state)
{
    yajl_val proofs = json_get(*state, "proofs");
    assert_true(json_len(proofs) > 0);
    struct assignment native = {0}, generic = {0};
    for (size_t p = 0; p < json_len(proofs); p++) {
        yajl_val proof = json_at(proofs, p), trace = json_get(proof, "trace"),
                 aux = json_get(proof, "aux");
        struct tiny t = {.x = (int64_t)json_u64(json_get(proof, "x")),
                         .b = YAJL_IS_TRUE(json_get(proof, "b"))};
        struct csr m = {0};
        struct row_sink sink = csr_sink(&m);
        struct cs cs, cs_native;
        struct error err;
        char where[300];
        cs_init_generic(&cs, p % 2 ? CS_GENERIC : CS_CHECK, &sink);
        tiny_rows(&cs, &t);
        assert_int_equal(cs_finish(&cs, &err), 0);
        assert_int_equal(csr_finish(&m, &cs, &err), 0);
        assert_int_equal(cs.aux.len, json_len(aux));
        for (size_t i = 0; i < cs.aux.len; i++) {
            uint8_t bytes[32], want[32];
            fr_to_bytes(bytes, &cs.aux.v[i]);
            json_hex(want, 32, json_at(aux, i));
            assert_memory_equal(bytes, want, 32);
        }
        check_csr(&m, &cs, trace);
        assert_int_equal(cs_take_typed(&cs, &generic, &err), 0);
        cs_init_native(&cs_native, &native, NULL);
        tiny_native(&cs_native, &t);
        assert_int_equal(cs_finish(&cs_native, &err), 0);
        assert_int_equal(cs_native.num_aux, 4);
        assert_int_equal(cs_native.num_rows, 7);
        if (!assignment_equal(&native, &generic, where, sizeof where))
            fail_msg("%s", where);
        check_trace(trace, "sha256_a_evals", &native.a);
        check_trace(trace, "sha256_b_evals", &native.b);
        check_trace(trace, "sha256_c_evals", &native.c);
        cs_clean_up(&cs_native);
        cs_clean_up(&cs);
        csr_clean_up(&m);
        assignment_reset(&native);
        assignment_reset(&generic);
    }
    assignment_clean_up(&native);
    assignment_clean_up(&generic);
}

static void difference_is_named(void **state)
{
    (void)state;
    static const struct tiny t[] = {{3, 1, 0}, {3, 0, 0}, {3, 1, 2}, {3, -5, 0}};
    static const char *const want[] = {"", "aux, element 3: 0x", "inputs, element 1: 0x",
                                       "aux, element 3: 0x"};
    struct assignment w[4] = {{0}};
    struct cs cs;
    struct error err;
    char where[300] = "";
    for (int i = 0; i < 4; i++) {
        cs_init_generic(&cs, CS_GENERIC, NULL);
        tiny_rows(&cs, &t[i]);
        assert_int_equal(cs_finish(&cs, &err), 0);
        assert_int_equal(cs_take_typed(&cs, &w[i], &err), 0);
        cs_clean_up(&cs);
        assert_int_equal(assignment_equal(&w[0], &w[i], where, sizeof where), i == 0);
        assert_memory_equal(where, want[i], strlen(want[i]));
    }
    w[0].c.len--;
    cs_init_native(&cs, &w[1], NULL);
    assignment_reset(&w[1]);
    cs_clean_up(&cs);
    cs_init_native(&cs, &w[1], NULL);
    tiny_native(&cs, &t[0]);
    assert_int_equal(cs_finish(&cs, &err), 0);
    cs_clean_up(&cs);
    assert_int_equal(assignment_equal(&w[0], &w[1], where, sizeof where), 0);
    assert_string_equal(where, "c: 6 and 7 elements");
    w[0].c.len++;
    assert_int_equal(assignment_equal(&w[0], &w[1], where, sizeof where), 1);
    for (int i = 0; i < 4; i++)
        assignment_clean_up(&w[i]);
}

static void check_names_the_row(void **state)
{
    (void)state;
    static const struct tiny broken[] = {{3, 1, 1}, {4, 2, 0}, {4, 2, -7}};
    static const char *const want[] = {"row 2:", "row 3:", "row 2:"};
    for (int i = 0; i < 3; i++) {
        struct cs cs;
        struct error err = {0};
        cs_init_generic(&cs, CS_CHECK, NULL);
        tiny_rows(&cs, &broken[i]);
        assert_int_equal(cs_finish(&cs, &err), ERR_DATA);
        assert_string_equal(err.cause, "row-unsatisfied");
        assert_memory_equal(err.text, want[i], strlen(want[i]));
        cs_clean_up(&cs);
        cs_init_generic(&cs, CS_GENERIC, NULL);
        tiny_rows(&cs, &broken[i]);
        assert_int_equal(cs_finish(&cs, &err), 0);
        cs_clean_up(&cs);
    }
}

static void count_calls(void *ctx, const struct row *row)
{
    (void)row;
    ++*(int *)ctx;
}

/* A failure of memory anywhere is reported at the end, and no row after it reaches the sink. */
static void failure_is_sticky(void **state)
{
    (void)state;
    int calls = 0;
    struct row_sink sink = {count_calls, &calls};
    struct cs cs;
    struct error err = {0};
    cs_init_generic(&cs, CS_CHECK, &sink);
    tiny_rows(&cs, &BLANK);
    assert_int_equal(calls, 5);
    cs_b(&cs)->failed = 1;
    tiny_rows(&cs, &BLANK);
    assert_int_equal(calls, 5);
    assert_int_equal(cs_finish(&cs, &err), ERR_OS);
    assert_string_equal(err.cause, "out-of-memory");
    cs_clean_up(&cs);
}

static int by_bytes(const void *x, const void *y)
{
    return memcmp(x, y, sizeof(struct fr));
}

/* Each coefficient once. */
static void check_table(const struct csr *m)
{
    assert_true(m->coeffs.len > 4000);
    struct fr *sorted = malloc(m->coeffs.len * sizeof *sorted);
    memcpy(sorted, m->coeffs.v, m->coeffs.len * sizeof *sorted);
    qsort(sorted, m->coeffs.len, sizeof *sorted, by_bytes);
    assert_false(fr_is_zero(&sorted[0]));
    for (size_t i = 1; i < m->coeffs.len; i++)
        assert_false(fr_equal(&sorted[i - 1], &sorted[i]));
    free(sorted);
}

/* Many rows with many different coefficients, long and short: the recorded matrices give what the rows gave. */
static void csr_many(void **state)
{
    (void)state;
    enum { VARS = 3000, ROWS = 20000 };
    struct csr m = {0};
    struct row_sink sink = csr_sink(&m);
    struct cs cs;
    struct error err;
    struct fr k;
    uint64_t x = 7;
    cs_init_generic(&cs, CS_GENERIC, &sink);
    for (uint32_t i = 0; i < VARS; i++) {
        fr_from_u64(&k, i * UINT64_C(0x9e3779b97f4a7c15));
        cs_alloc(&cs, &k);
    }
    for (uint32_t r = 0; r < ROWS; r++) {
        for (int l = 0; l < 3; l++)
            for (uint32_t t = 0; t < (r + (uint32_t)l) % 6; t++) {
                x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
                fr_from_i64(&k, (int64_t)(x >> 33) % 5000 - 2500);
                lc_add(&cs.scratch[l], VAR_AUX | (uint32_t)(x >> 20) % VARS, &k);
            }
        cs_enforce(&cs);
    }
    assert_int_equal(cs_finish(&cs, &err), 0);
    assert_int_equal(csr_finish(&m, &cs, &err), 0);
    check_table(&m);
    struct pool *pool;
    assert_int_equal(pool_new(&pool, 2, &err), 0);
    struct fr *out = malloc((ROWS + 1) * sizeof *out);
    const struct csr_matrix *matrix[] = {&m.a, &m.b, &m.c};
    const struct fr_list *list[] = {&cs.a, &cs.b, &cs.c};
    for (int i = 0; i < 3; i++) {
        csr_eval(out, &m, matrix[i], cs.inputs.v, cs.aux.v, pool);
        assert_memory_equal(out, list[i]->v, (ROWS + 1) * sizeof *out);
    }
    free(out);
    pool_destroy(pool);
    csr_clean_up(&m);
    cs_clean_up(&cs);
}

static int load(void **state)
{
    *state = json_load("groth16_tiny.json");
    return 0;
}

static int unload(void **state)
{
    yajl_tree_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digest),
        cmocka_unit_test(stats),
        cmocka_unit_test(evaluation),
        cmocka_unit_test(difference_is_named),
        cmocka_unit_test(check_names_the_row),
        cmocka_unit_test(failure_is_sticky),
        cmocka_unit_test(csr_many),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
