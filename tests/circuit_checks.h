/* What tests of circuits share: the same circuit in all modes, and its shape against tests/data/circuits. */
#ifndef CUZK_TESTS_CIRCUIT_CHECKS_H
#define CUZK_TESTS_CIRCUIT_CHECKS_H

#include "json_data.h"

#include "hash/sha256.h"
#include "r1cs/cs.h"
#include "r1cs/sinks.h"

struct circuit_under_test {
    void (*synthesize)(struct cs *cs, void *ctx);
    void *ctx;
};

static inline void assert_ok(int rc, const struct error *err)
{
    if (rc != 0)
        fail_msg("%s", err->text);
}

/* ---- counts ---- */

struct counts {
    uint64_t inputs, aux, rows;
};

static inline struct counts count_rows(struct circuit_under_test t)
{
    struct cs cs;
    cs_init_shape(&cs, NULL);
    t.synthesize(&cs, t.ctx);
    struct counts c = {cs.num_inputs, cs.num_aux, cs.num_rows};
    assert_int_equal(cs.failed, 0);
    cs_clean_up(&cs);
    return c;
}

/* ---- the modes against one another ---- */

static inline void run_native(struct assignment *out, struct circuit_under_test t,
                              struct pool *pool)
{
    struct cs cs;
    struct error err;
    cs_init_native(&cs, out, pool);
    t.synthesize(&cs, t.ctx);
    assert_ok(cs_finish(&cs, &err), &err);
    cs_clean_up(&cs);
}

static inline void assert_same(const struct assignment *x, const struct assignment *y)
{
    char where[200];
    if (!assignment_equal(x, y, where, sizeof where))
        fail_msg("%s", where);
}

static inline void assert_csr_product(const struct csr *m, const struct csr_matrix *which,
                                      const struct cs *values, const struct fr_list *want,
                                      char name)
{
    struct fr *got = malloc(want->len * sizeof *got);
    assert_non_null(got);
    assert_int_equal(which->rows, want->len);
    csr_eval(got, m, which, values->inputs.v, values->aux.v, NULL);
    for (size_t i = 0; i < want->len; i++)
        if (!fr_equal(&got[i], &want->v[i]))
            fail_msg("row %zu of %c: the recorded shape gives another value", i, name);
    free(got);
}

/* Rows that hold (check mode), the native evaluator's witness and row values equal to those of the linear combinations and to
 * the products of the recorded shape with the witness. native: what run_native gave. */
static inline void check_paths(const struct assignment *native, struct circuit_under_test t)
{
    struct cs cs, shape;
    struct csr csr = {0};
    struct error err;
    struct assignment typed = {0};
    struct row_sink sink = csr_sink(&csr);
    cs_init_generic(&cs, CS_CHECK, NULL);
    t.synthesize(&cs, t.ctx);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_ok(cs_take_typed(&cs, &typed, &err), &err);
    assert_same(native, &typed);

    cs_init_shape(&shape, &sink);
    t.synthesize(&shape, t.ctx);
    assert_ok(cs_finish(&shape, &err), &err);
    assert_ok(csr_finish(&csr, &shape, &err), &err);
    assert_int_equal(csr.num_inputs, cs.num_inputs);
    assert_int_equal(csr.num_aux, cs.num_aux);
    assert_csr_product(&csr, &csr.a, &cs, &cs.a, 'A');
    assert_csr_product(&csr, &csr.b, &cs, &cs.b, 'B');
    assert_csr_product(&csr, &csr.c, &cs, &cs.c, 'C');
    csr_clean_up(&csr);
    cs_clean_up(&shape);
    cs_clean_up(&cs);
    assignment_clean_up(&typed);
}

static inline void check_modes(struct circuit_under_test t)
{
    struct assignment native = {0};
    run_native(&native, t, NULL);
    check_paths(&native, t);
    assignment_clean_up(&native);
}

/* The first row that check mode finds wrong. */
static inline uint64_t first_bad_row(struct circuit_under_test t)
{
    struct cs cs;
    struct error err;
    cs_init_generic(&cs, CS_CHECK, NULL);
    t.synthesize(&cs, t.ctx);
    assert_int_equal(cs_finish(&cs, &err), ERR_DATA);
    assert_string_equal(err.cause, "row-unsatisfied");
    uint64_t row = cs.fault.row;
    cs_clean_up(&cs);
    return row;
}

/* ---- shapes against the reference's ---- */

struct tee {
    struct row_sink first, second;
};

