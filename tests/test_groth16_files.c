/* Keys and parameter files that are cut, swapped, patched or unreadable: each its own cause, file, section and offset. */
/* ctest: quick asan */
#include "groth16_tiny.h"

#include <sys/stat.h>

#include "base/cpu.h"
#include "groth16/params.h"

/* bellperson's bytes of the tiny circuit, and where its sections begin (spec: params §1). */
struct fixture {
    yajl_val tiny;
    uint8_t *params, *vk;
    size_t params_len, vk_len;
    char folder[64], path[128], vk_path[128];
    struct shape_stats stats;
};

enum { IC = 2, H = 7, L = 4, A = 6, B = 3 };
enum {
    VK_END = 868 + 96 * IC,
    H_AT = VK_END + 4,
    L_AT = H_AT + 96 * H + 4,
    A_AT = L_AT + 96 * L + 4,
    B1_AT = A_AT + 96 * A + 4,
    B2_AT = B1_AT + 96 * B + 4,
    END = B2_AT + 192 * B,
};

static int start(void **state)
{
    static struct fixture f;
    f.tiny = json_load("groth16_tiny.json");
    f.params = json_bytes(&f.params_len, json_get(f.tiny, "params_hex"));
    f.vk = json_bytes(&f.vk_len, json_get(f.tiny, "vk_hex"));
    assert_int_equal(f.params_len, END);
    assert_int_equal(f.vk_len, VK_END);
    temp_folder_make(f.folder);
    snprintf(f.path, sizeof f.path, "%s/x.params", f.folder);
    snprintf(f.vk_path, sizeof f.vk_path, "%s/x.vk", f.folder);
    tiny_stats(&f.stats);
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    free(f->params);
    free(f->vk);
    yajl_tree_free(f->tiny);
    shape_stats_clean_up(&f->stats);
    temp_folder_remove(f->folder);
    return 0;
}

/* Opening these bytes fails so, and says where. */
static void refuse(struct fixture *f, const uint8_t *data, size_t n, int code, const char *cause,
                   const char *where)
{
    struct params_file p = {0};
    struct error err;
    write_whole_file(f->path, data, n);
    assert_int_equal(params_open(&p, f->path, &err), code);
    assert_string_equal(err.cause, cause);
    assert_non_null(strstr(err.text, f->path));
    if (where != NULL && strstr(err.text, where) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, where);
}

static void put_u32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void reads_bellpersons_file(void **state)
{
    struct fixture *f = *state;
    struct params_file p;
    struct verifying_key vk;
    struct error err;
    size_t used;
    uint8_t bytes[VK_END];
    write_whole_file(f->path, f->params, END);
    write_whole_file(f->vk_path, f->vk, VK_END);
    assert_int_equal(params_open(&p, f->path, &err), 0);
    static const size_t offset[] = {H_AT, L_AT, A_AT, B1_AT, B2_AT}, count[] = {H, L, A, B, B};
    assert_memory_equal(p.offset, offset, sizeof offset);
    assert_memory_equal(p.count, count, sizeof count);
    assert_int_equal(params_check_circuit(&p, &f->stats, &err), 0);
    assert_int_equal(params_check_vk(&p, f->vk_path, &err), 0);
    assert_int_equal(params_check_points(&p, NULL, NULL, &err), 0);
    vk_write(bytes, &p.vk);
    assert_memory_equal(bytes, f->vk, VK_END);
    params_close(&p);
    assert_int_equal(vk_read(&vk, f->vk_path, &err), 0);
    vk_write(bytes, &vk);
    assert_memory_equal(bytes, f->vk, VK_END);
    vk_clean_up(&vk);
    assert_int_equal(vk_parse(&vk, &used, f->params, END, &err), 0);
    assert_int_equal(used, VK_END);
    vk_clean_up(&vk);
}

