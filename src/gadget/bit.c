#include "gadget/bit.h"

#include <assert.h>

/* The reference makes a combination of the bit. */
static void add_apart(struct lc *lc, struct bit b, const struct fr *k)
{
    struct term term[2] = {{VAR_ONE, *k}, {b.var, *k}};
    if (b.kind == BIT_CONSTANT) {
        lc_add_apart(lc, &term[0], b.value);
    } else if (b.kind == BIT_IS) {
        lc_add_apart(lc, &term[1], 1);
    } else {
        fr_neg(&term[1].coeff, k);
        lc_add_apart(lc, term, 2);
    }
}

void lc_add_bit(struct lc *lc, struct bit b, const struct fr *k)
{
    struct fr minus;
    if (lc->storage != LC_LIST) {
        add_apart(lc, b, k);
        return;
    }
    switch (b.kind) {
    case BIT_CONSTANT:
        if (b.value)
            lc_add(lc, VAR_ONE, k);
        break;
    case BIT_IS:
        lc_add(lc, b.var, k);
        break;
    default:
        lc_add(lc, VAR_ONE, k);
        fr_neg(&minus, k);
        lc_add(lc, b.var, &minus);
    }
}

void lc_add_bit_i64(struct lc *lc, struct bit b, int64_t k)
{
    struct fr coeff;
    if (k == 1) {
        lc_add_bit(lc, b, &FR_ONE);
    } else if (k == -1) {
        lc_add_bit(lc, b, &FR_MINUS_ONE);
    } else {
        fr_from_i64(&coeff, k);
        lc_add_bit(lc, b, &coeff);
    }
}

/* The value of the variable behind a bit. */
static int variable_value(struct bit b)
{
    return b.value ^ (b.kind == BIT_NOT);
}

/* Native: the values of one row. */
static void put_row(struct cs *cs, int a, int b, int c)
{
    native_put_small(cs, NATIVE_A, (int8_t)a);
    native_put_small(cs, NATIVE_B, (int8_t)b);
    native_put_small(cs, NATIVE_C, (int8_t)c);
}

struct bit bit_alloc(struct cs *cs, int value)
{
    struct bit r = {.kind = BIT_IS, .value = value != 0};
    if (cs->mode == CS_NATIVE) {
        native_reserve(cs, 1, 1, 0, 0, 0, 0);
        native_put_small(cs, NATIVE_AUX, (int8_t)r.value);
        put_row(cs, !r.value, r.value, 0);
        return r;
    }
    r.var = cs_alloc_bit(cs, r.value);
    lc_add_one(cs_a(cs), VAR_ONE);
    lc_add(cs_a(cs), r.var, &FR_MINUS_ONE);
    lc_add_one(cs_b(cs), r.var);
    cs_enforce(cs);
    return r;
}

/* <2a | b | a + b - c> on the variables of a and b, whatever their sign. */
static struct bit xor_row(struct cs *cs, struct bit a, struct bit b)
{
    int x = variable_value(a), y = variable_value(b);
    struct bit r = {.kind = BIT_IS, .value = (uint8_t)(x ^ y)};
    if (cs->mode == CS_NATIVE) {
        native_reserve(cs, 1, 1, 0, 0, 0, 0);
        native_put_small(cs, NATIVE_AUX, (int8_t)r.value);
        put_row(cs, 2 * x, y, 2 * (x & y));
        return r;
    }
    r.var = cs_alloc_bit(cs, r.value);
    lc_add_one(cs_a(cs), a.var);
    lc_add_one(cs_a(cs), a.var);
    lc_add_one(cs_b(cs), b.var);
    lc_add_one(cs_c(cs), a.var);
    lc_add_one(cs_c(cs), b.var);
    lc_add(cs_c(cs), r.var, &FR_MINUS_ONE);
    cs_enforce(cs);
    return r;
}

/* <a | b | c> on the booleans: and, and_not and nor are this row with none, the second or both
 * negated. */
static struct bit and_row(struct cs *cs, struct bit a, struct bit b)
{
    struct bit r = {.kind = BIT_IS, .value = a.value & b.value};
    if (cs->mode == CS_NATIVE) {
        native_reserve(cs, 1, 1, 0, 0, 0, 0);
        native_put_small(cs, NATIVE_AUX, (int8_t)r.value);
        put_row(cs, a.value, b.value, r.value);
        return r;
    }
    r.var = cs_alloc_bit(cs, r.value);
    lc_add_bit(cs_a(cs), a, &FR_ONE);
    lc_add_bit(cs_b(cs), b, &FR_ONE);
    lc_add_one(cs_c(cs), r.var);
    cs_enforce(cs);
    return r;
}

