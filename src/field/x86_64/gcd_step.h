/* One step of the binary GCD of inverse.c in conditional moves: compilers turn the C twin into masks or branches. */
#ifndef CUZK_FIELD_X86_64_GCD_STEP_H
#define CUZK_FIELD_X86_64_GCD_STEP_H

static inline void gcd_step_x86_64(uint64_t *a, uint64_t *b, uint64_t *fg0, uint64_t *fg1)
{
    uint64_t x = *a, y = *b, f = *fg0, g = *fg1, d, e, h, k;
    __asm__(
        "movq %[y], %[e]\n\t"
        "subq %[x], %[e]\n\t"
        "movq %[g], %[k]\n\t"
        "subq %[f], %[k]\n\t"
        "movq %[f], %[h]\n\t"
        "subq %[g], %[h]\n\t"
        "movq %[x], %[d]\n\t"
        "subq %[y], %[d]\n\t" /* carry: a < b, swap */
        "cmovcq %[e], %[d]\n\t"
        "cmovcq %[k], %[h]\n\t"
        "movq %[y], %[e]\n\t"
        "cmovcq %[x], %[e]\n\t"
        "movq %[g], %[k]\n\t"
        "cmovcq %[f], %[k]\n\t"
        "testb $1, %b[x]\n\t" /* an even a stays as it is */
        "cmovneq %[d], %[x]\n\t"
        "cmovneq %[e], %[y]\n\t"
        "cmovneq %[h], %[f]\n\t"
        "cmovneq %[k], %[g]\n\t"
        "shrq $1, %[x]\n\t"
        "addq %[g], %[g]\n\t"
        : [x] "+&r"(x), [y] "+&r"(y), [f] "+&r"(f), [g] "+&r"(g), [d] "=&r"(d), [e] "=&r"(e),
          [h] "=&r"(h), [k] "=&r"(k)
        :
        : "cc");
    *a = x, *b = y, *fg0 = f, *fg1 = g;
}

#endif
