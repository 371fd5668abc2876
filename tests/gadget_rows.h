/* Rows as text, for tests of small gadgets. */
#ifndef CUZK_TESTS_GADGET_ROWS_H
#define CUZK_TESTS_GADGET_ROWS_H

#include "circuit_checks.h"

struct row_text {
    char *at, *end;
    uint64_t skip;
};

static inline void text_lc(struct row_text *t, const struct term *term, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t var = term[i].var;
        int coeff = tvec_small(&term[i].coeff);
        assert_int_not_equal(coeff, TVEC_FULL);
        int size = abs(coeff);
        t->at += snprintf(t->at, (size_t)(t->end - t->at), "%s",
                          coeff < 0 ? i ? " - " : "-"
                          : i       ? " + "
                                    : "");
        if (size != 1)
            t->at += snprintf(t->at, (size_t)(t->end - t->at), "%d", size);
        t->at += snprintf(t->at, (size_t)(t->end - t->at), "%c%u", var & VAR_AUX ? 'A' : 'I',
                          var & ~VAR_AUX);
        assert_true(t->at < t->end);
    }
    if (n == 0)
        t->at += snprintf(t->at, (size_t)(t->end - t->at), "0");
}

static inline void text_row(void *ctx, const struct row *row)
{
    struct row_text *t = ctx;
    if (row->last || row->index < t->skip)
        return;
    assert_true(t->end - t->at > 20);
    *t->at++ = '<';
    text_lc(t, row->a, row->a_len);
    t->at += sprintf(t->at, " | ");
    text_lc(t, row->b, row->b_len);
    t->at += sprintf(t->at, " | ");
    text_lc(t, row->c, row->c_len);
    t->at += sprintf(t->at, ">\n");
}

/* The rows from number skip on, one a line: <A | B | C>, I0 is ONE. Coefficients are small. */
static inline void rows_as_text(char *text, size_t n, struct circuit_under_test circuit,
                                uint64_t skip)
{
    struct row_text t = {text, text + n, skip};
    struct row_sink sink = {text_row, &t};
    struct cs cs;
    struct error err;
    *text = 0;
    cs_init_shape(&cs, &sink);
    circuit.synthesize(&cs, circuit.ctx);
    assert_ok(cs_finish(&cs, &err), &err);
    cs_clean_up(&cs);
}

#endif
