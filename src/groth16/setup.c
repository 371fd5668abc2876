#include "groth16/setup.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "groth16/lagrange.h"
#include "groth16/vk.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

static int random_non_zero(struct fr *r, struct error *err)
{
    do {
        if (fr_random(r) != 0)
            return error_set(err, ERR_OS, "no-randomness", "getrandom failed");
    } while (fr_is_zero(r));
    return 0;
}

int trapdoor_random(struct trapdoor *t, struct error *err)
{
    struct fr *const scalars[] = {&t->alpha, &t->beta, &t->gamma, &t->delta, &t->tau};
    t->g1 = G1_GENERATOR;
    t->g2 = G2_GENERATOR;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (random_non_zero(scalars[i], err) != 0)
            return err->code;
    return 0;
}

/* The circuit's polynomials at tau, per variable, inputs first. */
struct qap {
    uint64_t num_inputs, num_vars, rows;
    unsigned log2;
    struct fr z;          /* tau^m - 1 */
    struct fr *u, *v, *w; /* [num_vars]; w becomes beta u + alpha v + w over gamma or delta */
    struct buffer buffer;
};

static struct fr *at_variable(const struct qap *q, struct fr *vector, uint32_t var)
{
    return &vector[var & VAR_AUX ? q->num_inputs + (var & ~VAR_AUX) : var];
}

/* While rows stream by. */
struct evaluation {
    struct qap *q;
    struct lagrange lagrange;
    struct progress progress;
};

static void add_terms(const struct qap *q, struct fr *vector, const struct term *term, size_t n,
                      const struct fr *value)
{
    for (size_t i = 0; i < n; i++) {
        struct fr *x = at_variable(q, vector, term[i].var), t;
        if (fr_equal(&term[i].coeff, &FR_ONE)) {
            fr_add(x, x, value);
        } else if (fr_equal(&term[i].coeff, &FR_MINUS_ONE)) {
            fr_sub(x, x, value);
        } else {
            fr_mul(&t, value, &term[i].coeff);
            fr_add(x, x, &t);
        }
    }
}

static void evaluate_row(void *ctx, const struct row *row)
{
    struct evaluation *e = ctx;
    const struct fr *value = lagrange_next(&e->lagrange);
    add_terms(e->q, e->q->u, row->a, row->a_len, value);
    add_terms(e->q, e->q->v, row->b, row->b_len, value);
    add_terms(e->q, e->q->w, row->c, row->c_len, value);
    progress_add(&e->progress, 1);
}

static int synthesize(struct cs *cs, const struct setup_circuit *circuit,
                      const struct row_sink *sink, struct error *err)
{
    cs_init_shape(cs, sink);
    int rc = circuit->synthesize(circuit->ctx, cs, err);
    return rc != 0 ? rc : cs_finish(cs, err);
}

/* A first synthesis tells how many rows and variables there are. */
static int count_circuit(struct qap *q, const struct setup_circuit *circuit, struct error *err)
{
    struct cs cs;
    const struct row_sink none = {NULL, NULL};
    int rc = synthesize(&cs, circuit, &none, err);
    q->num_inputs = cs.num_inputs;
    q->num_vars = cs.num_inputs + cs.num_aux;
    q->rows = cs.num_rows;
    cs_clean_up(&cs);
    for (q->log2 = 1; rc == 0 && (UINT64_C(1) << q->log2) < q->rows;)
        q->log2++;
    if (rc == 0 && q->log2 > NTT_MAX_LOG2)
        rc = error_set(err, ERR_DATA, "domain-too-large", "a circuit of %llu rows: more than 2^%d",
                       (unsigned long long)q->rows, NTT_MAX_LOG2);
    return rc;
}

static int evaluate_circuit(struct qap *q, const struct setup_circuit *circuit,
                            const struct trapdoor *t, const struct progress_sink *sink,
                            struct error *err)
{
    struct evaluation e = {.q = q};
    struct cs cs;
    const struct row_sink rows = {evaluate_row, &e};
    if (lagrange_init(&e.lagrange, q->log2, &t->tau, err) != 0)
        return err->code;
    progress_begin(&e.progress, sink, "evaluating the circuit", q->rows);
    int rc = synthesize(&cs, circuit, &rows, err);
    progress_end(&e.progress);
    assert(rc != 0 || (cs.num_rows == q->rows && cs.num_inputs + cs.num_aux == q->num_vars));
    cs_clean_up(&cs);
    q->z = e.lagrange.z;
    lagrange_clean_up(&e.lagrange);
    return rc;
}

