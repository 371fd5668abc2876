/* Reading the JSON files of tests/data. A missing file or key fails the test. */
#ifndef CUZK_TESTS_JSON_DATA_H
#define CUZK_TESTS_JSON_DATA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_tree.h>
#include <cmocka.h>

/* The file's bytes and a NUL behind them; free it. */
static inline char *data_read(size_t *n, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", CUZK_TEST_DATA, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("cannot open %s", path);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    text[size] = 0;
    if (n != NULL)
        *n = (size_t)size;
    return text;
}

/* yajl_tree_free it. */
static inline yajl_val json_load(const char *name)
{
    char message[256];
    char *text = data_read(NULL, name);
    yajl_val v = yajl_tree_parse(text, message, sizeof message);
    if (v == NULL)
        fail_msg("%s: %s", name, message);
    free(text);
    return v;
}

static inline yajl_val json_get(yajl_val object, const char *key)
{
    const char *path[] = {key, NULL};
    yajl_val v = yajl_tree_get(object, path, yajl_t_any);
    if (v == NULL)
        fail_msg("no key %s", key);
    return v;
}

static inline size_t json_len(yajl_val array)
{
    assert_true(YAJL_IS_ARRAY(array));
    return array->u.array.len;
}

static inline yajl_val json_at(yajl_val array, size_t i)
{
    assert_true(i < json_len(array));
    return array->u.array.values[i];
}

static inline uint64_t json_u64(yajl_val v)
{
    assert_true(YAJL_IS_NUMBER(v));
    return strtoull(YAJL_GET_NUMBER(v), NULL, 10);
}

static inline const char *json_string(yajl_val v)
{
    assert_true(YAJL_IS_STRING(v));
    return YAJL_GET_STRING(v);
}

/* n bytes from 2n hex digits. */
static inline void hex_bytes(uint8_t *out, size_t n, const char *hex)
{
    assert_int_equal(strlen(hex), 2 * n);
    for (size_t i = 0; i < n; i++) {
        unsigned v;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &v), 1);
        out[i] = (uint8_t)v;
    }
}

static inline void json_hex(uint8_t *out, size_t n, yajl_val v)
{
    hex_bytes(out, n, json_string(v));
}

#endif
