/* Insertion, selection and Merkle paths: counts of the reference's tests, results, all modes, and a wrong root noticed. */
/* ctest: quick */
/* ctest: asan */
#include "circuit_checks.h"

#include "gadget/merkle.h"
#include "gadget/poseidon.h"

enum { MAX_SIZE = 128, MAX_BITS = 7 };

/* ---- insertion and selection ---- */

struct list_case {
    size_t size, position;
    struct fr out[MAX_SIZE];
};

static struct fr element(size_t i)
{
    struct fr v;
    fr_from_u64(&v, i);
    return v;
}

static void alloc_bits(struct cs *cs, struct bit *bits, const struct list_case *t)
{
    for (size_t i = 0; (size_t)1 << i < t->size; i++)
        bits[i] = bit_alloc(cs, t->position >> i & 1);
}

/* 1000 among 0, 1, 2, ... */
static void insertion(struct cs *cs, void *ctx)
{
    struct list_case *t = ctx;
    struct bit bits[MAX_BITS];
    struct num siblings[MAX_SIZE], out[MAX_SIZE];
    struct fr v = element(1000);
    struct num e = num_alloc(cs, &v);
    alloc_bits(cs, bits, t);
    for (size_t i = 0; i + 1 < t->size; i++) {
        v = element(i);
        siblings[i] = num_alloc(cs, &v);
    }
    insert_gadget(cs, out, &e, siblings, bits, t->size);
    for (size_t i = 0; i < t->size; i++)
        t->out[i] = out[i].value;
}

static void selection(struct cs *cs, void *ctx)
{
    struct list_case *t = ctx;
    struct bit bits[MAX_BITS];
    struct num list[MAX_SIZE];
    alloc_bits(cs, bits, t);
    for (size_t i = 0; i < t->size; i++) {
        struct fr v = element(i + 7);
        list[i] = num_alloc(cs, &v);
    }
    t->out[0] = select_gadget(cs, list, t->size, bits).value;
}

static void check_insertion(size_t size, size_t bits, uint64_t rows)
{
    for (size_t position = 0; position < size; position++) {
        struct list_case t = {.size = size, .position = position};
        struct circuit_under_test circuit = {insertion, &t};
        assert_int_equal(count_rows(circuit).rows, rows + bits);
        check_modes(circuit);
        for (size_t i = 0; i < size; i++) {
            struct fr want = element(i == position ? 1000 : i < position ? i : i - 1);
            assert_true(fr_equal(&t.out[i], &want));
        }
    }
}

static void test_insertion(void **state)
{
    (void)state;
    check_insertion(2, 1, 2);
    check_insertion(4, 2, 8);
    check_insertion(8, 3, 22);
    check_insertion(16, 4, 16 * 15);
}

static void test_selection(void **state)
{
    (void)state;
    for (size_t k = 0; k <= MAX_BITS; k++) {
        size_t size = (size_t)1 << k;
        for (size_t position = 0; position < size; position += 1 + size / 8) {
            struct list_case t = {.size = size, .position = position};
            struct circuit_under_test circuit = {selection, &t};
            assert_int_equal(count_rows(circuit).rows, k + size - 1);
            check_modes(circuit);
            struct fr want = element(position + 7);
            assert_true(fr_equal(&t.out[0], &want));
        }
    }
}

/* ---- paths ---- */

enum { MAX_LEVELS = 6 };

struct path_case {
    enum merkle_hash hash;
    unsigned levels;
    uint8_t arity[MAX_LEVELS], index[MAX_LEVELS];
    struct fr sibling[MAX_LEVELS][7], root;
    uint64_t packed_index;
};

static void hash_up(struct fr *cur, const struct path_case *t, unsigned level)
{
    unsigned arity = t->arity[level];
    struct fr children[8];
    for (unsigned i = 0, s = 0; i < arity; i++)
        children[i] = i == t->index[level] ? *cur : t->sibling[level][s++];
    if (t->hash == MERKLE_POSEIDON) {
        poseidon_hash(cur, poseidon_constants(arity, POSEIDON_MERKLE), children);
        return;
    }
    uint8_t bytes[64], digest[32];
    fr_to_bytes(bytes, &children[0]);
    fr_to_bytes(bytes + 32, &children[1]);
    sha256(digest, bytes, 64);
    digest[31] &= 0x3f;
    assert_int_equal(fr_from_bytes(cur, digest), 0);
}

