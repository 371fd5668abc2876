#include "proof/comparison.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const STREAM_NAME[COMPARED_STREAMS] = {"variables", "A", "B", "C"};

struct comparison {
    const struct tvec *native[COMPARED_STREAMS];
    uint32_t *index[COMPARED_STREAMS];
    struct fr *expanded;                          /* [threads][TVEC_BLOCK] */
    atomic_uint_fast64_t equal[COMPARED_STREAMS]; /* elements found equal */
    atomic_uint_fast64_t differing[COMPARED_STREAMS];
    pthread_mutex_t lock; /* of what follows; UINT64_MAX: none */
    uint64_t first_fault[COMPARED_STREAMS], first_unsatisfied;
};

void comparison_destroy(struct comparison *c)
{
    if (c == NULL)
        return;
    for (int s = 0; s < COMPARED_STREAMS; s++)
        free(c->index[s]);
    free(c->expanded);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

int comparison_new(struct comparison **out, const struct assignment *native, struct pool *pool,
                   struct error *err)
{
    const struct tvec *streams[COMPARED_STREAMS] = {&native->aux, &native->a, &native->b,
                                                    &native->c};
    struct comparison *c = calloc(1, sizeof *c);
    int bad = c == NULL;
    if (!bad) {
        pthread_mutex_init(&c->lock, NULL);
        c->first_unsatisfied = UINT64_MAX;
        c->expanded = malloc(pool_threads(pool) * TVEC_BLOCK * sizeof *c->expanded);
        bad = c->expanded == NULL;
    }
    for (int s = 0; s < COMPARED_STREAMS && !bad; s++) {
        c->native[s] = streams[s];
        c->first_fault[s] = UINT64_MAX;
        c->index[s] = malloc((tvec_blocks(streams[s]->len) + 1) * sizeof *c->index[s]);
        bad = c->index[s] == NULL;
        if (!bad)
            tvec_index(c->index[s], streams[s]);
    }
    if (bad) {
        comparison_destroy(c);
        return error_set(err, ERR_OS, "out-of-memory", "no memory to compare assignments");
    }
    *out = c;
    return 0;
}

static void note_first(struct comparison *c, uint64_t *first, uint64_t element)
{
    pthread_mutex_lock(&c->lock);
    if (element < *first)
        *first = element;
    pthread_mutex_unlock(&c->lock);
}

void comparison_block(struct comparison *c, enum compared_stream stream, uint64_t first, size_t n,
                      const struct fr *value)
{
    const struct tvec *native = c->native[stream];
    struct fr *expanded = c->expanded + (size_t)pool_worker() * TVEC_BLOCK;
    assert(first % TVEC_BLOCK == 0 && n <= TVEC_BLOCK);
    size_t have = first >= native->len ? 0 : native->len - first, common = n < have ? n : have;
    size_t equal = 0, fault = n;
    if (common > 0)
        tvec_expand(expanded, native, c->index[stream], first, common);
    if (memcmp(expanded, value, common * sizeof *value) == 0) {
        equal = common;
    } else {
        for (size_t i = 0; i < common; i++) {
            if (fr_equal(&expanded[i], &value[i]))
                equal++;
            else if (i < fault)
                fault = i;
        }
    }
    if (fault == n && common < n)
        fault = common;
    atomic_fetch_add(&c->equal[stream], equal);
    atomic_fetch_add(&c->differing[stream], n - equal);
    if (fault < n)
        note_first(c, &c->first_fault[stream], first + fault);
}

void comparison_rows(struct comparison *c, uint64_t first, size_t n,
                     const struct fr *const value[3])
{
    for (int m = 0; m < 3; m++)
        comparison_block(c, COMPARED_A + m, first, n, value[m]);
    for (size_t i = 0; i < n; i++) {
        struct fr product;
        fr_mul(&product, &value[0][i], &value[1][i]);
        if (!fr_equal(&product, &value[2][i])) {
            note_first(c, &c->first_unsatisfied, first + i);
            return;
        }
    }
}

void comparison_faults(struct comparison_faults out[COMPARED_STREAMS], struct comparison *c)
{
    pthread_mutex_lock(&c->lock);
    for (int s = 0; s < COMPARED_STREAMS; s++)
        out[s] = (struct comparison_faults){atomic_load(&c->differing[s]), c->first_fault[s]};
    pthread_mutex_unlock(&c->lock);
}

int comparison_finish(struct comparison *c, enum compared_stream from, const char *path,
                      struct error *err)
{
    for (int s = (int)from; s < COMPARED_STREAMS; s++) {
        uint64_t len = c->native[s]->len, equal = atomic_load(&c->equal[s]);
        if (c->first_fault[s] != UINT64_MAX)
            return error_set(err, ERR_SOFTWARE, "paths-differ",
                             "%s and native differ in %s, first in element %" PRIu64, path,
                             STREAM_NAME[s], c->first_fault[s]);
        if (equal != len)
            return error_set(err, ERR_SOFTWARE, "paths-differ",
                             "%s gave %" PRIu64 " elements of %s, native %" PRIu64, path, equal,
                             STREAM_NAME[s], len);
    }
    if (c->first_unsatisfied != UINT64_MAX)
        return error_set(err, ERR_SOFTWARE, "row-unsatisfied",
                         "%s: row %" PRIu64 ": A * B is not C", path, c->first_unsatisfied);
    return 0;
}
