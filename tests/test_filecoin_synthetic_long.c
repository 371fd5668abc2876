/* Synthetic PoReps of 32 and 64 GiB: checked natively, and every row of the circuit. */
/* ctest: long timeout=7200 */
#include "synthetic_checks.h"

#include "base/cpu.h"
#include "field/field.h"

enum { ROWS_32GIB = 130278869, ROWS_64GIB = 131186177 };

static struct pool *pool;

/* Rows of the shape, evaluated with the native witness, against the native row values. */
struct rows_check {
    struct fr *aux;
    const struct fr *inputs;
    struct values a, b, c;
};

static struct fr evaluate(const struct rows_check *k, const struct term *term, size_t n)
{
    struct fr sum = FR_ZERO, p;
    for (size_t i = 0; i < n; i++) {
        uint32_t var = term[i].var;
        const struct fr *value = var & VAR_AUX ? &k->aux[var & ~VAR_AUX] : &k->inputs[var];
        if (fr_equal(&term[i].coeff, &FR_ONE)) {
            fr_add(&sum, &sum, value);
        } else if (!fr_is_zero(value)) {
            fr_mul(&p, &term[i].coeff, value);
            fr_add(&sum, &sum, &p);
        }
    }
    return sum;
}

static void check_row(void *ctx, const struct row *row)
{
    struct rows_check *k = ctx;
    struct fr a = evaluate(k, row->a, row->a_len), b = evaluate(k, row->b, row->b_len);
    struct fr c = evaluate(k, row->c, row->c_len), p;
    struct fr native_a = next_value(&k->a), native_b = next_value(&k->b);
    struct fr native_c = next_value(&k->c);
    if (!fr_equal(&a, &native_a) || !fr_equal(&b, &native_b) || !fr_equal(&c, &native_c))
        fail_msg("row %llu: native values differ", (unsigned long long)row->index);
    fr_mul(&p, &a, &b);
    if (!fr_equal(&p, &c))
        fail_msg("row %llu does not hold", (unsigned long long)row->index);
}

/* Keeps the witness as field elements (4 GiB at 32 GiB), nothing else. */
static void check_shape_rows(struct sealed *s, const struct assignment *native, uint64_t rows)
{
    struct rows_check k = {.inputs = native->inputs, .a.v = &native->a};
    struct values aux = {.v = &native->aux};
    struct error err;
    struct cs cs;
    k.b.v = &native->b;
    k.c.v = &native->c;
    k.aux = malloc(native->aux.len * sizeof *k.aux);
    assert_non_null(k.aux);
    for (size_t i = 0; i < native->aux.len; i++)
        k.aux[i] = next_value(&aux);
    struct row_sink sink = {check_row, &k};
    cs_init_shape(&cs, &sink);
    sealed_partition(&cs, s);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_int_equal(k.c.at, rows);
    cs_clean_up(&cs);
    free(k.aux);
}

/* All partitions natively; the shape's rows in one. */
static void check_size(unsigned registered_proof, uint64_t rows, unsigned shape_partition)
{
    struct sealed s;
    struct assignment native = {0};
    make_synthetic(&s.v, registered_proof, 21, pool);
    through_a_file(&s.v, pool);
    struct circuit_under_test circuit = {sealed_partition, &s};
    for (s.partition = 0; s.partition < s.v.partitions; s.partition++) {
        assignment_reset(&native);
        run_native(&native, circuit, pool);
        assert_int_equal(rows_that_hold(&native), rows);
        assert_chain_inputs(&native, &s.v, s.partition);
        if (s.partition == shape_partition)
            check_shape_rows(&s, &native, rows);
    }
    assignment_clean_up(&native);
    porep_vanilla_clean_up(&s.v);
}

static void test_32gib(void **state)
{
    (void)state;
    check_size(V1_1 + SECTOR_32G, ROWS_32GIB, 7);
}

static void test_64gib(void **state)
{
    (void)state;
    check_size(V1_1 + SECTOR_64G, ROWS_64GIB, 0);
}

/* The first version's graph, which loses upper bits of expander parents at these sizes. */
static void test_first_version(void **state)
{
    (void)state;
    struct porep_vanilla v;
    make_synthetic(&v, V1 + SECTOR_32G, 22, pool);
    through_a_file(&v, pool);
    porep_vanilla_clean_up(&v);
    make_synthetic(&v, V1 + SECTOR_64G, 23, pool);
    through_a_file(&v, pool);
    porep_vanilla_clean_up(&v);
}

/* All features at 8 MiB. */
static void test_seal_8mib(void **state)
{
    (void)state;
    static const unsigned versions[] = {V1, V1_1, SYNTHETIC, NON_INTERACTIVE};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct porep_vanilla v;
        make_sealed(&v, versions[i] + SECTOR_8M, 4, pool);
        through_a_file(&v, pool);
        porep_vanilla_clean_up(&v);
    }
}

static int start(void **state)
{
    struct error err;
    (void)state;
    assert_ok(cpu_init(&err), &err);
    field_init();
    return pool_new(&pool, 0, &err);
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
        cmocka_unit_test(test_first_version),
        cmocka_unit_test(test_seal_8mib),
        cmocka_unit_test(test_32gib),
        cmocka_unit_test(test_64gib),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