static void points_come_out_of_their_sections(void **state)
{
    struct fixture *f = *state;
    struct params_file p;
    struct error err;
    struct g1_affine g1[H];
    struct g2_affine g2[B];
    uint8_t bytes[192];
    write_whole_file(f->path, f->params, END);
    assert_int_equal(params_open(&p, f->path, &err), 0);
    assert_int_equal(params_g1(g1, &p, PARAMS_H, 0, H, &err), 0);
    for (size_t i = 0; i < H; i++) {
        g1_to_uncompressed(bytes, &g1[i]);
        assert_memory_equal(bytes, f->params + H_AT + 96 * i, 96);
    }
    assert_int_equal(params_g1(g1, &p, PARAMS_B_G1, 1, 2, &err), 0);
    g1_to_uncompressed(bytes, &g1[1]);
    assert_memory_equal(bytes, f->params + B1_AT + 96 * 2, 96);
    assert_int_equal(params_g2(g2, &p, 1, 2, &err), 0);
    g2_to_uncompressed(bytes, &g2[0]);
    assert_memory_equal(bytes, f->params + B2_AT + 192, 192);
    params_close(&p);
}

/* Every length short of the whole, and a byte more. */
/* R19 */
static void every_cut_is_named(void **state)
{
    struct fixture *f = *state;
    static const struct {
        size_t begin; /* of the section's count */
        const char *name;
    } sections[] = {{VK_END, "section h"},
                    {L_AT - 4, "section l"},
                    {A_AT - 4, "section a"},
                    {B1_AT - 4, "section b_g1"},
                    {B2_AT - 4, "section b_g2"}};
    refuse(f, f->params, 0, ERR_CONFIG, "params-empty", NULL);
    for (size_t n = 1; n < END; n += n + 40 < VK_END ? 37 : 1) {
        const char *where = "verifying key";
        for (size_t s = 0; s < 5; s++)
            if (n >= sections[s].begin)
                where = sections[s].name;
        refuse(f, f->params, n, ERR_CONFIG, "params-truncated", where);
    }
    uint8_t *longer = malloc(END + 1);
    assert_non_null(longer);
    memcpy(longer, f->params, END);
    longer[END] = 0;
    refuse(f, longer, END + 1, ERR_CONFIG, "params-trailing", "b_g2");
    free(longer);
}

static void wrong_counts_are_refused(void **state)
{
    struct fixture *f = *state;
    uint8_t data[END];
    static const size_t counts[] = {864, VK_END, L_AT - 4, A_AT - 4, B1_AT - 4, B2_AT - 4};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct params_file p;
        struct error err;
        for (int huge = 0; huge < 2; huge++) {
            memcpy(data, f->params, END);
            put_u32(data + counts[i], huge ? 0xffffffff : 0x7fffffff);
            refuse(f, data, END, ERR_CONFIG, "params-truncated", NULL);
        }
        for (int delta = -1; delta <= 1; delta += 2) {
            memcpy(data, f->params, END);
            data[counts[i] + 3] = (uint8_t)(data[counts[i] + 3] + delta);
            write_whole_file(f->path, data, END);
            assert_int_equal(params_open(&p, f->path, &err), ERR_CONFIG);
        }
    }
    memcpy(data, f->params, END);
    put_u32(data + 864, 0);
    refuse(f, data, END, ERR_CONFIG, "vk-no-inputs", "864");
}

/* Files whose counts fill them exactly and still can't be. */
/* R18 */
static void impossible_counts_are_refused(void **state)
{
    struct fixture *f = *state;
    uint8_t *data = malloc(END + 192);
    assert_non_null(data);
    /* one h point less */
    memcpy(data, f->params, L_AT - 4 - 96);
    memcpy(data + L_AT - 4 - 96, f->params + L_AT - 4, END - (L_AT - 4));
    put_u32(data + VK_END, H - 1);
    refuse(f, data, END - 96, ERR_CONFIG, "params-counts", "section h");
    /* one b_g2 point less */
    memcpy(data, f->params, END);
    put_u32(data + B2_AT - 4, B - 1);
    refuse(f, data, END - 192, ERR_CONFIG, "params-counts", "b_g2");
    /* no a points */
    memcpy(data, f->params, A_AT);
    memcpy(data + A_AT, f->params + B1_AT - 4, END - (B1_AT - 4));
    put_u32(data + A_AT - 4, 0);
    refuse(f, data, END - 96 * A, ERR_CONFIG, "params-counts", "section a");
    free(data);
}

/* 2^381 and more; the point at infinity; a point off the curve; and one on the curve, outside the subgroup of order r. */
enum bad { BAD_FLAGS, BAD_CANONICAL, BAD_INFINITY, BAD_CURVE, BAD_SUBGROUP, BADS };
static const char *const BAD_CAUSE[BADS] = {"point-bad-flags", "point-not-canonical",
                                            "point-at-infinity", "point-not-on-curve",
                                            "point-not-in-subgroup"};