static struct fr leaf(void)
{
    struct fr v;
    fr_from_u64(&v, 12345);
    fr_pow_u64(&v, &v, 1000003);
    return v;
}

/* arities: one digit a level. */
static void fill_path(struct path_case *t, enum merkle_hash hash, const char *arities,
                      unsigned seed)
{
    *t = (struct path_case){.hash = hash, .levels = (unsigned)strlen(arities)};
    struct fr cur = leaf();
    unsigned shift = 0;
    for (unsigned l = 0; l < t->levels; l++) {
        t->arity[l] = (uint8_t)(arities[l] - '0');
        t->index[l] = (uint8_t)((seed + 3 * l) % t->arity[l]);
        t->packed_index |= (uint64_t)t->index[l] << shift;
        shift += (unsigned)__builtin_ctz(t->arity[l]);
        for (unsigned i = 0; i + 1 < t->arity[l]; i++) {
            fr_from_u64(&t->sibling[l][i], 100 * l + i + seed);
            fr_pow_u64(&t->sibling[l][i], &t->sibling[l][i], 65537);
        }
        hash_up(&cur, t, l);
    }
    t->root = cur;
}

static void path(struct cs *cs, void *ctx)
{
    struct path_case *t = ctx;
    const struct fr *siblings[MAX_LEVELS];
    struct fr value = leaf();
    struct num leaf_num = num_alloc(cs, &value), root = num_alloc(cs, &t->root);
    for (unsigned l = 0; l < t->levels; l++)
        siblings[l] = t->sibling[l];
    struct merkle_witness w = {t->hash, t->levels, t->arity, t->index, siblings};
    merkle_path_gadget(cs, &leaf_num, &root, &w);
}

static void check_path(enum merkle_hash hash, const char *arities, uint64_t rows)
{
    struct path_case t;
    struct circuit_under_test circuit = {path, &t};
    for (unsigned seed = 0; seed < 3; seed++) {
        fill_path(&t, hash, arities, seed);
        struct counts n = count_rows(circuit);
        assert_int_equal(n.rows, rows);
        assert_int_equal(n.inputs, 2);
        check_modes(circuit);

        struct assignment native = {0};
        struct fr index;
        run_native(&native, circuit, NULL);
        fr_from_u64(&index, t.packed_index);
        assert_int_equal(native.num_inputs, 2);
        assert_true(fr_equal(&native.inputs[1], &index));
        assignment_clean_up(&native);
    }
    t.root = FR_ONE;
    assert_int_equal(first_bad_row(circuit), rows - 1);
}

static void test_poseidon_paths(void **state)
{
    (void)state;
    check_path(MERKLE_POSEIDON, "222222", 1886);
    check_path(MERKLE_POSEIDON, "444", 1163);
    check_path(MERKLE_POSEIDON, "88", 1062);
    check_path(MERKLE_POSEIDON, "882", 1376);
    check_path(MERKLE_POSEIDON, "888", 1592);
    check_path(MERKLE_POSEIDON, "8842", 1763);
    check_path(MERKLE_POSEIDON, "8824", 1763);
    check_path(MERKLE_POSEIDON, "8882", 1906);
}

static void test_sha256_path(void **state)
{
    (void)state;
    check_path(MERKLE_SHA256, "22", 2 * 45382 + 2);
}

/* ---- paths of variables ---- */

/* The widest level takes three bits. */
enum { MAX_INDEX_BITS = 3 * MAX_LEVELS };

static void known_path(struct cs *cs, void *ctx)
{
    struct path_case *t = ctx;
    struct bit bits[MAX_INDEX_BITS];
    struct num siblings[7 * MAX_LEVELS];
    size_t n_bits = 0, n = 0;
    struct fr value = leaf();
    struct num leaf_num = num_alloc(cs, &value), root = num_alloc(cs, &t->root);
    for (unsigned l = 0; l < t->levels; l++) {
        for (unsigned i = 0; 1u << i < t->arity[l]; i++)
            bits[n_bits++] = bit_alloc(cs, t->index[l] >> i & 1);
        for (unsigned i = 0; i + 1u < t->arity[l]; i++)
            siblings[n++] = num_alloc(cs, &t->sibling[l][i]);
    }
    struct merkle_variables p = {t->hash, t->levels, t->arity, bits, siblings};
    merkle_known_path_gadget(cs, &leaf_num, &root, &p);
}

