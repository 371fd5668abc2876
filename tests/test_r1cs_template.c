/* Templates: the rows that come out are those that went in, their values those of the linear combinations, and nothing that is wrong
 * with a file is believed. */
/* ctest: quick asan */
#include "recorded_toy.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"

static char folder[] = "/tmp/cuzk-templates-XXXXXX";
static char path[100];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/toy.templates", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void assert_rows(const struct templates *t, unsigned challenges)
{
    struct error err;
    uint8_t want[32], have[32];
    struct toy_hash h = {.stream = sha256_new()};
    struct row_sink sink = {toy_hash_row, &h};
    toy_ok(templates_rows(t, &sink, &err), &err);
    sha256_finish(h.stream, have);
    toy_rows_digest(want, challenges);
    assert_memory_equal(have, want, 32);
    assert_int_equal(h.rows, t->num_rows + t->num_inputs);
    assert_int_equal(h.last, t->num_inputs);
}

static void assert_values(const struct row_values *v, size_t n, const struct fr *want,
                          const char *what, uint64_t first)
{
    size_t full = 0;
    for (size_t i = 0; i < n; i++) {
        struct fr x;
        if (v->small[i] == TVEC_FULL)
            x = v->full[full++];
        else
            fr_from_i64(&x, v->small[i]);
        if (!fr_equal(&x, &want[i]))
            fail_msg("%s, row %zu behind %llu", what, i, (unsigned long long)first);
    }
    assert_int_equal(full, v->full_len);
}

enum { MOST = 9000 };

/* Rows [first, first + n) against those that cs computed. */
static void assert_slice(const struct templates *t, const struct witness *w, const struct cs *cs,
                         uint64_t first, size_t n)
{
    static int8_t small[3][MOST + TEMPLATE_SLACK];
    static struct fr full[3][MOST];
    const struct fr_list *want[] = {&cs->a, &cs->b, &cs->c};
    static const char *const names[] = {"A", "B", "C"};
    struct row_values v[3];
    assert_true(n <= MOST);
    for (int m = 0; m < 3; m++)
        v[m] = (struct row_values){small[m], full[m], 99};
    templates_eval(v, t, w, first, n);
    if (first + n > cs->a.len)
        n = first < cs->a.len ? cs->a.len - first : 0;
    for (int m = 0; m < 3; m++)
        assert_values(&v[m], n, want[m]->v + first, names[m], first);
}

static void recorded_and_evaluated(void **state)
{
    (void)state;
    struct templates t;
    struct cs cs;
    struct toy_witness w;
    toy_record(&t, &cs, 30);
    toy_take_witness(&w, &cs);
    assert_int_equal(t.num_inputs, cs.num_inputs);
    assert_int_equal(t.num_aux, cs.num_aux);
    assert_int_equal(t.num_rows, cs.num_rows - cs.num_inputs);
    assert_true(t.num_rows > 7000 && cs.num_rows <= MOST);
    assert_rows(&t, 30);
    assert_slice(&t, &w.w, &cs, 0, cs.num_rows);
    assert_slice(&t, &w.w, &cs, 0, MOST); /* what lies behind is not touched */
    struct toy random = {.seed = 1};
    for (int i = 0; i < 400; i++) {
        uint64_t first = toy_random(&random) % cs.num_rows;
        assert_slice(&t, &w.w, &cs, first, toy_random(&random) % 60);
    }
    for (uint64_t first = t.num_rows - 20; first < cs.num_rows + 2; first++)
        assert_slice(&t, &w.w, &cs, first, 7);
    toy_free_witness(&w);
    templates_clean_up(&t);
    cs_clean_up(&cs);
}

/* A witness that is full elements where bits were: no shortcut for small values may be taken. */
static void evaluated_with_other_values(void **state)
{
    (void)state;
    struct templates t;
    struct cs cs, other;
    struct toy_witness w;
    struct error err;
    struct csr csr = {0};
    struct row_sink sink = csr_sink(&csr);
    toy_record(&t, &cs, 5);
    cs_init_shape(&other, &sink);
    toy_synthesize(&other, 5);
    toy_ok(cs_finish(&other, &err), &err);
    toy_ok(csr_finish(&csr, &other, &err), &err);
    for (int every = 1; every < 40; every += 6) {
        for (size_t i = 0; i < cs.aux.len; i += (size_t)every)
            toy_wide(&cs.aux.v[i], i);
        csr_eval(cs.a.v, &csr, &csr.a, cs.inputs.v, cs.aux.v, NULL);
        csr_eval(cs.b.v, &csr, &csr.b, cs.inputs.v, cs.aux.v, NULL);
        csr_eval(cs.c.v, &csr, &csr.c, cs.inputs.v, cs.aux.v, NULL);
        toy_take_witness(&w, &cs);
        assert_slice(&t, &w.w, &cs, 0, cs.num_rows);
        toy_free_witness(&w);
        for (size_t i = 0; i < cs.aux.len; i++)
            fr_from_i64(&cs.aux.v[i], (int64_t)(i * 37 % 255) - 127);
    }
    csr_clean_up(&csr);
    templates_clean_up(&t);
    cs_clean_up(&cs);
    cs_clean_up(&other);
}

