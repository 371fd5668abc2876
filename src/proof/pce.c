#include "proof/pce.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

/* The reference has names for six circuits; the others are named alike. Digests: those that
 * bellpepper's TestConstraintSystem gives for the reference's circuits; for 64 GiB, which it was not asked for, ours. */
static const struct recording {
    const char *id, *name, *digest;
} recordings[] = {
    {"porep-2k", "porep-2k", "2c120b1125bd531d5a62b11932b2ae0e0cb47f455cea582994f97534e296bb42"},
    {"porep-8m", "porep-8m", "b1fe5a4629fb8fc6684d6c90d6f8d6d32e5bccf6bc9439e4e8a9758e579328db"},
    {"porep-512m", "porep-512m",
     "c7ade8c93707968e967cce4507669258eab20ff010e6dc1827d55544ee671cbb"},
    {"porep-32g", "porep-32g", "a790207ea0435359e7d5f286563586e3f9a3a286c97af2440f65a4a18063d9cb"},
    {"porep-64g", "porep-64g", "7686117961498d7849ede7429233254b20e3b149011eca8674ca8e9ab0655af6"},
    {"wpost-2k", "window-post-2k",
     "14279e1c38053fa35eab6f56dbf1c5ef337b533f2c42fd3d7b4e7a116796b331"},
    {"wpost-8m", "window-post-8m",
     "ee6185d4d0e58fb6f56f11ebc105ec7a08829c99bbf18b91634e40d07abaee6f"},
    {"wpost-512m", "window-post-512m",
     "24ea17320d86130abde49b4eff2f6df38d8806b99018c5c2ac68930d951325c6"},
    {"wpost-32g", "window-post",
     "1036a47757014fa295aee4d8539d43c45adaf71c80a4b17c1dba6eca41b0d54f"},
    {"wpost-64g", "window-post-64g",
     "c0067486fdc1ab0885e045ae7e61190ec4cdc979f939d08d67c3d06fc3c6f42c"},
    {"winning-2k", "winning-post-2k",
     "ce8079a9875ac8fafc46902e0e2368fa997e7f2ffb2065d2666ef92bc3ca2f67"},
    {"winning-8m", "winning-post-8m",
     "f76fd7ab1915553c8dbffbd06ef73bc77119d7b4e2e129534256b9abd952d38e"},
    {"winning-512m", "winning-post-512m",
     "1edcd1f497a9d12871d3f692ec90c670d9f837b3e37c31958dbf2ea239c021df"},
    {"winning-32g", "winning-post",
     "f65cddbca7106bac1a8b92148badb4d96f488d56c233bd59b0d0a6919445cf4f"},
    {"winning-64g", "winning-post-64g",
     "280879cc466ac3a629e7369617c7f774b28b9e39d39bcf56b896ff72d2481107"},
    {"snap-2k", "snap-deals-2k",
     "c787aea9329f4525b3bcde14533b9b775654f6a9afe0a7c671783c8bd4f1f7a5"},
    {"snap-8m", "snap-deals-8m",
     "ee2b98435ff8e35305acee8e08f1428bf5d19dd1164174a356e150c11df28ae4"},
    {"snap-512m", "snap-deals-512m",
     "d9f9e8c5646d12ad5a07ce7967df4e19fd998a0439a3eb1585baf51559b24751"},
    {"snap-32g", "snap-deals-32g",
     "ed11b3af5ba3ae6e1e9e56122c31c51507edb6516c97baf1893a97da69517634"},
    {"snap-64g", "snap-deals-64g",
     "8854cef703f930ed25d91a7e818524f3e4c67bb2393ba3c70fbfb0b1572c96af"},
};
enum { RECORDINGS = sizeof recordings / sizeof *recordings, PROGRESS_ROWS = 65536 };

static const struct recording *recording_of(const struct circuit *circuit)
{
    const char *id = circuit_names(circuit)->id;
    for (size_t i = 0; i < RECORDINGS; i++)
        if (strcmp(recordings[i].id, id) == 0)
            return &recordings[i];
    assert(!"a circuit of the registry");
    return NULL;
}

const char *pce_form_name(enum pce_form form)
{
    static const char *const names[PCE_FORMS] = {"flat", "templates"};
    return names[form];
}

char *pce_path(const struct circuit *circuit, const char *dir, enum pce_form form)
{
    static const char *const extensions[PCE_FORMS] = {"bin", "templates"};
    char *path;
    return asprintf(&path, "%s/pce-%s.%s", dir, recording_of(circuit)->name, extensions[form]) < 0
               ? NULL
               : path;
}

