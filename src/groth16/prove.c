#include "groth16/prove.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

/* Points are decoded and summed in slices of SLICE, so the file is read once, front to back, and never held. */
enum { SLICE = 1 << 16, DECODE_BLOCK = 2048, G2_WEIGHT = 3 /* of progress */ };

struct prover {
    const struct params_file *params;
    const struct density *density;
    struct pool *pool;
    struct ntt_domain domain;
    struct fr *h, *tmp; /* [domain.n] */
    union {
        struct g1_affine *g1;
        struct g2_affine *g2;
    } points;        /* [SLICE] */
    int8_t *small;   /* [SLICE]: the slice's scalars, where density left some out */
    struct fr *full; /* [SLICE] */
    struct msm_g1 *msm_h;
    struct buffer h_buffer, slice_buffer;
};

static int check_params(const struct params_file *params, const struct density *density,
                        unsigned log2, struct error *err)
{
    size_t b = bitmap_popcount(&density->b_input) + bitmap_popcount(&density->b_aux);
    size_t a = params->vk.ic_len + bitmap_popcount(&density->a_aux);
    if (params->count[PARAMS_H] == ((size_t)1 << log2) - 1 && params->count[PARAMS_A] == a &&
        params->count[PARAMS_B_G1] == b && params->count[PARAMS_B_G2] == b)
        return 0;
    return error_set(err, ERR_CONFIG, "params-other-circuit", "%s: parameters of another circuit",
                     params->file.path);
}

static int allocate(struct prover *p, unsigned log2, struct error *err)
{
    size_t n = (size_t)1 << log2, points = SLICE * sizeof(struct g2_affine),
           full = SLICE * sizeof(struct fr);
    if (ntt_domain_init(&p->domain, log2, p->pool, err) != 0 ||
        buffer_init(&p->h_buffer, 2 * n * sizeof(struct fr), "the quotient's transforms", err) !=
            0 ||
        buffer_init(&p->slice_buffer, points + full + SLICE, "a slice of the parameters", err) != 0)
        return err->code;
    p->h = p->h_buffer.data;
    p->tmp = p->h + n;
    p->points.g2 = p->slice_buffer.data;
    p->full = (void *)((uint8_t *)p->slice_buffer.data + points);
    p->small = (int8_t *)p->full + full;
    return msm_g1_new(&p->msm_h, n, p->pool, err);
}