static inline void tee_row(void *ctx, const struct row *row)
{
    struct tee *t = ctx;
    t->first.row(t->first.ctx, row);
    t->second.row(t->second.ctx, row);
}

static inline void assert_hex(const uint8_t *got, size_t n, const char *want, const char *what)
{
    char hex[2 * 192 + 1]; /* a proof's bytes at most */
    assert_true(2 * n < sizeof hex);
    for (size_t i = 0; i < n; i++)
        snprintf(hex + 2 * i, 3, "%02x", got[i]);
    if (strcmp(hex, want) != 0)
        fail_msg("%s is %s, not %s", what, hex, want);
}

static inline void assert_bitmap(const struct bitmap *b, yajl_val density, const char *name)
{
    char key[64];
    uint8_t digest[32], byte;
    assert_int_equal(bitmap_popcount(b), json_u64(json_get(density, name)));
    struct sha256_stream *s = sha256_new();
    for (size_t i = 0; i < b->len; i += 8) {
        byte = (uint8_t)(b->word[i / 64] >> (i % 64));
        sha256_update(s, &byte, 1);
    }
    sha256_finish(s, digest);
    snprintf(key, sizeof key, "%s_bits_sha256", name);
    assert_hex(digest, 32, json_string(json_get(density, key)), key);
}

static inline void assert_stats(const struct shape_stats *s, yajl_val want)
{
    yajl_val nnz = json_get(want, "nnz"), density = json_get(want, "density");
    assert_int_equal(s->num_inputs, json_u64(json_get(want, "num_inputs")));
    assert_int_equal(s->num_aux, json_u64(json_get(want, "num_aux")));
    assert_int_equal(s->num_constraints, json_u64(json_get(want, "num_constraints")));
    assert_int_equal(s->nnz_a, json_u64(json_get(nnz, "a")));
    assert_int_equal(s->nnz_b, json_u64(json_get(nnz, "b")));
    assert_int_equal(s->nnz_c, json_u64(json_get(nnz, "c")));
    assert_bitmap(&s->density.a_aux, density, "a_aux");
    assert_bitmap(&s->density.b_input, density, "b_input");
    assert_bitmap(&s->density.b_aux, density, "b_aux");
}

/* Reads the file of checkpoints line by line as the rows stream past; stops at the first that differs. */
struct checkpoint_reader {
    char *text, *at;
    uint64_t good; /* rows so far that agree */
};

static inline void checkpoint(void *ctx, uint64_t rows, const uint8_t hash[32])
{
    struct checkpoint_reader *r = ctx;
    unsigned long long want_rows;
    char want[65], got[65];
    int n;
    if (sscanf(r->at, "%llu\t%64s\n%n", &want_rows, want, &n) != 2 || want_rows != rows)
        fail_msg("no checkpoint for %llu rows", (unsigned long long)rows);
    r->at += n;
    for (size_t i = 0; i < 32; i++)
        snprintf(got + 2 * i, 3, "%02x", hash[i]);
    if (strcmp(got, want) != 0)
        fail_msg("the first differing row is among rows [%llu, %llu)", (unsigned long long)r->good,
                 (unsigned long long)rows);
    r->good = rows;
}

/* blank streams the circuit's rows; name is a file of tests/data/circuits without .json. */
static inline void check_shape(const char *name, struct circuit_under_test blank)
{
    char file[100];
    struct error err;
    struct shape_stats stats = {0};
    uint8_t hash[32];
    snprintf(file, sizeof file, "circuits/%s.json", name);
    yajl_val want = json_load(file);
    snprintf(file, sizeof file, "circuits/%s.checkpoints.tsv", name);
    struct checkpoint_reader reader = {.text = data_read(NULL, file)};
    reader.at = strchr(reader.text, '\n') + 1;

    struct shape_digest *digest = shape_digest_new(json_u64(json_get(want, "num_inputs")),
                                                   json_u64(json_get(want, "num_aux")),
                                                   json_u64(json_get(want, "num_constraints")));
    assert_non_null(digest);
    shape_digest_checkpoints(digest, json_u64(json_get(want, "checkpoint_step")), checkpoint,
                             &reader);
    struct tee tee = {shape_stats_sink(&stats), shape_digest_sink(digest)};
    struct row_sink sink = {tee_row, &tee};
    struct cs cs;
    cs_init_shape(&cs, &sink);
    blank.synthesize(&cs, blank.ctx);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_ok(shape_stats_finish(&stats, &cs, &err), &err);
    assert_stats(&stats, want);
    shape_digest_finish(digest, hash);
    assert_hex(hash, 32, json_string(json_get(want, "test_cs_hash")), "test_cs_hash");
    assert_true(reader.good > 0);
    free(reader.text);
    shape_stats_clean_up(&stats);
    cs_clean_up(&cs);
    yajl_tree_free(want);
}

