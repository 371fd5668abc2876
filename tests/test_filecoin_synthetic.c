/* Sealed and synthetic PoReps: the reference's labels, trees and bytes for its sectors; proofs of every size that pass the check. */
/* ctest: quick asan */
#include "synthetic_checks.h"

static struct pool *pool;

/* ---- Sealing as the reference does ---- */

/* data[i] = (7 i + 13 sector + (i >> 8)) mod 256, and two zero bits after every 254. */
static void piece_data(struct node out[64], uint64_t sector)
{
    uint8_t *bytes = out[0].b;
    size_t bits = 0;
    memset(out, 0, 64 * sizeof *out);
    for (size_t i = 0; i < 2032; i++) {
        unsigned byte = (unsigned)(7 * i + 13 * sector + (i >> 8)) & 0xff;
        for (unsigned b = 0; b < 8; b++, bits++) {
            size_t at = bits / 254 * 256 + bits % 254;
            bytes[at / 8] |= (uint8_t)((byte >> b & 1) << (at % 8));
        }
    }
}

static void assert_file(yajl_val files, const char *name, const struct node *nodes, size_t n)
{
    uint8_t want[128 * 32];
    assert_true(n <= 128);
    json_hex(want, 32 * n, json_get(json_get(files, name), "hex"));
    if (memcmp(nodes, want, 32 * n) != 0)
        fail_msg("%s differs", name);
}

/* All rows one after the other, as the cache files have them. */
static size_t all_rows(struct node out[128], const struct sparse_tree *t)
{
    size_t n = 0;
    for (unsigned l = 0; l <= t->shape.levels; l++)
        for (size_t i = 0; i < t->rows[l].len; i++)
            out[n++] = t->rows[l].value[i];
    return n;
}

static void test_labels_and_trees(void **state)
{
    (void)state;
    yajl_val root = json_load("vectors/sdr_labels_2kib.json"), sectors = json_get(root, "sectors");
    for (size_t i = 0; i < json_len(sectors); i++) {
        yajl_val s = json_at(sectors, i), files = json_get(s, "cache_files");
        struct porep_sector sector = {.number = json_u64(json_get(s, "sector_id"))};
        struct node data[64], rows[128], id;
        struct replica r;
        struct error err;
        uint8_t porep_id[32];
        json_hex(porep_id, 32, json_get(s, "porep_id"));
        sector.seal = registered_seal_by_number(porep_id[0]);
        json_hex(sector.prover_id, 32, json_get(s, "prover_id"));
        json_hex(sector.ticket, 32, json_get(s, "ticket"));
        piece_data(data, sector.number);
        assert_file(files, "staged", data, 64);

        assert_ok(porep_seal(&r, &sector, data, pool, NULL, &err), &err);
        json_hex(id.b, 32, json_get(s, "replica_id"));
        assert_memory_equal(&r.replica_id, &id, 32);
        assert_file(files, "sc-02-data-layer-1.dat", r.labels[0], 64);
        assert_file(files, "sc-02-data-layer-2.dat", r.labels[1], 64);
        assert_int_equal(all_rows(rows, &r.tree_d), 127);
        assert_file(files, "sc-02-data-tree-d.dat", rows, 127);
        assert_int_equal(all_rows(rows, &r.tree_c), 73);
        assert_file(files, "sc-02-data-tree-c.dat", rows, 73);
        assert_file(files, "sealed", r.tree_r.rows[0].value, 64);
        rows[0] = r.comm_c;
        rows[1] = r.comm_r_last;
        assert_file(files, "p_aux", rows, 2);
        replica_clean_up(&r);
    }
    yajl_tree_free(root);
}

/* The reference's sector again, from its data: the same C1 byte for byte. */
static void check_output(const char *name)
{
    char file[100];
    snprintf(file, sizeof file, "proofs/porep-2kib-%s.json", name);
    yajl_val fixture = json_load(file);
    snprintf(file, sizeof file, "proofs/porep-2kib-%s.c1out.json", name);
    size_t want_len, n;
    char *want = data_read(&want_len, file);
    struct porep_vanilla v;
    struct error err;
    assert_ok(porep_vanilla_parse(&v, want, want_len, &err), &err);
    struct porep_sector s = {.seal = v.seal, .number = json_u64(json_get(fixture, "sector_id"))};
    json_hex(s.prover_id, 32, json_get(fixture, "prover_id"));
    memcpy(s.ticket, v.ticket, 32);
    memcpy(s.seed, v.seed, 32);
    porep_vanilla_clean_up(&v);

    struct node data[64];
    struct replica r;
    piece_data(data, s.number);
    assert_ok(porep_seal(&r, &s, data, pool, NULL, &err), &err);
    assert_ok(replica_open(&v, &r, &err), &err);
    replica_clean_up(&r);
    v.has_wrapper = 0;
    char *text = written(&n, &v);
    assert_int_equal(n, want_len);
    if (memcmp(text, want, n) != 0)
        fail_msg("%s: other bytes than the reference's", name);
    free(text);
    free(want);
    porep_vanilla_clean_up(&v);
    yajl_tree_free(fixture);
}

