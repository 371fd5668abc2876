/* The native check of PoSt vanilla proofs. */
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "filecoin/arena.h"
#include "filecoin/post.h"
#include "hash/poseidon.h"

enum { MAX_PATHS = 66 };

struct check {
    const struct post_vanilla *v;
    pthread_mutex_t lock;      /* of what follows */
    struct post_fault *faults; /* [sectors_len], cause is NULL where there is none */
    unsigned *rank;            /* of the fault: the first in a sector is kept */
    struct progress progress;
};

static void fault(struct check *c, size_t sector, unsigned rank, const char *cause, const char *fmt,
                  ...) __attribute__((format(printf, 5, 6)));

static void fault(struct check *c, size_t sector, unsigned rank, const char *cause, const char *fmt,
                  ...)
{
    struct post_fault f = {.sector = sector, .id = c->v->sectors[sector].id, .cause = cause};
    va_list args;
    va_start(args, fmt);
    vsnprintf(f.text, sizeof f.text, fmt, args);
    va_end(args);
    pthread_mutex_lock(&c->lock);
    if (c->faults[sector].cause == NULL || rank < c->rank[sector]) {
        c->faults[sector] = f;
        c->rank[sector] = rank;
    }
    pthread_mutex_unlock(&c->lock);
}

static void check_comm_r(struct check *c, size_t sector)
{
    const struct post_sector *s = &c->v->sectors[sector];
    struct fr roots[2], hash;
    struct node comm_r;
    if (node_is_zero(&s->comm_r)) {
        fault(c, sector, 0, "zero-comm-r", "comm_r is all zero");
        return;
    }
    node_to_fr(&roots[0], &s->comm_c);
    node_to_fr(&roots[1], &s->comm_r_last);
    poseidon_hash(&hash, poseidon_constants(2, POSEIDON_MERKLE), roots);
    node_from_fr(&comm_r, &hash);
    if (!node_equal(&comm_r, &s->comm_r))
        fault(c, sector, 0, "wrong-comm-r", "comm_r is not the hash of comm_c and comm_r_last");
}

static void check_path(struct check *c, size_t sector, unsigned n)
{
    const struct post_vanilla *v = c->v;
    const struct post_sector *s = &v->sectors[sector];
    const struct merkle_path *p = &s->paths[n];
    uint64_t challenges[MAX_PATHS], got = merkle_path_index(p);
    struct node root;
    post_challenges(challenges, v->post, v->randomness, s->id,
                    (uint64_t)v->first_partition * v->post->sectors + sector);
    if (got != challenges[n]) {
        fault(c, sector, 1 + n, "wrong-challenge",
              "inclusion_proofs[%u]: opens leaf %" PRIu64 " instead of %" PRIu64, n, got,
              challenges[n]);
        return;
    }
    merkle_path_root(&root, p);
    if (!node_equal(&root, &p->root))
        fault(c, sector, 1 + n, "wrong-path",
              "inclusion_proofs[%u]: leaf and hashes do not lead to the root", n);
    else if (!node_equal(&p->root, &s->comm_r_last))
        fault(c, sector, 1 + n, "wrong-root", "inclusion_proofs[%u]: the root is not comm_r_last",
              n);
}

static void run_task(void *ctx, size_t i)
{
    struct check *c = ctx;
    unsigned paths = c->v->post->paths;
    if (i % paths == 0)
        check_comm_r(c, i / paths);
    check_path(c, i / paths, (unsigned)(i % paths));
    progress_add(&c->progress, 1);
}

static int check_order(const struct post_vanilla *v, struct error *err)
{
    for (size_t i = 1; i < v->sectors_len; i++) {
        uint64_t before = v->sectors[i - 1].id, id = v->sectors[i].id;
        if (id == before)
            return error_set(err, ERR_DATA, "post-sector-order",
                             "vanilla proofs %zu and %zu: sector %" PRIu64 " twice", i - 1, i, id);
        if (id < before)
            return error_set(err, ERR_DATA, "post-sector-order",
                             "vanilla proof %zu: sector %" PRIu64 " after sector %" PRIu64
                             ": the chain goes through them in ascending order",
                             i, id, before);
    }
    return 0;
}

