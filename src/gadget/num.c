#include "gadget/num.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static struct fr powers[256];
static pthread_once_t powers_once = PTHREAD_ONCE_INIT;

static void compute_powers(void)
{
    powers[0] = FR_ONE;
    for (size_t i = 1; i < 256; i++)
        fr_double(&powers[i], &powers[i - 1]);
}

const struct fr *num_powers_of_two(void)
{
    pthread_once(&powers_once, compute_powers);
    return powers;
}

struct num num_alloc(struct cs *cs, const struct fr *value)
{
    struct num r = {.value = *value};
    if (cs->mode == CS_NATIVE) {
        native_reserve(cs, 1, 0, 1, 0, 0, 0);
        native_put_full(cs, NATIVE_AUX, value);
    } else {
        r.var = cs_alloc(cs, value);
    }
    return r;
}

/* Native: the values of a row of full elements, and of one whose B is small. */
static void put_full_row(struct cs *cs, const struct fr *a, const struct fr *b, const struct fr *c)
{
    native_reserve(cs, 0, 1, 0, 1, 1, 1);
    native_put_full(cs, NATIVE_A, a);
    native_put_full(cs, NATIVE_B, b);
    native_put_full(cs, NATIVE_C, c);
}

static void put_row(struct cs *cs, const struct fr *a, int8_t b, const struct fr *c)
{
    native_reserve(cs, 0, 1, 0, 1, 0, 1);
    native_put_full(cs, NATIVE_A, a);
    native_put_small(cs, NATIVE_B, b);
    native_put_full(cs, NATIVE_C, c);
}

void num_inputize(struct cs *cs, const struct num *n)
{
    if (cs->mode == CS_NATIVE) {
        native_input(cs, &n->value);
        put_row(cs, &n->value, 1, &n->value);
        return;
    }
    lc_add_one(cs_a(cs), cs_alloc_input(cs, &n->value));
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), n->var);
    cs_enforce(cs);
}

struct num num_mul(struct cs *cs, const struct num *a, const struct num *b)
{
    struct fr product;
    fr_mul(&product, &a->value, &b->value);
    struct num r = num_alloc(cs, &product);
    if (cs->mode == CS_NATIVE) {
        put_full_row(cs, &a->value, &b->value, &product);
        return r;
    }
    lc_add_one(cs_a(cs), a->var);
    lc_add_one(cs_b(cs), b->var);
    lc_add_one(cs_c(cs), r.var);
    cs_enforce(cs);
    return r;
}

void num_equal(struct cs *cs, const struct num *a, const struct num *b)
{
    if (cs->mode == CS_NATIVE) {
        put_row(cs, &a->value, 1, &b->value);
        return;
    }
    lc_add_one(cs_a(cs), a->var);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), b->var);
    cs_enforce(cs);
}

struct num num_sum(struct cs *cs, const struct num *terms, size_t n)
{
    struct fr sum = FR_ZERO;
    for (size_t i = 0; i < n; i++)
        fr_add(&sum, &sum, &terms[i].value);
    struct num r = num_alloc(cs, &sum);
    if (cs->mode == CS_NATIVE) {
        put_row(cs, &sum, 1, &sum);
        return r;
    }
    for (size_t i = 0; i < n; i++)
        lc_add_one(cs_a(cs), terms[i].var);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), r.var);
    cs_enforce(cs);
    return r;
}

struct num num_add(struct cs *cs, const struct num *a, const struct num *b)
{
    struct num terms[2] = {*a, *b};
    return num_sum(cs, terms, 2);
}

struct num num_mul_bit(struct cs *cs, const struct num *a, struct bit b)
{
    struct num r = num_alloc(cs, b.value ? &a->value : &FR_ZERO);
    if (cs->mode == CS_NATIVE) {
        put_row(cs, &a->value, (int8_t)b.value, &r.value);
        return r;
    }
    lc_add_one(cs_a(cs), a->var);
    lc_add_bit(cs_b(cs), b, &FR_ONE);
    lc_add_one(cs_c(cs), r.var);
    cs_enforce(cs);
    return r;
}

struct num num_affine(struct cs *cs, uint64_t k, const struct num *a, uint64_t c)
{
    struct fr coeff, constant, value;
    fr_from_u64(&coeff, k);
    fr_from_u64(&constant, c);
    fr_mul(&value, &coeff, &a->value);
    fr_add(&value, &value, &constant);
    struct num r = num_alloc(cs, &value);
    if (cs->mode == CS_NATIVE) {
        put_row(cs, &value, 1, &value);
        return r;
    }
    lc_add(cs_a(cs), a->var, &coeff);
    lc_add(cs_a(cs), VAR_ONE, &constant);
    lc_add_one(cs_b(cs), VAR_ONE);
    lc_add_one(cs_c(cs), r.var);
    cs_enforce(cs);
    return r;
}

struct num num_pick(struct cs *cs, struct bit cond, const struct num *a, const struct num *b)
{
    struct num r = num_alloc(cs, cond.value ? &a->value : &b->value);
    if (cs->mode == CS_NATIVE) {
        struct fr left, right;
        fr_sub(&left, &b->value, &a->value);
        fr_sub(&right, &b->value, &r.value);
        put_row(cs, &left, (int8_t)cond.value, &right);
        return r;
    }
    lc_add_one(cs_a(cs), b->var);
    lc_add(cs_a(cs), a->var, &FR_MINUS_ONE);
    lc_add_bit(cs_b(cs), cond, &FR_ONE);
    lc_add_one(cs_c(cs), b->var);
    lc_add(cs_c(cs), r.var, &FR_MINUS_ONE);
    cs_enforce(cs);
    return r;
}