static void find_outsider_g1(uint8_t out[96])
{
    uint8_t x[48] = {POINT_FLAG_COMPRESSED};
    struct g1_affine p;
    do
        x[47]++;
    while (g1_from_compressed(&p, x, POINT_CHECK_CURVE) != POINT_OK || g1_in_subgroup(&p));
    g1_to_uncompressed(out, &p);
}

static void find_outsider_g2(uint8_t out[192])
{
    uint8_t x[96] = {POINT_FLAG_COMPRESSED};
    struct g2_affine p;
    do
        x[95]++;
    while (g2_from_compressed(&p, x, POINT_CHECK_CURVE) != POINT_OK || g2_in_subgroup(&p));
    g2_to_uncompressed(out, &p);
}

static void spoil(uint8_t *point, size_t n, enum bad how)
{
    switch (how) {
    case BAD_FLAGS:
        point[0] |= POINT_FLAG_COMPRESSED;
        break;
    case BAD_CANONICAL:
        memset(point, 0xff, n);
        point[0] = 0x1f;
        break;
    case BAD_INFINITY:
        memset(point, 0, n);
        point[0] = POINT_FLAG_INFINITY;
        break;
    case BAD_CURVE:
        point[n - 1] ^= 1;
        break;
    default:
        n == 96 ? find_outsider_g1(point) : find_outsider_g2(point);
    }
}

static void bad_key_points_are_named(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *name;
        size_t at, n;
    } points[] = {{"alpha_g1 at byte 0", 0, 96},     {"beta_g1 at byte 96", 96, 96},
                  {"beta_g2 at byte 192", 192, 192}, {"gamma_g2 at byte 384", 384, 192},
                  {"delta_g1 at byte 576", 576, 96}, {"delta_g2 at byte 672", 672, 192},
                  {"ic[0] at byte 868", 868, 96},    {"ic[1] at byte 964", 964, 96}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        for (enum bad how = 0; how < BADS; how++) {
            uint8_t data[END];
            struct verifying_key vk;
            struct error err;
            memcpy(data, f->params, END);
            spoil(data + points[i].at, points[i].n, how);
            refuse(f, data, END, ERR_CONFIG, BAD_CAUSE[how], points[i].name);
            write_whole_file(f->vk_path, data, VK_END);
            assert_int_equal(vk_read(&vk, f->vk_path, &err), ERR_CONFIG);
            assert_string_equal(err.cause, BAD_CAUSE[how]);
            assert_non_null(strstr(err.text, points[i].name));
            assert_non_null(strstr(err.text, f->vk_path));
        }
    }
}

/* Opening doesn't look at them; decoding sees what is no point at all, check_points the rest. */
static void bad_section_points_are_named(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *name;
        enum params_section section;
        size_t at, n, index;
    } points[] = {{"point 0 of section h", PARAMS_H, H_AT, 96, 0},
                  {"point 6 of section h", PARAMS_H, H_AT + 96 * 6, 96, 6},
                  {"point 3 of section l", PARAMS_L, L_AT + 96 * 3, 96, 3},
                  {"point 5 of section a", PARAMS_A, A_AT + 96 * 5, 96, 5},
                  {"point 0 of section b_g1", PARAMS_B_G1, B1_AT, 96, 0},
                  {"point 2 of section b_g2", PARAMS_B_G2, B2_AT + 192 * 2, 192, 2}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        for (enum bad how = 0; how < BADS; how++) {
            uint8_t data[END];
            struct params_file p;
            struct error err;
            struct g1_affine g1;
            struct g2_affine g2;
            char where[64];
            memcpy(data, f->params, END);
            spoil(data + points[i].at, points[i].n, how);
            write_whole_file(f->path, data, END);
            assert_int_equal(params_open(&p, f->path, &err), 0);
            assert_int_equal(params_check_points(&p, NULL, NULL, &err), ERR_CONFIG);
            assert_string_equal(err.cause, BAD_CAUSE[how]);
            snprintf(where, sizeof where, "%s at byte %zu", points[i].name, points[i].at);
            assert_non_null(strstr(err.text, where));
            int rc = points[i].n == 96
                         ? params_g1(&g1, &p, points[i].section, points[i].index, 1, &err)
                         : params_g2(&g2, &p, points[i].index, 1, &err);
            assert_int_equal(rc, how <= BAD_INFINITY ? ERR_CONFIG : 0);
            if (rc != 0)
                assert_string_equal(err.cause, BAD_CAUSE[how]);
            params_close(&p);
        }
    }
}