/* A circuit's counts where the reference's rows aren't at hand: they follow from a count model that gives the reference's figures
 * for the other sizes. Final rows apart. */
struct shape_counts {
    uint64_t inputs, rows, aux, a_aux, b_aux, nnz_a, nnz_b, nnz_c;
};

static inline void check_counts(const struct shape_counts *want, struct circuit_under_test blank)
{
    struct error err;
    struct shape_stats s = {0};
    struct row_sink sink = shape_stats_sink(&s);
    struct cs cs;
    cs_init_shape(&cs, &sink);
    blank.synthesize(&cs, blank.ctx);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_ok(shape_stats_finish(&s, &cs, &err), &err);
    assert_int_equal(s.num_inputs, want->inputs);
    assert_int_equal(s.num_constraints, want->rows);
    assert_int_equal(s.num_aux, want->aux);
    assert_int_equal(bitmap_popcount(&s.density.a_aux), want->a_aux);
    assert_int_equal(bitmap_popcount(&s.density.b_aux), want->b_aux);
    assert_int_equal(bitmap_popcount(&s.density.b_input), 1);
    assert_int_equal(s.nnz_a, want->nnz_a);
    assert_int_equal(s.nnz_b, want->nnz_b);
    assert_int_equal(s.nnz_c, want->nnz_c);
    shape_stats_clean_up(&s);
    cs_clean_up(&cs);
}

/* ---- values against the reference's ---- */

static inline void assert_tvec(const struct tvec *v, const struct fr *prefix, size_t n,
                               yajl_val object, const char *key)
{
    uint8_t digest[32];
    tvec_sha256(digest, v, prefix, n);
    assert_hex(digest, 32, json_string(json_get(object, key)), key);
}

/* The first block of the witness that differs from the reference's. */
static inline void assert_prefixes(const struct tvec *aux, yajl_val prefixes)
{
    uint64_t good = 0;
    for (size_t i = 0; i < json_len(prefixes); i++) {
        struct tvec head = *aux;
        uint8_t digest[32], want[32];
        head.len = json_u64(json_at(json_at(prefixes, i), 0));
        json_hex(want, 32, json_at(json_at(prefixes, i), 1));
        tvec_sha256(digest, &head, NULL, 0);
        if (memcmp(digest, want, 32) != 0)
            fail_msg("the first differing variable is among [%llu, %zu)", (unsigned long long)good,
                     head.len);
        good = head.len;
    }
}

/* Inputs, witness and row values of a partition; want is of partition_assignments, trace of prover_traces or NULL. */
static inline void assert_reference_values(const struct assignment *w, yajl_val want,
                                           yajl_val trace)
{
    yajl_val inputs = json_get(want, "public_inputs_le"), aux_hash = json_get(want, "aux_sha256");
    struct tvec none = {0};
    uint8_t a[32], b[32];
    assert_int_equal(w->num_inputs, json_u64(json_get(want, "num_inputs")));
    assert_int_equal(w->aux.len, json_u64(json_get(want, "num_aux")));
    for (size_t i = 1; i < w->num_inputs; i++) {
        fr_to_bytes(a, &w->inputs[i]);
        json_hex(b, 32, json_at(inputs, i - 1));
        assert_memory_equal(a, b, 32);
    }
    tvec_sha256(a, &w->aux, NULL, 0);
    json_hex(b, 32, aux_hash);
    if (memcmp(a, b, 32) != 0)
        assert_prefixes(&w->aux, json_get(want, "aux_prefix_sha256"));
    assert_tvec(&w->aux, NULL, 0, want, "aux_sha256");
    assert_tvec(&none, w->inputs, w->num_inputs, want, "inputs_sha256");
    assert_tvec(&w->aux, w->inputs, w->num_inputs, want, "assignment_sha256");
    if (trace == NULL)
        return;
    assert_int_equal(w->a.len, json_u64(json_get(trace, "num_rows_with_input_constraints")));
    assert_tvec(&w->a, NULL, 0, trace, "sha256_a_evals");
    assert_tvec(&w->b, NULL, 0, trace, "sha256_b_evals");
    assert_tvec(&w->c, NULL, 0, trace, "sha256_c_evals");
}

#endif
