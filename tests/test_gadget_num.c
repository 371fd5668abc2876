/* Numbers, their bits and packing: values and rows, in all modes. */
/* ctest: quick */
/* ctest: asan */
#include "circuit_checks.h"

#include "gadget/num.h"
#include "gadget_rows.h"

static struct fr from_u64(uint64_t v)
{
    struct fr r;
    fr_from_u64(&r, v);
    return r;
}

/* Some large element that differs with i. */
static struct fr large(uint64_t i)
{
    struct fr r = from_u64(i + 3);
    fr_pow_u64(&r, &r, 1000003);
    return r;
}

static void assert_fr(const struct fr *got, const struct fr *want)
{
    assert_memory_equal(got, want, sizeof *got);
}

static void assert_text(struct circuit_under_test t, uint64_t skip, const char *want)
{
    char text[4000];
    rows_as_text(text, sizeof text, t, skip);
    assert_string_equal(text, want);
}

/* ---- arithmetic ---- */

struct values {
    struct fr a, b, product, sum;
};

static void arithmetic(struct cs *cs, void *ctx)
{
    struct values *v = ctx;
    struct num a = num_alloc(cs, &v->a), b = num_alloc(cs, &v->b);
    num_inputize(cs, &a);
    struct num product = num_mul(cs, &a, &b), sum = num_add(cs, &a, &b);
    num_equal(cs, &sum, &sum);
    num_inputize(cs, &product);
    v->product = product.value;
    v->sum = sum.value;
}

static void test_arithmetic(void **state)
{
    (void)state;
    struct values v = {.a = large(1), .b = large(2)};
    struct circuit_under_test t = {arithmetic, &v};
    struct fr product, sum;
    assert_text(t, 0,
                "<I1 | I0 | A0>\n<A0 | A1 | A2>\n<A0 + A1 | I0 | A3>\n<A3 | I0 | A3>\n"
                "<I2 | I0 | A2>\n");
    fr_mul(&product, &v.a, &v.b);
    fr_add(&sum, &v.a, &v.b);
    check_modes(t);
    assert_fr(&v.product, &product);
    assert_fr(&v.sum, &sum);
    v = (struct values){.a = from_u64(0), .b = from_u64(1)};
    check_modes(t);
}

static void unequal(struct cs *cs, void *ctx)
{
    struct values *v = ctx;
    struct num a = num_alloc(cs, &v->a), b = num_alloc(cs, &v->b);
    num_equal(cs, &a, &a);
    num_equal(cs, &a, &b);
}

static void test_unequal(void **state)
{
    (void)state;
    struct values v = {.a = large(1), .b = large(2)};
    assert_int_equal(first_bad_row((struct circuit_under_test){unequal, &v}), 1);
}

/* ---- pick ---- */

struct pick_case {
    int kind, value;
    struct fr a, b, result;
};

static void pick(struct cs *cs, void *ctx)
{
    struct pick_case *t = ctx;
    struct num a = num_alloc(cs, &t->a), b = num_alloc(cs, &t->b);
    struct bit cond = t->kind == BIT_CONSTANT ? bit_constant(t->value)
                      : t->kind == BIT_IS     ? bit_alloc(cs, t->value)
                                              : bit_not(bit_alloc(cs, !t->value));
    t->result = num_pick(cs, cond, &a, &b).value;
}

static void test_pick(void **state)
{
    (void)state;
    static const char *const want[] = {
        [BIT_CONSTANT] = "<-A0 + A1 | I0 | A1 - A2>\n",
        [BIT_IS] = "<-A0 + A1 | A2 | A1 - A3>\n",
        [BIT_NOT] = "<-A0 + A1 | I0 - A2 | A1 - A3>\n",
    };
    for (int kind = BIT_CONSTANT; kind <= BIT_NOT; kind++)
        for (int value = 0; value < 2; value++) {
            struct pick_case p = {kind, value, large(5), large(6), FR_ZERO};
            struct circuit_under_test t = {pick, &p};
            if (kind != BIT_CONSTANT || value)
                assert_text(t, kind != BIT_CONSTANT, want[kind]);
            check_modes(t);
            assert_fr(&p.result, value ? &p.a : &p.b);
        }
}

/* ---- bits ---- */