/* Of several bad points the first is named, on any number of threads. */
static void first_bad_point_is_named(void **state)
{
    struct fixture *f = *state;
    uint8_t data[END];
    struct params_file p;
    struct pool *pool;
    struct error err;
    memcpy(data, f->params, END);
    spoil(data + L_AT + 96, 96, BAD_SUBGROUP);
    spoil(data + A_AT, 96, BAD_CURVE);
    spoil(data + B2_AT, 192, BAD_CURVE);
    write_whole_file(f->path, data, END);
    assert_int_equal(params_open(&p, f->path, &err), 0);
    assert_int_equal(pool_new(&pool, 3, &err), 0);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(params_check_points(&p, pool, NULL, &err), ERR_CONFIG);
        assert_non_null(strstr(err.text, "point 1 of section l"));
    }
    pool_destroy(pool);
    params_close(&p);
}

/* R17 */
static void other_circuits_are_refused(void **state)
{
    struct fixture *f = *state;
    struct params_file p;
    struct error err;
    write_whole_file(f->path, f->params, END);
    assert_int_equal(params_open(&p, f->path, &err), 0);
    for (int i = 0; i < 6; i++) {
        static const char *const where[] = {"ic",        "section h",    "section l",
                                            "section a", "section b_g1", "section b_g1"};
        struct shape_stats stats = f->stats;
        uint64_t no_bits[1] = {0};
        const struct bitmap none = {no_bits, 4, 1};
        if (i == 0)
            stats.num_inputs++;
        else if (i == 1)
            stats.num_constraints += 2;
        else if (i == 2)
            stats.num_aux++;
        else if (i == 3)
            stats.density.a_aux = none;
        else if (i == 4)
            stats.density.b_aux = none;
        else
            stats.density.b_input = none;
        assert_int_equal(params_check_circuit(&p, &stats, &err), ERR_CONFIG);
        assert_string_equal(err.cause, "params-other-circuit");
        assert_non_null(strstr(err.text, where[i]));
    }
    params_close(&p);
}

static void keys_must_agree(void **state)
{
    struct fixture *f = *state;
    struct params_file p;
    struct error err;
    uint8_t vk[VK_END + 2];
    write_whole_file(f->path, f->params, END);
    assert_int_equal(params_open(&p, f->path, &err), 0);
    for (size_t at = 0; at < VK_END; at += 31) {
        char where[32];
        memcpy(vk, f->vk, VK_END);
        vk[at] ^= 1;
        write_whole_file(f->vk_path, vk, VK_END);
        assert_int_equal(params_check_vk(&p, f->vk_path, &err), ERR_CONFIG);
        assert_string_equal(err.cause, "vk-differs");
        snprintf(where, sizeof where, "byte %zu", at);
        assert_non_null(strstr(err.text, where));
    }
    memcpy(vk, f->vk, VK_END);
    memset(vk + VK_END, 0, 2);
    for (size_t n = 0; n <= VK_END + 2; n += n == VK_END - 1  ? 2
                                             : n < VK_END - 1 ? VK_END - 1
                                                              : 1) {
        char length[32];
        snprintf(length, sizeof length, "has %zu bytes", n);
        write_whole_file(f->vk_path, vk, n);
        assert_int_equal(params_check_vk(&p, f->vk_path, &err), ERR_CONFIG);
        assert_string_equal(err.cause, "vk-differs");
        assert_non_null(strstr(err.text, n == VK_END + 2 ? "longer than the key" : length));
    }
    assert_int_equal(unlink(f->vk_path), 0);
    assert_int_equal(params_check_vk(&p, f->vk_path, &err), ERR_NO_INPUT);
    assert_string_equal(err.cause, "vk-absent");
    params_close(&p);
}

