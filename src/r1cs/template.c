#include "r1cs/template.h"

#include <inttypes.h>
#include <stdlib.h>

void templates_clean_up(struct templates *t)
{
    void *arrays[] = {t->coeff,    t->term,  t->form,        t->run,       t->first_run,
                      t->instance, t->place, t->small_coeff, t->small_form};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    *t = (struct templates){0};
}

size_t templates_bytes(const struct templates *t)
{
    return t->coeffs * (sizeof *t->coeff + sizeof *t->small_coeff) + t->terms * sizeof *t->term +
           t->forms * (sizeof *t->form + sizeof *t->small_form) + t->runs * sizeof *t->run +
           (t->count + 1) * sizeof *t->first_run + t->instances * sizeof *t->instance +
           (t->instances + 1) * sizeof *t->place;
}

/* ---- check ---- */

/* How far a form or template reaches, relative to what is seen where it begins: [min, max] of inputs and aux; min > max: not at all.
 * And by how much it raises what is seen. */
struct reach {
    int64_t input_min, input_max, aux_min, aux_max;
    uint64_t rows, inputs, aux, nnz[3];
};
static const struct reach NOWHERE = {INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0, 0, 0, {0}};

static int malformed(struct error *err, const char *what, size_t number)
{
    return error_set(err, ERR_DATA, "templates-malformed", "%s %zu is out of range", what, number);
}

static void widen(int64_t *min, int64_t *max, int64_t low, int64_t high)
{
    *min = low < *min ? low : *min;
    *max = high > *max ? high : *max;
}

static int16_t small_integer(const struct fr *v)
{
    int8_t s = tvec_small(v);
    return s == TVEC_FULL ? 0 : s;
}

static int check_term(struct reach *to, const struct templates *t, size_t i)
{
    uint32_t kind = t->term[i].ref >> TEMPLATE_REF_SHIFT;
    int64_t payload = t->term[i].ref & ((UINT32_C(1) << TEMPLATE_REF_SHIFT) - 1);
    int64_t offset = payload - TEMPLATE_BIAS;
    if (t->term[i].coeff >= t->coeffs)
        return -1;
    switch (kind) {
    case TEMPLATE_INPUT:
        return (uint64_t)payload < t->num_inputs ? 0 : -1;
    case TEMPLATE_AUX:
        return (uint64_t)payload < t->num_aux ? 0 : -1;
    case TEMPLATE_NEW_INPUT:
        widen(&to->input_min, &to->input_max, offset, offset);
        return 0;
    default:
        widen(&to->aux_min, &to->aux_max, offset, offset);
        return 0;
    }
}

/* Small: the sum of small coefficients times signed bytes fits 16 bits, and no input but ONE is in it. */
static int is_small(const struct templates *t, const struct template_term *term, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t kind = term[i].ref >> TEMPLATE_REF_SHIFT;
        int k = t->small_coeff[term[i].coeff];
        if (k == 0 || kind == TEMPLATE_NEW_INPUT || (kind == TEMPLATE_INPUT && term[i].ref != 0))
            return 0;
        sum += (unsigned)abs(k);
        if (sum > INT16_MAX / 128)
            return 0;
    }
    return 1;
}

static int check_form(struct reach *to, struct templates *t, size_t number, struct error *err)
{
    const struct template_form *f = &t->form[number];
    uint64_t n = (uint64_t)f->len[0] + f->len[1] + f->len[2];
    *to = NOWHERE;
    if (f->term > t->terms || n > t->terms - f->term)
        return malformed(err, "form", number);
    if (f->new_inputs > t->num_inputs || f->new_aux > t->num_aux)
        return malformed(err, "the growth of form", number);
    for (size_t i = f->term; i < f->term + n; i++)
        if (check_term(to, t, i) != 0)
            return malformed(err, "term", i);
    if (n > t->max_terms)
        t->max_terms = n;
    const struct template_term *term = t->term + f->term;
    t->small_form[number] = 0;
    for (int m = 0; m < 3; term += f->len[m++])
        if (is_small(t, term, f->len[m]))
            t->small_form[number] |= (uint8_t)(1 << m);
    to->inputs = f->new_inputs;
    to->aux = f->new_aux;
    return 0;
}

/* Behind what to covers already, count times the form that reaches as far as one says. Counts stay below 2^62: the caller's numbers
 * are below 2^32, and it stops at the first sum that is not. */