enum { COMBINE_BLOCK = 4096 };

struct combination {
    const struct qap *q;
    const struct trapdoor *t;
    struct fr gamma_inverse, delta_inverse;
};

static void combine_block(void *ctx, size_t block)
{
    const struct combination *c = ctx;
    const struct qap *q = c->q;
    size_t end = (block + 1) * COMBINE_BLOCK;
    for (size_t i = block * COMBINE_BLOCK; i < end && i < q->num_vars; i++) {
        struct fr x, y;
        fr_mul(&x, &c->t->beta, &q->u[i]);
        fr_mul(&y, &c->t->alpha, &q->v[i]);
        fr_add(&x, &x, &y);
        fr_add(&x, &x, &q->w[i]);
        fr_mul(&q->w[i], &x, i < q->num_inputs ? &c->gamma_inverse : &c->delta_inverse);
    }
}

/* As the reference: a variable that no row holds fast would let a prover choose. */
static int check_constrained(const struct qap *q, struct error *err)
{
    for (size_t i = 0; i < q->num_vars; i++)
        if (fr_is_zero(&q->w[i]))
            return error_set(err, ERR_DATA, "variable-unconstrained",
                             "%s variable %llu occurs in no row",
                             i < q->num_inputs ? "input" : "aux",
                             (unsigned long long)(i < q->num_inputs ? i : i - q->num_inputs));
    return 0;
}

static int qap_init(struct qap *q, const struct setup_circuit *circuit, const struct trapdoor *t,
                    struct pool *pool, const struct progress_sink *sink, struct error *err)
{
    *q = (struct qap){0};
    if (fr_is_zero(&t->gamma) || fr_is_zero(&t->delta))
        return error_set(err, ERR_DATA, "trapdoor-zero", "gamma and delta must not be 0");
    if (count_circuit(q, circuit, err) != 0 ||
        buffer_init(&q->buffer, 3 * q->num_vars * sizeof(struct fr), "polynomials at tau", err) !=
            0)
        return err->code;
    q->u = q->buffer.data;
    q->v = q->u + q->num_vars;
    q->w = q->v + q->num_vars;
    if (evaluate_circuit(q, circuit, t, sink, err) != 0) {
        buffer_clean_up(&q->buffer);
        return err->code;
    }
    struct combination c = {.q = q, .t = t};
    fr_inv(&c.gamma_inverse, &t->gamma);
    fr_inv(&c.delta_inverse, &t->delta);
    pool_run(pool, (q->num_vars + COMBINE_BLOCK - 1) / COMBINE_BLOCK, combine_block, &c);
    wipe(&c, sizeof c);
    if (check_constrained(q, err) != 0) {
        buffer_clean_up(&q->buffer);
        return err->code;
    }
    return 0;
}

static size_t count_non_zero(const struct fr *x, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !fr_is_zero(&x[i]);
    return count;
}

/* Points are made and written in pieces of this many. */
enum { PIECE = 1 << 15, ENCODE_BLOCK = 1024, G2_WEIGHT = 3 /* of progress */, SECTIONS = 5 };

struct writer {
    struct output_file *file;
    struct fixed_base_g1 *g1;
    struct fixed_base_g2 *g2; /* in use when "in_g2" */
    int in_g2;
    struct pool *pool;
    struct progress progress;
    struct fr *scalars;
    struct g1_affine *points1;
    struct g2_affine *points2;
    uint8_t *bytes;
    size_t n;
    struct error *err; /* code 0 until a write fails; later ones are skipped */
    struct buffer buffer;
};

static int writer_init(struct writer *w, const struct trapdoor *t, size_t expected1,
                       size_t expected2, struct error *err)
{
    size_t scalars = PIECE * sizeof *w->scalars, points1 = PIECE * sizeof *w->points1,
           points2 = PIECE * sizeof *w->points2;
    if (buffer_init(&w->buffer, scalars + points1 + points2 + PIECE * G2_UNCOMPRESSED_BYTES,
                    "points to write", err) != 0)
        return err->code;
    w->scalars = w->buffer.data;
    w->points1 = (void *)((uint8_t *)w->scalars + scalars);
    w->points2 = (void *)((uint8_t *)w->points1 + points1);
    w->bytes = (uint8_t *)w->points2 + points2;
    if (fixed_base_g1_new(&w->g1, &t->g1, expected1, err) != 0)
        return err->code;
    return fixed_base_g2_new(&w->g2, &t->g2, expected2, err);
}

