/* Multiples of one base. Included by g1.c and g2.c after batch_add_template.h. */

#include <stdlib.h>

#define FIXED_BASE CAT(struct fixed_base, GROUP)
#define FB(name) CAT(CAT(fixed_base, GROUP), name)

FIXED_BASE
{
    struct windows win;
    struct buffer memory;
    AFFINE *table; /* [win.count][win.half]: entry d - 1 of window w is d 2^(bits w) base */
};

/* table[w][0] = 2^(bits w) base */
static void place_window_bases(FIXED_BASE *f, const AFFINE *base)
{
    POINT p;
    G(from_affine)(&p, base);
    for (unsigned w = 0; w < f->win.count; w++) {
        G(to_affine)(&f->table[(size_t)w * f->win.half], &p);
        for (unsigned i = 0; i < f->win.bits; i++)
            G(double)(&p, &p);
    }
}

/* From the multiples 1 .. len of each window to 1 .. 2 len, by adding the last to all. */
static void fill_table(FIXED_BASE *f, struct batch *batch)
{
    for (size_t len = 1; len < f->win.half; len *= 2) {
        for (unsigned w = 0; w < f->win.count; w++) {
            AFFINE *t = f->table + (size_t)w * f->win.half;
            for (size_t i = 0; i < len; i++)
                batch_push(batch, ref(&t[i]), ref(&t[len - 1]), &t[len + i]);
        }
        batch_flush(batch);
    }
}

int FB(new)(FIXED_BASE **out, const AFFINE *base, size_t expected, struct error *err)
{
    *out = NULL;
    FIXED_BASE *f = calloc(1, sizeof *f);
    struct batch *batch = aligned_alloc(64, sizeof *batch);
    int rc = 0;
    if (!f || !batch) {
        rc = error_set(err, ERR_OS, "out-of-memory", "no memory for a table of multiples");
    } else {
        windows_init(&f->win, windows_bits_for_fixed_base(expected));
        rc = buffer_init(&f->memory, f->win.count * (size_t)f->win.half * sizeof(AFFINE),
                         "a table of multiples", err);
    }
    if (rc != 0) {
        free(batch);
        free(f);
        return rc;
    }
    f->table = f->memory.data;
    batch->n = 0;
    place_window_bases(f, base);
    fill_table(f, batch);
    free(batch);
    *out = f;
    return 0;
}

void FB(destroy)(FIXED_BASE *f)
{
    if (!f)
        return;
    buffer_clean_up(&f->memory);
    free(f);
}

struct fixed_base_job {
    const FIXED_BASE *f;
    AFFINE *out;
    const struct fr *scalars;
    size_t n;
};

/* BATCH scalars: window by window, each output takes its multiple. The scratch, below 1 MB, is for a thread's stack. */
static void fixed_base_task(void *ctx, size_t task)
{
    const struct fixed_base_job *job = ctx;
    const struct windows *win = &job->f->win;
    size_t first = task * BATCH, n = job->n - first < BATCH ? job->n - first : BATCH;
    AFFINE *out = job->out + first;
    struct windowed scalar[BATCH];
    struct batch batch;
    batch.n = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t limbs[4];
        fr_to_limbs(limbs, &job->scalars[first + i]);
        windows_prepare(&scalar[i], win, limbs);
        G(affine_set_infinity)(&out[i]);
    }
    for (unsigned w = 0; w < win->count; w++) {
        const AFFINE *table = job->f->table + (size_t)w * win->half;
        for (size_t i = 0; i < n; i++) {
            uint32_t digit = windows_digit(win, &scalar[i], w), magnitude = digit & DIGIT_MAGNITUDE;
            if (magnitude != 0)
                batch_push(&batch, ref(&out[i]),
                           ref(&table[magnitude - 1]) | digit >> DIGIT_SIGN_BIT, &out[i]);
        }
        batch_flush(&batch);
    }
}

void FB(mul)(const FIXED_BASE *f, AFFINE *out, const struct fr *scalars, size_t n,
             struct pool *pool)
{
    struct fixed_base_job job = {f, out, scalars, n};
    pool_run(pool, (n + BATCH - 1) / BATCH, fixed_base_task, &job);
}
