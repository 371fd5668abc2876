/* What the tests of generated PoReps share. */
#ifndef CUZK_TESTS_SYNTHETIC_CHECKS_H
#define CUZK_TESTS_SYNTHETIC_CHECKS_H

#include "json_data.h"

#include <unistd.h>

#include "base/file.h"
#include "filecoin/c1_write.h"
#include "filecoin/seal.h"
#include "filecoin/synthetic_porep.h"

/* Names of registered proofs are numbered by size within each version. */
enum { V1 = 0, V1_1 = 5, SYNTHETIC = 10, NON_INTERACTIVE = 15 };

static inline void must(int rc, const struct error *err)
{
    if (rc != 0)
        fail_msg("%s (%s)", err->text, err->cause);
}

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
    must(porep_synthetic(out, &s, seed, pool, NULL, &err), &err);
}

static inline void make_sealed(struct porep_vanilla *out, unsigned registered_proof, uint64_t seed,
                               struct pool *pool)
{
    struct error err;
    struct replica r;
    struct porep_sector s = sector_of(registered_proof, seed);
    must(porep_seal(&r, &s, NULL, pool, NULL, &err), &err);
    must(replica_open(out, &r, &err), &err);
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
    must(porep_vanilla_write(&sizes, v, path, FILE_REPLACE, &err), &err);
    must(file_read(&text, n, path, (size_t)1 << 30, &err), &err);
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
    must(porep_vanilla_parse(v, text, n, &err), &err);
    free(text);
    assert_true(v->has_wrapper);
    assert_int_equal(v->sector_number, 77);
    must(porep_vanilla_check(v, pool, NULL, &err), &err);
}

#endif
