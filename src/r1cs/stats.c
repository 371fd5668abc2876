#include <stdlib.h>
#include <string.h>

#include "r1cs/sinks.h"

/* Room for bits [0, len), new words zero. -1 when memory is out. */
static int bitmap_grow(struct bitmap *b, size_t len)
{
    size_t need = len / 64 + (len % 64 != 0);
    if (need > b->cap) {
        size_t cap = need > 2 * b->cap ? need : 2 * b->cap;
        uint64_t *word =
            cap > SIZE_MAX / sizeof *word ? NULL : realloc(b->word, cap * sizeof *word);
        if (word == NULL)
            return -1;
        memset(word + b->cap, 0, (cap - b->cap) * sizeof *word);
        b->word = word;
        b->cap = cap;
    }
    if (len > b->len)
        b->len = len;
    return 0;
}

static void set_bit(struct shape_stats *s, struct bitmap *b, size_t i)
{
    if (i >= b->len && bitmap_grow(b, i + 1) != 0)
        s->failed = ERR_OS;
    else
        b->word[i / 64] |= UINT64_C(1) << i % 64;
}

size_t bitmap_popcount(const struct bitmap *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->len / 64 + (b->len % 64 != 0); i++)
        count += (size_t)__builtin_popcountll(b->word[i]);
    return count;
}

static void bitmap_clean_up(struct bitmap *b)
{
    free(b->word);
    *b = (struct bitmap){0};
}

void density_clean_up(struct density *d)
{
    bitmap_clean_up(&d->a_aux);
    bitmap_clean_up(&d->b_input);
    bitmap_clean_up(&d->b_aux);
}

static void count_row(void *ctx, const struct row *row)
{
    struct shape_stats *s = ctx;
    struct density *d = &s->density;
    for (size_t i = 0; i < row->a_len; i++)
        if (row->a[i].var & VAR_AUX)
            set_bit(s, &d->a_aux, row->a[i].var & ~VAR_AUX);
    for (size_t i = 0; i < row->b_len; i++)
        set_bit(s, row->b[i].var & VAR_AUX ? &d->b_aux : &d->b_input, row->b[i].var & ~VAR_AUX);
    if (row->last)
        return;
    s->num_constraints++;
    s->nnz_a += row->a_len;
    s->nnz_b += row->b_len;
    s->nnz_c += row->c_len;
}

struct row_sink shape_stats_sink(struct shape_stats *s)
{
    return (struct row_sink){count_row, s};
}

int shape_stats_finish(struct shape_stats *s, const struct cs *cs, struct error *err)
{
    struct density *d = &s->density;
    s->num_inputs = cs->num_inputs;
    s->num_aux = cs->num_aux;
    if (s->failed || bitmap_grow(&d->a_aux, s->num_aux) != 0 ||
        bitmap_grow(&d->b_aux, s->num_aux) != 0 || bitmap_grow(&d->b_input, s->num_inputs) != 0) {
        shape_stats_clean_up(s);
        return error_set(err, ERR_OS, "out-of-memory",
                         "no memory for the density of %llu variables",
                         (unsigned long long)cs->num_aux);
    }
    return 0;
}

void shape_stats_clean_up(struct shape_stats *s)
{
    density_clean_up(&s->density);
    *s = (struct shape_stats){0};
}