/* Native to_bits_le: 255 bits of the canonical value with their boolean rows, and the unpacking
 * row, which is 0 = 0. */
static void put_bits(struct cs *cs, const uint64_t value[4])
{
    native_reserve(cs, 255, 256, 0, 0, 0, 0);
    int8_t *aux = cs->at[NATIVE_AUX].small, *a = cs->at[NATIVE_A].small;
    int8_t *b = cs->at[NATIVE_B].small, *c = cs->at[NATIVE_C].small;
    for (size_t i = 0; i < 255; i++) {
        int8_t bit = (int8_t)(value[i / 64] >> (i % 64) & 1);
        aux[i] = bit;
        a[i] = bit ^ 1;
        b[i] = bit;
    }
    a[255] = b[255] = 0;
    memset(c, 0, 256);
    cs->at[NATIVE_AUX].small += 255;
    cs->at[NATIVE_A].small += 256;
    cs->at[NATIVE_B].small += 256;
    cs->at[NATIVE_C].small += 256;
}

void num_to_bits(struct cs *cs, struct bit out[255], const struct num *n)
{
    const struct fr *pow2 = num_powers_of_two();
    uint64_t value[4];
    fr_to_limbs(value, &n->value);
    if (cs->mode == CS_NATIVE) {
        put_bits(cs, value);
        for (size_t i = 0; i < 255; i++)
            out[i] = (struct bit){.kind = BIT_IS, .value = value[i / 64] >> (i % 64) & 1};
        return;
    }
    for (size_t i = 0; i < 255; i++)
        out[i] = bit_alloc(cs, value[i / 64] >> (i % 64) & 1);
    for (size_t i = 0; i < 255; i++)
        lc_add(cs_c(cs), out[i].var, &pow2[i]);
    lc_add(cs_c(cs), n->var, &FR_MINUS_ONE);
    cs_enforce(cs);
}

/* Where bit i (least significant first) of a number stands in the order of bits256. */
static size_t sha_order(size_t i)
{
    return i ^ 7;
}

void num_to_bits256(struct cs *cs, struct bits256 *out, const struct num *n)
{
    memset(out->constant, 0, sizeof out->constant);
    out->constant[31] = 0x80;
    fr_to_bytes(out->value, &n->value);
    if (cs->mode == CS_NATIVE) {
        uint64_t value[4];
        fr_to_limbs(value, &n->value);
        put_bits(cs, value);
        return;
    }
    struct bit bit[255];
    num_to_bits(cs, bit, n);
    for (size_t i = 0; i < 255; i++)
        out->bit[sha_order(i)] = bit[i];
    out->bit[sha_order(255)] = bit_constant(0);
}

static void value_of_bits(struct fr *value, const struct bit *bits, size_t n)
{
    uint64_t limbs[4] = {0};
    for (size_t i = 0; i < n; i++)
        limbs[i / 64] |= (uint64_t)bits[i].value << (i % 64);
    fr_from_limbs(value, limbs);
}

/* A and B of <sum | 1 | x>, x still to be named. */
static void begin_pack(struct cs *cs, const struct bit *bits, size_t n)
{
    const struct fr *pow2 = num_powers_of_two();
    for (size_t i = 0; i < n; i++)
        lc_add_bit(cs_a(cs), bits[i], &pow2[i]);
    lc_add_one(cs_b(cs), VAR_ONE);
}

void num_split(struct cs *cs, struct bit *out, size_t n, const struct num *v)
{
    uint64_t limbs[4];
    assert(n <= 255);
    fr_to_limbs(limbs, &v->value);
    for (size_t i = 0; i < n; i++)
        out[i] = bit_alloc(cs, limbs[i / 64] >> (i % 64) & 1);
    if (cs->mode == CS_NATIVE) {
        struct fr sum;
        value_of_bits(&sum, out, n);
        put_row(cs, &sum, 1, &v->value);
        return;
    }
    begin_pack(cs, out, n);
    lc_add_one(cs_c(cs), v->var);
    cs_enforce(cs);
}

struct num num_pack_bits(struct cs *cs, const struct bit *bits, size_t n)
{
    struct fr value;
    assert(n <= 254);
    value_of_bits(&value, bits, n);
    struct num r = num_alloc(cs, &value);
    if (cs->mode == CS_NATIVE) {
        put_row(cs, &value, 1, &value);
        return r;
    }
    begin_pack(cs, bits, n);
    lc_add_one(cs_c(cs), r.var);
    cs_enforce(cs);
    return r;
}

struct num num_pack_digest(struct cs *cs, const struct bits256 *digest)
{
    if (cs->mode == CS_NATIVE) {
        uint8_t bytes[32];
        struct fr value;
        memcpy(bytes, digest->value, 32);
        bytes[31] &= 0x3f;
        int outside = fr_from_bytes(&value, bytes);
        assert(!outside); /* below 2^254 */
        struct num r = num_alloc(cs, &value);
        put_row(cs, &value, 1, &value);
        return r;
    }
    struct bit bits[254];
    for (size_t i = 0; i < 254; i++)
        bits[i] = digest->bit[sha_order(i)];
    return num_pack_bits(cs, bits, 254);
}

void num_pack_into_input(struct cs *cs, const struct bit *bits, size_t n)
{
    struct fr value;
    assert(n <= 254);
    value_of_bits(&value, bits, n);
    if (cs->mode == CS_NATIVE) {
        native_input(cs, &value);
        put_row(cs, &value, 1, &value);
        return;
    }
    uint32_t input = cs_alloc_input(cs, &value);
    begin_pack(cs, bits, n);
    lc_add_one(cs_c(cs), input);
    cs_enforce(cs);
}