static void repetition_is_stored_once(void **state)
{
    (void)state;
    struct templates few, many;
    struct cs cs;
    toy_record(&few, &cs, 40);
    cs_clean_up(&cs);
    toy_record(&many, &cs, 400);
    assert_true(many.num_rows > 9 * few.num_rows);
    assert_int_equal(many.terms, few.terms);
    assert_int_equal(many.forms, few.forms);
    assert_int_equal(many.coeffs, few.coeffs);
    assert_true(many.runs <= few.runs + 3000);
    assert_true(templates_bytes(&many) < 3 * templates_bytes(&few));
    templates_clean_up(&few);
    templates_clean_up(&many);
    cs_clean_up(&cs);
}

static void no_rows(void **state)
{
    (void)state;
    struct template_recorder *r;
    struct templates t;
    struct error err;
    struct cs cs;
    toy_ok(template_recorder_new(&r, &err), &err);
    struct row_sink sink = template_recorder_sink(r);
    cs_init_generic(&cs, CS_GENERIC, &sink);
    toy_ok(cs_finish(&cs, &err), &err);
    toy_ok(template_recorder_finish(&t, r, &cs, &err), &err);
    assert_int_equal(t.num_rows, 0);
    struct toy_witness w;
    toy_take_witness(&w, &cs);
    assert_slice(&t, &w.w, &cs, 0, 5);
    toy_free_witness(&w);
    templates_clean_up(&t);
    cs_clean_up(&cs);
}

static void feed_row(struct row_sink *sink, uint32_t var, int last)
{
    struct term term = {var, FR_ONE};
    struct row row = {.a = &term, .b = &term, .c = &term, .a_len = 1, .last = last};
    sink->row(sink->ctx, &row);
}

