/* What Fr and Fp share, written once. Included by fr.c and fp.c with
 *   FIELD      the prefix and struct name (fr, fp)
 *   FIELD_N    limbs
 *   FIELD_M    the modulus, FIELD_M0 = -1/modulus mod 2^64
 *   FIELD_ONE, FIELD_R2: 1 and 2^(64 N) in Montgomery form. No include guard: it is meant to be included once per field. */

#define CAT_(a, b) a##_##b
#define CAT(a, b) CAT_(a, b)
#define F(name) CAT(FIELD, name)
#define ELEMENT struct FIELD

void F(mul_portable)(ELEMENT *r, const ELEMENT *a, const ELEMENT *b)
{
    limbs_mont_mul(r->l, a->l, b->l, FIELD_M, FIELD_M0, FIELD_N);
}

void F(sqr_portable)(ELEMENT *r, const ELEMENT *a)
{
    limbs_mont_mul(r->l, a->l, a->l, FIELD_M, FIELD_M0, FIELD_N);
}

/* The stored a is xR; R^2 / xR = x^-1 R. */
void F(inv)(ELEMENT *r, const ELEMENT *a)
{
    limbs_div_mod(r->l, FIELD_R2.l, a->l, FIELD_M, FIELD_M0, FIELD_N);
}

void F(to_limbs)(uint64_t out[FIELD_N], const ELEMENT *a)
{
    static const ELEMENT one = {{1}};
    ELEMENT t;
    F(mul)(&t, a, &one);
    memcpy(out, t.l, sizeof(t.l));
}

void F(from_u64)(ELEMENT *r, uint64_t v)
{
    ELEMENT t = {{v}};
    F(mul)(r, &t, &FIELD_R2);
}

/* Fixed windows of 4 bits, from the top; leading zero windows cost nothing. */
void F(pow)(ELEMENT *r, const ELEMENT *a, const uint64_t *e, size_t limbs)
{
    ELEMENT table[16], acc = FIELD_ONE;
    size_t top = limbs * 16;
    while (top > 0 && (e[(top - 1) / 16] >> (top - 1) % 16 * 4 & 15) == 0)
        top--;
    if (top == 0) {
        *r = FIELD_ONE;
        return;
    }
    table[0] = FIELD_ONE;
    table[1] = *a;
    for (int i = 2; i < 16; i++)
        F(mul)(&table[i], &table[i - 1], a);
    for (size_t w = top; w-- > 0;) {
        unsigned digit = e[w / 16] >> w % 16 * 4 & 15;
        if (w + 1 < top)
            for (int i = 0; i < 4; i++)
                F(sqr)(&acc, &acc);
        if (digit != 0)
            F(mul)(&acc, &acc, &table[digit]);
    }
    *r = acc;
}

/* Montgomery's trick: scratch[i] = product of the non-zero elements before i. */
void F(batch_inv)(ELEMENT *a, size_t n, ELEMENT *scratch)
{
    ELEMENT acc = FIELD_ONE;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!F(is_zero)(&a[i]))
            F(mul)(&acc, &acc, &a[i]);
    }
    F(inv)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (F(is_zero)(&a[i]))
            continue;
        F(mul)(&scratch[i], &scratch[i], &acc);
        F(mul)(&acc, &acc, &a[i]);
        a[i] = scratch[i];
    }
}

#undef CAT_
#undef CAT
#undef F
#undef ELEMENT
