/* The backend of real proofs, over the room proof. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "engine/backend.h"
#include "filecoin/params_names.h"
#include "msm/msm.h"
#include "proof/job.h"
#include "proof/params.h"

static const struct circuit *circuit_number(unsigned i)
{
    return circuit_at(i);
}

static unsigned number_of(const struct circuit *circuit)
{
    unsigned i = 0;
    while (circuit_at(i) != circuit)
        i++;
    return i;
}

static const char *circuit_id(unsigned circuit)
{
    return circuit_names(circuit_number(circuit))->id;
}

/* ---- What it takes ---- */

/* Rows and variables are one byte each, and the few that are not small 32 more. Window's are nearly all full, update's and PoRep's under
 * 3 % (spec: circuits): the bill takes what native synthesis was measured to keep, rounded up. */
static uint64_t assignment_bytes(const struct circuit_params *p)
{
    uint64_t elements = (uint64_t)p->aux + 3 * ((uint64_t)p->rows + p->inputs);
    int is_full = p->kind == CIRCUIT_WPOST || p->kind == CIRCUIT_WINNING;
    return elements + (is_full ? 32 * elements : elements * 32 / 20);
}

static uint64_t dense_scalars(const struct circuit_params *p)
{
    int is_full = p->kind == CIRCUIT_WPOST || p->kind == CIRCUIT_WINNING;
    return is_full ? p->aux : p->aux / 20;
}

static int bill(struct backend_bill *out, unsigned circuit, unsigned threads, struct error *err)
{
    enum { SLICE_BYTES = (192 + 32 + 1) << 16 };
    const struct circuit *c = circuit_number(circuit);
    const struct circuit_params *p = circuit_names(c);
    const struct sector_shape *shape = sector_shape(c->size);
    uint64_t n = UINT64_C(1) << p->log2_domain, dense = dense_scalars(p);
    (void)err;
    *out = (struct backend_bill){
        .mapped_bytes = circuit_params_bytes(p),
        .keys_bytes = ((uint64_t)p->aux + p->inputs) / 8 * 3 + (1 << 20),
        .assignment_bytes = assignment_bytes(p),
        .transform_bytes = (2 * n + n / 2) * sizeof(struct fr) + (1 << 20),
    };
    uint64_t g1 = msm_g1_bytes(dense, threads), g2 = msm_g2_bytes(dense, threads);
    out->msm_bytes = msm_g1_bytes(n, threads) + (g1 > g2 ? g1 : g2) + SLICE_BYTES;
    out->partitions = 1;
    if (p->kind == CIRCUIT_POREP)
        out->partitions = shape->partitions;
    if (p->kind == CIRCUIT_SNAP) {
        const struct registered_update *u;
        if (registered_update_of(&u, (unsigned)c->size, err) != 0)
            return err->code;
        out->partitions = u->partitions;
    }
    static const uint64_t per_partition[] = {[CIRCUIT_POREP] = 10 << 20,
                                             [CIRCUIT_WPOST] = 0,
                                             [CIRCUIT_WINNING] = 1 << 20,
                                             [CIRCUIT_SNAP] = 2 << 20};
    out->input_bytes = per_partition[p->kind] * out->partitions;
    if (p->kind == CIRCUIT_WPOST) {
        unsigned sectors, challenges;
        post_counts(&sectors, &challenges, p->kind, p->size);
        out->input_bytes = (uint64_t)sectors * challenges * 4096;
    }
    return 0;
}

/* ---- Keys ---- */

struct keys {
    struct circuit_keys keys;
    struct stat stamp;
    char *path;
};

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int stamp(struct stat *out, const char *path, struct error *err)
{
    if (stat(path, out) == 0)
        return 0;
    int code = errno == EACCES ? ERR_NO_PERM : ERR_NO_INPUT;
    return error_set(err, code, code == ERR_NO_PERM ? "params-unreadable" : "params-absent",
                     "%s: %s", path, strerror(errno));
}

