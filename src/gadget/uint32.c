#include "gadget/uint32.h"

#include <assert.h>
#include <string.h>

#include "gadget/num.h"

struct uint32 uint32_constant(uint32_t value)
{
    struct uint32 r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = bit_constant(value >> i & 1);
    return r;
}

struct uint32 uint32_rotr(const struct uint32 *a, unsigned by)
{
    struct uint32 r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = a->bit[(i + by) % 32];
    return r;
}

struct uint32 uint32_shr(const struct uint32 *a, unsigned by)
{
    struct uint32 r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = i + by < 32 ? a->bit[i + by] : bit_constant(0);
    return r;
}

struct uint32 uint32_xor(struct cs *cs, const struct uint32 *a, const struct uint32 *b)
{
    struct uint32 r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = bit_xor(cs, a->bit[i], b->bit[i]);
    return r;
}

struct uint32 uint32_ch(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                        const struct uint32 *c)
{
    struct uint32 r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = bit_ch(cs, a->bit[i], b->bit[i], c->bit[i]);
    return r;
}

struct uint32 uint32_maj(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                         const struct uint32 *c)
{
    struct uint32 r;
    for (unsigned i = 0; i < 32; i++)
        r.bit[i] = bit_maj(cs, a->bit[i], b->bit[i], c->bit[i]);
    return r;
}

void multieq_clean_up(struct multieq *m)
{
    lc_clean_up(&m->lhs);
    lc_clean_up(&m->rhs);
}

static void swap(struct lc *a, struct lc *b)
{
    struct lc t = *a;
    *a = *b;
    *b = t;
}

void multieq_flush(struct cs *cs, struct multieq *m)
{
    if (m->bits_used == 0)
        return;
    if (!limbs_is_zero(m->ones, 4)) {
        struct fr ones;
        fr_from_limbs(&ones, m->ones);
        lc_add(&m->lhs, VAR_ONE, &ones);
    }
    if (m->lhs.storage != LC_LIST) {
        lc_copy(cs_a(cs), &m->lhs);
        lc_copy(cs_c(cs), &m->rhs);
        lc_reset(&m->lhs);
        lc_reset(&m->rhs);
    } else {
        swap(&m->lhs, cs_a(cs)); /* the row's own are empty; no term is copied */
        swap(&m->rhs, cs_c(cs));
    }
    lc_add_one(cs_b(cs), VAR_ONE);
    cs_enforce(cs);
    memset(m->ones, 0, sizeof m->ones);
    m->bits_used = 0;
}

/* m->ones += v << m->bits_used; stays below 2^254. */
static void add_ones(struct multieq *m, uint64_t v)
{
    unsigned limb = m->bits_used / 64, shift = m->bits_used % 64;
    uint64_t add[4] = {0};
    add[limb] = v << shift;
    if (shift != 0 && limb < 3)
        add[limb + 1] = v >> (64 - shift);
    limbs_add(m->ones, m->ones, add, 4);
}

/* Adds one operand to the left side; returns its part that is a multiple of ONE: constants, and
 * the 1 of 1 - a. */
static uint64_t add_operand(struct multieq *m, const struct uint32 *op, const struct fr *pow2)
{
    uint64_t ones = 0;
    for (unsigned i = 0; i < 32; i++) {
        struct bit b = op->bit[i];
        if (b.kind == BIT_IS) {
            lc_add(&m->lhs, b.var, &pow2[i]);
        } else if (b.kind == BIT_NOT) {
            struct fr minus;
            fr_neg(&minus, &pow2[i]);
            lc_add(&m->lhs, b.var, &minus);
            ones += (uint64_t)1 << i;
        } else {
            ones += (uint64_t)b.value << i;
        }
    }
    return ones;
}

static int is_constant(const struct uint32 *a)
{
    int constant = 1;
    for (unsigned i = 0; i < 32; i++)
        constant &= a->bit[i].kind == BIT_CONSTANT;
    return constant;
}

static uint32_t value_of(const struct uint32 *a)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 32; i++)
        v |= (uint32_t)a->bit[i].value << i;
    return v;
}

/* The same as the reference does it: the sum and the result, bit by bit, as combinations of their own; then each is added, shifted,
 * to a copy of what was gathered before. */
static void add_by_maps(struct multieq *m, const struct lc *like,
                        const struct uint32 *const *operands, size_t n, const struct bit *result,
                        unsigned bits)
{
    const struct fr *pow2 = num_powers_of_two();
    struct lc sum = {0}, equal = {0};
    lc_init_like(&sum, like);
    lc_init_like(&equal, like);
    if (m->bits_used == 0) {
        lc_init_like(&m->lhs, like);
        lc_init_like(&m->rhs, like);
    }
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < 32; k++)
            lc_add_bit(&sum, operands[i]->bit[k], &pow2[k]);
    for (unsigned i = 0; i < bits; i++)
        lc_add(&equal, result[i].var, &pow2[i]);
    lc_copy_and_add_scaled(&m->lhs, &sum, &pow2[m->bits_used]);
    lc_copy_and_add_scaled(&m->rhs, &equal, &pow2[m->bits_used]);
    lc_clean_up(&sum);
    lc_clean_up(&equal);
}

static void add_by_lists(struct multieq *m, const struct uint32 *const *operands, size_t n,
                         const struct bit *result, unsigned bits)
{
    const struct fr *pow2 = num_powers_of_two() + m->bits_used;
    uint64_t ones = 0;
    for (size_t i = 0; i < n; i++)
        ones += add_operand(m, operands[i], pow2);
    add_ones(m, ones);
    for (unsigned i = 0; i < bits; i++)
        lc_add(&m->rhs, result[i].var, &pow2[i]);
}

struct uint32 uint32_addmany(struct cs *cs, struct multieq *m, const struct uint32 *const *operands,
                             size_t n)
{
    uint64_t sum = 0;
    int constant = 1;
    assert(n >= 2 && n <= 8);
    for (size_t i = 0; i < n; i++) {
        sum += value_of(operands[i]);
        constant &= is_constant(operands[i]);
    }
    if (constant)
        return uint32_constant((uint32_t)sum);

    unsigned bits = uint32_sum_bits(n);
    struct uint32 r;
    struct bit result[35];
    for (unsigned i = 0; i < bits; i++)
        result[i] = bit_alloc(cs, sum >> i & 1);
    memcpy(r.bit, result, sizeof r.bit);

    /* the row goes out after this addition's bits, before its terms */
    if (m->bits_used + bits >= 254)
        multieq_flush(cs, m);
    if (cs_a(cs)->storage != LC_LIST)
        add_by_maps(m, cs_a(cs), operands, n, result, bits);
    else
        add_by_lists(m, operands, n, result, bits);
    m->bits_used += bits;
    return r;
}