struct bit bit_xor(struct cs *cs, struct bit a, struct bit b)
{
    if (a.kind == BIT_CONSTANT)
        return a.value ? bit_not(b) : b;
    if (b.kind == BIT_CONSTANT)
        return b.value ? bit_not(a) : a;
    if (a.kind == b.kind)
        return xor_row(cs, a, b);
    /* the plain variable comes first */
    return bit_not(a.kind == BIT_IS ? xor_row(cs, a, b) : xor_row(cs, b, a));
}

struct bit bit_and(struct cs *cs, struct bit a, struct bit b)
{
    if (a.kind == BIT_CONSTANT)
        return a.value ? b : a;
    if (b.kind == BIT_CONSTANT)
        return b.value ? a : b;
    return a.kind == BIT_NOT && b.kind == BIT_IS ? and_row(cs, b, a) : and_row(cs, a, b);
}

struct bit bit_nor_alloc(struct cs *cs, struct bit a, struct bit b)
{
    assert(a.kind == BIT_IS && b.kind == BIT_IS);
    return and_row(cs, bit_not(a), bit_not(b));
}

static int is_constant(struct bit b, int value)
{
    return b.kind == BIT_CONSTANT && b.value == value;
}

static int all_constant(struct bit a, struct bit b, struct bit c)
{
    return a.kind == BIT_CONSTANT && b.kind == BIT_CONSTANT && c.kind == BIT_CONSTANT;
}

struct bit bit_ch(struct cs *cs, struct bit a, struct bit b, struct bit c)
{
    struct bit r = {.kind = BIT_IS, .value = a.value ? b.value : c.value};
    if (all_constant(a, b, c))
        return bit_constant(r.value);
    if (is_constant(a, 0))
        return c;
    if (is_constant(b, 0))
        return bit_and(cs, bit_not(a), c);
    if (is_constant(c, 0))
        return bit_and(cs, a, b);
    if (is_constant(c, 1))
        return bit_not(bit_and(cs, a, bit_not(b)));
    if (is_constant(b, 1))
        return bit_not(bit_and(cs, bit_not(a), bit_not(c)));
    /* <b - c | a | ch - c>; a may be constant 1 */
    if (cs->mode == CS_NATIVE) {
        native_reserve(cs, 1, 1, 0, 0, 0, 0);
        native_put_small(cs, NATIVE_AUX, (int8_t)r.value);
        put_row(cs, b.value - c.value, a.value, r.value - c.value);
        return r;
    }
    r.var = cs_alloc_bit(cs, r.value);
    lc_add_bit(cs_a(cs), b, &FR_ONE);
    lc_add_bit(cs_a(cs), c, &FR_MINUS_ONE);
    lc_add_bit(cs_b(cs), a, &FR_ONE);
    lc_add_one(cs_c(cs), r.var);
    lc_add_bit(cs_c(cs), c, &FR_MINUS_ONE);
    cs_enforce(cs);
    return r;
}

/* maj of three variables: maj is allocated before b & c. <2bc - b - c | a | bc - maj> */
static struct bit maj_rows(struct cs *cs, struct bit a, struct bit b, struct bit c)
{
    struct bit r = {.kind = BIT_IS, .value = a.value ? b.value | c.value : b.value & c.value};
    if (cs->mode == CS_NATIVE) {
        native_reserve(cs, 2, 2, 0, 0, 0, 0);
        native_put_small(cs, NATIVE_AUX, (int8_t)r.value);
        struct bit bc = bit_and(cs, b, c);
        put_row(cs, 2 * bc.value - b.value - c.value, a.value, bc.value - r.value);
        return r;
    }
    r.var = cs_alloc_bit(cs, r.value);
    struct bit bc = bit_and(cs, b, c);
    lc_add_bit(cs_a(cs), bc, &FR_ONE);
    lc_add_bit(cs_a(cs), bc, &FR_ONE);
    lc_add_bit(cs_a(cs), b, &FR_MINUS_ONE);
    lc_add_bit(cs_a(cs), c, &FR_MINUS_ONE);
    lc_add_bit(cs_b(cs), a, &FR_ONE);
    lc_add_bit(cs_c(cs), bc, &FR_ONE);
    lc_add(cs_c(cs), r.var, &FR_MINUS_ONE);
    cs_enforce(cs);
    return r;
}

struct bit bit_maj(struct cs *cs, struct bit a, struct bit b, struct bit c)
{
    if (all_constant(a, b, c))
        return bit_constant(a.value ? b.value | c.value : b.value & c.value);
    if (is_constant(a, 0))
        return bit_and(cs, b, c);
    if (is_constant(b, 0))
        return bit_and(cs, a, c);
    if (is_constant(c, 0))
        return bit_and(cs, a, b);
    if (is_constant(c, 1))
        return bit_not(bit_and(cs, bit_not(a), bit_not(b)));
    if (is_constant(b, 1))
        return bit_not(bit_and(cs, bit_not(a), bit_not(c)));
    if (is_constant(a, 1))
        return bit_not(bit_and(cs, bit_not(b), bit_not(c)));
    return maj_rows(cs, a, b, c);
}