static char *sums_path(const char *path)
{
    char *sums;
    return asprintf(&sums, "%s.sums", path) < 0 ? NULL : sums;
}

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for a file's name");
}

void pce_circuit_digest(uint8_t out[32], const struct circuit *circuit)
{
    int rc = hex_decode(out, 32, recording_of(circuit)->digest);
    assert(rc == 0);
}

/* ---- rows and their digest ---- */

/* Rows go to the digest, and to another sink if there is one. */
struct tee {
    struct row_sink digest, other;
    struct progress *progress;
    uint64_t rows, inputs; /* seen; and of the rows the final ones */
    int wrong_finals;      /* one is not <input | 0 | 0> */
};

static void tee_row(void *ctx, const struct row *row)
{
    struct tee *t = ctx;
    t->digest.row(t->digest.ctx, row);
    if (t->other.row)
        t->other.row(t->other.ctx, row);
    if (row->last)
        t->wrong_finals |= row->a_len != 1 || row->b_len != 0 || row->c_len != 0 ||
                           row->a[0].var != t->inputs++ || !fr_equal(&row->a[0].coeff, &FR_ONE);
    if (++t->rows % PROGRESS_ROWS == 0)
        progress_add(t->progress, PROGRESS_ROWS);
}

/* All rows have been seen, if none failed. */
static void end_progress(struct tee *t)
{
    progress_add(t->progress, t->rows % PROGRESS_ROWS);
    progress_end(t->progress);
}

/* The circuit's digest begins with its counts. */
static struct shape_digest *new_digest(const struct circuit *circuit)
{
    const struct circuit_params *c = circuit_names(circuit);
    return shape_digest_new(c->inputs, c->aux, c->rows);
}

static int same_digest(const struct circuit *circuit, const uint8_t digest[32])
{
    uint8_t want[32];
    pce_circuit_digest(want, circuit);
    return memcmp(want, digest, 32) == 0;
}

/* ---- recording ---- */

static int record_templates(struct templates *out, const struct circuit *circuit,
                            const struct progress_sink *sink, struct error *err)
{
    struct template_recorder *recorder;
    struct progress progress;
    struct cs cs;
    uint8_t digest[32];
    int rc = template_recorder_new(&recorder, err);
    if (rc != 0)
        return rc;
    struct shape_digest *shape = new_digest(circuit);
    struct tee tee = {.digest = shape_digest_sink(shape),
                      .other = template_recorder_sink(recorder),
                      .progress = &progress};
    struct row_sink rows = {tee_row, &tee};
    progress_begin(&progress, sink, "recording rows",
                   (uint64_t)circuit_names(circuit)->rows + circuit_names(circuit)->inputs);
    cs_init_shape(&cs, &rows);
    rc = circuit_rows(&cs, circuit, err);
    if (rc == 0)
        rc = cs_finish(&cs, err);
    end_progress(&tee);
    shape_digest_finish(shape, digest);
    if (rc == 0)
        rc = template_recorder_finish(out, recorder, &cs, err);
    else
        template_recorder_destroy(recorder);
    cs_clean_up(&cs);
    if (rc == 0 && !same_digest(circuit, digest)) {
        templates_clean_up(out);
        rc = error_set(err, ERR_SOFTWARE, "circuit-digest", "%s: rows of another digest",
                       circuit_names(circuit)->id);
    }
    return rc;
}

static int write_recorded(const char *path, enum pce_form form, const struct templates *t,
                          const struct circuit *circuit, struct error *err)
{
    const char *id = circuit_names(circuit)->id;
    uint8_t digest[32];
    pce_circuit_digest(digest, circuit);
    if (form == PCE_TEMPLATES)
        return templates_write(path, t, id, digest, err);
    char *sums = sums_path(path);
    int rc = sums == NULL ? no_memory(err) : csr_file_write(path, sums, t, id, digest, err);
    free(sums);
    return rc;
}

int pce_record(const struct circuit *circuit, const char *dir, enum pce_form form,
               const struct progress_sink *sink, struct error *err)
{
    struct templates t = {0};
    char *path = pce_path(circuit, dir, form);
    int rc = path == NULL ? no_memory(err) : output_file_check(path, FILE_REPLACE, err);
    if (rc == 0)
        rc = record_templates(&t, circuit, sink, err);
    if (rc == 0)
        rc = write_recorded(path, form, &t, circuit, err);
    templates_clean_up(&t);
    free(path);
    return rc;
}

int pce_save_flat(const struct pce *p, const char *path, struct error *err)
{
    assert(p->form == PCE_TEMPLATES);
    return write_recorded(path, PCE_FLAT, &p->templates, p->circuit, err);
}

/* ---- opening ---- */