static void add_run(struct reach *to, const struct reach *one, const struct template_form *f,
                    uint32_t count)
{
    int64_t last_inputs = (int64_t)(one->inputs * (count - 1));
    int64_t last_aux = (int64_t)(one->aux * (count - 1));
    if (one->input_min <= one->input_max)
        widen(&to->input_min, &to->input_max, (int64_t)to->inputs + one->input_min,
              (int64_t)to->inputs + last_inputs + one->input_max);
    if (one->aux_min <= one->aux_max)
        widen(&to->aux_min, &to->aux_max, (int64_t)to->aux + one->aux_min,
              (int64_t)to->aux + last_aux + one->aux_max);
    to->rows += count;
    to->inputs += one->inputs * count;
    to->aux += one->aux * count;
    for (int m = 0; m < 3; m++)
        to->nnz[m] += (uint64_t)f->len[m] * count;
}

static int check_template(struct reach *to, const struct templates *t, const struct reach *forms,
                          size_t number, struct error *err)
{
    *to = NOWHERE;
    if (t->first_run[number] >= t->first_run[number + 1] || t->first_run[number + 1] > t->runs)
        return malformed(err, "template", number);
    for (size_t i = t->first_run[number]; i < t->first_run[number + 1]; i++) {
        const struct template_run *run = &t->run[i];
        if (run->form >= t->forms || run->count == 0)
            return malformed(err, "run", i);
        add_run(to, &forms[run->form], &t->form[run->form], run->count);
        if (to->rows > t->num_rows || to->inputs > t->num_inputs || to->aux > t->num_aux)
            return malformed(err, "the growth of template", number);
    }
    return 0;
}

/* Whether what reaches from min to max behind seen stays within [0, n). */
static int within(int64_t min, int64_t max, uint64_t seen, uint64_t n)
{
    return min > max || (min + (int64_t)seen >= 0 && max + (int64_t)seen < (int64_t)n);
}

static int check_instances(struct templates *t, const struct reach *reach, struct error *err)
{
    struct reach sum = {.inputs = 1};
    for (size_t i = 0; i < t->instances; i++) {
        if (t->instance[i] >= t->count)
            return malformed(err, "instance", i);
        const struct reach *one = &reach[t->instance[i]];
        t->place[i] =
            (struct template_place){(uint32_t)sum.rows, (uint32_t)sum.inputs, (uint32_t)sum.aux};
        if (!within(one->input_min, one->input_max, sum.inputs, t->num_inputs) ||
            !within(one->aux_min, one->aux_max, sum.aux, t->num_aux))
            return malformed(err, "a variable of instance", i);
        sum.rows += one->rows;
        sum.inputs += one->inputs;
        sum.aux += one->aux;
        for (int m = 0; m < 3; m++)
            sum.nnz[m] += one->nnz[m];
        if (sum.rows > t->num_rows || sum.inputs > t->num_inputs || sum.aux > t->num_aux)
            return malformed(err, "the growth of instance", i);
    }
    t->place[t->instances] =
        (struct template_place){(uint32_t)sum.rows, (uint32_t)sum.inputs, (uint32_t)sum.aux};
    if (sum.rows != t->num_rows || sum.nnz[0] != t->nnz[0] || sum.nnz[1] != t->nnz[1] ||
        sum.nnz[2] != t->nnz[2])
        return error_set(err, ERR_DATA, "templates-malformed",
                         "%llu rows and %llu, %llu, %llu terms are stated, %llu and %llu, %llu, "
                         "%llu are there",
                         (unsigned long long)t->num_rows, (unsigned long long)t->nnz[0],
                         (unsigned long long)t->nnz[1], (unsigned long long)t->nnz[2],
                         (unsigned long long)sum.rows, (unsigned long long)sum.nnz[0],
                         (unsigned long long)sum.nnz[1], (unsigned long long)sum.nnz[2]);
    return 0;
}

static int check_parts(struct templates *t, struct reach *forms, struct reach *reach,
                       struct error *err)
{
    int rc = 0;
    for (size_t i = 0; i < t->coeffs; i++)
        t->small_coeff[i] = small_integer(&t->coeff[i]);
    for (size_t i = 0; i < t->forms && rc == 0; i++)
        rc = check_form(&forms[i], t, i, err);
    if (rc == 0 && (t->first_run[0] != 0 || t->first_run[t->count] != t->runs))
        rc = malformed(err, "template", 0);
    for (size_t i = 0; i < t->count && rc == 0; i++)
        rc = check_template(&reach[i], t, forms, i, err);
    return rc != 0 ? rc : check_instances(t, reach, err);
}