struct bits_case {
    struct fr value, packed, low;
    struct bits256 bits;
    struct bit le[255];
};

static void to_bits(struct cs *cs, void *ctx)
{
    struct bits_case *t = ctx;
    struct num v = num_alloc(cs, &t->value);
    num_to_bits256(cs, &t->bits, &v);
    num_to_bits(cs, t->le, &v);
    t->packed = num_pack_digest(cs, &t->bits).value;
    t->low = num_pack_bits(cs, t->le, 254).value;
}

static void check_bits(struct bits_case *t, int is_native)
{
    uint8_t bytes[32];
    fr_to_bytes(bytes, &t->value);
    for (size_t i = 0; i < 255; i++)
        assert_int_equal(t->le[i].value, bytes[i / 8] >> (i % 8) & 1);
    for (size_t i = 0; i < 256; i++) {
        int want = bytes[i / 8] >> (7 - i % 8) & 1, constant = i == 248;
        if (is_native) {
            assert_int_equal(t->bits.value[i / 8] >> (7 - i % 8) & 1, want);
            assert_int_equal(t->bits.constant[i / 8] >> (7 - i % 8) & 1, constant);
        } else {
            assert_int_equal(t->bits.bit[i].value, want);
            assert_int_equal(t->bits.bit[i].kind, constant ? BIT_CONSTANT : BIT_IS);
        }
    }
    struct fr want;
    bytes[31] &= 0x3f;
    assert_int_equal(fr_from_bytes(&want, bytes), 0);
    assert_fr(&t->packed, &want);
    assert_fr(&t->low, &want);
}

static void test_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct bits_case t = {.value = i == 0   ? FR_ZERO
                                       : i == 1 ? FR_ONE
                                       : i == 2 ? FR_MINUS_ONE
                                                : large((uint64_t)i)};
        struct circuit_under_test circuit = {to_bits, &t};
        struct assignment native = {0};
        run_native(&native, circuit, NULL);
        check_bits(&t, 1);
        struct counts c = count_rows(circuit);
        check_bits(&t, 0);
        assert_int_equal(c.aux, 1 + 2 * 255 + 2);
        assert_int_equal(c.rows, 2 * 256 + 2);
        check_paths(&native, circuit);
        assignment_clean_up(&native);
    }
}

/* The unpacking row has everything in C; bit i stands at position (i ^ 7) of bits256, which
 * packing undoes. */
static void weighted_row(void *ctx, const struct row *row)
{
    uint64_t *seen = ctx;
    const struct fr *pow2 = num_powers_of_two();
    if (row->index == 255) {
        assert_int_equal(row->a_len + row->b_len, 0);
        assert_int_equal(row->c_len, 256);
        assert_fr(&row->c[0].coeff, &FR_MINUS_ONE);
        for (size_t i = 0; i < 255; i++) {
            assert_int_equal(row->c[i + 1].var, VAR_AUX | (i + 1));
            assert_fr(&row->c[i + 1].coeff, &pow2[i]);
        }
    } else if (row->index == 512) {
        assert_int_equal(row->a_len, 254);
        for (size_t i = 0; i < 254; i++) {
            assert_int_equal(row->a[i].var, VAR_AUX | (i + 1));
            assert_fr(&row->a[i].coeff, &pow2[i]);
        }
        assert_int_equal(row->b_len, 1);
        assert_int_equal(row->b[0].var, VAR_ONE);
        assert_int_equal(row->c_len, 1);
    } else {
        return;
    }
    ++*seen;
}

static void test_bits_rows(void **state)
{
    (void)state;
    struct bits_case t = {.value = large(9)};
    uint64_t seen = 0;
    struct row_sink sink = {weighted_row, &seen};
    struct cs cs;
    cs_init_shape(&cs, &sink);
    to_bits(&cs, &t);
    assert_int_equal(seen, 2);
    cs_clean_up(&cs);
    struct fr two = num_powers_of_two()[254];
    for (int i = 0; i < 254; i++) {
        struct fr half = from_u64(2);
        fr_inv(&half, &half);
        fr_mul(&two, &two, &half);
    }
    assert_fr(&two, &FR_ONE);
}

/* ---- packing ---- */

