/* Synthesis by every path: equal, and a difference anywhere is found. */
/* ctest: quick asan tsan */
#include <unistd.h>

#include "proof_checks.h"

#include "proof/comparison.h"
#include "proof/synthesis.h"

static struct pool *pool;

static int set_up(void **state)
{
    struct error err;
    (void)state;
    assert_ok(cpu_init(&err), &err);
    field_init();
    assert_ok(pool_new(&pool, 4, &err), &err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pool_destroy(pool);
    return 0;
}

/* ---- comparison ---- */

enum { LEN = 3 * TVEC_BLOCK + 77, VARIABLES = TVEC_BLOCK + 5 };

/* What native made, and the same as field elements. */
struct both {
    struct assignment native;
    struct fr *value[COMPARED_STREAMS];
};

static void fill(struct tvec *v, struct fr *value, size_t len, uint64_t seed)
{
    struct error err;
    assert_ok(tvec_reserve(v, len, len, "test", &err), &err);
    for (size_t i = 0; i < len; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        if (seed >> 40 & 7) {
            v->small[i] = (int8_t)((seed >> 50 & 7) - 3);
            fr_from_i64(&value[i], v->small[i]);
        } else {
            fr_from_u64(&value[i], seed);
            v->small[i] = TVEC_FULL;
            v->full[v->full_len++] = value[i];
        }
    }
    v->len = len;
}

static void make(struct both *b)
{
    struct tvec *streams[] = {&b->native.aux, &b->native.a, &b->native.b, &b->native.c};
    memset(b, 0, sizeof *b);
    for (int s = 0; s < COMPARED_STREAMS; s++) {
        size_t len = s == COMPARED_AUX ? VARIABLES : LEN;
        b->value[s] = malloc(len * sizeof *b->value[s]);
        assert_non_null(b->value[s]);
        fill(streams[s], b->value[s], len, (uint64_t)s + 1);
    }
}

static void unmake(struct both *b)
{
    assignment_clean_up(&b->native);
    for (int s = 0; s < COMPARED_STREAMS; s++)
        free(b->value[s]);
}

struct blocks {
    struct comparison *c;
    const struct both *b;
    enum compared_stream stream;
    size_t len;
};

static void compare_block(void *ctx, size_t i)
{
    const struct blocks *x = ctx;
    size_t first = i * TVEC_BLOCK, rest = x->len - first;
    comparison_block(x->c, x->stream, first, rest < TVEC_BLOCK ? rest : TVEC_BLOCK,
                     x->b->value[x->stream] + first);
}

static uint64_t differing[COMPARED_STREAMS]; /* found by compare */

/* Compares that many elements of each stream, in parallel. */
static int compare(const struct both *b, size_t variables, size_t rows, enum compared_stream from,
                   struct error *err)
{
    struct comparison *c;
    assert_ok(comparison_new(&c, &b->native, pool, err), err);
    for (int s = 0; s < COMPARED_STREAMS; s++) {
        struct blocks x = {c, b, (enum compared_stream)s, s == COMPARED_AUX ? variables : rows};
        pool_run(pool, tvec_blocks(x.len), compare_block, &x);
    }
    struct comparison_faults faults[COMPARED_STREAMS];
    comparison_faults(faults, c);
    int rc = comparison_finish(c, from, "other", err);
    comparison_destroy(c);
    for (int s = 0; s < COMPARED_STREAMS; s++) {
        differing[s] = faults[s].differing;
        assert_int_equal(faults[s].first == UINT64_MAX, faults[s].differing == 0);
    }
    return rc;
}

static void comparison_finds_what_differs(void **state)
{
    static const size_t places[] = {0, 1, TVEC_BLOCK - 1, TVEC_BLOCK, TVEC_BLOCK + 4};
    struct both b;
    struct error err;
    (void)state;
    make(&b);
    assert_ok(compare(&b, VARIABLES, LEN, COMPARED_AUX, &err), &err);
    for (int s = 0; s < COMPARED_STREAMS; s++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            char place[40];
            struct fr *v = &b.value[s][places[k]];
            fr_add(v, v, &FR_ONE);
            assert_int_equal(compare(&b, VARIABLES, LEN, COMPARED_AUX, &err), ERR_SOFTWARE);
            assert_string_equal(err.cause, "paths-differ");
            snprintf(place, sizeof place, "first in element %zu", places[k]);
            assert_non_null(strstr(err.text, place));
            for (int other = 0; other < COMPARED_STREAMS; other++)
                assert_int_equal(differing[other], other == s);
            fr_sub(v, v, &FR_ONE);
        }
    assert_int_equal(compare(&b, VARIABLES, LEN - 1, COMPARED_AUX, &err), ERR_SOFTWARE);
    assert_non_null(strstr(err.text, "elements of A"));
    assert_int_equal(compare(&b, TVEC_BLOCK, LEN, COMPARED_AUX, &err), ERR_SOFTWARE);
    assert_non_null(strstr(err.text, "elements of variables"));
    assert_ok(compare(&b, TVEC_BLOCK, LEN, COMPARED_A, &err), &err);
    /* More elements than native has: its last block ends early. */
    b.native.a.len -= 10;
    assert_int_equal(compare(&b, VARIABLES, LEN, COMPARED_AUX, &err), ERR_SOFTWARE);
    assert_int_equal(differing[COMPARED_A], 10);
    b.native.a.len += 10;
    unmake(&b);
}

/* Equal everywhere, but two rows do not hold. */
static void a_row_that_does_not_hold(void **state)
{
    enum { ROWS = 2 * TVEC_BLOCK, BAD = TVEC_BLOCK + 3 };
    struct assignment native = {0};
    struct tvec *streams[] = {&native.a, &native.b, &native.c};
    struct fr *value[3];
    struct error err;
    (void)state;
    for (int m = 0; m < 3; m++) {
        assert_ok(tvec_reserve(streams[m], ROWS, 0, "test", &err), &err);
        memset(streams[m]->small, 2 + m + (m == 2) * 2, ROWS); /* 2 * 3 = 6 */
        streams[m]->len = ROWS;
    }
    for (int bad = 0; bad < 2; bad++) {
        struct comparison *c;
        native.c.small[BAD] = native.c.small[BAD + 5] = (int8_t)(6 + bad);
        assert_ok(comparison_new(&c, &native, NULL, &err), &err);
        for (size_t first = 0; first < ROWS; first += TVEC_BLOCK) {
            for (int m = 0; m < 3; m++) {
                value[m] = malloc(TVEC_BLOCK * sizeof **value);
                assert_non_null(value[m]);
                for (size_t i = 0; i < TVEC_BLOCK; i++)
                    fr_from_i64(&value[m][i], streams[m]->small[first + i]);
            }
            comparison_rows(c, first, TVEC_BLOCK,
                            (const struct fr *const[]){value[0], value[1], value[2]});
            for (int m = 0; m < 3; m++)
                free(value[m]);
        }
        assert_int_equal(comparison_finish(c, COMPARED_A, "other", &err), bad ? ERR_SOFTWARE : 0);
        if (bad) {
            char row[40];
            snprintf(row, sizeof row, "row %d:", BAD);
            assert_string_equal(err.cause, "row-unsatisfied");
            assert_non_null(strstr(err.text, row));
        }
        comparison_destroy(c);
    }
    assignment_clean_up(&native);
}

/* ---- the paths ---- */

static void record(struct pce *p, const struct circuit *circuit)
{
    char dir[] = "/tmp/cuzk-test-XXXXXX";
    struct error err;
    assert_non_null(mkdtemp(dir));
    assert_ok(pce_record(circuit, dir, PCE_TEMPLATES, NULL, &err), &err);
    assert_ok(pce_open(p, circuit, dir, PCE_TEMPLATES, &err), &err);
    assert_int_equal(unlink(p->path), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void run_all(struct synthesis *s)
{
    struct synthesis_run run;
    struct error err;
    uint64_t rows;
    assert_ok(synthesis_run(&run, s, SYNTHESIS_NATIVE, 0, &err), &err);
    rows = run.rows;
    assert_ok(synthesis_run(&run, s, SYNTHESIS_NATIVE, 0, &err), &err);
    assert_int_equal(run.allocated.allocations, 0); /* buffers are kept */
    assert_ok(synthesis_run(&run, s, SYNTHESIS_CSR, 0, &err), &err);
    assert_int_equal(run.rows, rows);
    assert_true(run.witness_cpu_ns <= run.cpu_ns);
    uint64_t allocations = UINT64_MAX;
    for (enum lc_storage storage = LC_VEC; storage < LC_STORAGES; storage++) {
        s->storage = storage;
        s->presize = storage % 2;
        assert_ok(synthesis_run(&run, s, SYNTHESIS_LC, 0, &err), &err);
        assert_int_equal(run.rows, rows);
        assert_true(run.allocated.allocations < allocations); /* fewer, the more fits inside */
        allocations = run.allocated.allocations;
    }
}

static void paths_agree(void **state)
{
    struct proof_case c;
    struct pce recorded;
    (void)state;
    case_post(&c, "winning-2kib-1", &winning_kind, 0);
    record(&recorded, circuit_of(CIRCUIT_WINNING, SECTOR_2K));
    struct synthesis s = {.in = &c.in, .pool = pool, .recorded = &recorded};
    run_all(&s);
    s.validate = 1;
    run_all(&s);
    synthesis_clean_up(&s);
    pce_close(&recorded);
    case_free(&c);
}

/* One coefficient of one distinct row. */
static void a_wrong_matrix_is_found(void **state)
{
    struct proof_case c;
    struct pce recorded;
    struct synthesis_run run;
    struct error err;
    (void)state;
    case_post(&c, "winning-2kib-1", &winning_kind, 0);
    record(&recorded, circuit_of(CIRCUIT_WINNING, SECTOR_2K));
    struct synthesis s = {.in = &c.in, .pool = pool, .recorded = &recorded, .validate = 1};
    struct template_form *form = &recorded.templates.form[recorded.templates.forms / 2];
    struct template_term *term = &recorded.templates.term[form->term];
    term->coeff = term->coeff == COEFF_ONE ? COEFF_MINUS_ONE : COEFF_ONE;
    assert_int_equal(synthesis_run(&run, &s, SYNTHESIS_CSR, 0, &err), ERR_SOFTWARE);
    assert_string_equal(err.cause, "paths-differ");
    uint64_t faults = 0;
    for (int m = COMPARED_A; m < COMPARED_STREAMS; m++)
        faults += run.faults[m].differing;
    assert_true(faults > 0);
    synthesis_clean_up(&s);
    pce_close(&recorded);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparison_finds_what_differs), cmocka_unit_test(a_row_that_does_not_hold),
        cmocka_unit_test(paths_agree), cmocka_unit_test(a_wrong_matrix_is_found)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
