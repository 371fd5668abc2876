#include "gadget/poseidon.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/cpu.h"
#include "gadget/poseidon_trace.h"

enum {
    W = POSEIDON_MAX_WIDTH,
    HALF_FULL_ROUNDS = POSEIDON_FULL_ROUNDS / 2,
    MAX_TERMS = W + POSEIDON_MAX_PARTIAL_ROUNDS,
    MAX_ROWS =
        3 * (W - 1) + 4 * W * (POSEIDON_FULL_ROUNDS - 1) + 4 * POSEIDON_MAX_PARTIAL_ROUNDS + 1,
};

/* As many rows as aux variables: three each for the first round's S-boxes, four (the input is allocated too) for the others,
 * one for the result. */
static size_t hash_rows(const struct poseidon_constants *c)
{
    return 3 * c->arity + 4 * c->width * (POSEIDON_FULL_ROUNDS - 1) + 4 * c->partial_rounds + 1;
}

/* ---- Values ---- */

/* x becomes x^5 + post; at = x^2, x^4, x^5 + post. Returns at + 3. */
static struct fr *trace_quintic(struct fr *at, struct fr *x, const struct fr *post)
{
    fr_sqr(&at[0], x);
    fr_sqr(&at[1], &at[0]);
    fr_mul(x, x, &at[1]);
    if (post != NULL)
        fr_add(x, x, post);
    at[2] = *x;
    return at + 3;
}

static struct fr *trace_sbox(struct fr *at, struct fr *x, const struct fr *post)
{
    *at = *x;
    return trace_quintic(at + 1, x, post);
}

static void apply_dense(struct fr *state, const struct fr m[W][W], unsigned t)
{
    struct fr in[W];
    memcpy(in, state, t * sizeof *in);
    for (unsigned j = 0; j < t; j++)
        fr_dot(&state[j], m[j], in, t);
}

static void apply_sparse(struct fr *state, const struct poseidon_sparse *s, unsigned t)
{
    struct fr sum, p;
    fr_dot(&sum, state, s->w_hat, t);
    for (unsigned j = 1; j < t; j++) {
        fr_mul(&p, &state[0], &s->v_rest[j - 1]);
        fr_add(&state[j], &state[j], &p);
    }
    state[0] = sum;
}

void poseidon_tag_sbox(struct fr *out, const struct poseidon_constants *c)
{
    struct fr powers[3];
    fr_add(out, &c->tag, &c->keys[0]);
    trace_quintic(powers, out, &c->keys[c->width]);
}

/* The values of the hash_rows(c) aux variables in order of allocation, the result last. */
static void trace_any(struct fr *aux, const struct poseidon_constants *c, const struct fr *in)
{
    unsigned t = c->width;
    const struct fr *pre = c->keys, *post = c->keys + t;
    struct fr state[W], *at = aux;
    poseidon_tag_sbox(&state[0], c);
    for (unsigned i = 1; i < t; i++) {
        fr_add(&state[i], &in[i - 1], &pre[i]);
        at = trace_quintic(at, &state[i], &post[i]);
    }
    post += t;
    apply_dense(state, c->mds, t);
    for (unsigned r = 1; r < HALF_FULL_ROUNDS; r++) {
        for (unsigned i = 0; i < t; i++)
            at = trace_sbox(at, &state[i], post++);
        apply_dense(state, r + 1 < HALF_FULL_ROUNDS ? c->mds : c->pre_sparse, t);
    }
    for (unsigned r = 0; r < c->partial_rounds; r++) {
        at = trace_sbox(at, &state[0], post++);
        apply_sparse(state, &c->sparse[r], t);
    }
    for (unsigned r = 0; r + 1 < HALF_FULL_ROUNDS; r++) {
        for (unsigned i = 0; i < t; i++)
            at = trace_sbox(at, &state[i], post++);
        apply_dense(state, c->mds, t);
    }
    for (unsigned i = 0; i < t; i++)
        at = trace_sbox(at, &state[i], NULL);
    fr_dot(at, c->mds[1], state, t); /* of the last round only element 1 is asked for */
    assert(post == c->keys + c->keys_len && at + 1 == aux + hash_rows(c));
}

static void trace(struct fr *const aux[], size_t n, const struct poseidon_constants *c,
                  const struct fr (*in)[CS_GROUP])
{
#if defined(__x86_64__)
    if (cpu_path() >= CPU_IFMA && n > 1) { /* eight take as long as one or two */
        poseidon_trace_ifma(aux, n, c, in);
        return;
    }
#endif
    for (size_t k = 0; k < n; k++) {
        struct fr of_k[W];
        for (unsigned i = 0; i < c->arity; i++)
            of_k[i] = in[i][k];
        trace_any(aux[k], c, of_k);
    }
}

