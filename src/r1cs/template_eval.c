#include <stdlib.h>
#include <string.h>

#include "r1cs/template.h"

/* Rows of one form are evaluated side by side: their variables lie at a fixed distance from each other, and nearly all of them are
 * small integers in bytes. */
enum { LANES = 16, FEW = 3 };
typedef int8_t lanes8 __attribute__((vector_size(LANES)));
typedef int16_t half16 __attribute__((vector_size(LANES))); /* eight of them */

struct evaluation {
    const struct templates *t;
    const struct witness *w;
};

/* One matrix's part of a run's first row. */
struct sum {
    const struct template_term *term;
    size_t len;
    uint64_t inputs, aux;         /* seen before the row */
    uint32_t new_inputs, new_aux; /* how both grow from row to row */
};

static uint32_t payload(uint32_t ref)
{
    return ref & ((UINT32_C(1) << TEMPLATE_REF_SHIFT) - 1);
}

/* ---- one row, any values ---- */

/* Sums of field elements, reduced at the end only: lower and upper halves of the four limbs apart, so that no carry is to be passed
 * on for 2^32 terms. */
typedef uint64_t limbs2 __attribute__((vector_size(16)));
struct wide {
    limbs2 low[2], high[2];
};

/* + x where mask is all ones, + 0 where it is 0. */
static inline void wide_add(struct wide *w, const struct fr *x, uint64_t mask)
{
    for (int i = 0; i < 2; i++) {
        limbs2 v;
        memcpy(&v, &x->l[2 * i], sizeof v);
        v &= (limbs2){mask, mask};
        w->low[i] += v & UINT32_MAX;
        w->high[i] += v >> 32;
    }
}

/* What is stored stands for itself over 2^256, so the fifth limb counts as an integer that is to be stored. */
static void wide_reduce(struct fr *out, const struct wide *w)
{
    struct fr low, high;
    unsigned __int128 s = 0;
    for (int i = 0; i < 4; i++) {
        s += w->low[i / 2][i % 2] + ((unsigned __int128)w->high[i / 2][i % 2] << 32);
        low.l[i] = (uint64_t)s;
        s >>= 64;
    }
    for (int i = 0; i < 2; i++) { /* 2^256 < 3 r */
        uint64_t less[4];
        if (limbs_sub(less, low.l, FR_MODULUS, 4) == 0)
            memcpy(low.l, less, sizeof less);
    }
    fr_from_u64(&high, (uint64_t)s);
    fr_add(out, &low, &high);
}

static int wide_is_zero(const struct wide *w)
{
    limbs2 any = w->low[0] | w->low[1] | w->high[0] | w->high[1];
    return (any[0] | any[1]) == 0;
}

/* Products wait here until there are enough for fr_dot. */
struct products {
    struct fr a[FR_DOT_MAX], b[FR_DOT_MAX], sum;
    size_t n;
};

static void flush(struct products *p)
{
    struct fr x;
    if (p->n == 0)
        return;
    fr_dot(&x, p->a, p->b, p->n);
    fr_add(&p->sum, &p->sum, &x);
    p->n = 0;
}

static void add_product(struct products *p, const struct fr *a, const struct fr *b)
{
    p->a[p->n] = *a;
    p->b[p->n] = *b;
    if (++p->n == FR_DOT_MAX)
        flush(p);
}

struct row_sum {
    int64_t small;
    struct wide wide;
    struct products products;
};

static inline void add_small(struct row_sum *s, const struct evaluation *e, uint32_t coeff,
                             int8_t v)
{
    int16_t k = e->t->small_coeff[coeff];
    if (k != 0)
        s->small += (int64_t)k * v;
    else if ((uint8_t)v <= 1)
        wide_add(&s->wide, &e->t->coeff[coeff], -(uint64_t)v);
    else
        add_product(&s->products, &e->t->coeff[coeff], &e->w->integer[(uint8_t)v]);
}

static inline void add_full(struct row_sum *s, const struct evaluation *e, uint32_t coeff,
                            const struct fr *v)
{
    if (coeff == COEFF_ONE)
        wide_add(&s->wide, v, UINT64_MAX);
    else
        add_product(&s->products, &e->t->coeff[coeff], v);
}

static void add_term(struct row_sum *s, const struct evaluation *e, const struct sum *sum,
                     const struct template_term *term)
{
    uint64_t i = payload(term->ref);
    switch (term->ref >> TEMPLATE_REF_SHIFT) {
    case TEMPLATE_INPUT:
        if (i == 0)
            add_small(s, e, term->coeff, 1);
        else
            add_full(s, e, term->coeff, &e->w->inputs[i]);
        return;
    case TEMPLATE_NEW_INPUT:
        add_full(s, e, term->coeff, &e->w->inputs[sum->inputs + i - TEMPLATE_BIAS]);
        return;
    case TEMPLATE_NEAR:
        i += sum->aux - TEMPLATE_BIAS;
    }
    int8_t v = e->w->small[i];
    if (v != TVEC_FULL)
        add_small(s, e, term->coeff, v);
    else
        add_full(s, e, term->coeff, witness_full(e->w, i));
}