static int other_circuit(const struct pce *p, const char *what, struct error *err)
{
    return error_set(err, ERR_DATA, "pce-other-circuit", "%s: not of %s: %s", p->path,
                     circuit_names(p->circuit)->id, what);
}

static int check_counts(const struct pce *p, uint64_t inputs, uint64_t aux, uint64_t rows,
                        struct error *err)
{
    const struct circuit_params *want = circuit_names(p->circuit);
    const struct {
        const char *name;
        uint64_t found, expected;
    } counts[] = {{"num_inputs", inputs, want->inputs},
                  {"num_aux", aux, want->aux},
                  {"rows", rows, (uint64_t)want->rows + want->inputs}};
    char text[128];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].found == counts[i].expected)
            continue;
        snprintf(text, sizeof text, "%s is %" PRIu64 ", expected %" PRIu64, counts[i].name,
                 counts[i].found, counts[i].expected);
        return other_circuit(p, text, err);
    }
    return 0;
}

static int check_identity(const struct pce *p, const char *id, const uint8_t digest[32],
                          struct error *err)
{
    char text[160], hex[65];
    if (strcmp(id, circuit_names(p->circuit)->id) != 0) {
        snprintf(text, sizeof text, "recorded for \"%.40s\"", id);
        return other_circuit(p, text, err);
    }
    if (same_digest(p->circuit, digest))
        return 0;
    hex_encode(hex, digest, 32);
    snprintf(text, sizeof text, "recorded with digest %s, expected %s", hex,
             recording_of(p->circuit)->digest);
    return other_circuit(p, text, err);
}

static int open_templates(struct pce *p, struct error *err)
{
    struct templates *t = &p->templates;
    char id[TEMPLATE_ID_BYTES + 1];
    uint8_t digest[32];
    int rc = templates_read(t, id, digest, p->path, err);
    if (rc != 0)
        return rc;
    p->file_bytes = templates_file_bytes(t);
    p->num_rows = t->num_rows + t->num_inputs;
    for (int m = 0; m < 3; m++)
        p->nnz[m] = t->nnz[m] + (m == 0 ? t->num_inputs : 0);
    rc = check_counts(p, t->num_inputs, t->num_aux, p->num_rows, err);
    return rc != 0 ? rc : check_identity(p, id, digest, err);
}

static int open_flat(struct pce *p, struct error *err)
{
    struct csr_file *f = &p->flat;
    char *sums = sums_path(p->path);
    int rc = sums == NULL ? no_memory(err) : csr_file_open(f, p->path, sums, err);
    free(sums);
    if (rc != 0)
        return rc;
    p->file_bytes = f->file.size;
    p->num_rows = f->num_rows;
    for (int m = 0; m < 3; m++)
        p->nnz[m] = f->matrix[m].nnz;
    rc = check_counts(p, f->num_inputs, f->num_aux, f->num_rows, err);
    return rc != 0 || f->sums.block == NULL
               ? rc
               : check_identity(p, f->sums.circuit, f->sums.digest, err);
}

/* Takes the path over. */
static int open_path(struct pce *p, const struct circuit *circuit, char *path, enum pce_form form,
                     struct error *err)
{
    *p = (struct pce){.form = form, .circuit = circuit, .path = path};
    int rc = p->path == NULL    ? no_memory(err)
             : form == PCE_FLAT ? open_flat(p, err)
                                : open_templates(p, err);
    if (rc != 0)
        pce_close(p);
    return rc;
}

int pce_open(struct pce *p, const struct circuit *circuit, const char *dir, enum pce_form form,
             struct error *err)
{
    return open_path(p, circuit, pce_path(circuit, dir, form), form, err);
}

int pce_open_file(struct pce *p, const struct circuit *circuit, const char *path,
                  enum pce_form form, struct error *err)
{
    return open_path(p, circuit, strdup(path), form, err);
}

void pce_close(struct pce *p)
{
    templates_clean_up(&p->templates);
    csr_file_close(&p->flat);
    free(p->path);
    *p = (struct pce){0};
}

/* ---- evaluation ---- */

struct evaluation {
    struct pce *p;
    const struct witness *w;
    void (*rows)(void *ctx, uint64_t first, size_t n, const struct fr *a, const struct fr *b,
                 const struct fr *c);
    void *ctx;
    struct scratch *scratch; /* one a worker */
    pthread_mutex_t lock;    /* of what follows */
    struct error *err;
    int rc; /* the first failure */
};

struct scratch {
    struct fr out[3][PCE_BLOCK], full[3][PCE_BLOCK];
    int8_t small[3][PCE_BLOCK + TEMPLATE_SLACK];
};