static int available(unsigned circuit, const char *param_dir, struct error *err)
{
    struct stat st;
    char *path = circuit_file_path(circuit_number(circuit), param_dir, "params");
    if (path == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a path");
    int rc = stamp(&st, path, err);
    free(path);
    return rc == 0 ? 0 : circuit_params_name_other_version(circuit_number(circuit), param_dir, err);
}

static void keys_close(void *ctx)
{
    struct keys *k = ctx;
    circuit_keys_close(&k->keys);
    free(k->path);
    free(k);
}

/* The stamp is taken first: a file that is replaced meanwhile is noticed at the next look. */
static int keys_open(void **out, unsigned circuit, const char *param_dir, struct pool *pool,
                     struct error *err)
{
    struct keys_request request = {.param_dir = param_dir};
    struct keys *k = calloc(1, sizeof *k);
    if (k != NULL)
        k->path = circuit_file_path(circuit_number(circuit), param_dir, "params");
    if (k == NULL || k->path == NULL) {
        free(k);
        return error_set(err, ERR_OS, "out-of-memory", "no memory for keys");
    }
    int rc = stamp(&k->stamp, k->path, err);
    if (rc == 0)
        rc = circuit_keys_open(&k->keys, circuit_number(circuit), &request, pool, NULL, err);
    if (rc != 0) {
        keys_close(k);
        return rc;
    }
    *out = k;
    return 0;
}

static int keys_current(const void *ctx)
{
    const struct keys *k = ctx;
    struct stat now;
    return stat(k->path, &now) == 0 && same_file(&now, &k->stamp);
}

static int worker_new(void **out, void *keys, struct pool *pool, struct error *err)
{
    struct proof_worker *w;
    int rc = proof_worker_new(&w, &((struct keys *)keys)->keys, pool, err);
    *out = rc == 0 ? w : NULL;
    return rc;
}

static void worker_destroy(void *worker)
{
    proof_worker_destroy(worker);
}

/* ---- Inputs ---- */

static int require_32(uint8_t out[32], const struct cuzk_bytes *bytes, const char *field,
                      struct error *err)
{
    if (bytes->n != 32)
        return error_set(err, ERR_DATA, "wrong-length", "%s: %zu bytes instead of 32", field,
                         bytes->n);
    memcpy(out, bytes->data, 32);
    return 0;
}

/* The payload of the miner's ID address: its number as LEB128, padded with zeros. */
static void prover_id(uint8_t out[32], uint64_t miner)
{
    memset(out, 0, 32);
    for (unsigned i = 0;; i++) {
        out[i] = (uint8_t)(miner & 0x7f);
        miner >>= 7;
        if (miner == 0)
            return;
        out[i] |= 0x80;
    }
}

static int translate_fields(struct proof_request *out, const struct cuzk_request *r,
                            struct error *err)
{
    int rc = 0;
    if (r->kind == CUZK_POREP) {
        out->claims.has_prover = out->claims.has_sector = r->has_miner;
        out->claims.sector = r->sector_number;
        prover_id(out->claims.prover_id, r->miner_id);
    } else if (r->kind == CUZK_SNAP) {
        if ((rc = require_32(out->comm_r_old, &r->comm_r_old, "comm_r_old", err)) == 0 &&
            (rc = require_32(out->comm_r_new, &r->comm_r_new, "comm_r_new", err)) == 0)
            rc = require_32(out->comm_d_new, &r->comm_d_new, "comm_d_new", err);
    } else {
        rc = require_32(out->randomness, &r->randomness, "randomness", err);
    }
    /* All sectors of a window proof come at once under index 0; any other index says which partition's they are. */
    out->partition = ALL_PARTITIONS;
    if (r->kind == CUZK_WINDOW_POST && r->partition_index != 0)
        out->partition = (int)r->partition_index;
    if (r->partition_index > INT32_MAX)
        rc = error_set(err, ERR_DATA, "partition-out-of-range", "partition_index: %u is too large",
                       r->partition_index);
    if (r->registered_proof > UINT32_MAX)
        rc = error_set(err, ERR_DATA, "registered-proof-unknown",
                       "registered_proof: %llu is not known",
                       (unsigned long long)r->registered_proof);
    out->registered_proof = (unsigned)r->registered_proof;
    return rc;
}

static int decode_kind(struct proof_input *in, const struct proof_kind *kind,
                       struct proof_request *p, const struct cuzk_request *r, struct pool *pool,
                       struct error *err)
{
    const struct cuzk_bytes *given = kind == &porep_kind ? &r->vanilla_proof : r->vanilla_proofs;
    const char *field = kind == &porep_kind ? "vanilla_proof" : "vanilla_proofs";
    size_t n = kind == &porep_kind ? r->vanilla_proof.n > 0 : r->vanilla_proofs_n;
    if (n == 0)
        return error_set(err, ERR_DATA, "vanilla-proof-absent", "%s: absent", field);
    struct vanilla_proof *proofs = calloc(n, sizeof *proofs);
    if (proofs == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %zu vanilla proofs", n);
    for (size_t i = 0; i < n; i++)
        proofs[i] = (struct vanilla_proof){(uint8_t *)given[i].data, given[i].n};
    p->proofs = proofs;
    p->proofs_len = n;
    int rc = proof_input_decode(in, kind, p, ERR_DATA, err);
    free(proofs);
    if (rc != 0)
        return rc;
    rc = proof_input_check(in, pool, NULL, err);
    if (rc != 0)
        proof_input_clean_up(in);
    return rc;
}

static int decode(struct backend_input *out, const struct cuzk_request *r, struct pool *pool,
                  struct error *err)
{
    static const struct proof_kind *const kinds[] = {[CUZK_POREP] = &porep_kind,
                                                     [CUZK_SNAP] = &snap_kind,
                                                     [CUZK_WINDOW_POST] = &window_kind,
                                                     [CUZK_WINNING_POST] = &winning_kind};
    struct proof_request p = {0};
    struct proof_input *in = calloc(1, sizeof *in);
    if (in == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for an input");
    int rc = translate_fields(&p, r, err);
    if (rc == 0)
        rc = decode_kind(in, kinds[r->kind], &p, r, pool, err);
    if (rc != 0) {
        free(in);
        return rc;
    }
    out->input = in;
    out->circuit = number_of(circuit_of(in->kind->circuit, in->size));
    out->first = in->first;
    out->partitions = in->count;
    return 0;
}

static void input_free(void *ctx)
{
    proof_input_clean_up(ctx);
    free(ctx);
}

static int prove(uint8_t out[PROOF_BYTES], struct backend_times *times, void *worker,
                 const void *input, unsigned partition, const struct progress_sink *sink,
                 struct error *err)
{
    struct proof_timings t = {0};
    int rc = proof_worker_prove(out, &t, worker, input, partition, NULL, sink, err);
    times->synthesis_ms = t.synthesis_ns / 1000000;
    times->compute_ms = (t.ntt_ns + t.msm_ns + t.verify_ns) / 1000000;
    times->faults = t.faults;
    return rc;
}

const struct backend backend_cpu = {
    .circuits = CIRCUIT_KINDS * SECTOR_SIZES,
    .circuit_id = circuit_id,
    .bill = bill,
    .available = available,
    .keys_open = keys_open,
    .keys_close = keys_close,
    .keys_current = keys_current,
    .worker_new = worker_new,
    .worker_destroy = worker_destroy,
    .decode = decode,
    .input_free = input_free,
    .prove = prove,
};