/* ---- Native: typed values without linear combinations ----
 *
 * Every value counts as a full element, whatever it is, so that each hash appends equally much. */

struct emission {
    const struct fr *aux;
    int8_t *b_small;
    struct fr *a, *b, *c;
};

static void emit_row(struct emission *e, const struct fr *a, const struct fr *b, const struct fr *c)
{
    *e->a++ = *a;
    *e->b++ = *b;
    *e->c++ = *c;
    *e->b_small++ = TVEC_FULL;
}

/* <LC | 1 | v> */
static void emit_definition(struct emission *e, const struct fr *v)
{
    *e->a++ = *v;
    *e->c++ = *v;
    *e->b_small++ = 1;
}

static void emit_quintic(struct emission *e, const struct fr *x, const struct fr *post)
{
    const struct fr *v = e->aux;
    struct fr x5 = v[2];
    if (post != NULL)
        fr_sub(&x5, &x5, post);
    emit_row(e, x, x, &v[0]);
    emit_row(e, &v[0], &v[0], &v[1]);
    emit_row(e, x, &v[1], &x5);
    e->aux += 3;
}

static void emit_sbox(struct emission *e, const struct fr *post)
{
    const struct fr *x = e->aux++;
    emit_definition(e, x);
    emit_quintic(e, x, post);
}

static void emit_rows(struct emission *e, const struct poseidon_constants *c, const struct num *in)
{
    unsigned t = c->width, sboxes = t * (POSEIDON_FULL_ROUNDS - 1) + c->partial_rounds;
    const struct fr *post = c->keys + t;
    for (unsigned i = 1; i < t; i++) {
        struct fr x;
        fr_add(&x, &in[i - 1].value, &c->keys[i]);
        emit_quintic(e, &x, &post[i]);
    }
    post += t;
    for (unsigned i = 0; i < sboxes - t; i++)
        emit_sbox(e, post++);
    for (unsigned i = 0; i < t; i++)
        emit_sbox(e, NULL);
    emit_definition(e, e->aux);
}

/* The variables are there; what is left are the rows. */
static struct num emit(struct cs *cs, const struct poseidon_constants *c, const struct num *in)
{
    size_t definitions = c->width * (POSEIDON_FULL_ROUNDS - 1) + c->partial_rounds + 1;
    size_t n = hash_rows(c);
    struct native_cursor *at = cs->at;
    struct fr *aux = at[NATIVE_AUX].full;
    struct emission e = {aux, at[NATIVE_B].small, at[NATIVE_A].full, at[NATIVE_B].full,
                         at[NATIVE_C].full};
    emit_rows(&e, c, in);
    assert(e.b_small == at[NATIVE_B].small + n && e.b == at[NATIVE_B].full + n - definitions);
    at[NATIVE_A].full = e.a;
    at[NATIVE_B].full = e.b;
    at[NATIVE_C].full = e.c;
    at[NATIVE_AUX].full += n;
    at[NATIVE_B].small = e.b_small;
    static const enum native_stream all_full[] = {NATIVE_AUX, NATIVE_A, NATIVE_C};
    for (size_t s = 0; s < 3; s++) {
        memset(at[all_full[s]].small, TVEC_FULL, n);
        at[all_full[s]].small += n;
    }
    return (struct num){.value = aux[n - 1]};
}

static void hash_native(struct cs *const cs[], size_t n, struct num *out,
                        const struct poseidon_constants *c, const struct num *in)
{
    struct fr *aux[CS_GROUP], values[W][CS_GROUP] = {0};
    size_t rows = hash_rows(c);
    for (size_t k = 0; k < n; k++) {
        native_reserve(cs[k], rows, rows, rows, rows, rows, rows);
        aux[k] = cs[k]->at[NATIVE_AUX].full;
        for (unsigned i = 0; i < c->arity; i++)
            values[i][k] = in[k * c->arity + i].value;
    }
    trace(aux, n, c, values);
    for (size_t k = 0; k < n; k++)
        out[k] = emit(cs[k], c, in + k * c->arity);
}

/* ---- Rows ---- */

/* The state of the partial rounds as linear combinations of the S-box outputs of the full round before (terms 0 .. width) and of
 * the partial rounds so far (one term each). They follow from the matrices alone, so all hashes of an arity share them. */
