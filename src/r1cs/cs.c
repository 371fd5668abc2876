#include "r1cs/cs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "r1cs/native.h"

static void fail(struct cs *cs, int code, const char *what)
{
    if (!cs->failed) {
        cs->failed = code;
        cs->failure = what;
    }
}

static void list_push(struct cs *cs, struct fr_list *list, const struct fr *value)
{
    if (list->len == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 1024;
        struct fr *v = cap > SIZE_MAX / sizeof *v ? NULL : realloc(list->v, cap * sizeof *v);
        if (v == NULL) {
            fail(cs, ERR_OS, "no memory for the circuit's values");
            return;
        }
        list->v = v;
        list->cap = cap;
        cs->allocated.allocations++;
        cs->allocated.bytes += cap * sizeof *v;
    }
    list->v[list->len++] = *value;
}

static int keeps_values(const struct cs *cs)
{
    return cs->mode != CS_SHAPE;
}

void cs_init_shape(struct cs *cs, const struct row_sink *sink)
{
    *cs = (struct cs){.mode = CS_SHAPE, .num_inputs = 1};
    if (sink)
        cs->sink = *sink;
}

void cs_init_generic(struct cs *cs, enum cs_mode generic_or_check,
                     const struct row_sink *sink_or_null)
{
    assert(generic_or_check == CS_GENERIC || generic_or_check == CS_CHECK);
    *cs = (struct cs){.mode = generic_or_check};
    if (sink_or_null)
        cs->sink = *sink_or_null;
    cs_alloc_input(cs, &FR_ONE);
}

static void presize(struct cs *cs, struct fr_list *list, uint64_t cap)
{
    list->v = cap > SIZE_MAX / sizeof *list->v ? NULL : malloc(cap * sizeof *list->v);
    if (list->v == NULL) {
        fail(cs, ERR_OS, "no memory for the circuit's values");
        return;
    }
    list->cap = cap;
    cs->allocated.allocations++;
    cs->allocated.bytes += cap * sizeof *list->v;
}

void cs_init_maps(struct cs *cs, const struct cs_maps_options *o)
{
    assert(o->storage != LC_LIST);
    *cs = (struct cs){.mode = CS_GENERIC, .maps.options = *o, .allocated.by_value = o->by_value};
    for (int i = 0; i < 3; i++) {
        cs->scratch[i].storage = o->storage;
        cs->scratch[i].memory = &cs->allocated;
    }
    struct fr_list *rows[] = {&cs->a, &cs->b, &cs->c};
    for (int i = 0; i < 3 && o->num_rows > 0 && o->values == NULL; i++)
        presize(cs, rows[i], o->num_rows);
    if (o->num_aux > 0)
        presize(cs, &cs->aux, o->num_aux);
    cs_alloc_input(cs, &FR_ONE);
}

void cs_clean_up(struct cs *cs)
{
    struct fr_list *lists[] = {&cs->inputs, &cs->aux, &cs->a, &cs->b, &cs->c};
    for (int i = 0; i < 5; i++)
        free(lists[i]->v);
    for (int i = 0; i < 3; i++)
        lc_clean_up(&cs->scratch[i]);
    for (int i = 0; i < 3; i++)
        free(cs->maps.dense[i]);
    buffer_clean_up(&cs->discarded);
    *cs = (struct cs){0};
}

/* The number of the next variable. Past 2^31 - 1 it stays there. */
static uint32_t next_index(struct cs *cs, uint64_t *count)
{
    if (*count >= VAR_AUX) {
        fail(cs, ERR_SOFTWARE, "more than 2^31 variables of a kind");
        return VAR_AUX - 1;
    }
    return (uint32_t)(*count)++;
}

/* Bitmap i of cs->maps.dense gets room for words. */
static int grow_dense(struct cs *cs, int i, size_t old, size_t words)
{
    uint64_t *dense = realloc(cs->maps.dense[i], words * sizeof *dense);
    if (dense == NULL)
        return -1;
    memset(dense + old, 0, (words - old) * sizeof *dense);
    cs->maps.dense[i] = dense;
    cs->allocated.allocations++;
    cs->allocated.bytes += words * sizeof *dense;
    return 0;
}

/* Densities get an entry for a new variable: aux 0, input or 1, aux. */
static void track(struct cs *cs, int aux, uint64_t index)
{
    size_t old = cs->maps.words[aux], words = old ? 2 * old : 64;
    if (index / 64 < old)
        return;
    int bad = aux ? grow_dense(cs, 0, old, words) || grow_dense(cs, 2, old, words)
                  : grow_dense(cs, 1, old, words);
    if (bad)
        fail(cs, ERR_OS, "no memory for the densities");
    else
        cs->maps.words[aux] = words;
}

static int has_maps(const struct cs *cs)
{
    return cs->maps.options.storage != LC_LIST;
}

uint32_t cs_alloc(struct cs *cs, const struct fr *value)
{
    assert(cs->mode != CS_NATIVE);
    if (keeps_values(cs))
        list_push(cs, &cs->aux, value);
    if (has_maps(cs))
        track(cs, 1, cs->num_aux);
    return VAR_AUX | next_index(cs, &cs->num_aux);
}

uint32_t cs_alloc_input(struct cs *cs, const struct fr *value)
{
    assert(cs->mode != CS_NATIVE);
    if (keeps_values(cs))
        list_push(cs, &cs->inputs, value);
    if (has_maps(cs))
        track(cs, 0, cs->num_inputs);
    return next_index(cs, &cs->num_inputs);
}

uint32_t cs_alloc_bit(struct cs *cs, int value)
{
    return cs_alloc(cs, value ? &FR_ONE : &FR_ZERO);
}