/* The numbers that all others are compared with. */
static int check_head(const struct templates *t, struct error *err)
{
    const struct {
        const char *name;
        uint64_t value, least, most;
    } numbers[] = {
        {"num_inputs", t->num_inputs, 1, TEMPLATE_MAX_VARS},
        {"num_aux", t->num_aux, 0, TEMPLATE_MAX_VARS},
        {"num_rows", t->num_rows, 0, UINT32_MAX - t->num_inputs},
        {"number of coefficients", t->coeffs, 2, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < numbers[i].least || numbers[i].value > numbers[i].most)
            return error_set(err, ERR_DATA, "templates-malformed",
                             "%s is %" PRIu64 ", expected %" PRIu64 " to %" PRIu64, numbers[i].name,
                             numbers[i].value, numbers[i].least, numbers[i].most);
    if (!fr_equal(&t->coeff[COEFF_ONE], &FR_ONE) ||
        !fr_equal(&t->coeff[COEFF_MINUS_ONE], &FR_MINUS_ONE))
        return error_set(err, ERR_DATA, "templates-malformed",
                         "coefficients %d and %d are others, expected 1 and -1", COEFF_ONE,
                         COEFF_MINUS_ONE);
    return 0;
}

int templates_check(struct templates *t, struct error *err)
{
    if (check_head(t, err) != 0)
        return err->code;
    struct reach *forms = malloc((t->forms + 1) * sizeof *forms);
    struct reach *reach = malloc((t->count + 1) * sizeof *reach);
    t->place = malloc((t->instances + 1) * sizeof *t->place);
    t->small_coeff = malloc(t->coeffs * sizeof *t->small_coeff);
    t->small_form = malloc(t->forms + 1);
    int rc;
    if (!forms || !reach || !t->place || !t->small_coeff || !t->small_form)
        rc = error_set(err, ERR_OS, "out-of-memory", "no memory for %zu templates", t->count);
    else
        rc = check_parts(t, forms, reach, err);
    free(forms);
    free(reach);
    return rc;
}

/* ---- rows ---- */

struct walk {
    const struct templates *t;
    const struct row_sink *sink;
    struct term *term; /* [max_terms, at least 1] */
    uint64_t row;
};

static uint32_t variable(uint32_t ref, uint64_t inputs, uint64_t aux)
{
    uint64_t payload = ref & ((UINT32_C(1) << TEMPLATE_REF_SHIFT) - 1);
    switch (ref >> TEMPLATE_REF_SHIFT) {
    case TEMPLATE_INPUT:
        return (uint32_t)payload;
    case TEMPLATE_NEW_INPUT:
        return (uint32_t)(inputs + payload - TEMPLATE_BIAS);
    case TEMPLATE_AUX:
        return VAR_AUX | (uint32_t)payload;
    default:
        return VAR_AUX | (uint32_t)(aux + payload - TEMPLATE_BIAS);
    }
}

static void emit_row(struct walk *w, const struct template_form *f, uint64_t inputs, uint64_t aux)
{
    const struct template_term *from = w->t->term + f->term;
    size_t n = (size_t)f->len[0] + f->len[1] + f->len[2];
    for (size_t i = 0; i < n; i++)
        w->term[i] = (struct term){variable(from[i].ref, inputs, aux), w->t->coeff[from[i].coeff]};
    struct row row = {.a = w->term,
                      .b = w->term + f->len[0],
                      .c = w->term + f->len[0] + f->len[1],
                      .a_len = f->len[0],
                      .b_len = f->len[1],
                      .c_len = f->len[2],
                      .index = w->row++};
    w->sink->row(w->sink->ctx, &row);
}

static void emit_instance(struct walk *w, size_t i)
{
    const struct templates *t = w->t;
    uint64_t inputs = t->place[i].inputs, aux = t->place[i].aux;
    uint32_t number = t->instance[i];
    for (size_t k = t->first_run[number]; k < t->first_run[number + 1]; k++) {
        const struct template_form *f = &t->form[t->run[k].form];
        for (uint32_t c = 0; c < t->run[k].count; c++) {
            emit_row(w, f, inputs, aux);
            inputs += f->new_inputs;
            aux += f->new_aux;
        }
    }
}

int templates_rows(const struct templates *t, const struct row_sink *sink, struct error *err)
{
    struct walk w = {t, sink, malloc((t->max_terms + 1) * sizeof *w.term), 0};
    if (w.term == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a row of %zu terms",
                         t->max_terms);
    for (size_t i = 0; i < t->instances; i++)
        emit_instance(&w, i);
    for (uint64_t i = 0; i < t->num_inputs; i++) {
        w.term[0] = (struct term){(uint32_t)i, FR_ONE};
        struct row row = {
            .a = w.term, .b = w.term, .c = w.term, .a_len = 1, .index = w.row++, .last = 1};
        sink->row(sink->ctx, &row);
    }
    free(w.term);
    return 0;
}