static void keys_of_wrong_length_are_refused(void **state)
{
    struct fixture *f = *state;
    struct verifying_key vk;
    struct error err;
    uint8_t data[VK_END + 1];
    memcpy(data, f->vk, VK_END);
    data[VK_END] = 7;
    write_whole_file(f->vk_path, data, VK_END + 1);
    assert_int_equal(vk_read(&vk, f->vk_path, &err), ERR_CONFIG);
    assert_string_equal(err.cause, "vk-trailing");
    write_whole_file(f->vk_path, data, 0);
    assert_int_equal(vk_read(&vk, f->vk_path, &err), ERR_CONFIG);
    assert_string_equal(err.cause, "vk-empty");
    for (size_t n = 1; n < VK_END; n += 13) {
        write_whole_file(f->vk_path, data, n);
        assert_int_equal(vk_read(&vk, f->vk_path, &err), ERR_CONFIG);
        assert_string_equal(err.cause, "vk-truncated");
    }
    assert_int_equal(unlink(f->vk_path), 0);
    assert_int_equal(vk_read(&vk, f->vk_path, &err), ERR_NO_INPUT);
    assert_string_equal(err.cause, "vk-absent");
}

static void absent_and_unreadable_files(void **state)
{
    struct fixture *f = *state;
    struct params_file p;
    struct error err;
    char digest[33], path[160];
    snprintf(path, sizeof path, "%s/none.params", f->folder);
    assert_int_equal(params_open(&p, path, &err), ERR_NO_INPUT);
    assert_string_equal(err.cause, "params-absent");
    assert_non_null(strstr(err.text, path));
    assert_int_equal(params_digest(digest, path, NULL, &err), ERR_NO_INPUT);
    assert_int_equal(params_open(&p, f->folder, &err), ERR_IO);
    assert_string_equal(err.cause, "params-unreadable");
    if (geteuid() == 0) /* root may read everything */
        return;
    write_whole_file(f->path, f->params, END);
    assert_int_equal(chmod(f->path, 0), 0);
    assert_int_equal(params_open(&p, f->path, &err), ERR_NO_PERM);
    assert_string_equal(err.cause, "params-unreadable");
    assert_int_equal(unlink(f->path), 0);
}

/* A file cut while it is in use fails the reader, not the process. */
static void truncation_in_use_is_survived(void **state)
{
    struct fixture *f = *state;
    struct params_file p;
    struct error err;
    struct g1_affine g1;
    write_whole_file(f->path, f->params, END);
    assert_int_equal(params_open(&p, f->path, &err), 0);
    assert_int_equal(truncate(f->path, 100), 0);
    assert_int_equal(params_g1(&g1, &p, PARAMS_H, 0, 1, &err), ERR_IO);
    assert_string_equal(err.cause, "file-truncated");
    assert_int_equal(params_check_points(&p, NULL, NULL, &err), ERR_IO);
    params_close(&p);
}

static void digest_is_parameters_jsons(void **state)
{
    (void)state;
    char digest[33], path[512];
    struct error err;
    yajl_val json = json_load("params-2k/porep-2kib.params.json"), files = json_get(json, "files");
    int seen = 0;
    for (size_t i = 0; i < json_len(files); i++) {
        yajl_val file = json_at(files, i);
        const char *name = json_string(json_get(file, "name"));
        snprintf(path, sizeof path, "%s/params-2k/%s", CUZK_TEST_DATA, name);
        if (strstr(name, ".params") != NULL)
            continue;
        assert_int_equal(params_digest(digest, path, NULL, &err), 0);
        assert_string_equal(digest, json_string(json_get(
                                        file, "blake2b_512_first16_digest_as_in_parameters_json")));
        seen++;
    }
    assert_int_equal(seen, 2);
    yajl_tree_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_bellpersons_file),
        cmocka_unit_test(points_come_out_of_their_sections),
        cmocka_unit_test(every_cut_is_named),
        cmocka_unit_test(wrong_counts_are_refused),
        cmocka_unit_test(impossible_counts_are_refused),
        cmocka_unit_test(bad_key_points_are_named),
        cmocka_unit_test(bad_section_points_are_named),
        cmocka_unit_test(first_bad_point_is_named),
        cmocka_unit_test(other_circuits_are_refused),
        cmocka_unit_test(keys_must_agree),
        cmocka_unit_test(keys_of_wrong_length_are_refused),
        cmocka_unit_test(absent_and_unreadable_files),
        cmocka_unit_test(truncation_in_use_is_survived),
        cmocka_unit_test(digest_is_parameters_jsons),
    };
    struct error err;
    assert_int_equal(cpu_init(&err), 0);
    field_init();
    return cmocka_run_group_tests(tests, start, stop);
}
