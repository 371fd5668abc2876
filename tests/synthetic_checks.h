/* What the tests of generated PoReps share. */
#ifndef CUZK_TESTS_SYNTHETIC_CHECKS_H
#define CUZK_TESTS_SYNTHETIC_CHECKS_H

#include "porep_checks.h"

#include <unistd.h>

#include "base/file.h"
#include "filecoin/c1_write.h"
#include "filecoin/seal.h"
#include "filecoin/synthetic_porep.h"

/* Names of registered proofs are numbered by size within each version. */
enum { V1 = 0, V1_1 = 5, SYNTHETIC = 10, NON_INTERACTIVE = 15 };

static inline struct porep_sector sector_of(unsigned registered_proof, uint64_t seed)
{
    struct porep_sector s = {.seal = registered_seal_by_number(registered_proof), .number = 77};
    prover_id_of_miner(s.prover_id, 1000);
    porep_sector_draw(&s, seed);
    return s;
}

static inline void make_synthetic(struct porep_vanilla *out, unsigned registered_proof,
                                  uint64_t seed, struct pool *pool)
{
    struct error err;
    struct porep_sector s = sector_of(registered_proof, seed);
    assert_ok(porep_synthetic(out, &s, seed, pool, NULL, &err), &err);
}

static inline void make_sealed(struct porep_vanilla *out, unsigned registered_proof, uint64_t seed,
                               struct pool *pool)
{
    struct error err;
    struct replica r;
    struct porep_sector s = sector_of(registered_proof, seed);
    assert_ok(porep_seal(&r, &s, NULL, pool, NULL, &err), &err);
    assert_ok(replica_open(out, &r, &err), &err);
    replica_clean_up(&r);
}

/* The file that is written, read back into memory; free it. */
static inline char *written(size_t *n, const struct porep_vanilla *v)
{
    struct error err;
    struct c1_sizes sizes;
    uint8_t *text;
    char path[] = "/tmp/cuzk-synthetic-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(porep_vanilla_write(&sizes, v, path, FILE_REPLACE, &err), &err);
    assert_ok(file_read(&text, n, path, (size_t)1 << 30, &err), &err);
    unlink(path);
    assert_int_equal(sizes.file, *n);
    if (!v->has_wrapper)
        assert_int_equal(sizes.inner, *n);
    return (char *)text;
}

/* Written, parsed and checked natively as any C1 is; the parsed proofs replace those made. */
static inline void through_a_file(struct porep_vanilla *v, struct pool *pool)
{
    struct error err;
    size_t n;
    char *text = written(&n, v);
    porep_vanilla_clean_up(v);
    assert_ok(porep_vanilla_parse(v, text, n, &err), &err);
    free(text);
    assert_true(v->has_wrapper);
    assert_int_equal(v->sector_number, 77);
    assert_ok(porep_vanilla_check(v, pool, NULL, &err), &err);
}

/* ---- Row values ---- */

/* The elements of a vector in turn. */
struct values {
    const struct tvec *v;
    size_t at, full;
};

static inline struct fr next_value(struct values *s)
{
    struct fr value;
    assert_true(s->at < s->v->len);
    int8_t small = s->v->small[s->at++];
    if (small == TVEC_FULL)
        return s->v->full[s->full++];
    fr_from_i64(&value, small);
    return value;
}

/* A * B = C in every row; returns how many there are. */
static inline uint64_t rows_that_hold(const struct assignment *w)
{
    struct values a = {.v = &w->a}, b = {.v = &w->b}, c = {.v = &w->c};
    assert_int_equal(w->b.len, w->a.len);
    assert_int_equal(w->c.len, w->a.len);
    for (size_t i = 0; i < w->a.len; i++) {
        int8_t x = w->a.small[i], y = w->b.small[i], z = w->c.small[i];
        if (x != TVEC_FULL && y != TVEC_FULL && z != TVEC_FULL) {
            if (x * y != z)
                fail_msg("row %zu does not hold", i);
            a.at = b.at = c.at = i + 1;
            continue;
        }
        a.at = b.at = c.at = i;
        struct fr p = next_value(&a), q = next_value(&b), r = next_value(&c);
        fr_mul(&p, &p, &q);
        if (!fr_equal(&p, &r))
            fail_msg("row %zu does not hold", i);
    }
    return w->a.len;
}

/* The circuit's public inputs are those that the chain computes. */
static inline void assert_chain_inputs(const struct assignment *w, const struct porep_vanilla *v,
                                       unsigned partition)
{
    struct error err;
    struct fr want[3 + 18 * 18];
    struct porep_statement s = {v->seal, v->replica_id, v->comm_d, v->comm_r, {0}};
    memcpy(s.seed, v->seed, sizeof s.seed);
    assert_ok(porep_public_inputs(want, &s, partition, &err), &err);
    assert_int_equal(w->num_inputs, 1 + porep_public_inputs_len(v->seal));
    assert_memory_equal(w->inputs + 1, want, (w->num_inputs - 1) * sizeof *want);
}

#endif