/* rows: those of merkle_path_gadget, which has one more for its public input. */
static void check_known_path(enum merkle_hash hash, const char *arities, uint64_t rows)
{
    struct path_case t;
    struct circuit_under_test circuit = {known_path, &t};
    for (unsigned seed = 0; seed < 3; seed++) {
        fill_path(&t, hash, arities, seed);
        struct counts n = count_rows(circuit);
        assert_int_equal(n.rows, rows - 1);
        assert_int_equal(n.inputs, 1);
        check_modes(circuit);
    }
    t.root = FR_ONE;
    assert_int_equal(first_bad_row(circuit), rows - 2);
}

static void test_known_paths(void **state)
{
    (void)state;
    check_known_path(MERKLE_POSEIDON, "88", 1062);
    check_known_path(MERKLE_POSEIDON, "8842", 1763);
    check_known_path(MERKLE_SHA256, "2", 45382 + 2);
}

/* ---- the apex of EmptySectorUpdate's tree D ---- */

enum { MAX_APEX = 16 };

struct apex_case {
    size_t leaves, partitions;
    size_t partition;
    struct fr root;
};

static struct fr hash_pair(const struct fr *a, const struct fr *b)
{
    struct path_case t = {.hash = MERKLE_SHA256, .arity = {2}};
    struct fr cur = *a;
    t.sibling[0][0] = *b;
    hash_up(&cur, &t, 0);
    return cur;
}

/* The tree over leaves 7, 8, 9, ... of all partitions: its node number i in the row that is height above the leaves. */
static struct fr apex_node(unsigned height, size_t i)
{
    if (height == 0)
        return element(i + 7);
    struct fr a = apex_node(height - 1, 2 * i), b = apex_node(height - 1, 2 * i + 1);
    return hash_pair(&a, &b);
}

static void apex(struct cs *cs, void *ctx)
{
    static const uint8_t binary[MAX_LEVELS] = {2, 2, 2, 2, 2, 2};
    struct apex_case *t = ctx;
    struct num leaves[MAX_APEX], siblings[MAX_LEVELS];
    struct bit bits[MAX_LEVELS];
    unsigned height = (unsigned)__builtin_ctzl(t->leaves), levels = 0;
    struct num root = num_alloc(cs, &t->root);
    for (size_t i = 0; i < t->leaves; i++) {
        struct fr v = element(t->partition * t->leaves + i + 7);
        leaves[i] = num_alloc(cs, &v);
    }
    for (; (size_t)1 << levels < t->partitions; levels++) {
        struct fr v = apex_node(height + levels, t->partition >> levels ^ 1);
        bits[levels] = bit_alloc(cs, t->partition >> levels & 1);
        siblings[levels] = num_alloc(cs, &v);
    }
    struct num top = merkle_sha256_root_gadget(cs, leaves, t->leaves);
    struct merkle_variables p = {MERKLE_SHA256, levels, binary, bits, siblings};
    merkle_known_path_gadget(cs, &top, &root, &p);
}

/* rows: of the reference's tests, which leave the partition's bits out. */
static void check_apex(size_t leaves, size_t partitions, size_t partition, uint64_t rows)
{
    struct apex_case t = {.leaves = leaves, .partitions = partitions, .partition = partition};
    unsigned bits = (unsigned)__builtin_ctzl(partitions);
    t.root = apex_node((unsigned)__builtin_ctzl(leaves) + bits, 0);
    struct circuit_under_test circuit = {apex, &t};
    assert_int_equal(count_rows(circuit).rows, rows + bits);
    check_modes(circuit);
}

static void test_apex(void **state)
{
    (void)state;
    check_apex(1, 1, 0, 1);
    check_apex(8, 1, 0, 317654);
    check_apex(8, 8, 5, 453797);
    check_apex(16, 4, 2, 771448);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insertion),      cmocka_unit_test(test_selection),
        cmocka_unit_test(test_poseidon_paths), cmocka_unit_test(test_sha256_path),
        cmocka_unit_test(test_known_paths),    cmocka_unit_test(test_apex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