struct partial_lcs {
    struct fr element0[POSEIDON_MAX_PARTIAL_ROUNDS]
                      [MAX_TERMS]; /* before round r: width + r terms */
    struct fr end[W][MAX_TERMS];   /* behind the last round */
};

/* Elements 1.. only grow by the term of the round's output; element 0 is a new combination each round. */
static void derive_partial_lcs(struct partial_lcs *p, unsigned arity)
{
    const struct poseidon_constants *c = poseidon_constants(arity, POSEIDON_MERKLE);
    unsigned t = c->width;
    for (unsigned j = 0; j < t; j++)
        for (unsigned i = 0; i < t; i++)
            p->end[j][i] = c->pre_sparse[j][i];
    for (unsigned r = 0; r < c->partial_rounds; r++) {
        const struct poseidon_sparse *s = &c->sparse[r];
        unsigned terms = t + r;
        memcpy(p->element0[r], p->end[0], terms * sizeof(struct fr));
        for (unsigned i = 0; i < terms; i++)
            p->end[0][i] = FR_ZERO; /* element 0 is the S-box output now, term number terms */
        p->end[0][terms] = s->w_hat[0];
        for (unsigned j = 1; j < t; j++) {
            p->end[j][terms] = s->v_rest[j - 1]; /* not in element 0: it sees the old state */
            for (unsigned i = 0; i < terms; i++) {
                struct fr x;
                fr_mul(&x, &s->w_hat[j], &p->end[j][i]);
                fr_add(&p->end[0][i], &p->end[0][i], &x);
            }
        }
    }
}

static struct partial_lcs lcs2, lcs4, lcs8, lcs11;

static void derive_lcs2(void)
{
    derive_partial_lcs(&lcs2, 2);
}
static void derive_lcs4(void)
{
    derive_partial_lcs(&lcs4, 4);
}
static void derive_lcs8(void)
{
    derive_partial_lcs(&lcs8, 8);
}
static void derive_lcs11(void)
{
    derive_partial_lcs(&lcs11, 11);
}

static const struct partial_lcs *partial_lcs(unsigned arity)
{
    static pthread_once_t once2 = PTHREAD_ONCE_INIT, once4 = PTHREAD_ONCE_INIT,
                          once8 = PTHREAD_ONCE_INIT, once11 = PTHREAD_ONCE_INIT;
    switch (arity) {
    case 2:
        pthread_once(&once2, derive_lcs2);
        return &lcs2;
    case 4:
        pthread_once(&once4, derive_lcs4);
        return &lcs4;
    case 8:
        pthread_once(&once8, derive_lcs8);
        return &lcs8;
    case 11:
        pthread_once(&once11, derive_lcs11);
        return &lcs11;
    default:
        assert(!"an arity that Filecoin has");
        return NULL;
    }
}

struct walk {
    struct cs *cs;
    const struct fr *aux; /* value of the next variable */
};

static uint32_t next_aux(struct walk *w)
{
    return cs_alloc(w->cs, w->aux++);
}

/* <LC | 1 | v> for the combination that stands in cs_a. */
static uint32_t define(struct walk *w)
{
    uint32_t v = next_aux(w);
    lc_add_one(cs_b(w->cs), VAR_ONE);
    lc_add_one(cs_c(w->cs), v);
    cs_enforce(w->cs);
    return v;
}

/* x + pre squared, squared again, and multiplied; pre and post may be NULL. */
static uint32_t quintic(struct walk *w, uint32_t x, const struct fr *pre, const struct fr *post)
{
    struct cs *cs = w->cs;
    struct lc *a = cs_a(cs), *b = cs_b(cs), *c = cs_c(cs);
    uint32_t x2 = next_aux(w);
    lc_add_one(a, x);
    lc_add_one(b, x);
    if (pre != NULL) {
        lc_add(a, VAR_ONE, pre);
        lc_add(b, VAR_ONE, pre);
    }
    lc_add_one(c, x2);
    cs_enforce(cs);

    uint32_t x4 = next_aux(w);
    lc_add_one(a, x2);
    lc_add_one(b, x2);
    lc_add_one(c, x4);
    cs_enforce(cs);

    uint32_t out = next_aux(w);
    lc_add_one(a, x);
    if (pre != NULL)
        lc_add(a, VAR_ONE, pre);
    lc_add_one(b, x4);
    lc_add_one(c, out);
    if (post != NULL) {
        struct fr minus;
        fr_neg(&minus, post);
        lc_add(c, VAR_ONE, &minus);
    }
    cs_enforce(cs);
    return out;
}

