/* Fr addition and subtraction with carry chains: compilers of today make twice the instructions of the C twin in limbs.h. */
#ifndef CUZK_FIELD_X86_64_FR_ADD_H
#define CUZK_FIELD_X86_64_FR_ADD_H

static inline void fr_add_x86_64(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], s0, s1, s2, s3;
    __asm__(
        "addq 0(%[b]), %[t0]\n\t"
        "adcq 8(%[b]), %[t1]\n\t"
        "adcq 16(%[b]), %[t2]\n\t"
        "adcq 24(%[b]), %[t3]\n\t"
        : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3)
        : [b] "r"(b), "m"(*(const uint64_t(*)[4])b)
        : "cc");
    s0 = t0, s1 = t1, s2 = t2, s3 = t3;
    __asm__(
        "subq 0(%[m]), %[s0]\n\t"
        "sbbq 8(%[m]), %[s1]\n\t"
        "sbbq 16(%[m]), %[s2]\n\t"
        "sbbq 24(%[m]), %[s3]\n\t"
        "cmovcq %[t0], %[s0]\n\t"
        "cmovcq %[t1], %[s1]\n\t"
        "cmovcq %[t2], %[s2]\n\t"
        "cmovcq %[t3], %[s3]\n\t"
        : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3)
        : [t0] "r"(t0), [t1] "r"(t1), [t2] "r"(t2), [t3] "r"(t3), [m] "r"(FR_MODULUS)
        : "cc");
    r[0] = s0, r[1] = s1, r[2] = s2, r[3] = s3;
}

static inline void fr_sub_x86_64(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], mask;
    __asm__(
        "subq 0(%[b]), %[t0]\n\t"
        "sbbq 8(%[b]), %[t1]\n\t"
        "sbbq 16(%[b]), %[t2]\n\t"
        "sbbq 24(%[b]), %[t3]\n\t"
        "sbbq %[mask], %[mask]\n\t"
        : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [mask] "=&r"(mask)
        : [b] "r"(b), "m"(*(const uint64_t(*)[4])b)
        : "cc");
    uint64_t m0 = FR_MODULUS[0] & mask, m1 = FR_MODULUS[1] & mask, m2 = FR_MODULUS[2] & mask,
             m3 = FR_MODULUS[3] & mask;
    __asm__(
        "addq %[m0], %[t0]\n\t"
        "adcq %[m1], %[t1]\n\t"
        "adcq %[m2], %[t2]\n\t"
        "adcq %[m3], %[t3]\n\t"
        : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3)
        : [m0] "r"(m0), [m1] "r"(m1), [m2] "r"(m2), [m3] "r"(m3)
        : "cc");
    r[0] = t0, r[1] = t1, r[2] = t2, r[3] = t3;
}

#endif
