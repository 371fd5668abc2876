/* A circuit that repeats itself, for tests of recorded shapes: all kinds of rows that recording tells apart, and their values. */
#ifndef CUZK_TESTS_RECORDED_TOY_H
#define CUZK_TESTS_RECORDED_TOY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hash/sha256.h"
#include "r1cs/cs.h"
#include "r1cs/sinks.h"
#include "r1cs/template.h"
#include "r1cs/witness.h"

struct toy {
    unsigned challenges;
    uint64_t seed;
    struct cs *cs;
    uint32_t shared[40]; /* bits that all challenges refer to */
};

static inline uint64_t toy_random(struct toy *t)
{
    t->seed = t->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return t->seed >> 33;
}

static inline void toy_wide(struct fr *out, uint64_t seed)
{
    fr_from_u64(out, seed + 3);
    fr_pow_u64(out, out, 1000003);
}

static inline void toy_enforce(struct toy *t)
{
    cs_enforce(t->cs);
}

static inline uint32_t toy_bit(struct toy *t)
{
    uint32_t b = cs_alloc_bit(t->cs, toy_random(t) & 1);
    lc_add_one(cs_a(t->cs), VAR_ONE);
    lc_add_i64(cs_a(t->cs), b, -1);
    lc_add_one(cs_b(t->cs), b);
    toy_enforce(t);
    return b;
}

/* A small integer, in or just out of a signed byte's range. */
static inline uint32_t toy_small(struct toy *t)
{
    static const int64_t edge[] = {-129, -128, -127, -1, 0, 1, 127, 128, 129, 5};
    struct fr v;
    fr_from_i64(&v, edge[toy_random(t) % 10]);
    return cs_alloc(t->cs, &v);
}

/* Rows side by side: 32 xors of bits, some negated; 32 pairs of alternating rows that make two variables each. */
static inline void toy_words(struct toy *t, const uint32_t *x, const uint32_t *y)
{
    struct cs *cs = t->cs;
    for (int i = 0; i < 32; i++) {
        lc_add_i64(cs_a(cs), x[(i + 7) % 32], 2);
        lc_add_one(cs_b(cs), y[i]);
        lc_add_one(cs_c(cs), x[(i + 7) % 32]);
        lc_add_one(cs_c(cs), y[i]);
        lc_add_i64(cs_c(cs), cs_alloc_bit(cs, toy_random(t) & 1), -1);
        toy_enforce(t);
    }
    for (int i = 0; i < 32; i++) {
        uint32_t a = cs_alloc_bit(cs, toy_random(t) & 1), b = cs_alloc_bit(cs, 1);
        lc_add_one(cs_a(cs), x[i]);
        lc_add_one(cs_b(cs), t->shared[i]);
        lc_add_one(cs_c(cs), b);
        toy_enforce(t);
        lc_add_i64(cs_a(cs), a, -2);
        lc_add_one(cs_a(cs), y[i]);
        lc_add_one(cs_c(cs), a);
        toy_enforce(t);
    }
}

/* Few rows of many terms, of large coefficients, of sums that fit a byte or just don't. */
static inline void toy_sums(struct toy *t, const uint32_t *x, uint32_t wide)
{
    struct cs *cs = t->cs;
    struct fr k = FR_ONE, v;
    for (int i = 0; i < 32; i++, fr_double(&k, &k))
        lc_add(cs_a(cs), x[i], &k);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), wide);
    toy_enforce(t);
    for (int i = 0; i < 5; i++) {
        uint32_t s = toy_small(t), r = toy_small(t);
        lc_add_i64(cs_a(cs), s, 1);
        lc_add_i64(cs_b(cs), s, 100);
        lc_add_i64(cs_b(cs), x[i], -100);
        lc_add_i64(cs_c(cs), s, -120);
        lc_add_i64(cs_c(cs), r, 120);
        lc_add_i64(cs_c(cs), VAR_ONE, 15);
        toy_enforce(t);
    }
    toy_wide(&k, 1000);
    toy_wide(&v, toy_random(t));
    uint32_t product = cs_alloc(cs, &v);
    for (int i = 0; i < 20; i++, fr_sqr(&k, &k))
        lc_add(cs_a(cs), i % 2 ? product : x[i], &k);
    lc_add_one(cs_a(cs), wide);
    lc_add_i64(cs_a(cs), product, -1);
    lc_add_one(cs_b(cs), product);
    lc_add(cs_c(cs), wide, &k);
    toy_enforce(t);
    toy_enforce(t); /* <0 | 0 | 0> */
}