static void pack(struct cs *cs, void *ctx)
{
    struct fr *packed = ctx;
    struct bit bits[6] = {bit_alloc(cs, 1), bit_not(bit_alloc(cs, 0)), bit_constant(1),
                          bit_constant(0),  bit_not(bit_alloc(cs, 1)), bit_alloc(cs, 1)};
    packed[0] = num_pack_bits(cs, bits, 0).value;
    packed[1] = num_pack_bits(cs, bits, 6).value;
    num_pack_into_input(cs, bits, 6);
    num_pack_into_input(cs, bits, 1);
}

static void test_pack(void **state)
{
    (void)state;
    struct fr packed[2], want = from_u64(1 + 2 + 4 + 32);
    struct circuit_under_test t = {pack, packed};
    assert_text(t, 4,
                "<0 | I0 | A4>\n<22I0 + A0 - 2A1 - 16A2 + 32A3 | I0 | A5>\n"
                "<22I0 + A0 - 2A1 - 16A2 + 32A3 | I0 | I1>\n<A0 | I0 | I2>\n");
    check_modes(t);
    assert_fr(&packed[0], &FR_ZERO);
    assert_fr(&packed[1], &want);
}

/* ---- what EmptySectorUpdate needs ---- */

struct update_numbers {
    struct fr a, masked[2], index[2], sum;
};

static void update_numbers(struct cs *cs, void *ctx)
{
    struct update_numbers *t = ctx;
    struct bit set = bit_alloc(cs, 1), unset = bit_alloc(cs, 0);
    struct num a = num_alloc(cs, &t->a), terms[3] = {a, num_mul_bit(cs, &a, set), a};
    t->masked[0] = terms[1].value;
    t->masked[1] = num_mul_bit(cs, &a, unset).value;
    t->index[0] = num_affine(cs, 10, &a, 0).value;
    t->index[1] = num_affine(cs, 10, &a, 7).value;
    t->sum = num_sum(cs, terms, 3).value;
}

static void test_update_numbers(void **state)
{
    (void)state;
    struct update_numbers t = {.a = large(4)};
    struct circuit_under_test circuit = {update_numbers, &t};
    struct fr want, ten = from_u64(10), three = from_u64(3), seven = from_u64(7);
    assert_text(circuit, 2,
                "<A2 | A0 | A3>\n<A2 | A1 | A4>\n<10A2 | I0 | A5>\n<7I0 + 10A2 | I0 | A6>\n"
                "<2A2 + A3 | I0 | A7>\n");
    check_modes(circuit);
    assert_fr(&t.masked[0], &t.a);
    assert_fr(&t.masked[1], &FR_ZERO);
    fr_mul(&want, &t.a, &ten);
    assert_fr(&t.index[0], &want);
    fr_add(&want, &want, &seven);
    assert_fr(&t.index[1], &want);
    fr_mul(&want, &t.a, &three);
    assert_fr(&t.sum, &want);
}

struct split_case {
    struct fr value;
    size_t n;
    struct bit bit[255];
};

static void split(struct cs *cs, void *ctx)
{
    struct split_case *t = ctx;
    struct num v = num_alloc(cs, &t->value);
    num_split(cs, t->bit, t->n, &v);
}

static void test_split(void **state)
{
    (void)state;
    struct split_case t = {.value = from_u64(5), .n = 3};
    struct circuit_under_test circuit = {split, &t};
    assert_text(circuit, 3, "<A1 + 2A2 + 4A3 | I0 | A0>\n");
    check_modes(circuit);
    t.value = from_u64(13); /* more than three bits hold */
    assert_int_equal(first_bad_row(circuit), 3);
    for (uint64_t i = 0; i < 3; i++) {
        uint8_t bytes[32];
        t = (struct split_case){.value = i == 0 ? FR_MINUS_ONE : large(i), .n = 255};
        check_modes(circuit);
        fr_to_bytes(bytes, &t.value);
        for (size_t b = 0; b < 255; b++)
            assert_int_equal(t.bit[b].value, bytes[b / 8] >> (b % 8) & 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),     cmocka_unit_test(test_unequal),
        cmocka_unit_test(test_pick),           cmocka_unit_test(test_bits),
        cmocka_unit_test(test_bits_rows),      cmocka_unit_test(test_pack),
        cmocka_unit_test(test_update_numbers), cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