/* Terms from number i on whose values are 0 or 1, as in the rows that pack bits: the coefficients are added up in registers. Returns
 * the number of the first other one. */
static size_t add_bits(struct row_sum *s, const struct evaluation *e, const struct sum *sum,
                       size_t i)
{
    struct wide w = s->wide;
    for (; i < sum->len; i++) {
        uint32_t kind = sum->term[i].ref >> TEMPLATE_REF_SHIFT;
        uint64_t var = payload(sum->term[i].ref);
        if (kind == TEMPLATE_NEAR)
            var += sum->aux - TEMPLATE_BIAS;
        else if (kind != TEMPLATE_AUX)
            break;
        uint8_t v = (uint8_t)e->w->small[var];
        if (v > 1)
            break;
        wide_add(&w, &e->t->coeff[sum->term[i].coeff], -(uint64_t)v);
    }
    s->wide = w;
    return i;
}

/* Appends the value of one row at position at. */
static void eval_row(struct row_values *out, size_t at, const struct evaluation *e,
                     const struct sum *sum)
{
    struct row_sum s;
    s.small = 0;
    s.wide = (struct wide){0};
    s.products.sum = FR_ZERO;
    s.products.n = 0;
    for (size_t i = add_bits(&s, e, sum, 0); i < sum->len; i = add_bits(&s, e, sum, i + 1))
        add_term(&s, e, sum, &sum->term[i]);
    flush(&s.products);
    struct fr total = s.products.sum, x;
    int rest = !fr_is_zero(&total);
    if (!wide_is_zero(&s.wide)) {
        wide_reduce(&x, &s.wide);
        fr_add(&total, &total, &x);
        rest = 1;
    }
    if (!rest && s.small >= -127 && s.small <= 127) {
        out->small[at] = (int8_t)s.small;
        return;
    }
    if (s.small != 0) {
        fr_from_i64(&x, s.small);
        fr_add(&total, &total, &x);
    }
    out->small[at] = TVEC_FULL;
    out->full[out->full_len++] = total;
}

/* The same sum in the next row of the run. */
static void step(struct sum *sum, uint64_t rows)
{
    sum->inputs += rows * sum->new_inputs;
    sum->aux += rows * sum->new_aux;
}

static void eval_rows(struct row_values *out, size_t at, const struct evaluation *e, struct sum sum,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        eval_row(out, at + i, e, &sum);
        step(&sum, 1);
    }
}

/* ---- rows side by side ---- */

/* A term's values in n rows. Those behind n are whatever the memory there holds. */
static inline void load_lanes(lanes8 *v, const struct evaluation *e, const struct sum *sum,
                              uint32_t ref, size_t n)
{
    uint64_t i = payload(ref);
    if (ref >> TEMPLATE_REF_SHIFT == TEMPLATE_NEAR) {
        const int8_t *p = e->w->small + (sum->aux + i - TEMPLATE_BIAS);
        if (sum->new_aux == 1) {
            memcpy(v, p, LANES);
            return;
        }
        for (size_t k = 0; k < n; k++)
            (*v)[k] = p[k * sum->new_aux];
        return;
    }
    /* ONE is the only input in a sum marked small */
    *v = (lanes8){0} + (int8_t)(ref >> TEMPLATE_REF_SHIFT == TEMPLATE_AUX ? e->w->small[i] : 1);
}

/* The first or last eight of 16 bytes, as 16 bits each with their sign. */
static inline half16 low_half(lanes8 v)
{
    return (half16)__builtin_shufflevector(v, (lanes8)(v < 0), 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                           21, 6, 22, 7, 23);
}
static inline half16 high_half(lanes8 v)
{
    return (half16)__builtin_shufflevector(v, (lanes8)(v < 0), 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                           13, 29, 14, 30, 15, 31);
}

/* The lower byte of each. */
static inline lanes8 join(half16 low, half16 high)
{
    return __builtin_shufflevector((lanes8)low, (lanes8)high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                   22, 24, 26, 28, 30);
}

static inline half16 out_of_range(half16 v)
{
    return (v > 127) | (v < -127);
}

/* n <= LANES rows whose coefficients are small. If all values are small too and so are the sums, they are written at position at
 * (and more behind, to be overwritten) and 1 is returned. */
