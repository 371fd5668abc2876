/* Booleans: every operation on every pair or triple of constants, variables and negations, in all
 * modes, and its rows as text. */
/* ctest: quick */
/* ctest: asan */
#include "circuit_checks.h"

#include "gadget/bit.h"
#include "gadget_rows.h"

enum op { OP_XOR, OP_AND, OP_CH, OP_MAJ, OPS };

/* What an operand is: a constant, a variable, or the opposite of one, of value 0 or 1. */
enum { CONST0, CONST1, IS0, IS1, NOT0, NOT1, KINDS };

struct bit_case {
    enum op op;
    int kind[3];
    struct bit result;
};

static struct bit operand(struct cs *cs, int kind)
{
    int value = kind & 1;
    if (kind <= CONST1)
        return bit_constant(value);
    return kind <= IS1 ? bit_alloc(cs, value) : bit_not(bit_alloc(cs, !value));
}

static void one_case(struct cs *cs, void *ctx)
{
    struct bit_case *t = ctx;
    struct bit in[3];
    for (int i = 0; i < 3; i++)
        in[i] = operand(cs, t->kind[i]);
    switch (t->op) {
    case OP_XOR:
        t->result = bit_xor(cs, in[0], in[1]);
        break;
    case OP_AND:
        t->result = bit_and(cs, in[0], in[1]);
        break;
    case OP_CH:
        t->result = bit_ch(cs, in[0], in[1], in[2]);
        break;
    default:
        t->result = bit_maj(cs, in[0], in[1], in[2]);
    }
}

static int truth(const struct bit_case *t)
{
    int a = t->kind[0] & 1, b = t->kind[1] & 1, c = t->kind[2] & 1;
    int want[OPS] = {a ^ b, a & b, a ? b : c, a + b + c >= 2};
    return want[t->op];
}

/* Rows beyond those of the operands: one where two operands are variables, and what three cost. */
static uint64_t rows_wanted(const struct bit_case *t)
{
    int variable[3], n = 0, operands = t->op == OP_CH || t->op == OP_MAJ ? 3 : 2;
    for (int i = 0; i < operands; i++)
        n += variable[i] = t->kind[i] > CONST1;
    if (t->op == OP_CH && n == 2 && !variable[0])
        return t->kind[0] == CONST1; /* a = 0 gives c; a = 1 has no rule of its own */
    return n == 3 ? (t->op == OP_MAJ ? 2 : 1) : n == 2;
}

static uint64_t allocated(const struct bit_case *t)
{
    uint64_t n = 0;
    for (int i = 0; i < 3; i++)
        n += t->kind[i] > CONST1;
    return n;
}

static void check_case(struct bit_case *t)
{
    struct circuit_under_test circuit = {one_case, t};
    struct counts c = count_rows(circuit);
    assert_int_equal(c.rows, allocated(t) + rows_wanted(t));
    assert_int_equal(c.aux, c.rows);
    assert_int_equal(t->result.value, truth(t));
    check_modes(circuit);
    assert_int_equal(t->result.value, truth(t));
}

static void test_fold_combinations(void **state)
{
    (void)state;
    for (int op = 0; op < OPS; op++)
        for (int i = 0; i < KINDS * KINDS * KINDS; i++) {
            int third = i / KINDS / KINDS;
            struct bit_case t = {.op = (enum op)op, .kind = {i % KINDS, i / KINDS % KINDS, third}};
            if (op >= OP_CH || third == 0)
                check_case(&t);
        }
}

/* ---- rows ---- */

static void assert_rows(enum op op, int a, int b, int c, const char *want)
{
    struct bit_case t = {.op = op, .kind = {a, b, c}};
    char text[1000];
    rows_as_text(text, sizeof text, (struct circuit_under_test){one_case, &t}, allocated(&t));
    assert_string_equal(text, want);
}

