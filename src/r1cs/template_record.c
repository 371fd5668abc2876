#include <stdlib.h>
#include <string.h>

#include "r1cs/template.h"

enum {
    /* Variables below this are referred to by number: what all challenges share (commitments, replica id) is allocated first.
     * Only sizes depend on it. */
    SHARED_VARS = 1024,
    SHARED_INPUTS = 16,
    /* Runs of a template: a cut every 64 on average where the rolling hash says so. */
    MIN_RUNS = 16,
    MAX_RUNS = 1024,
    FIRST_CAP = 1024,
};
static const uint64_t CUT_MASK = UINT64_C(63) << 58;

/* Things known by number, found by hash. Open addressing, at most half full. */
struct number_index {
    uint32_t *slot; /* number + 1; 0: empty */
    uint64_t *hash; /* by number */
    size_t mask, len, cap;
};

struct template_recorder {
    struct templates t;
    struct coeff_table coeffs;
    struct number_index forms, templates;
    size_t term_cap, form_cap, run_cap, template_cap, instance_cap;
    struct template_term *row; /* of the row at hand */
    size_t row_cap;
    struct template_run open; /* the run that rows are added to; count 0: none */
    size_t template_run;      /* first run of the template at hand */
    uint64_t rolling;
    uint64_t inputs_seen, aux_seen;
    const char *failure;
    int failed;
};

/* Kept until the end; what is done with rows after it doesn't matter. */
static void fail(struct template_recorder *r, int code, const char *what)
{
    if (!r->failed) {
        r->failed = code;
        r->failure = what;
    }
}

/* The array with room for n more elements behind len; as it was after a failure. */
static void *room(struct template_recorder *r, void *array, size_t *cap, size_t len, size_t n,
                  size_t size)
{
    if (n <= *cap - len)
        return array;
    size_t grown = *cap ? *cap : FIRST_CAP;
    while (grown - len < n)
        grown *= 2;
    void *p = grown > UINT32_MAX ? NULL : realloc(array, grown * size);
    if (p == NULL) {
        fail(r, ERR_OS, "no memory");
        return array;
    }
    *cap = grown;
    return p;
}

/* ---- numbering ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static void put_slot(struct number_index *x, uint64_t hash, uint32_t number)
{
    size_t i = hash & x->mask;
    while (x->slot[i] != 0)
        i = (i + 1) & x->mask;
    x->slot[i] = number + 1;
}

static void grow_index(struct template_recorder *r, struct number_index *x)
{
    size_t slots = x->slot ? 2 * (x->mask + 1) : FIRST_CAP;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (slot == NULL) {
        fail(r, ERR_OS, "no memory");
        return;
    }
    free(x->slot);
    x->slot = slot;
    x->mask = slots - 1;
    for (size_t i = 0; i < x->len; i++)
        put_slot(x, x->hash[i], (uint32_t)i);
}

/* Gives the next number to what has this hash. */
static void index_add(struct template_recorder *r, struct number_index *x, uint64_t hash)
{
    if (2 * (x->len + 1) > x->mask)
        grow_index(r, x);
    x->hash = room(r, x->hash, &x->cap, x->len, 1, sizeof *x->hash);
    if (r->failed)
        return;
    put_slot(x, hash, (uint32_t)x->len);
    x->hash[x->len++] = hash;
}

/* The next number with this hash whose slot is at or behind *at; -1: none. The caller compares, and adds 1 to *at to go on. */
static int64_t index_find(const struct number_index *x, uint64_t hash, size_t *at)
{
    if (x->slot == NULL)
        return -1;
    for (; x->slot[*at & x->mask] != 0; ++*at) {
        uint32_t number = x->slot[*at & x->mask] - 1;
        if (x->hash[number] == hash)
            return number;
    }
    return -1;
}

/* ---- rows ---- */

static uint32_t make_ref(enum template_ref kind, uint64_t payload)
{
    return (uint32_t)kind << TEMPLATE_REF_SHIFT | (uint32_t)payload;
}

static uint32_t ref_of(const struct template_recorder *r, uint32_t var)
{
    uint64_t i = var & ~VAR_AUX;
    if (!(var & VAR_AUX))
        return i < SHARED_INPUTS ? make_ref(TEMPLATE_INPUT, i)
                                 : make_ref(TEMPLATE_NEW_INPUT, i + TEMPLATE_BIAS - r->inputs_seen);
    return i < SHARED_VARS ? make_ref(TEMPLATE_AUX, i)
                           : make_ref(TEMPLATE_NEAR, i + TEMPLATE_BIAS - r->aux_seen);
}

