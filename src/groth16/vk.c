#include "groth16/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { VK_FILE_LIMIT = 1 << 28, COUNT_OFFSET = VK_FIXED_BYTES - 4 };

size_t vk_bytes(size_t ic_len)
{
    return VK_FIXED_BYTES + ic_len * G1_UNCOMPRESSED_BYTES;
}

static int bad_point(enum point_status status, const char *name, size_t offset, struct error *err)
{
    return error_set(err, ERR_CONFIG, point_status_name(status),
                     "verifying key: %s at byte %zu is no usable point", name, offset);
}

static int parse_fixed(struct verifying_key *vk, const uint8_t *data, struct error *err)
{
    const struct {
        const char *name;
        size_t offset;
        struct g1_affine *g1;
        struct g2_affine *g2;
    } points[] = {
        {"alpha_g1", 0, &vk->alpha_g1, NULL},   {"beta_g1", 96, &vk->beta_g1, NULL},
        {"beta_g2", 192, NULL, &vk->beta_g2},   {"gamma_g2", 384, NULL, &vk->gamma_g2},
        {"delta_g1", 576, &vk->delta_g1, NULL}, {"delta_g2", 672, NULL, &vk->delta_g2},
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const uint8_t *at = data + points[i].offset;
        enum point_status status =
            points[i].g1 != NULL ? g1_from_uncompressed(points[i].g1, at, POINT_CHECK_SUBGROUP)
                                 : g2_from_uncompressed(points[i].g2, at, POINT_CHECK_SUBGROUP);
        if (status != POINT_OK)
            return bad_point(status, points[i].name, points[i].offset, err);
    }
    return 0;
}

static int parse_ic(struct verifying_key *vk, const uint8_t *data, struct error *err)
{
    for (size_t i = 0; i < vk->ic_len; i++) {
        size_t offset = vk_bytes(i);
        enum point_status status =
            g1_from_uncompressed(&vk->ic[i], data + offset, POINT_CHECK_SUBGROUP);
        if (status != POINT_OK) {
            char name[32];
            snprintf(name, sizeof name, "ic[%zu]", i);
            return bad_point(status, name, offset, err);
        }
    }
    return 0;
}

static uint32_t read_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int vk_parse(struct verifying_key *vk, size_t *used, const uint8_t *data, size_t n,
             struct error *err)
{
    struct verifying_key key = {0};
    if (n < VK_FIXED_BYTES)
        return error_set(err, ERR_CONFIG, "vk-truncated",
                         "verifying key: ends at byte %zu, its fixed part takes %d", n,
                         VK_FIXED_BYTES);
    key.ic_len = read_u32(data + COUNT_OFFSET);
    if (key.ic_len == 0)
        return error_set(err, ERR_CONFIG, "vk-no-inputs",
                         "verifying key: ic count at byte %d is 0, expected at least 1",
                         COUNT_OFFSET);
    if ((n - VK_FIXED_BYTES) / G1_UNCOMPRESSED_BYTES < key.ic_len)
        return error_set(
            err, ERR_CONFIG, "vk-truncated",
            "verifying key: %zu ic points (count at byte %d) end at byte %zu, the data at %zu",
            key.ic_len, COUNT_OFFSET, vk_bytes(key.ic_len), n);
    key.ic = calloc(key.ic_len, sizeof *key.ic);
    if (key.ic == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "verifying key: no memory for %zu points",
                         key.ic_len);
    if (parse_fixed(&key, data, err) != 0 || parse_ic(&key, data, err) != 0) {
        free(key.ic);
        return err->code;
    }
    *vk = key;
    *used = vk_bytes(key.ic_len);
    return 0;
}

int vk_read(struct verifying_key *vk, const char *path, struct error *err)
{
    uint8_t *data;
    size_t n, used;
    int rc = file_read(&data, &n, path, VK_FILE_LIMIT, err);
    if (rc == ERR_DATA)
        return error_set(err, ERR_CONFIG, "vk-trailing", "%s: longer than any key", path);
    if (rc == ERR_NO_INPUT)
        err->cause = "vk-absent";
    if (rc != 0)
        return rc;
    if (n == 0)
        rc = error_set(err, ERR_CONFIG, "vk-empty", "%s: the file is empty", path);
    else if ((rc = vk_parse(vk, &used, data, n, err)) != 0)
        file_blame(err, path);
    else if (used != n) {
        vk_clean_up(vk);
        rc = error_set(err, ERR_CONFIG, "vk-trailing",
                       "%s: %zu bytes follow the key's end at byte %zu", path, n - used, used);
    }
    free(data);
    return rc;
}

void vk_write(uint8_t *out, const struct verifying_key *vk)
{
    g1_to_uncompressed(out, &vk->alpha_g1);
    g1_to_uncompressed(out + 96, &vk->beta_g1);
    g2_to_uncompressed(out + 192, &vk->beta_g2);
    g2_to_uncompressed(out + 384, &vk->gamma_g2);
    g1_to_uncompressed(out + 576, &vk->delta_g1);
    g2_to_uncompressed(out + 672, &vk->delta_g2);
    for (int i = 0; i < 4; i++)
        out[COUNT_OFFSET + i] = (uint8_t)(vk->ic_len >> (24 - 8 * i));
    for (size_t i = 0; i < vk->ic_len; i++)
        g1_to_uncompressed(out + vk_bytes(i), &vk->ic[i]);
}

void vk_clean_up(struct verifying_key *vk)
{
    free(vk->ic);
    *vk = (struct verifying_key){0};
}

void proof_to_bytes(uint8_t out[PROOF_BYTES], const struct proof *p)
{
    g1_to_compressed(out, &p->a);
    g2_to_compressed(out + 48, &p->b);
    g1_to_compressed(out + 144, &p->c);
}

int proof_from_bytes(struct proof *p, const uint8_t in[PROOF_BYTES], struct error *err)
{
    struct proof proof;
    const enum point_status status[3] = {
        g1_from_compressed(&proof.a, in, POINT_CHECK_SUBGROUP),
        g2_from_compressed(&proof.b, in + 48, POINT_CHECK_SUBGROUP),
        g1_from_compressed(&proof.c, in + 144, POINT_CHECK_SUBGROUP),
    };
    static const int offset[3] = {0, 48, 144};
    for (int i = 0; i < 3; i++)
        if (status[i] != POINT_OK)
            return error_set(err, ERR_INVALID_PROOF, point_status_name(status[i]),
                             "proof: %c at byte %d is no usable point", "ABC"[i], offset[i]);
    *p = proof;
    return 0;
}
