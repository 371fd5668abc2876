/* Fp addition and subtraction with carry chains: compilers of today make twice the instructions of the C twin in limbs.h. */
#ifndef CUZK_FIELD_X86_64_FP_ADD_H
#define CUZK_FIELD_X86_64_FP_ADD_H

static inline void fp_add_x86_64(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5];
    __asm__(
        "addq 0(%[b]), %[t0]\n\t"
        "adcq 8(%[b]), %[t1]\n\t"
        "adcq 16(%[b]), %[t2]\n\t"
        "adcq 24(%[b]), %[t3]\n\t"
        "adcq 32(%[b]), %[t4]\n\t"
        "adcq 40(%[b]), %[t5]\n\t"
        : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4),
          [t5] "+&r"(t5)
        : [b] "r"(b), "m"(*(const uint64_t(*)[6])b)
        : "cc");
    uint64_t s0 = t0, s1 = t1, s2 = t2, s3 = t3, s4 = t4, s5 = t5;
    __asm__(
        "subq 0(%[m]), %[s0]\n\t"
        "sbbq 8(%[m]), %[s1]\n\t"
        "sbbq 16(%[m]), %[s2]\n\t"
        "sbbq 24(%[m]), %[s3]\n\t"
        "sbbq 32(%[m]), %[s4]\n\t"
        "sbbq 40(%[m]), %[s5]\n\t"
        "cmovcq %[t0], %[s0]\n\t"
        "cmovcq %[t1], %[s1]\n\t"
        "cmovcq %[t2], %[s2]\n\t"
        "cmovcq %[t3], %[s3]\n\t"
        "cmovcq %[t4], %[s4]\n\t"
        "cmovcq %[t5], %[s5]\n\t"
        : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [s4] "+&r"(s4),
          [s5] "+&r"(s5)
        : [t0] "r"(t0), [t1] "r"(t1), [t2] "r"(t2), [t3] "r"(t3), [t4] "r"(t4), [t5] "r"(t5),
          [m] "r"(FP_MODULUS)
        : "cc");
    r[0] = s0, r[1] = s1, r[2] = s2, r[3] = s3, r[4] = s4, r[5] = s5;
}

static inline void fp_sub_x86_64(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5], mask;
    __asm__(
        "subq 0(%[b]), %[t0]\n\t"
        "sbbq 8(%[b]), %[t1]\n\t"
        "sbbq 16(%[b]), %[t2]\n\t"
        "sbbq 24(%[b]), %[t3]\n\t"
        "sbbq 32(%[b]), %[t4]\n\t"
        "sbbq 40(%[b]), %[t5]\n\t"
        "sbbq %[mask], %[mask]\n\t"
        : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4),
          [t5] "+&r"(t5), [mask] "=&r"(mask)
        : [b] "r"(b), "m"(*(const uint64_t(*)[6])b)
        : "cc");
    uint64_t m0 = FP_MODULUS[0] & mask, m1 = FP_MODULUS[1] & mask, m2 = FP_MODULUS[2] & mask,
             m3 = FP_MODULUS[3] & mask, m4 = FP_MODULUS[4] & mask, m5 = FP_MODULUS[5] & mask;
    __asm__(
        "addq %[m0], %[t0]\n\t"
        "adcq %[m1], %[t1]\n\t"
        "adcq %[m2], %[t2]\n\t"
        "adcq %[m3], %[t3]\n\t"
        "adcq %[m4], %[t4]\n\t"
        "adcq %[m5], %[t5]\n\t"
        : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4),
          [t5] "+&r"(t5)
        : [m0] "r"(m0), [m1] "r"(m1), [m2] "r"(m2), [m3] "r"(m3), [m4] "r"(m4), [m5] "r"(m5)
        : "cc");
    r[0] = t0, r[1] = t1, r[2] = t2, r[3] = t3, r[4] = t4, r[5] = t5;
}

#endif