int prover_new(struct prover **out, const struct params_file *params, const struct density *density,
               unsigned log2_domain, struct pool *pool, struct error *err)
{
    if (check_params(params, density, log2_domain, err) != 0)
        return err->code;
    struct prover *p = calloc(1, sizeof *p);
    if (p == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a prover");
    p->params = params;
    p->density = density;
    p->pool = pool;
    if (allocate(p, log2_domain, err) != 0) {
        prover_destroy(p);
        return err->code;
    }
    *out = p;
    return 0;
}

void prover_destroy(struct prover *p)
{
    if (p == NULL)
        return;
    msm_g1_destroy(p->msm_h);
    ntt_domain_clean_up(&p->domain);
    buffer_clean_up(&p->h_buffer);
    buffer_clean_up(&p->slice_buffer);
    free(p);
}

/* Decodes a slice on all threads; the first error stays. integers, unless NULL: n field elements that become canonical integers in
 * place (both are four limbs). */
struct decoding {
    const struct prover *p;
    enum params_section section;
    size_t first, n;
    struct fr *integers;
    pthread_mutex_t lock;
    struct error err;
};

static void decode_block(void *ctx, size_t block)
{
    struct decoding *d = ctx;
    struct error err;
    size_t at = block * DECODE_BLOCK, n = d->n - at < DECODE_BLOCK ? d->n - at : DECODE_BLOCK;
    for (size_t i = 0; d->integers != NULL && i < n; i++)
        fr_to_limbs(d->integers[at + i].l, &d->integers[at + i]);
    int rc =
        d->section == PARAMS_B_G2
            ? params_g2(d->p->points.g2 + at, d->p->params, d->first + at, n, &err)
            : params_g1(d->p->points.g1 + at, d->p->params, d->section, d->first + at, n, &err);
    if (rc == 0)
        return;
    pthread_mutex_lock(&d->lock);
    d->err = err;
    pthread_mutex_unlock(&d->lock);
}

static int decode_slice(const struct prover *p, enum params_section s, size_t first, size_t n,
                        struct fr *integers, const struct progress *progress, struct error *err)
{
    if (progress_cancelled(progress->sink))
        return error_set(err, ERR_TEMP_FAIL, "cancelled", "cancelled");
    struct decoding d = {.p = p, .section = s, .first = first, .n = n, .integers = integers};
    pthread_mutex_init(&d.lock, NULL);
    pool_run(p->pool, (n + DECODE_BLOCK - 1) / DECODE_BLOCK, decode_block, &d);
    pthread_mutex_destroy(&d.lock);
    if (d.err.code == 0)
        return 0;
    *err = d.err;
    return err->code;
}

/* The scalars of a run of points, in order: the elements of v whose bit is set, or all where bits is NULL. */
struct scalars {
    const struct tvec *v;
    const struct bitmap *bits;
    size_t at, full_at;
};

/* The next n of them into small[] and full[]. */
static void take_scalars(struct scalars *s, int8_t *small, struct fr *full, size_t n)
{
    while (n > 0) {
        assert(s->at < s->v->len);
        int8_t value = s->v->small[s->at];
        int taken = s->bits == NULL || bitmap_get(s->bits, s->at);
        if (taken) {
            *small++ = value;
            n--;
        }
        if (value == TVEC_FULL) {
            if (taken)
                *full++ = s->v->full[s->full_at];
            s->full_at++;
        }
        s->at++;
    }
}

/* Points [first, end) of a G1 section times scalars. */
static int sum_g1(struct g1_affine *out, struct prover *p, enum params_section section,
                  size_t first, size_t end, struct scalars scalars, struct progress *progress,
                  struct error *err)
{
    struct msm_g1 *m;
    struct g1 sum;
    int rc = msm_g1_new(&m, scalars.v->full_len, p->pool, err);
    if (rc != 0)
        return rc;
    for (size_t at = first; at < end && rc == 0; at += SLICE) {
        size_t n = end - at < SLICE ? end - at : SLICE;
        take_scalars(&scalars, p->small, p->full, n);
        rc = decode_slice(p, section, at, n, NULL, progress, err);
        if (rc == 0)
            msm_g1_add_typed(m, p->points.g1, p->small, p->full, n);
        progress_add(progress, n);
    }
    msm_g1_finish(m, &sum);
    msm_g1_destroy(m);
    g1_to_affine(out, &sum);
    return rc;
}

static int sum_g2(struct g2_affine *out, struct prover *p, size_t first, size_t end,
                  struct scalars scalars, struct progress *progress, struct error *err)
{
    struct msm_g2 *m;
    struct g2 sum;
    int rc = msm_g2_new(&m, scalars.v->full_len, p->pool, err);
    if (rc != 0)
        return rc;
    for (size_t at = first; at < end && rc == 0; at += SLICE) {
        size_t n = end - at < SLICE ? end - at : SLICE;
        take_scalars(&scalars, p->small, p->full, n);
        rc = decode_slice(p, PARAMS_B_G2, at, n, NULL, progress, err);
        if (rc == 0)
            msm_g2_add_typed(m, p->points.g2, p->small, p->full, n);
        progress_add(progress, G2_WEIGHT * n);
    }
    msm_g2_finish(m, &sum);
    msm_g2_destroy(m);
    g2_to_affine(out, &sum);
    return rc;
}

/* H's coefficients are integers afterwards. */
static int sum_h(struct g1_affine *out, struct prover *p, struct progress *progress,
                 struct error *err)
{
    struct g1 sum;
    size_t end = p->params->count[PARAMS_H];
    int rc = 0;
    for (size_t at = 0; at < end && rc == 0; at += SLICE) {
        size_t n = end - at < SLICE ? end - at : SLICE;
        rc = decode_slice(p, PARAMS_H, at, n, p->h + at, progress, err);
        if (rc == 0)
            msm_g1_add(p->msm_h, p->points.g1, (const uint64_t(*)[4])(p->h + at), n);
        progress_add(progress, n);
    }
    msm_g1_finish(p->msm_h, &sum);
    g1_to_affine(out, &sum);
    return rc;
}

/* All sums but H's. inputs: the public inputs as a typed vector. */
static int sum_queries(struct groth16_sums *out, struct prover *p, const struct tvec *inputs,
                       const struct tvec *aux, struct progress *progress, struct error *err)
{
    const struct density *d = p->density;
    const size_t *count = p->params->count;
    size_t in = inputs->len, b_in = bitmap_popcount(&d->b_input);
    const struct scalars all_inputs = {.v = inputs}, all_aux = {.v = aux},
                         a_aux = {.v = aux, .bits = &d->a_aux},
                         b_inputs = {.v = inputs, .bits = &d->b_input},
                         b_aux = {.v = aux, .bits = &d->b_aux};
    if (sum_g1(&out->l, p, PARAMS_L, 0, count[PARAMS_L], all_aux, progress, err) != 0 ||
        sum_g1(&out->a_inputs, p, PARAMS_A, 0, in, all_inputs, progress, err) != 0 ||
        sum_g1(&out->a_aux, p, PARAMS_A, in, count[PARAMS_A], a_aux, progress, err) != 0 ||
        sum_g1(&out->b_g1_inputs, p, PARAMS_B_G1, 0, b_in, b_inputs, progress, err) != 0 ||
        sum_g1(&out->b_g1_aux, p, PARAMS_B_G1, b_in, count[PARAMS_B_G1], b_aux, progress, err) !=
            0 ||
        sum_g2(&out->b_g2_inputs, p, 0, b_in, b_inputs, progress, err) != 0 ||
        sum_g2(&out->b_g2_aux, p, b_in, count[PARAMS_B_G2], b_aux, progress, err) != 0)
        return err->code;
    return 0;
}

static int sum_all(struct groth16_sums *out, struct prover *p, const struct assignment *w,
                   const struct progress_sink *sink, struct error *err)
{
    const size_t *count = p->params->count;
    struct progress progress;
    struct tvec inputs = {.len = w->num_inputs, .full = w->inputs, .full_len = w->num_inputs};
    inputs.small = malloc(w->num_inputs);
    if (inputs.small == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %zu public inputs",
                         w->num_inputs);
    memset(inputs.small, TVEC_FULL, w->num_inputs);
    progress_begin(&progress, sink, "summing points",
                   count[PARAMS_H] + count[PARAMS_L] + count[PARAMS_A] +
                       (1 + G2_WEIGHT) * count[PARAMS_B_G1]);
    int rc = sum_h(&out->h, p, &progress, err);
    if (rc == 0)
        rc = sum_queries(out, p, &inputs, &w->aux, &progress, err);
    progress_end(&progress);
    free(inputs.small);
    return rc;
}

/* Only a circuit that synthesises differently for keys and for proofs gets here. */
static int check_assignment(const struct prover *p, const struct assignment *w, struct error *err)
{
    if (w->num_inputs == p->params->vk.ic_len && w->aux.len == p->params->count[PARAMS_L] &&
        w->a.len == w->b.len && w->a.len == w->c.len && w->a.len <= p->domain.n)
        return 0;
    return error_set(
        err, ERR_SOFTWARE, "assignment-size",
        "assignment of %zu inputs, %zu aux variables, %zu, %zu and %zu rows does not fit %s",
        w->num_inputs, w->aux.len, w->a.len, w->b.len, w->c.len, p->params->file.path);
}

int prover_sums(struct groth16_sums *out, struct groth16_timings *timings, struct prover *p,
                const struct assignment *w, const struct progress_sink *sink, struct error *err)
{
    if (check_assignment(p, w, err) != 0)
        return err->code;
    uint64_t start = clock_monotonic_ns();
    int rc = ntt_quotient(p->h, p->tmp, &p->domain, &w->a, &w->b, &w->c, p->pool, sink, err);
    uint64_t ntt_end = clock_monotonic_ns();
    timings->ntt_ns += ntt_end - start;
    if (rc == 0)
        rc = sum_all(out, p, w, sink, err);
    timings->msm_ns += clock_monotonic_ns() - ntt_end;
    return rc;
}

/* sum += scalar * point */
static void add_g1(struct g1 *sum, const struct g1_affine *point, const struct fr *scalar)
{
    struct g1 t;
    g1_from_affine(&t, point);
    g1_mul_fr(&t, &t, scalar);
    g1_add(sum, sum, &t);
}

static void add_g2(struct g2 *sum, const struct g2_affine *point, const struct fr *scalar)
{
    struct g2 t;
    g2_from_affine(&t, point);
    g2_mul_fr(&t, &t, scalar);
    g2_add(sum, sum, &t);
}

void groth16_assemble(struct proof *out, const struct groth16_sums *sums,
                      const struct verifying_key *vk, const struct fr *r, const struct fr *s)
{
    struct g1 a, b1, c;
    struct g2 b;
    struct g1_affine a_sum, b1_sum;
    struct fr rs;
    g1_add_two_affine(&a, &sums->a_inputs, &sums->a_aux);
    g1_to_affine(&a_sum, &a);
    g1_add_affine(&a, &a, &vk->alpha_g1);
    add_g1(&a, &vk->delta_g1, r);

    g2_add_two_affine(&b, &sums->b_g2_inputs, &sums->b_g2_aux);
    g2_add_affine(&b, &b, &vk->beta_g2);
    add_g2(&b, &vk->delta_g2, s);

    g1_add_two_affine(&b1, &sums->b_g1_inputs, &sums->b_g1_aux);
    g1_to_affine(&b1_sum, &b1);
    g1_add_two_affine(&c, &sums->h, &sums->l);
    fr_mul(&rs, r, s);
    add_g1(&c, &a_sum, s);
    add_g1(&c, &b1_sum, r);
    add_g1(&c, &vk->delta_g1, &rs);
    add_g1(&c, &vk->alpha_g1, s);
    add_g1(&c, &vk->beta_g1, r);

    g1_to_affine(&out->a, &a);
    g2_to_affine(&out->b, &b);
    g1_to_affine(&out->c, &c);
    wipe(&rs, sizeof rs);
}