/* Operands are A0, A1, A2 in their order, as far as they are variables. */
static void test_rows(void **state)
{
    (void)state;
    assert_rows(OP_XOR, IS0, IS1, 0, "<2A0 | A1 | A0 + A1 - A2>\n");
    assert_rows(OP_XOR, NOT0, NOT1, 0, "<2A0 | A1 | A0 + A1 - A2>\n");
    assert_rows(OP_XOR, IS0, NOT0, 0, "<2A0 | A1 | A0 + A1 - A2>\n");
    assert_rows(OP_XOR, NOT0, IS0, 0, "<2A1 | A0 | A0 + A1 - A2>\n");
    assert_rows(OP_AND, IS0, IS1, 0, "<A0 | A1 | A2>\n");
    assert_rows(OP_AND, IS0, NOT1, 0, "<A0 | I0 - A1 | A2>\n");
    assert_rows(OP_AND, NOT0, IS1, 0, "<A1 | I0 - A0 | A2>\n");
    assert_rows(OP_AND, NOT0, NOT1, 0, "<I0 - A0 | I0 - A1 | A2>\n");
    assert_rows(OP_CH, IS0, IS1, IS0, "<A1 - A2 | A0 | -A2 + A3>\n");
    assert_rows(OP_CH, CONST1, IS1, IS0, "<A0 - A1 | I0 | -A1 + A2>\n");
    assert_rows(OP_CH, IS1, CONST0, IS1, "<A1 | I0 - A0 | A2>\n");
    assert_rows(OP_CH, IS1, CONST1, IS1, "<I0 - A0 | I0 - A1 | A2>\n");
    assert_rows(OP_CH, IS1, IS0, CONST1, "<A0 | I0 - A1 | A2>\n");
    assert_rows(OP_CH, IS1, NOT0, IS1, "<I0 - A1 - A2 | A0 | -A2 + A3>\n");
    assert_rows(OP_MAJ, IS0, IS1, IS1, "<A1 | A2 | A4>\n<-A1 - A2 + 2A4 | A0 | -A3 + A4>\n");
    assert_rows(OP_MAJ, IS0, CONST0, IS1, "<A0 | A1 | A2>\n");
    assert_rows(OP_MAJ, CONST1, IS0, IS1, "<I0 - A0 | I0 - A1 | A2>\n");
}

static void nor_circuit(struct cs *cs, void *ctx)
{
    const int *in = ctx;
    struct bit a = bit_alloc(cs, in[0]), b = bit_alloc(cs, in[1]);
    struct bit r = bit_nor_alloc(cs, a, b);
    assert_int_equal(r.kind, BIT_IS);
    assert_int_equal(r.value, !(in[0] | in[1]));
}

static void test_nor(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        int in[2] = {i & 1, i >> 1};
        struct circuit_under_test t = {nor_circuit, in};
        char text[1000];
        rows_as_text(text, sizeof text, t, 0);
        assert_string_equal(text,
                            "<I0 - A0 | A0 | 0>\n<I0 - A1 | A1 | 0>\n"
                            "<I0 - A0 | I0 - A1 | A2>\n");
        check_modes(t);
    }
}

static void weighted_bits(struct cs *cs, void *ctx)
{
    struct fr seven;
    (void)ctx;
    struct bit a = bit_alloc(cs, 1), b = bit_not(bit_alloc(cs, 1));
    fr_from_u64(&seven, 7);
    lc_add_bit(cs_c(cs), a, &seven);
    lc_add_bit(cs_c(cs), b, &seven);
    lc_add_bit_i64(cs_c(cs), b, -3);
    lc_add_bit_i64(cs_c(cs), bit_constant(1), 5);
    lc_add_bit_i64(cs_c(cs), bit_constant(0), 100);
    cs_enforce(cs);
}

static void test_weighted_bits(void **state)
{
    (void)state;
    char text[1000];
    rows_as_text(text, sizeof text, (struct circuit_under_test){weighted_bits, NULL}, 2);
    assert_string_equal(text, "<0 | 0 | 9I0 + 7A0 - 4A1>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_combinations),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_nor),
        cmocka_unit_test(test_weighted_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