/* ---- The report ---- */

/* Appends to text[cap] at *n; nothing is appended that does not fit with `spare` bytes left. Returns 1 if it did. */
static int append(char *text, size_t cap, size_t *n, size_t spare, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static int append(char *text, size_t cap, size_t *n, size_t spare, const char *fmt, ...)
{
    char piece[240];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(piece, sizeof piece, fmt, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof piece || *n + (size_t)len + 1 + spare > cap)
        return 0;
    memcpy(text + *n, piece, (size_t)len + 1);
    *n += (size_t)len;
    return 1;
}

/* "3 of 2349 sectors are faulty: 22, 24-25; sector 22: ...; sector 24: ..." */
static int report(const struct post_vanilla *v, struct error *err)
{
    enum { NUMBERS_CAP = 360, SPARE = 32 };
    char text[sizeof err->text];
    const struct post_fault *f = v->faults;
    size_t n = 0, i = 0, len = v->faults_len;
    append(text, sizeof text, &n, 0, "%zu of %zu sectors %s faulty:", len, v->sectors_len,
           len == 1 ? "is" : "are");
    while (i < len) {
        size_t last = i;
        char to[24] = "";
        while (last + 1 < len && f[last + 1].id == f[last].id + 1)
            last++;
        if (last > i)
            snprintf(to, sizeof to, "-%" PRIu64, f[last].id);
        if (!append(text, NUMBERS_CAP, &n, SPARE, "%s %" PRIu64 "%s", i > 0 ? "," : "", f[i].id,
                    to))
            break;
        i = last + 1;
    }
    if (i < len)
        append(text, NUMBERS_CAP, &n, 0, " and %zu more", len - i);
    for (i = 0; i < len; i++)
        if (!append(text, sizeof text, &n, SPARE, "; sector %" PRIu64 ": %s", f[i].id, f[i].text))
            break;
    if (i > 0 && i < len)
        append(text, sizeof text, &n, 0, "; ...");
    return error_set(err, ERR_DATA, "post-faulty-sectors", "%s", text);
}

/* Moves the faults found to v. */
static int collect(struct post_vanilla *v, const struct check *c, struct error *err)
{
    size_t n = 0;
    v->faults_len = 0;
    v->faults = NULL;
    for (size_t i = 0; i < v->sectors_len; i++)
        n += c->faults[i].cause != NULL;
    if (n == 0)
        return 0;
    v->faults = arena_alloc(v->list.arena, n * sizeof *v->faults);
    if (v->faults == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the list of faults");
    for (size_t i = 0; i < v->sectors_len; i++)
        if (c->faults[i].cause != NULL)
            v->faults[v->faults_len++] = c->faults[i];
    return report(v, err);
}

int post_vanilla_check(struct post_vanilla *v, struct pool *pool, const struct progress_sink *sink,
                       struct error *err)
{
    struct check c = {.v = v};
    size_t paths = v->sectors_len * v->post->paths;
    assert(v->post->paths <= MAX_PATHS);
    if (check_order(v, err) != 0)
        return file_blame(err, v->list.path);
    c.faults = calloc(v->sectors_len, sizeof *c.faults);
    c.rank = calloc(v->sectors_len, sizeof *c.rank);
    int rc;
    if (c.faults == NULL || c.rank == NULL) {
        rc = error_set(err, ERR_OS, "out-of-memory", "no memory for the check of the sectors");
    } else {
        pthread_mutex_init(&c.lock, NULL);
        progress_begin(&c.progress, sink, "checking the vanilla proofs", paths);
        pool_run(pool, paths, run_task, &c);
        progress_end(&c.progress);
        pthread_mutex_destroy(&c.lock);
        rc = collect(v, &c, err);
    }
    free(c.faults);
    free(c.rank);
    return rc == ERR_DATA ? file_blame(err, v->list.path) : rc;
}