static void test_reference_outputs(void **state)
{
    (void)state;
    static const char *const names[] = {"v1-s5",     "v1_1-s1",  "v1_1-s2", "m1000-s11",
                                        "m1000-s12", "synth-s6", "ni-s7"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_output(names[i]);
}

static void test_seal_all_features(void **state)
{
    (void)state;
    static const unsigned numbers[] = {V1, V1_1, SYNTHETIC, NON_INTERACTIVE};
    struct porep_vanilla v;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        make_sealed(&v, numbers[i], 3, pool);
        through_a_file(&v, pool);
        assert_int_equal(v.seal->number, numbers[i]);
        porep_vanilla_clean_up(&v);
    }
}

/* ---- Synthetic ---- */

static void test_synthetic_sizes(void **state)
{
    (void)state;
    struct porep_vanilla v;
    for (unsigned size = SECTOR_2K; size <= SECTOR_512M; size++) {
        make_synthetic(&v, V1 + size, 1, pool);
        through_a_file(&v, pool);
        assert_int_equal(v.sector_size, sector_shape(size)->bytes);
        porep_vanilla_clean_up(&v);
        make_synthetic(&v, V1_1 + size, 2, pool);
        through_a_file(&v, pool);
        porep_vanilla_clean_up(&v);
    }
}

/* A challenged node that is a parent of another challenge. */
static int is_also_parent(const struct porep_vanilla *v)
{
    const struct porep_challenge_proof *p = v->proofs[0];
    for (unsigned c = 0; c < 2; c++) {
        uint32_t other = p[1 - c].c_x.index;
        if (p[c].c_x.index == other)
            continue;
        for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
            if (p[c].drg_parents[i].index == other)
                return 1;
        for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
            if (p[c].exp_parents[i].index == other)
                return 1;
    }
    return 0;
}

/* Among many of 64 nodes every coincidence occurs: equal challenges, node 1, a challenge that is another's parent. */
static void test_coincidences(void **state)
{
    (void)state;
    struct porep_vanilla v;
    struct error err;
    unsigned parents = 0, equal = 0, node_1 = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        make_synthetic(&v, seed % 2 ? V1 : V1_1, seed, NULL);
        assert_ok(porep_vanilla_check(&v, pool, NULL, &err), &err);
        uint32_t a = v.proofs[0][0].c_x.index, b = v.proofs[0][1].c_x.index;
        parents += (unsigned)is_also_parent(&v);
        equal += a == b;
        node_1 += a == 1 || b == 1;
        porep_vanilla_clean_up(&v);
    }
    assert_true(parents > 0);
    assert_true(equal > 0);
    assert_true(node_1 > 0);
}

static void test_deterministic(void **state)
{
    (void)state;
    struct porep_vanilla a, b, c;
    size_t n_a, n_b, n_c;
    make_synthetic(&a, V1_1, 5, pool);
    make_synthetic(&b, V1_1, 5, NULL);
    make_synthetic(&c, V1_1, 6, pool);
    char *text_a = written(&n_a, &a), *text_b = written(&n_b, &b), *text_c = written(&n_c, &c);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(text_a, text_b, n_a);
    assert_false(n_a == n_c && memcmp(text_a, text_c, n_a) == 0);
    assert_memory_not_equal(&a.comm_r, &c.comm_r, 32);
    assert_memory_equal(&a.comm_d, &c.comm_d, 32);
    free(text_a);
    free(text_b);
    free(text_c);
    porep_vanilla_clean_up(&a);
    porep_vanilla_clean_up(&b);
    porep_vanilla_clean_up(&c);
}

/* ---- Refusals ---- */

static void test_refusals(void **state)
{
    (void)state;
    struct porep_vanilla v;
    struct replica r;
    struct error err;
    struct c1_sizes sizes;
    for (unsigned n = SYNTHETIC; n < 20; n++) {
        struct porep_sector s = sector_of(n, 1);
        assert_int_equal(porep_synthetic(&v, &s, 1, pool, NULL, &err), ERR_USAGE);
        assert_string_equal(err.cause, "synthetic-feature");
    }
    for (unsigned size = SECTOR_512M; size <= SECTOR_64G; size++) {
        struct porep_sector s = sector_of(V1_1 + size, 1);
        assert_int_equal(porep_seal(&r, &s, NULL, pool, NULL, &err), ERR_USAGE);
        assert_string_equal(err.cause, "seal-size");
    }
    struct porep_sector s = sector_of(V1_1, 1);
    struct node data[64] = {0};
    data[63].b[31] = 0x74;
    assert_int_equal(porep_seal(&r, &s, data, pool, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "not-canonical");

    make_synthetic(&v, V1_1, 1, pool);
    assert_int_equal(porep_vanilla_write(&sizes, &v, "/no/such/folder/x", FILE_REPLACE, &err),
                     ERR_CANT_CREATE);
    assert_int_equal(porep_vanilla_write(&sizes, &v, "/dev/full", FILE_REPLACE, &err), ERR_IO);
    assert_string_equal(err.cause, "disk-full");
    porep_vanilla_clean_up(&v);
}

static int start(void **state)
{
    struct error err;
    (void)state;
    return pool_new(&pool, 2, &err);
}

static int stop(void **state)
{
    (void)state;
    pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_and_trees),  cmocka_unit_test(test_reference_outputs),
        cmocka_unit_test(test_seal_all_features), cmocka_unit_test(test_synthetic_sizes),
        cmocka_unit_test(test_coincidences),      cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
