/* The reference's storage of linear combinations: the same sums, densities and values as our lists, and sizes and growth as stated. */
/* ctest: quick asan */
#include "circuit_checks.h"

#include "gadget/num.h"
#include "gadget/sha256.h"
#include "r1cs/sinks.h"

static uint64_t random_state = 1;

static uint64_t random_u64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void random_coeff(struct fr *out)
{
    static const struct fr *const simple[] = {&FR_ONE, &FR_MINUS_ONE, &FR_ZERO};
    uint64_t r = random_u64() % 5;
    if (r < 3)
        *out = *simple[r];
    else
        fr_from_u64(out, random_u64());
}

/* Ascending runs, as circuits have them, over few enough variables that some meet again. */
static void random_terms(struct term *term, size_t n)
{
    uint32_t var = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || random_u64() % 4 == 0)
            var = (random_u64() % 4 ? VAR_AUX : 0) | (uint32_t)(random_u64() % 60);
        else
            var++;
        term[i].var = var;
        random_coeff(&term[i].coeff);
    }
}

/* What maps hold, without zeros, equals the list normalised. */
static void assert_sums_equal(const struct lc *maps, struct lc *list)
{
    size_t n = lc_map_ops[maps->storage]->terms(NULL, &maps->maps), kept = 0;
    struct term *t = malloc((n + 1) * sizeof *t);
    lc_map_ops[maps->storage]->terms(t, &maps->maps);
    lc_normalise(list);
    assert_false(maps->failed);
    for (size_t i = 0; i < n; i++) {
        assert_true(i == 0 || t[i - 1].var < t[i].var);
        if (fr_is_zero(&t[i].coeff))
            continue;
        assert_true(kept < list->len);
        assert_int_equal(t[i].var, list->term[kept].var);
        assert_true(fr_equal(&t[i].coeff, &list->term[kept].coeff));
        kept++;
    }
    assert_int_equal(kept, list->len);
    free(t);
}

static void add_terms(struct lc *lc, const struct term *term, size_t n)
{
    for (size_t i = 0; i < n; i++)
        lc_add(lc, term[i].var, &term[i].coeff);
}

static void check_operations(enum lc_storage storage, size_t n)
{
    struct lc_memory memory = {0};
    struct lc like = {.storage = storage, .memory = &memory};
    struct lc x = {0}, y = {0}, copy = {0}, list_x = {0}, list_y = {0};
    struct term term[80];
    struct fr k;
    lc_init_like(&x, &like);
    lc_init_like(&y, &like);
    lc_init_like(&copy, &like);

    random_terms(term, n);
    add_terms(&x, term, n);
    add_terms(&list_x, term, n);
    assert_sums_equal(&x, &list_x);
    random_terms(term, 3);
    lc_add_apart(&x, term, 3);
    add_terms(&list_x, term, 3);
    assert_sums_equal(&x, &list_x);
    random_terms(term, n);
    lc_add_apart(&y, term, n);
    add_terms(&list_y, term, n);
    assert_sums_equal(&y, &list_y);
    random_coeff(&k);
    lc_add_scaled(&x, &y, &k);
    lc_add_scaled(&list_x, &list_y, &k);
    assert_sums_equal(&x, &list_x);
    lc_copy(&copy, &x);
    lc_copy_and_add_scaled(&x, &y, &k);
    assert_sums_equal(&copy, &list_x);
    lc_add_scaled(&list_x, &list_y, &k);
    assert_sums_equal(&x, &list_x);

    lc_reset(&x);
    lc_add_one(&x, VAR_ONE);
    lc_reset(&list_x);
    lc_add_one(&list_x, VAR_ONE);
    assert_sums_equal(&x, &list_x);
    struct lc *all[] = {&x, &y, &copy, &list_x, &list_y};
    for (int i = 0; i < 5; i++)
        lc_clean_up(all[i]);
}

static void operations_agree_with_lists(void **state)
{
    (void)state;
    for (enum lc_storage s = LC_VEC; s < LC_STORAGES; s++)
        for (size_t n = 0; n < 80; n++)
            check_operations(s, n);
}

static void sizes_are_the_references(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct term), 40);
    assert_int_equal(2 * sizeof(struct lc_map_vec), 96);
    assert_int_equal(2 * sizeof(struct lc_map_inline1), 144);
    assert_int_equal(2 * sizeof(struct lc_map_inline2), 224);
    assert_int_equal(2 * sizeof(struct lc_map_inline4), 384);
}

/* Allocations and bytes of a combination of n aux variables, added in order. */
static void count(struct lc_memory *memory, enum lc_storage storage, uint32_t n)
{
    struct lc lc = {.storage = storage, .memory = memory};
    *memory = (struct lc_memory){0};
    for (uint32_t i = 0; i < n; i++)
        lc_add_one(&lc, VAR_AUX | i);
    lc_clean_up(&lc);
}

