/* Poseidon's circuit: counts, values against the native hash, all modes, and rows that notice a wrong value. */
/* ctest: quick */
/* ctest: asan */
#include "circuit_checks.h"

#include "cpu_paths.h"
#include "gadget/poseidon.h"

struct hash_case {
    const struct poseidon_constants *c;
    struct fr in[POSEIDON_MAX_WIDTH], out;
};

static void hash(struct cs *cs, void *ctx)
{
    struct hash_case *t = ctx;
    struct num in[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < t->c->arity; i++)
        in[i] = num_alloc(cs, &t->in[i]);
    t->out = poseidon_gadget(cs, t->c, in).value;
}

static void fill(struct hash_case *t, unsigned arity, enum poseidon_domain domain, uint64_t seed)
{
    t->c = poseidon_constants(arity, domain);
    for (unsigned i = 0; i < arity; i++) {
        fr_from_u64(&t->in[i], seed + i);
        if (seed > 1) {
            fr_pow_u64(&t->in[i], &t->in[i], 1000003);
        }
    }
}

static void check(unsigned arity, enum poseidon_domain domain, uint64_t rows)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct hash_case t;
        struct fr want;
        fill(&t, arity, domain, seed);
        struct circuit_under_test circuit = {hash, &t};
        struct counts n = count_rows(circuit);
        assert_int_equal(n.rows, rows);
        assert_int_equal(n.aux, rows + arity);
        assert_int_equal(n.inputs, 1);
        check_modes(circuit);
        poseidon_hash(&want, t.c, t.in);
        assert_true(fr_equal(&t.out, &want));
    }
}

static void test_hashes(void **state)
{
    (void)state;
    FOR_EACH_CPU_PATH(path)
    {
        check(2, POSEIDON_MERKLE, 311);
        check(2, POSEIDON_SNAP, 311);
        check(4, POSEIDON_MERKLE, 377);
        check(8, POSEIDON_MERKLE, 505);
        check(11, POSEIDON_MERKLE, 598);
    }
}

/* Extreme inputs among others: -1, 0 and 1 where i's bits say so. */
static void fill_extreme(struct hash_case *t, unsigned i)
{
    static const struct fr *const extreme[] = {&FR_MINUS_ONE, &FR_ZERO, &FR_ONE, NULL};
    fill(t, 8, POSEIDON_MERKLE, 2 + 8 * i);
    for (unsigned k = 0; k < 8; k++)
        if (extreme[i >> k & 3] != NULL)
            t->in[k] = *extreme[i >> k & 3];
}

/* Every variable and row value of a hash of eight is the same on all paths. */
static void test_paths_agree(void **state)
{
    (void)state;
    enum { HASHES = 256 };
    for (unsigned i = 0; i < HASHES; i++) {
        struct hash_case t;
        struct circuit_under_test circuit = {hash, &t};
        struct assignment want = {0}, got = {0};
        fill_extreme(&t, i);
        assert_true(cpu_path_use(CPU_PORTABLE));
        run_native(&want, circuit, NULL);
        FOR_EACH_CPU_PATH(path)
        {
            assignment_reset(&got);
            run_native(&got, circuit, NULL);
            assert_same(&want, &got);
        }
        assignment_clean_up(&want);
        assignment_clean_up(&got);
    }
}

/* The first rows of the hash of two numbers, term by term (circuits §4). */
struct first_rows {
    const struct poseidon_constants *c;
    unsigned seen;
};

static void look(void *ctx, const struct row *row)
{
    struct first_rows *f = ctx;
    struct fr minus_post;
    switch (row->index) {
    case 0: /* <l + rk | l + rk | l2> */
        assert_int_equal(row->a_len, 2);
        assert_int_equal(row->a[0].var, VAR_ONE);
        assert_true(fr_equal(&row->a[0].coeff, &f->c->keys[1]));
        assert_int_equal(row->a[1].var, VAR_AUX);
        assert_int_equal(row->b_len, 2);
        assert_true(fr_equal(&row->b[0].coeff, &f->c->keys[1]));
        assert_int_equal(row->c_len, 1);
        assert_int_equal(row->c[0].var, VAR_AUX | 2);
        break;
    case 2: /* <l + rk | l4 | out - post> */
        assert_int_equal(row->b[0].var, VAR_AUX | 3);
        assert_int_equal(row->c_len, 2);
        fr_neg(&minus_post, &f->c->keys[4]);
        assert_true(fr_equal(&row->c[0].coeff, &minus_post));
        assert_int_equal(row->c[1].var, VAR_AUX | 4);
        break;
    case 6: /* <LC | 1 | v>: the tag's constant and two outputs */
        assert_int_equal(row->a_len, 3);
        assert_int_equal(row->a[1].var, VAR_AUX | 4);
        assert_int_equal(row->a[2].var, VAR_AUX | 7);
        assert_true(fr_equal(&row->a[2].coeff, &f->c->mds[2][0]));
        assert_int_equal(row->b[0].var, VAR_ONE);
        assert_int_equal(row->c[0].var, VAR_AUX | 8);
        break;
    default:
        return;
    }
    f->seen++;
}

static void test_first_rows(void **state)
{
    (void)state;
    struct hash_case t;
    fill(&t, 2, POSEIDON_MERKLE, 0);
    struct first_rows f = {t.c, 0};
    struct row_sink sink = {look, &f};
    struct cs cs;
    cs_init_shape(&cs, &sink);
    hash(&cs, &t);
    assert_int_equal(f.seen, 3);
    cs_clean_up(&cs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_paths_agree),
        cmocka_unit_test(test_first_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
