/* What tests of recorded circuits share. */
#ifndef CUZK_TESTS_PCE_CHECKS_H
#define CUZK_TESTS_PCE_CHECKS_H

#include "circuit_checks.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proof/pce.h"

static char pce_folder[] = "/tmp/cuzk-pce-XXXXXX";

static inline int make_pce_folder(void **state)
{
    (void)state;
    return mkdtemp(pce_folder) ? 0 : -1;
}

static inline const struct circuit *circuit_named(const char *id)
{
    const struct circuit *c;
    struct error err;
    assert_ok(circuit_by_id(&c, id, &err), &err);
    return c;
}

static inline void remove_recording(const struct circuit *c, enum pce_form form)
{
    char *path = pce_path(c, pce_folder, form), sums[300];
    snprintf(sums, sizeof sums, "%s.sums", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(sums), form == PCE_FLAT ? 0 : -1);
    free(path);
}

static inline int remove_pce_folder(void **state)
{
    (void)state;
    return rmdir(pce_folder);
}

static inline void record_and_open(struct pce *p, const struct circuit *c, enum pce_form form)
{
    struct error err;
    assert_ok(pce_record(c, pce_folder, form, NULL, &err), &err);
    assert_ok(pce_open(p, c, pce_folder, form, &err), &err);
}

/* ---- values ---- */

/* Blocks of rows against a typed vector each; its index finds the full elements. */
struct expected_rows {
    const struct tvec *v[3];
    uint32_t *index[3];
    atomic_uint_fast64_t rows, wrong;
};

static inline void compare_rows(void *ctx, uint64_t first, size_t n, const struct fr *a,
                                const struct fr *b, const struct fr *c)
{
    struct expected_rows *e = ctx;
    const struct fr *have[3] = {a, b, c};
    struct fr *want = malloc(n * sizeof *want);
    uint64_t wrong = want == NULL;
    for (int m = 0; m < 3 && want != NULL; m++) {
        tvec_expand(want, e->v[m], e->index[m], first, n);
        for (size_t i = 0; i < n; i++)
            wrong += !fr_equal(&want[i], &have[m][i]);
    }
    free(want);
    atomic_fetch_add(&e->rows, n);
    atomic_fetch_add(&e->wrong, wrong);
}

/* Every row's three values are those of w. */
static inline void assert_evaluates(struct pce *p, const struct assignment *w, struct pool *pool)
{
    struct expected_rows e = {.v = {&w->a, &w->b, &w->c}};
    struct witness witness;
    struct error err;
    for (int m = 0; m < 3; m++) {
        assert_non_null(e.index[m] = malloc((tvec_blocks(e.v[m]->len) + 1) * sizeof *e.index[m]));
        tvec_index(e.index[m], e.v[m]);
    }
    assert_ok(witness_init(&witness, w->inputs, w->num_inputs, &w->aux, &err), &err);
    assert_ok(pce_eval(p, &witness, compare_rows, &e, pool, &err), &err);
    assert_int_equal(atomic_load(&e.rows), w->a.len);
    assert_int_equal(atomic_load(&e.wrong), 0);
    witness_clean_up(&witness);
    for (int m = 0; m < 3; m++)
        free(e.index[m]);
}

#endif