static const struct fr *value_of(const struct cs *cs, uint32_t var)
{
    const struct fr_list *list = var & VAR_AUX ? &cs->aux : &cs->inputs;
    uint32_t i = var & ~VAR_AUX;
    assert(i < list->len);
    return &list->v[i];
}

static void evaluate(struct fr *out, const struct cs *cs, const struct lc *lc)
{
    struct fr sum = FR_ZERO, product;
    for (size_t i = 0; i < lc->len; i++) {
        const struct fr *coeff = &lc->term[i].coeff, *value = value_of(cs, lc->term[i].var);
        if (fr_equal(coeff, &FR_ONE)) {
            fr_add(&sum, &sum, value);
        } else if (fr_equal(coeff, &FR_MINUS_ONE)) {
            fr_sub(&sum, &sum, value);
        } else {
            fr_mul(&product, coeff, value);
            fr_add(&sum, &sum, &product);
        }
    }
    *out = sum;
}

static void keep_row_values(struct cs *cs)
{
    struct fr a, b, c, ab;
    evaluate(&a, cs, cs_a(cs));
    evaluate(&b, cs, cs_b(cs));
    evaluate(&c, cs, cs_c(cs));
    list_push(cs, &cs->a, &a);
    list_push(cs, &cs->b, &b);
    list_push(cs, &cs->c, &c);
    if (cs->mode != CS_CHECK || cs->fault.found)
        return;
    fr_mul(&ab, &a, &b);
    if (!fr_equal(&ab, &c)) {
        cs->fault.found = 1;
        cs->fault.row = cs->num_rows;
    }
}

static void evaluate_maps(struct cs *cs)
{
    const struct cs_maps *m = &cs->maps;
    const struct fr *const value[2] = {cs->inputs.v, cs->aux.v};
    uint64_t *const dense[3][2] = {{NULL, m->dense[0]}, {m->dense[1], m->dense[2]}, {NULL, NULL}};
    struct fr abc[3];
    for (int i = 0; i < 3; i++)
        lc_map_ops[m->options.storage]->eval(&abc[i], &cs->scratch[i].maps, value, dense[i]);
    if (m->options.values != NULL) {
        m->options.values(m->options.ctx, cs->num_rows, abc);
        return;
    }
    list_push(cs, &cs->a, &abc[0]);
    list_push(cs, &cs->b, &abc[1]);
    list_push(cs, &cs->c, &abc[2]);
}

static void enforce_maps(struct cs *cs)
{
    for (int i = 0; i < 3; i++)
        if (cs->scratch[i].failed)
            fail(cs, ERR_OS, "no memory for a linear combination");
    if (!cs->failed)
        evaluate_maps(cs);
    cs->num_rows++;
    for (int i = 0; i < 3; i++)
        lc_reset(&cs->scratch[i]);
}

static void enforce(struct cs *cs, int last)
{
    assert(cs->mode != CS_NATIVE);
    struct lc *lc = cs->scratch;
    if (has_maps(cs)) {
        enforce_maps(cs);
        return;
    }
    for (int i = 0; i < 3; i++) {
        lc_normalise(&lc[i]);
        if (lc[i].failed)
            fail(cs, ERR_OS, "no memory for a linear combination");
    }
    /* After a failure terms and values may be missing: nobody shall see such rows. */
    if (!cs->failed && keeps_values(cs))
        keep_row_values(cs);
    if (!cs->failed && cs->sink.row) {
        struct row row = {.a = lc[0].term,
                          .b = lc[1].term,
                          .c = lc[2].term,
                          .a_len = lc[0].len,
                          .b_len = lc[1].len,
                          .c_len = lc[2].len,
                          .index = cs->num_rows,
                          .last = last};
        cs->sink.row(cs->sink.ctx, &row);
    }
    cs->num_rows++;
    for (int i = 0; i < 3; i++)
        lc_reset(&lc[i]);
}

void cs_enforce(struct cs *cs)
{
    enforce(cs, 0);
}

int cs_finish(struct cs *cs, struct error *err)
{
    if (cs->mode == CS_NATIVE) {
        native_finish(cs);
    } else {
        for (uint64_t i = 0; i < cs->num_inputs; i++) {
            lc_add_one(cs_a(cs), (uint32_t)i);
            enforce(cs, 1);
        }
    }
    if (cs->failed)
        return error_set(err, cs->failed, cs->failed == ERR_OS ? "out-of-memory" : "circuit-bug",
                         "%s", cs->failure);
    if (cs->fault.found)
        return error_set(err, ERR_DATA, "row-unsatisfied", "row %llu: A * B is not C",
                         (unsigned long long)cs->fault.row);
    return 0;
}

static void repeat(struct cs *cs, size_t n, size_t group, cs_group_body *body, void *ctx)
{
    int native = cs->mode == CS_NATIVE && n > 1 && (cs->pool != NULL || group > 1);
    size_t done = native ? native_repeat(cs, n, group, body, ctx) : 0;
    for (size_t i = done; i < n; i++)
        body(&cs, ctx, i, 1);
}

struct single {
    void (*body)(struct cs *cs, void *ctx, size_t i);
    void *ctx;
};

static void run_single(struct cs *const cs[], void *ctx, size_t i, size_t n)
{
    const struct single *s = ctx;
    (void)n;
    s->body(cs[0], s->ctx, i);
}

void cs_repeat(struct cs *cs, size_t n, void (*body)(struct cs *cs, void *ctx, size_t i), void *ctx)
{
    struct single single = {body, ctx};
    repeat(cs, n, 1, run_single, &single);
}

void cs_repeat_together(struct cs *cs, size_t n, cs_group_body *body, void *ctx)
{
    repeat(cs, n, CS_GROUP, body, ctx);
}
