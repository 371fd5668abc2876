#include <stdlib.h>
#include <string.h>

#include "hash/blake2.h"
#include "r1cs/sinks.h"

enum { BUFFER = 64 << 10, TERM_BYTES = 1 + 8 + 32, CACHE_BITS = 10 };

/* Circuits use few coefficients (1, -1, powers of two, Poseidon's constants): their bytes are remembered. */
struct coeff_bytes {
    struct fr coeff; /* zeroed: 0, whose bytes are 0 */
    uint8_t bytes[32];
};

struct shape_digest {
    struct blake2s_stream *hash, *rows_only; /* rows_only: for checkpoints, else NULL */
    uint64_t rows, step;
    void (*checkpoint)(void *ctx, uint64_t rows, const uint8_t hash[32]);
    void *ctx;
    size_t used;
    uint8_t buffer[BUFFER];
    uint8_t one[32], minus_one[32];
    struct coeff_bytes cache[1 << CACHE_BITS];
};

static void flush(struct shape_digest *d)
{
    blake2s_stream_update(d->hash, d->buffer, d->used);
    if (d->rows_only)
        blake2s_stream_update(d->rows_only, d->buffer, d->used);
    d->used = 0;
}

static void to_big_endian(uint8_t out[32], const struct fr *v)
{
    uint64_t l[4];
    fr_to_limbs(l, v);
    for (int i = 0; i < 4; i++)
        limb_to_be(out + 8 * (3 - i), l[i]);
}

static const uint8_t *bytes_of(struct shape_digest *d, const struct fr *coeff)
{
    if (fr_equal(coeff, &FR_ONE))
        return d->one;
    if (fr_equal(coeff, &FR_MINUS_ONE))
        return d->minus_one;
    uint64_t mixed = (coeff->l[0] ^ coeff->l[3]) * UINT64_C(0x9e3779b97f4a7c15);
    struct coeff_bytes *entry = &d->cache[mixed >> (64 - CACHE_BITS)];
    if (!fr_equal(&entry->coeff, coeff)) {
        entry->coeff = *coeff;
        to_big_endian(entry->bytes, coeff);
    }
    return entry->bytes;
}

static void put_u64(struct shape_digest *d, uint64_t v)
{
    if (BUFFER - d->used < 8)
        flush(d);
    limb_to_be(d->buffer + d->used, v);
    d->used += 8;
}

static void put_terms(struct shape_digest *d, const struct term *term, size_t n)
{
    put_u64(d, n);
    for (size_t i = 0; i < n; i++) {
        if (BUFFER - d->used < TERM_BYTES)
            flush(d);
        uint8_t *out = d->buffer + d->used;
        out[0] = term[i].var & VAR_AUX ? 'A' : 'I';
        limb_to_be(out + 1, term[i].var & ~VAR_AUX);
        memcpy(out + 9, bytes_of(d, &term[i].coeff), 32);
        d->used += TERM_BYTES;
    }
}

static void digest_row(void *ctx, const struct row *row)
{
    struct shape_digest *d = ctx;
    if (row->last)
        return;
    put_terms(d, row->a, row->a_len);
    put_terms(d, row->b, row->b_len);
    put_terms(d, row->c, row->c_len);
    d->rows++;
    if (d->rows_only && d->rows % d->step == 0) {
        uint8_t hash[32];
        flush(d);
        blake2s_stream_peek(d->rows_only, hash);
        d->checkpoint(d->ctx, d->rows, hash);
    }
}

struct shape_digest *shape_digest_new(uint64_t num_inputs, uint64_t num_aux,
                                      uint64_t num_constraints)
{
    struct shape_digest *d = calloc(1, sizeof *d);
    if (d == NULL)
        abort();
    d->hash = blake2s_stream_new();
    to_big_endian(d->one, &FR_ONE);
    to_big_endian(d->minus_one, &FR_MINUS_ONE);
    put_u64(d, num_inputs);
    put_u64(d, num_aux);
    put_u64(d, num_constraints);
    flush(d);
    return d;
}

void shape_digest_checkpoints(struct shape_digest *d, uint64_t step,
                              void (*fn)(void *ctx, uint64_t rows, const uint8_t hash[32]),
                              void *ctx)
{
    d->rows_only = blake2s_stream_new();
    d->step = step;
    d->checkpoint = fn;
    d->ctx = ctx;
}

struct row_sink shape_digest_sink(struct shape_digest *d)
{
    return (struct row_sink){digest_row, d};
}

void shape_digest_finish(struct shape_digest *d, uint8_t out[32])
{
    uint8_t rows_only[32];
    flush(d);
    blake2s_stream_finish(d->hash, out);
    if (d->rows_only)
        blake2s_stream_finish(d->rows_only, rows_only);
    free(d);
}