static void writer_clean_up(struct writer *w)
{
    fixed_base_g1_destroy(w->g1);
    fixed_base_g2_destroy(w->g2);
    if (w->buffer.data != NULL)
        wipe(w->scalars, PIECE * sizeof *w->scalars);
    buffer_clean_up(&w->buffer);
}

static void encode_block(void *ctx, size_t block)
{
    struct writer *w = ctx;
    size_t end = (block + 1) * ENCODE_BLOCK;
    for (size_t i = block * ENCODE_BLOCK; i < end && i < w->n; i++) {
        if (w->in_g2)
            g2_to_uncompressed(w->bytes + i * G2_UNCOMPRESSED_BYTES, &w->points2[i]);
        else
            g1_to_uncompressed(w->bytes + i * G1_UNCOMPRESSED_BYTES, &w->points1[i]);
    }
}

static void write_bytes(struct writer *w, const void *data, size_t n)
{
    if (w->err->code == 0)
        output_file_write(w->file, data, n, w->err);
}

static void flush_points(struct writer *w)
{
    if (w->n == 0 || w->err->code != 0)
        return;
    if (w->in_g2)
        fixed_base_g2_mul(w->g2, w->points2, w->scalars, w->n, w->pool);
    else
        fixed_base_g1_mul(w->g1, w->points1, w->scalars, w->n, w->pool);
    pool_run(w->pool, (w->n + ENCODE_BLOCK - 1) / ENCODE_BLOCK, encode_block, w);
    write_bytes(w, w->bytes, w->n * (w->in_g2 ? G2_UNCOMPRESSED_BYTES : G1_UNCOMPRESSED_BYTES));
    progress_add(&w->progress, w->in_g2 ? G2_WEIGHT * w->n : w->n);
    w->n = 0;
}

static void put_scalar(struct writer *w, const struct fr *scalar)
{
    w->scalars[w->n++] = *scalar;
    if (w->n == PIECE)
        flush_points(w);
    if (w->n == PIECE) /* a write failed: the rest goes nowhere */
        w->n = 0;
}

static void begin_section(struct writer *w, int in_g2, size_t count)
{
    const uint8_t be[4] = {(uint8_t)(count >> 24), (uint8_t)(count >> 16), (uint8_t)(count >> 8),
                           (uint8_t)count};
    w->in_g2 = in_g2;
    write_bytes(w, be, sizeof be);
}

/* (tau^j z / delta) g1 for j < m - 1 */
static void write_h(struct writer *w, const struct qap *q, const struct trapdoor *t)
{
    size_t n = ((size_t)1 << q->log2) - 1;
    struct fr x;
    fr_inv(&x, &t->delta);
    fr_mul(&x, &x, &q->z);
    begin_section(w, 0, n);
    for (size_t j = 0; j < n && w->err->code == 0; j++) {
        put_scalar(w, &x);
        fr_mul(&x, &x, &t->tau);
    }
    flush_points(w);
}

/* The multiples by x[first ..], without those that are infinity. */
static void write_section(struct writer *w, int in_g2, const struct fr *x, size_t n)
{
    begin_section(w, in_g2, count_non_zero(x, n));
    for (size_t i = 0; i < n && w->err->code == 0; i++)
        if (!fr_is_zero(&x[i]))
            put_scalar(w, &x[i]);
    flush_points(w);
}

static void multiple_g1(struct g1_affine *r, const struct g1_affine *base, const struct fr *scalar)
{
    struct g1 t;
    g1_from_affine(&t, base);
    g1_mul_fr(&t, &t, scalar);
    g1_to_affine(r, &t);
}

static void multiple_g2(struct g2_affine *r, const struct g2_affine *base, const struct fr *scalar)
{
    struct g2 t;
    g2_from_affine(&t, base);
    g2_mul_fr(&t, &t, scalar);
    g2_to_affine(r, &t);
}

/* What the trapdoor alone decides: all but IC. */
static void fixed_points(struct verifying_key *vk, const struct trapdoor *t)
{
    multiple_g1(&vk->alpha_g1, &t->g1, &t->alpha);
    multiple_g1(&vk->beta_g1, &t->g1, &t->beta);
    multiple_g1(&vk->delta_g1, &t->g1, &t->delta);
    multiple_g2(&vk->beta_g2, &t->g2, &t->beta);
    multiple_g2(&vk->gamma_g2, &t->g2, &t->gamma);
    multiple_g2(&vk->delta_g2, &t->g2, &t->delta);
}