static int eval_lanes(struct row_values *out, size_t at, const struct evaluation *e,
                      const struct sum *sum, size_t n)
{
    static const lanes8 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    half16 low = {0}, high = {0};
    lanes8 bad = {0};
    for (size_t i = 0; i < sum->len; i++) {
        int16_t k = e->t->small_coeff[sum->term[i].coeff];
        lanes8 v = {0};
        load_lanes(&v, e, sum, sum->term[i].ref, n);
        bad |= v == TVEC_FULL;
        low += low_half(v) * k;
        high += high_half(v) * k;
    }
    bad |= join(out_of_range(low), out_of_range(high));
    bad &= number < (int8_t)n;
    uint64_t any[2];
    memcpy(any, &bad, sizeof any);
    if (any[0] | any[1])
        return 0;
    lanes8 result = join(low, high);
    memcpy(out->small + at, &result, LANES);
    return 1;
}

/* The same for few rows, one after the other. */
static int eval_few(struct row_values *out, size_t at, const struct evaluation *e,
                    const struct sum *sum, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        int total = 0;
        for (size_t i = 0; i < sum->len; i++) {
            const struct template_term *term = &sum->term[i];
            uint64_t var = payload(term->ref);
            int v = 1;
            if (term->ref >> TEMPLATE_REF_SHIFT == TEMPLATE_NEAR)
                v = e->w->small[sum->aux + k * sum->new_aux + var - TEMPLATE_BIAS];
            else if (term->ref != 0)
                v = e->w->small[var];
            if (v == TVEC_FULL)
                return 0;
            total += v * e->t->small_coeff[term->coeff];
        }
        if (total < -127 || total > 127)
            return 0;
        out->small[at + k] = (int8_t)total;
    }
    return 1;
}

/* ---- runs ---- */

/* n rows of a form into positions at, at + 1, ... */
static void eval_run(struct row_values out[3], size_t at, const struct evaluation *e, uint32_t form,
                     uint64_t inputs, uint64_t aux, size_t n)
{
    const struct template_form *f = &e->t->form[form];
    struct sum sum = {
        .term = e->t->term + f->term, .new_inputs = f->new_inputs, .new_aux = f->new_aux};
    for (int m = 0; m < 3; sum.term += f->len[m++]) {
        sum.len = f->len[m];
        sum.inputs = inputs;
        sum.aux = aux;
        int small = e->t->small_form[form] >> m & 1;
        for (size_t i = 0; i < n; i += LANES) {
            size_t lanes = n - i < LANES ? n - i : LANES;
            if (!small || !(lanes <= FEW ? eval_few : eval_lanes)(&out[m], at + i, e, &sum, lanes))
                eval_rows(&out[m], at + i, e, sum, lanes);
            step(&sum, lanes);
        }
    }
}

/* Rows of instance number i from its row number skip on, n at most. Returns how many. */
static size_t eval_instance(struct row_values out[3], size_t at, const struct evaluation *e,
                            size_t number, uint64_t skip, size_t n)
{
    const struct templates *t = e->t;
    const struct template_place *place = &t->place[number];
    uint64_t inputs = place->inputs, aux = place->aux;
    uint32_t template = t->instance[number];
    size_t done = 0;
    for (size_t k = t->first_run[template]; done < n && k < t->first_run[template + 1]; k++) {
        const struct template_run *run = &t->run[k];
        const struct template_form *f = &t->form[run->form];
        uint64_t from = skip < run->count ? skip : run->count, rows = run->count - from;
        if (rows > n - done)
            rows = n - done;
        skip -= from;
        eval_run(out, at + done, e, run->form, inputs + from * f->new_inputs,
                 aux + from * f->new_aux, rows);
        inputs += (uint64_t)run->count * f->new_inputs;
        aux += (uint64_t)run->count * f->new_aux;
        done += rows;
    }
    return done;
}

/* The instance that row is in. */
static size_t find_instance(const struct templates *t, uint64_t row)
{
    size_t low = 0, high = t->instances;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (t->place[middle].row <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void templates_eval(struct row_values out[3], const struct templates *t, const struct witness *w,
                    uint64_t first, size_t n)
{
    struct evaluation e = {t, w};
    size_t at = 0;
    for (int m = 0; m < 3; m++)
        out[m].full_len = 0;
    if (first < t->num_rows)
        for (size_t i = find_instance(t, first); at < n && i < t->instances; i++)
            at += eval_instance(out, at, &e, i, first + at - t->place[i].row, n - at);
    for (; at < n && first + at < t->num_rows + t->num_inputs; at++) {
        uint64_t input = first + at - t->num_rows;
        out[0].small[at] = TVEC_FULL;
        out[0].full[out[0].full_len++] = w->inputs[input];
        out[1].small[at] = out[2].small[at] = 0;
    }
}
