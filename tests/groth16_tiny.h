/* The circuit of groth16_tiny.json (y = x^3 + x + 5, b a bit), its trapdoor and files, for the tests of the groth16 room. */
#ifndef CUZK_TESTS_GROTH16_TINY_H
#define CUZK_TESTS_GROTH16_TINY_H

#include "json_data.h"

#include <dirent.h>
#include <unistd.h>

#include "groth16/setup.h"
#include "groth16/vk.h"
#include "r1cs/cs.h"
#include "r1cs/sinks.h"

enum { TINY_LOG2 = 3, TINY_SECTOR_SIZE = 2048 };

/* Values that a test may choose freely, satisfying or not. */
struct tiny {
    struct fr x, x2, x3, b, y;
};

static inline void tiny_honest(struct tiny *t, const struct fr *x, int b)
{
    struct fr five;
    t->x = *x;
    t->b = b ? FR_ONE : FR_ZERO;
    fr_sqr(&t->x2, x);
    fr_mul(&t->x3, &t->x2, x);
    fr_from_u64(&five, 5);
    fr_add(&t->y, &t->x3, x);
    fr_add(&t->y, &t->y, &five);
}

static inline void tiny_rows(struct cs *cs, const struct tiny *t)
{
    uint32_t x = cs_alloc(cs, &t->x), x2 = cs_alloc(cs, &t->x2), x3 = cs_alloc(cs, &t->x3);
    uint32_t y = cs_alloc_input(cs, &t->y), b = cs_alloc(cs, &t->b);
    lc_add_one(cs_a(cs), x);
    lc_add_one(cs_b(cs), x);
    lc_add_one(cs_c(cs), x2);
    cs_enforce(cs);
    lc_add_one(cs_a(cs), x2);
    lc_add_one(cs_b(cs), x);
    lc_add_one(cs_c(cs), x3);
    cs_enforce(cs);
    lc_add_one(cs_a(cs), x3);
    lc_add_one(cs_a(cs), x);
    lc_add_i64(cs_a(cs), VAR_ONE, 5);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), y);
    cs_enforce(cs);
    lc_add_one(cs_a(cs), b);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_i64(cs_b(cs), b, -1);
    cs_enforce(cs);
    lc_add_one(cs_a(cs), b);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), b);
    cs_enforce(cs);
}

static inline int tiny_synthesize(void *ctx, struct cs *cs, struct error *err)
{
    const struct tiny zero = {0};
    (void)ctx;
    (void)err;
    tiny_rows(cs, &zero);
    return 0;
}

static const struct setup_circuit TINY_CIRCUIT = {tiny_synthesize, NULL};

static inline void tiny_stats(struct shape_stats *stats)
{
    struct cs cs;
    struct error err;
    const struct tiny zero = {0};
    *stats = (struct shape_stats){0};
    struct row_sink sink = shape_stats_sink(stats);
    cs_init_shape(&cs, &sink);
    tiny_rows(&cs, &zero);
    assert_int_equal(cs_finish(&cs, &err), 0);
    assert_int_equal(shape_stats_finish(stats, &cs, &err), 0);
    cs_clean_up(&cs);
}

static inline void tiny_assign(struct assignment *w, const struct tiny *t)
{
    struct cs cs;
    struct error err;
    *w = (struct assignment){0};
    cs_init_generic(&cs, CS_GENERIC, NULL);
    tiny_rows(&cs, t);
    assert_int_equal(cs_finish(&cs, &err), 0);
    assert_int_equal(cs_take_typed(&cs, w, &err), 0);
    cs_clean_up(&cs);
}

static inline void json_fr(struct fr *r, yajl_val v)
{
    uint8_t bytes[32];
    json_hex(bytes, 32, v);
    assert_int_equal(fr_from_bytes(r, bytes), 0);
}

static inline void tiny_trapdoor(struct trapdoor *t, yajl_val tiny)
{
    uint8_t bytes[G2_COMPRESSED_BYTES];
    json_hex(bytes, G1_COMPRESSED_BYTES, json_get(tiny, "g1_compressed"));
    assert_int_equal(g1_from_compressed(&t->g1, bytes, POINT_CHECK_SUBGROUP), POINT_OK);
    json_hex(bytes, G2_COMPRESSED_BYTES, json_get(tiny, "g2_compressed"));
    assert_int_equal(g2_from_compressed(&t->g2, bytes, POINT_CHECK_SUBGROUP), POINT_OK);
    json_fr(&t->alpha, json_get(tiny, "alpha"));
    json_fr(&t->beta, json_get(tiny, "beta"));
    json_fr(&t->gamma, json_get(tiny, "gamma"));
    json_fr(&t->delta, json_get(tiny, "delta"));
    json_fr(&t->tau, json_get(tiny, "tau"));
}

/* Bytes from hex of any length; free them. */
static inline uint8_t *json_bytes(size_t *n, yajl_val v)
{
    *n = strlen(json_string(v)) / 2;
    uint8_t *bytes = malloc(*n + 1);
    assert_non_null(bytes);
    json_hex(bytes, *n, v);
    return bytes;
}

/* An empty folder of this test, and its end. */
static inline void temp_folder_make(char path[64])
{
    strcpy(path, "/tmp/cuzk-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static inline int temp_folder_entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static inline void temp_folder_remove(const char *path)
{
    char name[512];
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            assert_int_equal(unlink(name), 0);
    }
    closedir(dir);
    assert_int_equal(rmdir(path), 0);
}

static inline void write_whole_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

#endif
