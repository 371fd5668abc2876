/* The strict reader of bincode. */
/* ctest: quick */
/* ctest: asan */
#include "vanilla_checks.h"

#include "filecoin/bincode.h"

static void test_items(void **state)
{
    (void)state;
    struct writer w = {0};
    struct bincode_reader r;
    struct error err;
    struct node nodes[3], *in_place, one;
    uint64_t v;
    static const char *const names[] = {"A", "B"};
    for (unsigned i = 0; i < 3; i++)
        memset(&nodes[i], (int)i + 1, sizeof *nodes);
    put_integer(&w, 0x0123456789abcdef, 8);
    put_integer(&w, 1, 4);
    put_integer(&w, 2, 8);
    put_bytes(&w, nodes, sizeof nodes);
    put_integer(&w, 6, 8);

    bincode_init(&r, w.data, w.len, &err);
    assert_done(bincode_u64(&r, &v, "v"), &err);
    assert_int_equal(v, 0x0123456789abcdef);
    assert_done(bincode_tag(&r, 1, names, 2), &err);
    assert_done(bincode_length(&r, 2, "nodes"), &err);
    assert_done(bincode_nodes(&r, &in_place, 2, "nodes"), &err);
    assert_ptr_equal(in_place, w.data + 20);
    assert_memory_equal(in_place, nodes, 64);
    assert_done(bincode_node(&r, &one, "one"), &err);
    assert_memory_equal(&one, &nodes[2], 32);
    assert_error(bincode_end(&r), &err, ERR_DATA, "bincode-trailing",
                 "8 bytes are left over (byte 116)");
    assert_done(bincode_less(&r, &v, 7, "index"), &err);
    assert_int_equal(v, 6);
    assert_done(bincode_end(&r), &err);
    free(w.data);
}

/* A reader that stands in the midst of something. */
static struct bincode_reader at_place(struct writer *w, struct error *err)
{
    struct bincode_reader r;
    bincode_init(&r, w->data, w->len, err);
    bincode_enter(&r, "proof");
    bincode_enter_item(&r, "sectors", 4);
    return r;
}

/* R3: and scalars beyond the modulus, below. */
static void test_refusals(void **state)
{
    (void)state;
    struct writer w = {0};
    struct bincode_reader r;
    struct error err;
    struct node node, *nodes;
    uint64_t v;
    static const char *const names[] = {"A", "B"};
    put_integer(&w, 7, 8);
    r = at_place(&w, &err);
    assert_error(bincode_less(&r, &v, 7, "index"), &err, ERR_DATA, "bincode-number",
                 "proof.sectors[4].index: 7 is not below 7 (byte 0)");
    r = at_place(&w, &err);
    assert_error(bincode_length(&r, 6, "hashes"), &err, ERR_DATA, "bincode-length",
                 "proof.sectors[4].hashes: 7 items instead of 6 (byte 0)");
    r = at_place(&w, &err);
    assert_error(bincode_tag(&r, 1, names, 2), &err, ERR_DATA, "bincode-tag",
                 "proof.sectors[4]: tag 7 (unknown) instead of 1 (B) (byte 0)");
    w.data[0] = 0;
    r = at_place(&w, &err);
    assert_error(bincode_tag(&r, 1, names, 2), &err, ERR_DATA, "bincode-tag",
                 "tag 0 (A) instead of 1 (B)");
    r = at_place(&w, &err);
    assert_error(bincode_node(&r, &node, "leaf"), &err, ERR_DATA, "bincode-truncated",
                 "proof.sectors[4].leaf: 8 bytes are left of 32 (byte 0)");
    r = at_place(&w, &err);
    assert_error(bincode_nodes(&r, &nodes, 1 << 20, "hashes"), &err, ERR_DATA, "bincode-truncated",
                 "hashes: 8 bytes are left of 33554432");
    r = at_place(&w, &err);
    r.len = 7;
    assert_error(bincode_u64(&r, &v, "id"), &err, ERR_DATA, "bincode-truncated",
                 "proof.sectors[4].id: 7 bytes are left of 8");

    /* A length that only its upper half makes wrong. */
    w.data[4] = 1;
    r = at_place(&w, &err);
    assert_error(bincode_length(&r, 0, "hashes"), &err, ERR_DATA, "bincode-length",
                 "4294967296 items instead of 0");
    free(w.data);
}