static void add_terms(struct lc *lc, const uint32_t *var, const struct fr *coeff, size_t n)
{
    for (size_t i = 0; i < n; i++)
        lc_add(lc, var[i], &coeff[i]);
}

/* Combination j of a dense layer over the S-box outputs of the round before. */
static void add_dense(struct lc *lc, const uint32_t *var, const struct fr m[W][W], unsigned j,
                      unsigned t)
{
    for (unsigned i = 0; i < t; i++)
        lc_add(lc, var[i], &m[i][j]);
}

/* The same behind the first round, where element 0 is a constant. */
static void add_dense_first(struct lc *lc, const uint32_t *var, const struct poseidon_constants *c,
                            unsigned j)
{
    struct fr constant;
    poseidon_tag_sbox(&constant, c);
    fr_mul(&constant, &constant, &c->mds[0][j]);
    lc_add(lc, VAR_ONE, &constant);
    for (unsigned i = 1; i < c->width; i++)
        lc_add(lc, var[i], &c->mds[i][j]);
}

static void rows_first_half(struct walk *w, uint32_t *var, const struct poseidon_constants *c,
                            const struct num *in, const struct fr **post)
{
    unsigned t = c->width;
    for (unsigned i = 1; i < t; i++)
        var[i] = quintic(w, in[i - 1].var, &c->keys[i], &(*post)[i]);
    *post += t;
    for (unsigned r = 1; r < HALF_FULL_ROUNDS; r++) {
        uint32_t out[W];
        for (unsigned j = 0; j < t; j++) {
            if (r == 1)
                add_dense_first(cs_a(w->cs), var, c, j);
            else
                add_dense(cs_a(w->cs), var, c->mds, j, t);
            out[j] = quintic(w, define(w), NULL, (*post)++);
        }
        memcpy(var, out, t * sizeof *var);
    }
}

static uint32_t rows_second_half(struct walk *w, const uint32_t *var, size_t terms,
                                 const struct poseidon_constants *c, const struct partial_lcs *p,
                                 const struct fr *post)
{
    unsigned t = c->width;
    uint32_t in[W], out[W];
    for (unsigned r = 0; r < HALF_FULL_ROUNDS; r++) {
        for (unsigned j = 0; j < t; j++) {
            if (r == 0)
                add_terms(cs_a(w->cs), var, p->end[j], terms);
            else
                add_dense(cs_a(w->cs), in, c->mds, j, t);
            out[j] = quintic(w, define(w), NULL, r + 1 < HALF_FULL_ROUNDS ? post++ : NULL);
        }
        memcpy(in, out, sizeof in);
    }
    assert(post == c->keys + c->keys_len);
    add_dense(cs_a(w->cs), in, c->mds, 1, t);
    return define(w);
}

static struct num hash_by_rows(struct cs *cs, const struct poseidon_constants *c,
                               const struct num *in)
{
    const struct partial_lcs *p = partial_lcs(c->arity);
    const struct fr *post = c->keys + c->width;
    struct fr aux[MAX_ROWS], values[W];
    uint32_t var[MAX_TERMS] = {0};
    struct walk w = {cs, aux};
    for (unsigned i = 0; i < c->arity; i++)
        values[i] = in[i].value;
    trace_any(aux, c, values);
    rows_first_half(&w, var, c, in, &post);
    size_t terms = c->width;
    for (unsigned r = 0; r < c->partial_rounds; r++) {
        add_terms(cs_a(cs), var, p->element0[r], terms);
        var[terms++] = quintic(&w, define(&w), NULL, post++);
    }
    uint32_t v = rows_second_half(&w, var, terms, c, p, post);
    assert(w.aux == aux + hash_rows(c));
    return (struct num){v, w.aux[-1]};
}

void poseidon_gadgets(struct cs *const cs[], size_t n, struct num *out,
                      const struct poseidon_constants *c, const struct num *in)
{
    assert(n <= CS_GROUP);
    if (cs[0]->mode == CS_NATIVE)
        hash_native(cs, n, out, c, in);
    else
        for (size_t k = 0; k < n; k++)
            out[k] = hash_by_rows(cs[k], c, in + k * c->arity);
}

struct num poseidon_gadget(struct cs *cs, const struct poseidon_constants *c, const struct num *in)
{
    struct num out;
    poseidon_gadgets(&cs, 1, &out, c, in);
    return out;
}
