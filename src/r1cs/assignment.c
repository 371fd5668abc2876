#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash/sha256.h"
#include "r1cs/cs.h"

void assignment_clean_up(struct assignment *w)
{
    free(w->inputs);
    tvec_clean_up(&w->aux);
    tvec_clean_up(&w->a);
    tvec_clean_up(&w->b);
    tvec_clean_up(&w->c);
    *w = (struct assignment){0};
}

void assignment_reset(struct assignment *w)
{
    struct tvec *stream[] = {&w->aux, &w->a, &w->b, &w->c};
    for (int s = 0; s < 4; s++)
        stream[s]->len = stream[s]->full_len = 0;
    w->num_inputs = 0;
}

static int take_list(struct tvec *v, const struct fr_list *list, const char *what,
                     struct error *err)
{
    size_t full = 0;
    int rc = tvec_reserve(v, list->len, 0, what, err);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < list->len; i++) {
        v->small[i] = tvec_small(&list->v[i]);
        full += v->small[i] == TVEC_FULL;
    }
    rc = tvec_reserve(v, list->len, full, what, err);
    if (rc != 0)
        return rc;
    v->len = list->len;
    v->full_len = 0;
    for (size_t i = 0; i < list->len; i++)
        if (v->small[i] == TVEC_FULL)
            v->full[v->full_len++] = list->v[i];
    return 0;
}

static int take_inputs(struct assignment *out, const struct fr_list *list, struct error *err)
{
    if (list->len > out->inputs_cap) {
        struct fr *inputs = realloc(out->inputs, list->len * sizeof *inputs);
        if (inputs == NULL)
            return error_set(err, ERR_OS, "out-of-memory", "no memory for %zu public inputs",
                             list->len);
        out->inputs = inputs;
        out->inputs_cap = list->len;
    }
    memcpy(out->inputs, list->v, list->len * sizeof *list->v);
    out->num_inputs = list->len;
    return 0;
}

int cs_take_typed(const struct cs *cs, struct assignment *out, struct error *err)
{
    int rc = take_inputs(out, &cs->inputs, err);
    if (rc == 0)
        rc = take_list(&out->aux, &cs->aux, "witness", err);
    if (rc == 0)
        rc = take_list(&out->a, &cs->a, "row values A", err);
    if (rc == 0)
        rc = take_list(&out->b, &cs->b, "row values B", err);
    if (rc == 0)
        rc = take_list(&out->c, &cs->c, "row values C", err);
    if (rc != 0)
        assignment_clean_up(out);
    return rc;
}

/* ---- comparison ---- */

static void format(char out[67], const struct fr *v)
{
    uint64_t l[4];
    fr_to_limbs(l, v);
    snprintf(out, 67, "0x%016llx%016llx%016llx%016llx", (unsigned long long)l[3],
             (unsigned long long)l[2], (unsigned long long)l[1], (unsigned long long)l[0]);
}

static int same_value(char *where, size_t n, const char *stream, size_t i, const struct fr *x,
                      const struct fr *y)
{
    char text_x[67], text_y[67];
    if (fr_equal(x, y))
        return 1;
    format(text_x, x);
    format(text_y, y);
    snprintf(where, n, "%s, element %zu: %s and %s", stream, i, text_x, text_y);
    return 0;
}

static int same_length(char *where, size_t n, const char *stream, size_t x, size_t y)
{
    if (x != y)
        snprintf(where, n, "%s: %zu and %zu elements", stream, x, y);
    return x == y;
}

static void next(struct fr *out, const struct tvec *v, size_t i, size_t *full)
{
    if (v->small[i] == TVEC_FULL)
        *out = v->full[(*full)++];
    else
        fr_from_i64(out, v->small[i]);
}

/* The common prefix is compared even when lengths differ: where they part says more. */
static int streams_equal(char *where, size_t n, const char *stream, const struct tvec *x,
                         const struct tvec *y)
{
    size_t x_full = 0, y_full = 0;
    for (size_t i = 0; i < x->len && i < y->len; i++) {
        struct fr a, b;
        if (x->small[i] == y->small[i] && x->small[i] != TVEC_FULL)
            continue;
        next(&a, x, i, &x_full);
        next(&b, y, i, &y_full);
        if (!same_value(where, n, stream, i, &a, &b))
            return 0;
    }
    return same_length(where, n, stream, x->len, y->len);
}

int assignment_equal(const struct assignment *x, const struct assignment *y, char *where, size_t n)
{
    for (size_t i = 0; i < x->num_inputs && i < y->num_inputs; i++)
        if (!same_value(where, n, "inputs", i, &x->inputs[i], &y->inputs[i]))
            return 0;
    return same_length(where, n, "inputs", x->num_inputs, y->num_inputs) &&
           streams_equal(where, n, "aux", &x->aux, &y->aux) &&
           streams_equal(where, n, "a", &x->a, &y->a) &&
           streams_equal(where, n, "b", &x->b, &y->b) && streams_equal(where, n, "c", &x->c, &y->c);
}

/* ---- digest ---- */

enum { PIECE = 256 };

void tvec_sha256(uint8_t out[32], const struct tvec *v, const struct fr *prefix, size_t prefix_len)
{
    uint8_t bytes[PIECE][32];
    struct sha256_stream *s = sha256_new();
    size_t full = 0, used = 0;
    for (size_t i = 0; i < prefix_len + v->len; i++) {
        struct fr value;
        if (i < prefix_len)
            value = prefix[i];
        else
            next(&value, v, i - prefix_len, &full);
        fr_to_bytes(bytes[used++], &value);
        if (used == PIECE) {
            sha256_update(s, bytes, sizeof bytes);
            used = 0;
        }
    }
    sha256_update(s, bytes, used * 32);
    sha256_finish(s, out);
}