static void test_field_elements(void **state)
{
    (void)state;
    uint8_t data[96] = {0};
    struct bincode_reader r;
    struct error err;
    struct node node, *nodes;
    put_modulus(data + 64);
    bincode_init(&r, data, sizeof data, &err);
    assert_error(bincode_nodes(&r, &nodes, 3, "hashes"), &err, ERR_DATA, "not-canonical",
                 "hashes[2]: is not below the field's modulus (byte 64)");
    bincode_init(&r, data + 64, 32, &err);
    assert_error(bincode_node(&r, &node, "root"), &err, ERR_DATA, "not-canonical",
                 "root: is not below the field's modulus (byte 0)");
    data[64]--; /* r - 1 */
    bincode_init(&r, data, sizeof data, &err);
    assert_done(bincode_nodes(&r, &nodes, 3, "hashes"), &err);
}

/* Paths of every sector size: what is written is read, and one size's are refused as another's. */
static void fill_path(struct merkle_path *p, struct node *siblings, unsigned levels,
                      const uint8_t *arity)
{
    memset(p, 0, sizeof *p);
    p->levels = (uint8_t)levels;
    memset(&p->root, 1, 32);
    memset(&p->leaf, 2, 32);
    for (unsigned l = 0; l < levels; l++) {
        p->arity[l] = arity == NULL ? 2 : arity[l];
        p->index[l] = (uint8_t)((l + 1) % p->arity[l]);
        p->siblings[l] = siblings + 7 * l;
        for (unsigned i = 0; i < 7; i++)
            memset(&siblings[7 * l + i], (int)(7 * l + i) % 100, 32);
    }
}

static void assert_same_path(const struct merkle_path *a, const struct merkle_path *b)
{
    assert_int_equal(a->levels, b->levels);
    assert_memory_equal(&a->root, &b->root, 32);
    assert_memory_equal(&a->leaf, &b->leaf, 32);
    assert_memory_equal(a->arity, b->arity, a->levels);
    assert_memory_equal(a->index, b->index, a->levels);
    for (unsigned l = 0; l < a->levels; l++)
        assert_memory_equal(a->siblings[l], b->siblings[l], 32 * (a->arity[l] - 1u));
}

static void test_paths(void **state)
{
    (void)state;
    static struct node siblings[7 * MERKLE_MAX_LEVELS];
    struct merkle_path p, got;
    struct bincode_reader r;
    struct error err;
    for (unsigned size = 0; size < SECTOR_SIZES; size++) {
        const struct sector_shape *s = sector_shape((enum sector_size)size);
        struct writer w = {0};
        fill_path(&p, siblings, s->tree_r_levels, s->tree_r_arity);
        put_path(&w, &p, (unsigned)(s->sub > 0) + (s->top > 0));
        if (size == SECTOR_32G)
            assert_int_equal(w.len, 2484); /* as the reference's */
        memset(&got, 0, sizeof got);
        bincode_init(&r, w.data, w.len, &err);
        assert_done(bincode_path_r(&r, &got, s), &err);
        assert_done(bincode_end(&r), &err);
        assert_same_path(&got, &p);
        for (unsigned other = 0; other < SECTOR_SIZES; other++) {
            if (other == size)
                continue;
            bincode_init(&r, w.data, w.len, &err);
            int rc = bincode_path_r(&r, &got, sector_shape((enum sector_size)other));
            assert_error(rc, &err, ERR_DATA,
                         size < SECTOR_32G && other < SECTOR_32G ? "bincode-length" : "bincode-tag",
                         "data");
        }

        w.len = 0;
        fill_path(&p, siblings, s->tree_d_levels, NULL);
        put_path(&w, &p, 0);
        memset(&got, 0, sizeof got);
        bincode_init(&r, w.data, w.len, &err);
        assert_done(bincode_path_d(&r, &got, s), &err);
        assert_done(bincode_end(&r), &err);
        assert_same_path(&got, &p);
        free(w.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_field_elements),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
