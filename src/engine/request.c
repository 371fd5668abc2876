#include "engine/request.h"

#include <stdlib.h>
#include <string.h>

#include "hash/blake2.h"

/* Little-endian: a version, the numbers, then each byte string with its length before it. */
enum { VERSION = 1 };

struct writer {
    uint8_t *at; /* NULL: only count */
    size_t n;
};

static void put(struct writer *w, const void *data, size_t n)
{
    if (w->at && n)
        memcpy(w->at + w->n, data, n);
    w->n += n;
}

static void put_u64(struct writer *w, uint64_t v)
{
    uint8_t b[8];
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(v >> 8 * i);
    put(w, b, sizeof b);
}

static void put_bytes(struct writer *w, const struct cuzk_bytes *b)
{
    put_u64(w, b->n);
    put(w, b->data, b->n);
}

static void write_all(struct writer *w, const struct cuzk_request *r)
{
    const uint64_t numbers[] = {
        VERSION,     r->kind,           r->registered_proof, r->sector_number,
        r->miner_id, r->has_miner != 0, r->partition_index,  r->vanilla_proofs_n};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_u64(w, numbers[i]);
    const struct cuzk_bytes *const fields[] = {&r->vanilla_proof, &r->randomness, &r->comm_r_old,
                                               &r->comm_r_new, &r->comm_d_new};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put_bytes(w, fields[i]);
    for (size_t i = 0; i < r->vanilla_proofs_n; i++)
        put_bytes(w, &r->vanilla_proofs[i]);
}

int request_encode(struct request_bytes *out, const struct cuzk_request *request, struct error *err)
{
    struct writer count = {0};
    write_all(&count, request);
    uint8_t *data = malloc(count.n);
    if (!data)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a request of %zu bytes",
                         count.n);
    struct writer w = {.at = data};
    write_all(&w, request);
    *out = (struct request_bytes){data, w.n};
    return 0;
}

void request_hash(uint8_t out[JOB_HASH_BYTES], const struct request_bytes *bytes)
{
    blake2b_digest(out, JOB_HASH_BYTES, NULL, 0, bytes->data, bytes->n);
}

struct reader {
    const uint8_t *at;
    size_t left;
    int bad;
};

static uint64_t take_u64(struct reader *r)
{
    uint64_t v = 0;
    if (r->left < 8) {
        r->bad = 1;
        return 0;
    }
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)r->at[i] << 8 * i;
    r->at += 8;
    r->left -= 8;
    return v;
}

static void take_bytes(struct cuzk_bytes *out, struct reader *r)
{
    uint64_t n = take_u64(r);
    if (n > r->left) {
        r->bad = 1;
        return;
    }
    *out = (struct cuzk_bytes){r->at, (size_t)n};
    r->at += n;
    r->left -= (size_t)n;
}

int request_decode(struct cuzk_request *out, const uint8_t *data, size_t n, struct error *err)
{
    struct reader r = {data, n, 0};
    *out = (struct cuzk_request){0};
    uint64_t version = take_u64(&r), kind = take_u64(&r);
    out->kind = (enum cuzk_kind)kind;
    out->registered_proof = take_u64(&r);
    out->sector_number = take_u64(&r);
    out->miner_id = take_u64(&r);
    out->has_miner = take_u64(&r) != 0;
    out->partition_index = (uint32_t)take_u64(&r);
    uint64_t count = take_u64(&r);
    struct cuzk_bytes *const fields[] = {&out->vanilla_proof, &out->randomness, &out->comm_r_old,
                                         &out->comm_r_new, &out->comm_d_new};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        take_bytes(fields[i], &r);
    if (r.bad || version != VERSION || kind < CUZK_POREP || kind > CUZK_WINNING_POST ||
        count > r.left / 8) {
        *out = (struct cuzk_request){0};
        return error_set(err, ERR_DATA, "request-damaged", "a request in the journal is damaged");
    }
    struct cuzk_bytes *proofs = calloc(count ? (size_t)count : 1, sizeof *proofs);
    if (!proofs)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a request");
    out->vanilla_proofs = proofs;
    out->vanilla_proofs_n = (size_t)count;
    for (size_t i = 0; i < count; i++)
        take_bytes(&proofs[i], &r);
    if (!r.bad && r.left == 0)
        return 0;
    request_clean_up(out);
    return error_set(err, ERR_DATA, "request-damaged", "a request in the journal is damaged");
}

void request_clean_up(struct cuzk_request *request)
{
    free((void *)request->vanilla_proofs);
    *request = (struct cuzk_request){0};
}

enum cuzk_priority request_priority(const struct cuzk_request *request)
{
    if (request->priority >= CUZK_LOW && request->priority <= CUZK_CRITICAL)
        return request->priority;
    if (request->priority != CUZK_BY_KIND)
        return CUZK_NORMAL;
    return request->kind == CUZK_WINNING_POST  ? CUZK_CRITICAL
           : request->kind == CUZK_WINDOW_POST ? CUZK_HIGH
                                               : CUZK_NORMAL;
}

/* Decoded inputs hold the bytes once, and pointers and node copies of less than as much again; while they are decoded the message and
 * the journal's copy live too. */
uint64_t request_input_bytes(const struct request_bytes *bytes)
{
    return 3 * (uint64_t)bytes->n + (1 << 16);
}