static void eval_templates(struct scratch *s, const struct evaluation *e, uint64_t first, size_t n)
{
    struct row_values v[3];
    for (int m = 0; m < 3; m++)
        v[m] = (struct row_values){s->small[m], s->full[m], 0};
    templates_eval(v, &e->p->templates, e->w, first, n);
    for (int m = 0; m < 3; m++) {
        const struct fr *full = s->full[m];
        for (size_t i = 0; i < n; i++)
            s->out[m][i] =
                v[m].small[i] == TVEC_FULL ? *full++ : e->w->integer[(uint8_t)v[m].small[i]];
    }
}

static int failed(struct evaluation *e)
{
    pthread_mutex_lock(&e->lock);
    int rc = e->rc;
    pthread_mutex_unlock(&e->lock);
    return rc;
}

static void eval_block(void *ctx, size_t block)
{
    struct evaluation *e = ctx;
    struct scratch *s = &e->scratch[pool_worker()];
    struct fr *const out[3] = {s->out[0], s->out[1], s->out[2]};
    struct error err;
    uint64_t first = (uint64_t)block * PCE_BLOCK, left = e->p->num_rows - first;
    size_t n = left < PCE_BLOCK ? left : PCE_BLOCK;
    int rc = 0;
    if (failed(e))
        return;
    if (e->p->form == PCE_TEMPLATES)
        eval_templates(s, e, first, n);
    else
        rc = csr_file_eval(out, &e->p->flat, e->w, first, n, &err);
    if (rc == 0) {
        e->rows(e->ctx, first, n, out[0], out[1], out[2]);
        return;
    }
    pthread_mutex_lock(&e->lock);
    if (e->rc == 0) {
        e->rc = rc;
        *e->err = err;
    }
    pthread_mutex_unlock(&e->lock);
}

int pce_eval(struct pce *p, const struct witness *w,
             void (*rows)(void *ctx, uint64_t first, size_t n, const struct fr *a,
                          const struct fr *b, const struct fr *c),
             void *ctx, struct pool *pool, struct error *err)
{
    const struct circuit_params *want = circuit_names(p->circuit);
    if (w->num_inputs != want->inputs || w->num_aux != want->aux)
        return error_set(err, ERR_DATA, "pce-other-circuit",
                         "a witness of %zu inputs and %zu aux variables is not of %s",
                         w->num_inputs, w->num_aux, want->id);
    struct evaluation e = {.p = p, .w = w, .rows = rows, .ctx = ctx, .err = err};
    e.scratch = malloc(pool_threads(pool) * sizeof *e.scratch);
    if (e.scratch == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory to evaluate rows");
    pthread_mutex_init(&e.lock, NULL);
    pool_run(pool, (size_t)((p->num_rows + PCE_BLOCK - 1) / PCE_BLOCK), eval_block, &e);
    pthread_mutex_destroy(&e.lock);
    free(e.scratch);
    return e.rc;
}

/* ---- verification ---- */

static int verify_rows(struct pce *p, struct shape_stats *stats, const struct progress_sink *sink,
                       struct error *err)
{
    const struct circuit_params *c = circuit_names(p->circuit);
    struct cs counts = {.num_inputs = c->inputs, .num_aux = c->aux};
    struct progress progress;
    uint8_t digest[32];
    struct shape_digest *shape = new_digest(p->circuit);
    struct tee tee = {.digest = shape_digest_sink(shape),
                      .other = shape_stats_sink(stats),
                      .progress = &progress};
    struct row_sink rows = {tee_row, &tee};
    progress_begin(&progress, sink, "checking rows", p->num_rows);
    int rc = p->form == PCE_TEMPLATES ? templates_rows(&p->templates, &rows, err)
                                      : csr_file_rows(&p->flat, &rows, err);
    end_progress(&tee);
    shape_digest_finish(shape, digest);
    if (rc == 0)
        rc = shape_stats_finish(stats, &counts, err);
    if (rc == 0 && (!same_digest(p->circuit, digest) || tee.wrong_finals))
        rc = other_circuit(p, "its rows have another digest", err);
    return rc;
}

int pce_verify(struct pce *p, const struct progress_sink *sink, struct error *err)
{
    struct shape_stats stats = {0};
    struct csr_file *f = &p->flat;
    int rc = p->form == PCE_FLAT && f->sums.block
                 ? block_sums_check(&f->sums, &f->file, 0, f->file.size, err)
                 : 0;
    if (rc == 0)
        rc = verify_rows(p, &stats, sink, err);
    if (rc == 0 && p->form == PCE_FLAT)
        rc = csr_file_check_density(f, &stats, err);
    shape_stats_clean_up(&stats);
    return rc;
}