static inline void toy_challenge(struct toy *t)
{
    struct cs *cs = t->cs;
    uint32_t x[32], y[32];
    struct fr v;
    toy_wide(&v, toy_random(t));
    uint32_t wide = cs_alloc(cs, &v);
    for (int i = 0; i < 32; i++)
        x[i] = toy_bit(t);
    for (int i = 0; i < 32; i++)
        y[i] = toy_bit(t);
    uint32_t input = cs_alloc_input(cs, &v);
    lc_add_one(cs_a(cs), input);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), wide);
    toy_enforce(t);
    toy_words(t, x, y);
    toy_words(t, t->shared, x);
    toy_sums(t, y, wide);
    lc_add_i64(cs_a(cs), input, 3);
    lc_add_i64(cs_a(cs), 1, 2); /* the first input, by number */
    lc_add_one(cs_b(cs), t->shared[0]);
    toy_enforce(t);
}

/* Synthesises the toy on cs, in any of the row modes. */
static inline void toy_synthesize(struct cs *cs, unsigned challenges)
{
    struct toy t = {.challenges = challenges, .seed = 7, .cs = cs};
    struct fr v;
    toy_wide(&v, 1);
    cs_alloc_input(cs, &v);
    for (int i = 0; i < 40; i++)
        t.shared[i] = toy_bit(&t);
    for (unsigned i = 0; i < challenges; i++)
        toy_challenge(&t);
    toy_wide(&v, 2);
    cs_alloc(cs, &v); /* no row mentions it */
}

static inline void toy_ok(int rc, const struct error *err)
{
    if (rc != 0)
        fail_msg("%s", err->text);
}

/* Recorded, and its values kept in cs (generic mode). */
static inline void toy_record(struct templates *t, struct cs *cs, unsigned challenges)
{
    struct error err;
    struct template_recorder *r;
    toy_ok(template_recorder_new(&r, &err), &err);
    struct row_sink sink = template_recorder_sink(r);
    cs_init_generic(cs, CS_GENERIC, &sink);
    toy_synthesize(cs, challenges);
    toy_ok(cs_finish(cs, &err), &err);
    toy_ok(template_recorder_finish(t, r, cs, &err), &err);
}

/* ---- rows as a digest ---- */

struct toy_hash {
    struct sha256_stream *stream;
    uint64_t rows, last;
};

static inline void toy_hash_terms(struct toy_hash *h, const struct term *term, size_t n)
{
    sha256_update(h->stream, &n, sizeof n);
    for (size_t i = 0; i < n; i++) {
        sha256_update(h->stream, &term[i].var, sizeof term[i].var);
        sha256_update(h->stream, &term[i].coeff, sizeof term[i].coeff);
    }
}

static inline void toy_hash_row(void *ctx, const struct row *row)
{
    struct toy_hash *h = ctx;
    assert_int_equal(row->index, h->rows);
    h->rows++;
    h->last += row->last != 0;
    toy_hash_terms(h, row->a, row->a_len);
    toy_hash_terms(h, row->b, row->b_len);
    toy_hash_terms(h, row->c, row->c_len);
}

/* SHA-256 of the rows that the circuit itself streams. */
static inline void toy_rows_digest(uint8_t out[32], unsigned challenges)
{
    struct toy_hash h = {.stream = sha256_new()};
    struct row_sink sink = {toy_hash_row, &h};
    struct cs cs;
    struct error err;
    cs_init_shape(&cs, &sink);
    toy_synthesize(&cs, challenges);
    toy_ok(cs_finish(&cs, &err), &err);
    cs_clean_up(&cs);
    sha256_finish(h.stream, out);
}

/* ---- values ---- */

/* The witness of cs, typed. */
struct toy_witness {
    struct assignment typed;
    struct witness w;
};

static inline void toy_take_witness(struct toy_witness *w, const struct cs *cs)
{
    struct error err;
    *w = (struct toy_witness){0};
    toy_ok(cs_take_typed(cs, &w->typed, &err), &err);
    toy_ok(witness_init(&w->w, w->typed.inputs, w->typed.num_inputs, &w->typed.aux, &err), &err);
}

static inline void toy_free_witness(struct toy_witness *w)
{
    witness_clean_up(&w->w);
    assignment_clean_up(&w->typed);
}

#endif