/* The terms of one matrix, behind n others in r->row; raises *inputs and *aux to what they mention. */
static void put_terms(struct template_recorder *r, size_t n, const struct term *term, size_t len,
                      uint64_t *inputs, uint64_t *aux)
{
    for (size_t i = 0; i < len; i++) {
        uint32_t var = term[i].var;
        uint64_t *seen = var & VAR_AUX ? aux : inputs, past = (uint64_t)(var & ~VAR_AUX) + 1;
        if (past > TEMPLATE_MAX_VARS)
            fail(r, ERR_UNAVAILABLE, "more than 2^29 variables");
        if (past > *seen)
            *seen = past;
        r->row[n + i].ref = ref_of(r, var);
        if (coeff_table_number(&r->row[n + i].coeff, &r->coeffs, &term[i].coeff) != 0)
            fail(r, ERR_OS, "no memory");
    }
}

static int same_form(const struct template_recorder *r, uint32_t number,
                     const struct template_form *f)
{
    const struct template_form *g = &r->t.form[number];
    return g->new_inputs == f->new_inputs && g->new_aux == f->new_aux &&
           memcmp(g->len, f->len, sizeof f->len) == 0 &&
           memcmp(r->t.term + g->term, r->row,
                  ((size_t)f->len[0] + f->len[1] + f->len[2]) * sizeof *r->row) == 0;
}

/* The number of form f with the terms in r->row, which gets one if it is new. */
static uint32_t form_number(struct template_recorder *r, struct template_form *f)
{
    struct templates *t = &r->t;
    size_t n = (size_t)f->len[0] + f->len[1] + f->len[2];
    uint64_t h = mix(mix(f->len[0], f->len[1]), f->new_inputs + ((uint64_t)f->new_aux << 32));
    for (size_t i = 0; i < n; i++)
        h = mix(h, (uint64_t)r->row[i].ref << 32 | r->row[i].coeff);
    int64_t found;
    for (size_t at = h & r->forms.mask; (found = index_find(&r->forms, h, &at)) >= 0; at++)
        if (same_form(r, (uint32_t)found, f))
            return (uint32_t)found;
    t->form = room(r, t->form, &r->form_cap, t->forms, 1, sizeof *t->form);
    t->term = room(r, t->term, &r->term_cap, t->terms, n, sizeof *t->term);
    index_add(r, &r->forms, h);
    if (r->failed)
        return 0;
    f->term = (uint32_t)t->terms;
    memcpy(t->term + t->terms, r->row, n * sizeof *r->row);
    t->terms += n;
    t->form[t->forms] = *f;
    return (uint32_t)t->forms++;
}

/* ---- templates ---- */

/* The number of the template that consists of the n runs behind template_run, -1 if it is new. */
static int64_t known_template(const struct template_recorder *r, uint64_t h, size_t n)
{
    const struct templates *t = &r->t;
    int64_t found;
    for (size_t at = h & r->templates.mask; (found = index_find(&r->templates, h, &at)) >= 0;
         at++) {
        size_t first = t->first_run[found];
        if (t->first_run[found + 1] - first == n &&
            memcmp(t->run + first, t->run + r->template_run, n * sizeof *t->run) == 0)
            break;
    }
    return found;
}

/* The runs from template_run on become an instance of the template that has them. */
static void end_template(struct template_recorder *r)
{
    struct templates *t = &r->t;
    size_t n = t->runs - r->template_run;
    if (n == 0)
        return;
    uint64_t h = n;
    for (size_t i = r->template_run; i < t->runs; i++)
        h = mix(h, (uint64_t)t->run[i].form << 32 | t->run[i].count);
    r->rolling = 0;
    int64_t number = known_template(r, h, n);
    if (number >= 0) {
        t->runs = r->template_run;
    } else {
        t->first_run = room(r, t->first_run, &r->template_cap, t->count, 2, sizeof *t->first_run);
        index_add(r, &r->templates, h);
        if (r->failed)
            return;
        t->first_run[t->count] = (uint32_t)r->template_run;
        number = (int64_t)t->count++;
        t->first_run[t->count] = (uint32_t)t->runs;
        r->template_run = t->runs;
    }
    t->instance = room(r, t->instance, &r->instance_cap, t->instances, 1, sizeof *t->instance);
    if (!r->failed)
        t->instance[t->instances++] = (uint32_t)number;
}

/* The open run goes into the template at hand, which may end with it. */
static void end_run(struct template_recorder *r)
{
    struct templates *t = &r->t;
    if (r->open.count == 0)
        return;
    t->run = room(r, t->run, &r->run_cap, t->runs, 1, sizeof *t->run);
    if (r->failed)
        return;
    t->run[t->runs++] = r->open;
    r->rolling = (r->rolling << 1) + mix(r->open.form, r->open.count);
    r->open.count = 0;
    size_t n = t->runs - r->template_run;
    if (n >= MAX_RUNS || (n >= MIN_RUNS && (r->rolling & CUT_MASK) == 0))
        end_template(r);
}