static void growth_is_the_references(void **state)
{
    static const struct {
        enum lc_storage storage;
        uint32_t terms, allocations, room; /* room: sum of capacities taken */
    } cases[] = {
        {LC_VEC, 0, 0, 0},     {LC_VEC, 1, 1, 4},      {LC_VEC, 4, 1, 4},     {LC_VEC, 5, 2, 4 + 8},
        {LC_INLINE1, 1, 0, 0}, {LC_INLINE1, 2, 1, 2},  {LC_INLINE1, 3, 2, 6}, {LC_INLINE2, 2, 0, 0},
        {LC_INLINE2, 3, 1, 4}, {LC_INLINE2, 5, 2, 12}, {LC_INLINE4, 4, 0, 0}, {LC_INLINE4, 5, 1, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lc_memory memory;
        count(&memory, cases[i].storage, cases[i].terms);
        assert_int_equal(memory.allocations, cases[i].allocations);
        assert_int_equal(memory.bytes, cases[i].room * sizeof(struct term));
    }
}

/* ---- a circuit ---- */

/* SHA-256 of two pieces of variables, one of them hashed again with a constant; packed, and a few rows over numbers. */
static void circuit(struct cs *cs)
{
    static struct bits256 piece[3], digest;
    struct num n[2];
    const struct bits256 *pieces[] = {&piece[0], &piece[1]}, *again[] = {&digest, &piece[2]};
    random_state = 7;
    for (int p = 0; p < 3; p++)
        for (size_t i = 0; i < 256; i++) {
            int value = (int)(random_u64() & 1);
            piece[p].bit[i] = p < 2 ? bit_alloc(cs, value) : bit_constant(value);
        }
    sha256_gadget(cs, &digest, pieces, 2);
    sha256_gadget(cs, &digest, again, 2);
    for (int i = 0; i < 2; i++) {
        struct fr value;
        fr_from_u64(&value, random_u64());
        n[i] = num_alloc(cs, &value);
    }
    n[0] = num_mul(cs, &n[0], &n[1]);
    n[1] = num_affine(cs, 3, &n[0], 17);
    num_inputize(cs, &n[1]);
    num_equal(cs, &n[0], &n[0]);
}

static void assert_lists_equal(const struct fr_list *x, const struct fr_list *y)
{
    assert_int_equal(x->len, y->len);
    assert_memory_equal(x->v, y->v, x->len * sizeof *x->v);
}

struct compared {
    const struct cs *with;
    uint64_t rows;
};

static void compare_row(void *ctx, uint64_t row, const struct fr abc[3])
{
    struct compared *c = ctx;
    assert_int_equal(row, c->rows++);
    assert_true(fr_equal(&abc[0], &c->with->a.v[row]));
    assert_true(fr_equal(&abc[1], &c->with->b.v[row]));
    assert_true(fr_equal(&abc[2], &c->with->c.v[row]));
}

static void assert_bits_equal(const uint64_t *dense, const struct bitmap *expected)
{
    for (size_t i = 0; i < expected->len; i++)
        assert_int_equal(dense[i / 64] >> i % 64 & 1, bitmap_get(expected, i));
}

static void check_circuit(enum lc_storage storage, const struct cs *list,
                          const struct density *density, int presize)
{
    struct cs_maps_options o = {.storage = storage, .by_value = presize};
    struct cs cs;
    struct error err;
    if (presize) {
        o.num_aux = list->num_aux;
        o.num_rows = list->num_rows;
    }
    cs_init_maps(&cs, &o);
    circuit(&cs);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_lists_equal(&cs.inputs, &list->inputs);
    assert_lists_equal(&cs.aux, &list->aux);
    assert_lists_equal(&cs.a, &list->a);
    assert_lists_equal(&cs.b, &list->b);
    assert_lists_equal(&cs.c, &list->c);
    assert_bits_equal(cs.maps.dense[0], &density->a_aux);
    assert_bits_equal(cs.maps.dense[1], &density->b_input);
    assert_bits_equal(cs.maps.dense[2], &density->b_aux);
    if (presize)
        assert_int_equal(cs.a.cap, list->num_rows);
    cs_clean_up(&cs);

    struct compared c = {list, 0};
    o = (struct cs_maps_options){.storage = storage, .values = compare_row, .ctx = &c};
    cs_init_maps(&cs, &o);
    circuit(&cs);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_int_equal(c.rows, list->num_rows);
    assert_int_equal(cs.a.len, 0);
    cs_clean_up(&cs);
}

static void circuits_agree_with_lists(void **state)
{
    struct shape_stats stats = {0};
    struct row_sink sink = shape_stats_sink(&stats);
    struct cs list;
    struct error err;
    (void)state;
    cs_init_generic(&list, CS_CHECK, &sink);
    circuit(&list);
    assert_ok(cs_finish(&list, &err), &err);
    assert_ok(shape_stats_finish(&stats, &list, &err), &err);
    for (enum lc_storage s = LC_VEC; s < LC_STORAGES; s++) {
        check_circuit(s, &list, &stats.density, 0);
        check_circuit(s, &list, &stats.density, 1);
    }
    shape_stats_clean_up(&stats);
    cs_clean_up(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_agree_with_lists), cmocka_unit_test(sizes_are_the_references),
        cmocka_unit_test(growth_is_the_references), cmocka_unit_test(circuits_agree_with_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