/* The key's bytes; free() them. NULL when memory is out. */
static uint8_t *make_vk(size_t *n, const struct qap *q, const struct trapdoor *t,
                        const struct fixed_base_g1 *g1)
{
    struct verifying_key vk = {.ic_len = q->num_inputs};
    uint8_t *bytes = malloc(vk_bytes(vk.ic_len));
    vk.ic = calloc(vk.ic_len, sizeof *vk.ic);
    if (bytes != NULL && vk.ic != NULL) {
        fixed_points(&vk, t);
        fixed_base_g1_mul(g1, vk.ic, q->w, vk.ic_len, NULL);
        vk_write(bytes, &vk);
        *n = vk_bytes(vk.ic_len);
    } else {
        free(bytes);
        bytes = NULL;
    }
    free(vk.ic);
    return bytes;
}

enum { FILE_VK, FILE_META, FILE_PARAMS, FILES };

/* The three files: all there in the end, or none of ours. One process at a time makes them. */
struct outputs {
    struct file_lock lock;
    char *path[FILES];
    struct output_file file[FILES];
    struct {
        uint8_t *data; /* of a file that was there already; NULL: none */
        size_t n;
    } left[FILES];
    int committed;
};

static int lock_outputs(struct outputs *o, const char *prefix, struct error *err)
{
    char *path;
    if (asprintf(&path, "%s.lock", prefix) < 0)
        return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for a file name", prefix);
    int rc = file_lock_init(&o->lock, path, err);
    if (rc == ERR_TEMP_FAIL)
        error_set(err, rc, "params-in-the-making", "%s.params: another process is making it",
                  prefix);
    free(path);
    return rc;
}

static int is_in_the_way(const struct outputs *o, int i, struct error *err)
{
    return error_set(
        err, ERR_CANT_CREATE, "params-exist",
        "%s: is there without %s, and is not what is made now. If a generation that was "
        "killed left it, remove it",
        o->path[i], o->path[FILE_PARAMS]);
}

/* The proving key is the last to appear: the others without it are what a killed generation left, and are kept if they are right. */
static int open_output(struct outputs *o, int i, struct error *err)
{
    enum { SMALL_FILE_LIMIT = 1 << 20 };
    if (output_file_init(&o->file[i], o->path[i], FILE_KEEP, err) == 0)
        return 0;
    if (strcmp(err->cause, "file-exists") != 0)
        return err->code;
    err->cause = "params-exist";
    if (i == FILE_PARAMS)
        return err->code;
    int rc = file_read(&o->left[i].data, &o->left[i].n, o->path[i], SMALL_FILE_LIMIT, err);
    return rc == ERR_DATA ? is_in_the_way(o, i, err) : rc;
}

static int outputs_init(struct outputs *o, const char *prefix, struct error *err)
{
    static const char *const extension[FILES] = {"vk", "meta", "params"};
    *o = (struct outputs){0};
    for (int i = 0; i < FILES; i++) {
        if (asprintf(&o->path[i], "%s.%s", prefix, extension[i]) < 0) {
            o->path[i] = NULL;
            return error_set(err, ERR_OS, "out-of-memory", "%s: no memory for a file name", prefix);
        }
    }
    int rc = lock_outputs(o, prefix, err);
    for (int i = FILES - 1; i >= 0 && rc == 0; i--)
        rc = open_output(o, i, err);
    return rc;
}

/* Before the work: a key that another trapdoor made will not be what is made now. */
static int check_left_vk(const struct outputs *o, const struct trapdoor *t, struct error *err)
{
    uint8_t bytes[VK_FIXED_BYTES];
    struct verifying_key vk = {0};
    if (o->left[FILE_VK].data == NULL)
        return 0;
    fixed_points(&vk, t);
    vk_write(bytes, &vk);
    const size_t points = sizeof bytes - sizeof(uint32_t); /* the count follows */
    return o->left[FILE_VK].n > sizeof bytes && memcmp(o->left[FILE_VK].data, bytes, points) == 0
               ? 0
               : is_in_the_way(o, FILE_VK, err);
}

static int put_small_file(struct outputs *o, int i, const void *data, size_t n, struct error *err)
{
    if (o->left[i].data == NULL)
        return output_file_write(&o->file[i], data, n, err);
    return o->left[i].n == n && memcmp(o->left[i].data, data, n) == 0 ? 0
                                                                      : is_in_the_way(o, i, err);
}