static void record(struct template_recorder *r, const struct row *row)
{
    struct templates *t = &r->t;
    size_t a = row->a_len, b = row->b_len, c = row->c_len;
    uint64_t inputs = r->inputs_seen, aux = r->aux_seen;
    r->row = room(r, r->row, &r->row_cap, 0, a + b + c + 1, sizeof *r->row);
    if (r->failed)
        return;
    put_terms(r, 0, row->a, a, &inputs, &aux);
    put_terms(r, a, row->b, b, &inputs, &aux);
    put_terms(r, a + b, row->c, c, &inputs, &aux);
    struct template_form f = {.len = {(uint32_t)a, (uint32_t)b, (uint32_t)c},
                              .new_inputs = (uint32_t)(inputs - r->inputs_seen),
                              .new_aux = (uint32_t)(aux - r->aux_seen)};
    t->num_rows++;
    t->nnz[0] += a;
    t->nnz[1] += b;
    t->nnz[2] += c;
    r->inputs_seen = inputs;
    r->aux_seen = aux;
    if (r->open.count > 0 && r->open.count < UINT32_MAX && same_form(r, r->open.form, &f)) {
        r->open.count++;
        return;
    }
    end_run(r);
    r->open = (struct template_run){form_number(r, &f), 1};
}

/* What cs_finish appends and the templates leave out. */
static int is_final_row(const struct row *row, uint64_t input)
{
    return row->a_len == 1 && row->b_len == 0 && row->c_len == 0 && row->a[0].var == input &&
           fr_equal(&row->a[0].coeff, &FR_ONE);
}

static void record_row(void *ctx, const struct row *row)
{
    struct template_recorder *r = ctx;
    if (r->failed)
        return;
    if (!row->last)
        record(r, row);
    else if (!is_final_row(row, row->index - r->t.num_rows))
        fail(r, ERR_SOFTWARE, "a final row is not <input | 0 | 0>");
}

/* ---- the recorder ---- */

int template_recorder_new(struct template_recorder **out, struct error *err)
{
    struct template_recorder *r = calloc(1, sizeof *r);
    uint32_t number;
    *out = r;
    if (r == NULL || coeff_table_number(&number, &r->coeffs, &FR_ONE) != 0) {
        free(r);
        return error_set(err, ERR_OS, "out-of-memory", "no memory for templates");
    }
    r->inputs_seen = 1;
    return 0;
}

struct row_sink template_recorder_sink(struct template_recorder *r)
{
    return (struct row_sink){record_row, r};
}

static void index_clean_up(struct number_index *x)
{
    free(x->slot);
    free(x->hash);
}

void template_recorder_destroy(struct template_recorder *r)
{
    if (r == NULL)
        return;
    index_clean_up(&r->forms);
    index_clean_up(&r->templates);
    coeff_table_clean_up(&r->coeffs);
    templates_clean_up(&r->t);
    free(r->row);
    free(r);
}

/* Exactly as long as needed from here on. */
static void *trimmed(void *array, size_t len, size_t size)
{
    void *p = realloc(array, (len + 1) * size);
    return p != NULL ? p : array;
}

/* Everything recorded, out of r. */
static void take(struct templates *out, struct template_recorder *r)
{
    struct templates *t = &r->t;
    coeff_table_freeze(&r->coeffs);
    t->coeff = trimmed(r->coeffs.v, r->coeffs.len, sizeof *t->coeff);
    t->coeffs = r->coeffs.len;
    r->coeffs = (struct coeff_table){0};
    t->term = trimmed(t->term, t->terms, sizeof *t->term);
    t->form = trimmed(t->form, t->forms, sizeof *t->form);
    t->run = trimmed(t->run, t->runs, sizeof *t->run);
    t->first_run = trimmed(t->first_run, t->count, sizeof *t->first_run);
    t->instance = trimmed(t->instance, t->instances, sizeof *t->instance);
    *out = *t;
    r->t = (struct templates){0};
}

int template_recorder_finish(struct templates *out, struct template_recorder *r,
                             const struct cs *cs, struct error *err)
{
    struct templates *t = &r->t;
    *out = (struct templates){0};
    t->num_inputs = cs->num_inputs;
    t->num_aux = cs->num_aux;
    if (!r->failed)
        end_run(r);
    if (!r->failed)
        end_template(r);
    t->first_run = room(r, t->first_run, &r->template_cap, t->count, 1, sizeof *t->first_run);
    if (r->failed) {
        error_set(err, r->failed, r->failed == ERR_OS ? "out-of-memory" : "templates-unfit",
                  "recording templates, at row %llu: %s", (unsigned long long)t->num_rows,
                  r->failure);
        template_recorder_destroy(r);
        return err->code;
    }
    t->first_run[t->count] = (uint32_t)t->runs; /* said already, except of no rows at all */
    take(out, r);
    template_recorder_destroy(r);
    int rc = templates_check(out, err);
    if (rc != 0)
        templates_clean_up(out);
    return rc;
}
