/* What tests of PoSt and update vanilla proofs share: reading the fixtures, and errors as they must be. */
#ifndef CUZK_TESTS_VANILLA_CHECKS_H
#define CUZK_TESTS_VANILLA_CHECKS_H

#include "json_data.h"

#include "filecoin/base64.h"
#include "filecoin/merkle_path.h"
#include "filecoin/vanilla_list.h"

/* The call failed in this way, and its message has all of fragment. */
static inline void assert_error(int rc, const struct error *err, int code, const char *cause,
                                const char *fragment)
{
    if (rc != code || err->code != code || strcmp(err->cause, cause) != 0 ||
        strstr(err->text, fragment) == NULL)
        fail_msg("got %d, error %d (%s): \"%s\"; wanted %d (%s): \"%s\"", rc, err->code,
                 rc != 0 ? err->cause : "", rc != 0 ? err->text : "", code, cause, fragment);
}

static inline void assert_done(int rc, const struct error *err)
{
    if (rc != 0)
        fail_msg("%s: %s", err->cause, err->text);
}

/* Bytes of a base64 string; free p.data. */
static inline struct vanilla_proof json_base64(yajl_val v)
{
    const char *text = json_string(v);
    size_t n = strlen(text), bad;
    struct vanilla_proof p = {.data = malloc(n)};
    assert_non_null(p.data);
    ptrdiff_t len = base64_decode(p.data, text, n, 1, &bad);
    assert_true(len > 0);
    p.len = (size_t)len;
    return p;
}

/* The proofs under `key` of an array's objects; clean up. */
static inline struct vanilla_list fixture_list(yajl_val array, const char *key)
{
    struct vanilla_proof proofs[8];
    struct vanilla_list list;
    struct error err;
    size_t n = json_len(array);
    assert_true(n <= 8);
    for (size_t i = 0; i < n; i++)
        proofs[i] = json_base64(json_get(json_at(array, i), key));
    assert_done(vanilla_list_copy(&list, proofs, n, &err), &err);
    for (size_t i = 0; i < n; i++)
        free(proofs[i].data);
    return list;
}

/* Items [first, first + n) of another list. */
static inline struct vanilla_list sub_list(const struct vanilla_list *all, size_t first, size_t n)
{
    struct vanilla_list list;
    struct error err;
    assert_true(first + n <= all->len);
    assert_done(vanilla_list_copy(&list, all->proofs + first, n, &err), &err);
    return list;
}

/* Public inputs of a partition against a fixture's. */
static inline void assert_inputs(const struct fr *got, size_t n, yajl_val assignment)
{
    yajl_val want = json_get(assignment, "public_inputs_le");
    assert_int_equal(json_len(want), n);
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32], expected[32];
        fr_to_bytes(bytes, &got[i]);
        json_hex(expected, 32, json_at(want, i));
        if (memcmp(bytes, expected, 32) != 0)
            fail_msg("public input %zu differs", i);
    }
}

/* r itself: the least number that is no field element. */
static inline void put_modulus(uint8_t out[32])
{
    for (unsigned i = 0; i < 32; i++)
        out[i] = (uint8_t)(FR_MODULUS[i / 8] >> (8 * (i % 8)));
}

/* ---- Writing bincode ---- */

struct writer {
    uint8_t *data;
    size_t len, cap;
};

static inline void put_bytes(struct writer *w, const void *data, size_t n)
{
    if (w->len + n > w->cap) {
        w->cap = 2 * w->cap + n;
        w->data = realloc(w->data, w->cap);
        assert_non_null(w->data);
    }
    memcpy(w->data + w->len, data, n);
    w->len += n;
}

static inline void put_integer(struct writer *w, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++, v >>= 8) {
        uint8_t b = (uint8_t)v;
        put_bytes(w, &b, 1);
    }
}

static inline void put_levels(struct writer *w, const struct merkle_path *p, unsigned first,
                              unsigned count)
{
    put_integer(w, count, 8);
    for (unsigned l = first; l < first + count; l++) {
        put_integer(w, p->arity[l] - 1u, 8);
        put_bytes(w, p->siblings[l], (p->arity[l] - 1u) * sizeof(struct node));
        put_integer(w, p->index[l], 8);
    }
}

/* upper: how many of the last levels are those of sub and top trees. */
static inline void put_path(struct writer *w, const struct merkle_path *p, unsigned upper)
{
    put_integer(w, upper, 4);
    if (upper == 0) {
        put_bytes(w, &p->root, 32);
        put_bytes(w, &p->leaf, 32);
    }
    put_levels(w, p, 0, p->levels - upper);
    for (unsigned i = 0; i < upper; i++)
        put_levels(w, p, p->levels - upper + i, 1);
    if (upper > 0) {
        put_bytes(w, &p->root, 32);
        put_bytes(w, &p->leaf, 32);
    }
}

#endif