/* All on disk before the first appears, so that little time lies between the names. */
static int outputs_commit(struct outputs *o, struct error *err)
{
    for (int i = 0; i < FILES; i++)
        if (o->left[i].data == NULL && output_file_sync(&o->file[i], err) != 0)
            return err->code;
    for (; o->committed < FILES; o->committed++)
        if (o->left[o->committed].data == NULL &&
            output_file_commit(&o->file[o->committed], err) != 0)
            return err->code;
    return 0;
}

static void outputs_clean_up(struct outputs *o)
{
    for (int i = 0; i < FILES; i++) {
        if (o->committed < FILES && i < o->committed && o->left[i].data == NULL)
            unlink(o->path[i]);
        output_file_clean_up(&o->file[i]);
        free(o->left[i].data);
        free(o->path[i]);
    }
    file_lock_clean_up(&o->lock);
}

/* Minutes of work follow, so ask for the room first, where the file system can tell. */
static int reserve_room(struct output_file *file, size_t size, struct error *err)
{
    if (fallocate(file->fd, 0, 0, (off_t)size) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        return error_set(err, ERR_IO, "disk-full", "%s: no room for %zu bytes: %s", file->path,
                         size, strerror(errno));
    return 0;
}

static int write_small_files(struct outputs *o, uint64_t sector_size, const uint8_t *vk,
                             size_t vk_len, struct error *err)
{
    char meta[64];
    int n = snprintf(meta, sizeof meta, "{\"sector_size\":%llu}", (unsigned long long)sector_size);
    if (put_small_file(o, FILE_VK, vk, vk_len, err) != 0)
        return err->code;
    return put_small_file(o, FILE_META, meta, (size_t)n, err);
}

static int write_params(struct writer *w, const struct qap *q, const struct trapdoor *t,
                        const uint8_t *vk, size_t vk_len, size_t n_a, size_t n_b,
                        const struct progress_sink *sink)
{
    size_t n_h = ((size_t)1 << q->log2) - 1, n_l = q->num_vars - q->num_inputs,
           n_g1 = n_h + n_l + n_a + n_b;
    size_t bytes = vk_len + SECTIONS * sizeof(uint32_t) + n_g1 * G1_UNCOMPRESSED_BYTES +
                   n_b * G2_UNCOMPRESSED_BYTES;
    if (reserve_room(w->file, bytes, w->err) != 0)
        return w->err->code;
    progress_begin(&w->progress, sink, "making points", n_g1 + G2_WEIGHT * n_b);
    write_bytes(w, vk, vk_len);
    write_h(w, q, t);
    write_section(w, 0, q->w + q->num_inputs, n_l);
    write_section(w, 0, q->u, q->num_vars);
    write_section(w, 0, q->v, q->num_vars);
    write_section(w, 1, q->v, q->num_vars);
    progress_end(&w->progress);
    return w->err->code;
}

static int write_all(struct outputs *o, const struct qap *q, uint64_t sector_size,
                     const struct trapdoor *t, struct pool *pool, const struct progress_sink *sink,
                     struct error *err)
{
    size_t n_a = count_non_zero(q->u, q->num_vars), n_b = count_non_zero(q->v, q->num_vars);
    struct writer w = {.file = &o->file[FILE_PARAMS], .pool = pool, .err = err};
    size_t vk_len = 0, expected = ((size_t)1 << q->log2) + q->num_vars + n_a + n_b;
    uint8_t *vk = NULL;
    err->code = 0;
    int rc = writer_init(&w, t, expected, n_b, err);
    if (rc == 0) {
        vk = make_vk(&vk_len, q, t, w.g1);
        if (vk == NULL)
            rc = error_set(err, ERR_OS, "out-of-memory", "no memory for a verifying key");
    }
    if (rc == 0)
        rc = write_small_files(o, sector_size, vk, vk_len, err);
    if (rc == 0)
        rc = write_params(&w, q, t, vk, vk_len, n_a, n_b, sink);
    free(vk);
    writer_clean_up(&w);
    return rc;
}

int setup_write(const char *prefix, uint64_t sector_size, const struct setup_circuit *circuit,
                const struct trapdoor *t, struct pool *pool, const struct progress_sink *sink,
                struct error *err)
{
    struct outputs o;
    struct qap q = {0};
    int rc = outputs_init(&o, prefix, err);
    if (rc == 0)
        rc = check_left_vk(&o, t, err);
    if (rc == 0)
        rc = qap_init(&q, circuit, t, pool, sink, err);
    if (rc == 0)
        rc = write_all(&o, &q, sector_size, t, pool, sink, err);
    if (rc == 0)
        rc = outputs_commit(&o, err);
    outputs_clean_up(&o);
    buffer_clean_up(&q.buffer);
    return rc;
}