static void what_cannot_be_recorded(void **state)
{
    (void)state;
    const struct {
        uint32_t var;
        int last, code;
    } cases[] = {{VAR_AUX | TEMPLATE_MAX_VARS, 0, ERR_UNAVAILABLE},
                 {TEMPLATE_MAX_VARS, 0, ERR_UNAVAILABLE},
                 {1, 1, ERR_SOFTWARE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct template_recorder *r;
        struct templates t;
        struct error err;
        struct cs cs = {.num_inputs = 2, .num_aux = 1};
        toy_ok(template_recorder_new(&r, &err), &err);
        struct row_sink sink = template_recorder_sink(r);
        feed_row(&sink, cases[i].var, cases[i].last);
        feed_row(&sink, VAR_ONE, 0);
        assert_int_equal(template_recorder_finish(&t, r, &cs, &err), cases[i].code);
        assert_string_equal(err.cause, "templates-unfit");
        assert_null(t.run);
    }
}

static void witness_lookup(void **state)
{
    (void)state;
    struct error err;
    struct tvec v;
    struct witness w;
    enum { N = 500 };
    uint32_t index[N / TVEC_BLOCK + 2];
    struct toy random = {.seed = 3};
    for (int round = 0; round < 20; round++) {
        toy_ok(tvec_init(&v, N, N, "a test's vector", &err), &err);
        for (v.len = 0; v.len < N; v.len++) {
            v.small[v.len] = toy_random(&random) % 20 < (unsigned)round
                                 ? TVEC_FULL
                                 : (int8_t)(toy_random(&random) % 255 - 127);
            if (v.small[v.len] == TVEC_FULL)
                toy_wide(&v.full[v.full_len++], v.len);
        }
        tvec_index(index, &v);
        toy_ok(witness_init(&w, NULL, 0, &v, &err), &err);
        for (size_t i = 0; i < N; i++) {
            struct fr want;
            tvec_get(&want, &v, index, i);
            assert_true(fr_equal(witness_aux(&w, i), &want));
        }
        witness_clean_up(&w);
        tvec_clean_up(&v);
    }
}

/* ---- files ---- */

static const uint8_t digest[32] = {1, 2, 3};

static void assert_refused(const uint8_t *data, size_t n, const char *cause)
{
    struct templates t;
    char id[TEMPLATE_ID_BYTES + 1];
    uint8_t d[32];
    struct error err = {0};
    assert_int_equal(templates_parse(&t, id, d, data, n, &err), ERR_DATA);
    if (cause != NULL)
        assert_string_equal(err.cause, cause);
    assert_true(err.text[0] != 0);
    assert_null(t.term);
}

/* The toy's file, in memory. */
static uint8_t *toy_file(size_t *n, unsigned challenges)
{
    struct templates t;
    struct cs cs;
    struct error err;
    uint8_t *data;
    toy_record(&t, &cs, challenges);
    toy_ok(templates_write(path, &t, "toy", digest, &err), &err);
    toy_ok(file_read(&data, n, path, 1 << 24, &err), &err);
    assert_int_equal(*n, templates_file_bytes(&t));
    templates_clean_up(&t);
    cs_clean_up(&cs);
    return data;
}

static void written_and_read(void **state)
{
    (void)state;
    struct templates t;
    struct error err;
    char id[TEMPLATE_ID_BYTES + 1];
    uint8_t d[32];
    size_t n;
    free(toy_file(&n, 12));
    toy_ok(templates_read(&t, id, d, path, &err), &err);
    assert_string_equal(id, "toy");
    assert_memory_equal(d, digest, 32);
    assert_rows(&t, 12);
    templates_clean_up(&t);
    assert_int_equal(truncate(path, (off_t)n - 1), 0);
    assert_int_equal(templates_read(&t, id, d, path, &err), ERR_DATA);
    assert_string_equal(err.cause, "templates-truncated");
    assert_non_null(strstr(err.text, path));
    assert_int_equal(truncate(path, (off_t)1 << 31), 0);
    assert_int_equal(templates_read(&t, id, d, path, &err), ERR_DATA);
    assert_string_equal(err.cause, "templates-too-long");
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(templates_read(&t, id, d, path, &err), ERR_DATA);
    assert_string_equal(err.cause, "templates-empty");
    unlink(path);
    assert_int_equal(templates_read(&t, id, d, path, &err), ERR_NO_INPUT);
}

static void cut_and_altered(void **state)
{
    (void)state;
    size_t n;
    uint8_t *data = toy_file(&n, 1);
    for (size_t i = 0; i < n; i += i < 300 ? 1 : 7)
        assert_refused(data, i, i == 0 ? "templates-empty" : "templates-truncated");
    for (size_t i = 0; i < n; i += i < 300 ? 1 : 7) {
        data[i] ^= 0x10;
        assert_refused(data, n,
                       i < 8                 ? "templates-magic"
                       : i < 12              ? "templates-version"
                       : i >= 176 && i < 184 ? NULL
                                             : "templates-checksum");
        data[i] ^= 0x10;
    }
    struct templates t;
    struct error err;
    char id[TEMPLATE_ID_BYTES + 1];
    uint8_t d[32];
    data[8] = 3;
    assert_int_equal(templates_parse(&t, id, d, data, n, &err), ERR_DATA);
    assert_string_equal(err.text, "byte 8: version is 3, expected 1");
    data[8] = 1;
    memcpy(data, "PCE\2abcd", 8);
    assert_int_equal(templates_parse(&t, id, d, data, n, &err), ERR_DATA);
    assert_non_null(strstr(err.text, "begins with \"PCE\\x02abcd\", expected CUZKTMPL"));
    memcpy(data, "CUZKTMPL", 8);
    uint8_t *longer = realloc(data, n + 1);
    assert_non_null(longer);
    longer[n] = 0;
    assert_refused(longer, n + 1, "templates-trailing");
    free(longer);
}

/* Evaluates some rows, streams the first ones: whatever was accepted must be harmless. */
static void use(const struct templates *t, const struct toy_witness *w)
{
    static int8_t small[3][300 + TEMPLATE_SLACK];
    static struct fr full[3][300];
    if (t->num_inputs != w->w.num_inputs || t->num_aux != w->w.num_aux)
        return;
    struct row_values v[3];
    for (int m = 0; m < 3; m++)
        v[m] = (struct row_values){small[m], full[m], 0};
    templates_eval(v, t, &w->w, 0, 300);
    templates_eval(v, t, &w->w, t->num_rows - t->num_rows / 3, 300);
}

/* With a checksum that fits: numbers out of range are found, and what is in range does no harm. */
static void altered_and_sealed_again(void **state)
{
    (void)state;
    size_t n, refused = 0;
    struct templates t;
    struct cs cs;
    struct toy_witness w;
    struct error err;
    char id[TEMPLATE_ID_BYTES + 1];
    uint8_t d[32], *data = toy_file(&n, 1);
    toy_record(&t, &cs, 1);
    templates_clean_up(&t);
    toy_take_witness(&w, &cs);
    for (size_t i = 12; i < n - 32; i += i < 300 ? 1 : 5) {
        uint8_t was = data[i];
        for (int flip = 0; flip < 2; flip++) {
            data[i] = flip ? (uint8_t)(was ^ 0x80) : (uint8_t)(was + 1);
            sha256(data + n - 32, data, n - 32);
            if (templates_parse(&t, id, d, data, n, &err) == 0) {
                use(&t, &w);
                templates_clean_up(&t);
            } else {
                assert_int_equal(err.code, ERR_DATA);
                refused++;
            }
        }
        data[i] = was;
    }
    assert_true(refused > n / 20);
    toy_free_witness(&w);
    cs_clean_up(&cs);
    free(data);
}

/* One number of a file's content set, by what it is. */
static void forge(const uint8_t *data, size_t n, size_t at, uint32_t value, const char *text)
{
    struct templates t;
    struct error err;
    char id[TEMPLATE_ID_BYTES + 1];
    uint8_t d[32], *copy = malloc(n);
    assert_non_null(copy);
    memcpy(copy, data, n);
    memcpy(copy + at, &value, 4);
    sha256(copy + n - 32, copy, n - 32);
    assert_int_equal(templates_parse(&t, id, d, copy, n, &err), ERR_DATA);
    assert_string_equal(err.cause, "templates-malformed");
    if (strstr(err.text, text) == NULL)
        fail_msg("\"%s\" should name %s", err.text, text);
    free(copy);
}

static uint64_t u64_at(const uint8_t *data, size_t at)
{
    uint64_t v;
    memcpy(&v, data + at, 8);
    return v;
}

static void numbers_out_of_range(void **state)
{
    (void)state;
    size_t n;
    uint8_t *data = toy_file(&n, 2);
    size_t coeffs = u64_at(data, 128), terms = u64_at(data, 136), forms = u64_at(data, 144),
           runs = u64_at(data, 152), count = u64_at(data, 160);
    size_t term = 192 + 32 * coeffs, form = term + 8 * terms, run = form + 24 * forms,
           first_run = run + 8 * runs, instance = first_run + 4 * (count + 1);
    uint32_t aux = (uint32_t)u64_at(data, 88), many = UINT32_MAX;
    forge(data, n, 12, 1, "byte 12: reserved field is 1, expected 0");
    forge(data, n, 184, 7, "byte 184: reserved field is 7, expected 0");
    forge(data, n, 80, 0, "num_inputs is 0, expected 1 to ");
    forge(data, n, 80, TEMPLATE_MAX_VARS + 1, "num_inputs is ");
    forge(data, n, 88, aux / 2, "out of range");
    forge(data, n, 92, 1, "num_aux is ");
    forge(data, n, 96, (uint32_t)u64_at(data, 96) - 1, "out of range");
    forge(data, n, 96, (uint32_t)u64_at(data, 96) + 1, "rows");
    forge(data, n, 104, 0, "terms are stated");
    forge(data, n, 128, 1, "byte 128: the arrays of these lengths make a file of ");
    forge(data, n, 132, 1, "byte 128: number of coefficients is ");
    forge(data, n, 156, 1, "byte 152: number of runs is ");
    forge(data, n, 192 + 28, many, "coefficient 0");
    forge(data, n, 192, 2, "coefficients 0 and 1 are others, expected 1 and -1");
    forge(data, n, term, (uint32_t)TEMPLATE_AUX << 30 | aux, "term 0");
    forge(data, n, term, (uint32_t)TEMPLATE_INPUT << 30 | 12345, "term 0");
    forge(data, n, term, (uint32_t)TEMPLATE_NEAR << 30 | (TEMPLATE_BIAS - 1),
          "variable of instance");
    forge(data, n, term, (uint32_t)TEMPLATE_NEAR << 30 | (TEMPLATE_BIAS + aux),
          "variable of instance");
    forge(data, n, term, (uint32_t)TEMPLATE_NEW_INPUT << 30 | (TEMPLATE_BIAS - 2),
          "variable of instance");
    forge(data, n, term + 4, (uint32_t)coeffs, "term 0");
    forge(data, n, form, (uint32_t)terms + 1, "form 0");
    forge(data, n, form + 4, many, "form 0");
    forge(data, n, form + 16, 1000, "form 0");
    forge(data, n, form + 20, many, "form 0");
    forge(data, n, run, (uint32_t)forms, "run 0");
    forge(data, n, run + 4, 0, "run 0");
    forge(data, n, run + 4, many, "template 0");
    forge(data, n, first_run, 1, "template");
    forge(data, n, first_run + 4, (uint32_t)runs + 1, "template 0");
    forge(data, n, first_run + 4, 0, "template 0");
    forge(data, n, instance, (uint32_t)count, "instance 0");
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_and_evaluated),    cmocka_unit_test(evaluated_with_other_values),
        cmocka_unit_test(repetition_is_stored_once), cmocka_unit_test(no_rows),
        cmocka_unit_test(what_cannot_be_recorded),   cmocka_unit_test(witness_lookup),
        cmocka_unit_test(written_and_read),          cmocka_unit_test(cut_and_altered),
        cmocka_unit_test(altered_and_sealed_again),  cmocka_unit_test(numbers_out_of_range),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
