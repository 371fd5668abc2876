/* Montgomery multiplication and squaring of Fr (4 limbs) and Fp (6 limbs) with MULX and the two carry chains of ADCX and ADOX.
 *
 * Multiplication is row by row: t += a * b[i], then t = (t + m p) / 2^64 with m = t0 m0, m0 = -1/p mod 2^64. Both moduli leave the top
 * bit of their top limb clear, so a row's carry fits the one new limb ("no-carry" CIOS: Botrel and El Housni, eprint 2022/1400).
 * Squaring forms the whole square with each cross product once, and then reduces.
 *
 * fp_sqr clears limbs from below in a second way, which spares the wait for the product by m0: the multiple P = m0 p of p is -1 mod
 * 2^64, so (t + t0 P) / 2^64 = (t >> 64) + t0 q with q = (P + 1) / 2^64 < 0.54 p. But t keeps one limb more; so the first five rounds are
 * of this kind (FP_DROP) and the sixth is of the usual one. Bounds: t < 1.6 * 2^64 p < 2^448 on the way, and
 * p^2 / 2^384 + q + p < 1.7 p at the end. (For multiplication it was measured and is no faster.)
 *
 * Results are below 2p; one conditional subtraction makes them canonical.
 *
 * System V calling convention: rdi = r, rsi = a, rdx = b. Inputs are read before r is written, so they may alias. rax, rbx: the product
 * at hand; rbp = 0 in Fp. XOR clears both carry flags; MOV keeps them. */

        .section .rodata
        .balign 64
fp_p:   .quad   0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624
        .quad   0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a
fp_q:   .quad   0x6a4aaa14be07a408, 0x5d4f098d2923b9a3, 0x622385e49d0feeb0
        .quad   0x5fb6d192233b3b63, 0x2cffcd0f221a175b, 0x0e035b9b1e00bc8e
fp_m0:  .quad   0x89f3fffcfffcfffd
        .balign 64
fr_p:   .quad   0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48
fr_m0:  .quad   0xfffffffeffffffff

        .text

.macro  SAVE reg
        pushq   \reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \reg, 0
.endm

/* A value that is no saved register. */
.macro  PUSH reg
        pushq   \reg
        .cfi_adjust_cfa_offset 8
.endm

.macro  POP reg
        popq    \reg
        .cfi_adjust_cfa_offset -8
.endm

.macro  RESTORE reg
        popq    \reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore \reg
.endm

.macro  FUNCTION name
        .globl  \name
        .hidden \name
        .type   \name, @function
        .balign 32
\name:
        .cfi_startproc
.endm

.macro  END name
        .cfi_endproc
        .size   \name, . - \name
.endm

/* low += rdx * src (one limb), the high half into the next limb. */
.macro  STEP src, low, high
        mulxq   \src, %rax, %rbx
        adcxq   %rax, \low
        adoxq   %rbx, \high
.endm

/* The last limb of a row: the high half and both carries make the new limb top. With rbp = 0, or at the price of a MOV without. */
.macro  LAST src, low, top
        mulxq   \src, %rax, \top
        adcxq   %rax, \low
        adoxq   %rbp, \top
        adcxq   %rbp, \top
.endm

.macro  LAST_RAX src, low, top
        mulxq   \src, %rax, \top
        adcxq   %rax, \low
        movl    $0, %eax
        adoxq   %rax, \top
        adcxq   %rax, \top
.endm

/* ---- Fp ---- */

/* t6..t0 = t5..t0 + a * rdx */
.macro  FP_ROW t0, t1, t2, t3, t4, t5, t6
        xorl    %eax, %eax
        STEP    (%rsi), \t0, \t1
        STEP    8(%rsi), \t1, \t2
        STEP    16(%rsi), \t2, \t3
        STEP    24(%rsi), \t3, \t4
        STEP    32(%rsi), \t4, \t5
        LAST    40(%rsi), \t5, \t6
.endm

/* (t0, t6..t1) = (t6..t1) + t0 q: the new top limb takes t0's place. */
.macro  FP_DROP t0, t1, t2, t3, t4, t5, t6
        movq    \t0, %rdx
        xorl    %eax, %eax
        STEP    fp_q(%rip), \t1, \t2
        STEP    fp_q+8(%rip), \t2, \t3
        STEP    fp_q+16(%rip), \t3, \t4
        STEP    fp_q+24(%rip), \t4, \t5
        STEP    fp_q+32(%rip), \t5, \t6
        LAST    fp_q+40(%rip), \t6, \t0
.endm

/* t6..t1 = (t6..t0 + m p) / 2^64 */
.macro  FP_REDUCE t0, t1, t2, t3, t4, t5, t6
        movq    \t0, %rdx
        imulq   fp_m0(%rip), %rdx
        xorl    %eax, %eax
        STEP    fp_p(%rip), \t0, \t1
        STEP    fp_p+8(%rip), \t1, \t2
        STEP    fp_p+16(%rip), \t2, \t3
        STEP    fp_p+24(%rip), \t3, \t4
        STEP    fp_p+32(%rip), \t4, \t5
        STEP    fp_p+40(%rip), \t5, \t6
        adcxq   %rbp, \t6
.endm

/* r[0..6) = t - p or t, whichever is in [0, p); s0..s5 are scratch. */
.macro  FP_FINISH r, t0, t1, t2, t3, t4, t5, s0, s1, s2, s3, s4, s5
        movq    \t0, \s0
        movq    \t1, \s1
        movq    \t2, \s2
        movq    \t3, \s3
        movq    \t4, \s4
        movq    \t5, \s5
        subq    fp_p(%rip), \s0
        sbbq    fp_p+8(%rip), \s1
        sbbq    fp_p+16(%rip), \s2
        sbbq    fp_p+24(%rip), \s3
        sbbq    fp_p+32(%rip), \s4
        sbbq    fp_p+40(%rip), \s5
        cmovcq  \t0, \s0
        cmovcq  \t1, \s1
        cmovcq  \t2, \s2
        cmovcq  \t3, \s3
        cmovcq  \t4, \s4
        cmovcq  \t5, \s5
        movq    \s0, (\r)
        movq    \s1, 8(\r)
        movq    \s2, 16(\r)
        movq    \s3, 24(\r)
        movq    \s4, 32(\r)
        movq    \s5, 40(\r)
.endm

FUNCTION fp_mul_adx
        SAVE    %rbx
        SAVE    %rbp
        SAVE    %r12
        SAVE    %r13
        SAVE    %r14
        movq    %rdx, %rcx
        xorl    %ebp, %ebp
        movq    (%rcx), %rdx
        mulxq   (%rsi), %r8, %r9
        mulxq   8(%rsi), %rax, %r10
        addq    %rax, %r9
        mulxq   16(%rsi), %rax, %r11
        adcq    %rax, %r10
        mulxq   24(%rsi), %rax, %r12
        adcq    %rax, %r11
        mulxq   32(%rsi), %rax, %r13
        adcq    %rax, %r12
        mulxq   40(%rsi), %rax, %r14
        adcq    %rax, %r13
        adcq    %rbp, %r14
        FP_REDUCE %r8, %r9, %r10, %r11, %r12, %r13, %r14
        movq    8(%rcx), %rdx
        FP_ROW  %r9, %r10, %r11, %r12, %r13, %r14, %r8
        FP_REDUCE %r9, %r10, %r11, %r12, %r13, %r14, %r8
        movq    16(%rcx), %rdx
        FP_ROW  %r10, %r11, %r12, %r13, %r14, %r8, %r9
        FP_REDUCE %r10, %r11, %r12, %r13, %r14, %r8, %r9
        movq    24(%rcx), %rdx
        FP_ROW  %r11, %r12, %r13, %r14, %r8, %r9, %r10
        FP_REDUCE %r11, %r12, %r13, %r14, %r8, %r9, %r10
        movq    32(%rcx), %rdx
        FP_ROW  %r12, %r13, %r14, %r8, %r9, %r10, %r11
        FP_REDUCE %r12, %r13, %r14, %r8, %r9, %r10, %r11
        movq    40(%rcx), %rdx
        FP_ROW  %r13, %r14, %r8, %r9, %r10, %r11, %r12
        FP_REDUCE %r13, %r14, %r8, %r9, %r10, %r11, %r12
        FP_FINISH %rdi, %r14, %r8, %r9, %r10, %r11, %r12, %rax, %rbx, %rcx, %rdx, %rsi, %r13
        RESTORE %r14
        RESTORE %r13
        RESTORE %r12
        RESTORE %rbp
        RESTORE %rbx
        ret
END fp_mul_adx

/* Square limbs 0..11 live in rdi, r8..r15, rcx, rsi, rdx; r and limbs 10 and 11 wait on the stack. */
FUNCTION fp_sqr_adx
        SAVE    %rbx
        SAVE    %rbp
        SAVE    %r12
        SAVE    %r13
        SAVE    %r14
        SAVE    %r15
        PUSH    %rdi
        xorl    %ebp, %ebp
        /* Cross products a_i a_j, i < j, into limbs 1..10. */
        movq    (%rsi), %rdx
        mulxq   8(%rsi), %r8, %r9
        mulxq   16(%rsi), %rax, %r10
        addq    %rax, %r9
        mulxq   24(%rsi), %rax, %r11
        adcq    %rax, %r10
        mulxq   32(%rsi), %rax, %r12
        adcq    %rax, %r11
        mulxq   40(%rsi), %rax, %r13
        adcq    %rax, %r12
        adcq    %rbp, %r13
        movq    8(%rsi), %rdx
        xorl    %eax, %eax
        STEP    16(%rsi), %r10, %r11
        STEP    24(%rsi), %r11, %r12
        STEP    32(%rsi), %r12, %r13
        LAST    40(%rsi), %r13, %r14
        movq    16(%rsi), %rdx
        xorl    %eax, %eax
        STEP    24(%rsi), %r12, %r13
        STEP    32(%rsi), %r13, %r14
        LAST    40(%rsi), %r14, %r15
        movq    24(%rsi), %rdx
        xorl    %eax, %eax
        STEP    32(%rsi), %r14, %r15
        LAST    40(%rsi), %r15, %rcx
        movq    32(%rsi), %rdx
        mulxq   40(%rsi), %rax, %rdi
        addq    %rax, %rcx
        adcq    %rbp, %rdi
        /* Doubled on one chain, the squares a_i^2 added on the other; limb 10 gives rdi to limb 0 at the end. */
        movq    (%rsi), %rdx
        xorl    %eax, %eax
        mulxq   %rdx, %rdx, %rbx
        PUSH    %rdx
        adcxq   %r8, %r8
        adoxq   %rbx, %r8
        movq    8(%rsi), %rdx
        mulxq   %rdx, %rax, %rbx
        adcxq   %r9, %r9
        adoxq   %rax, %r9
        adcxq   %r10, %r10
        adoxq   %rbx, %r10
        movq    16(%rsi), %rdx
        mulxq   %rdx, %rax, %rbx
        adcxq   %r11, %r11
        adoxq   %rax, %r11
        adcxq   %r12, %r12
        adoxq   %rbx, %r12
        movq    24(%rsi), %rdx
        mulxq   %rdx, %rax, %rbx
        adcxq   %r13, %r13
        adoxq   %rax, %r13
        adcxq   %r14, %r14
        adoxq   %rbx, %r14
        movq    32(%rsi), %rdx
        mulxq   %rdx, %rax, %rbx
        adcxq   %r15, %r15
        adoxq   %rax, %r15
        adcxq   %rcx, %rcx
        adoxq   %rbx, %rcx
        movq    40(%rsi), %rdx
        mulxq   %rdx, %rax, %rbx
        adcxq   %rdi, %rdi
        adoxq   %rax, %rdi
        adcxq   %rbp, %rbx
        adoxq   %rbp, %rbx
        movq    (%rsp), %rdx
        movq    %rdi, (%rsp)
        PUSH    %rbx
        /* Six rounds on the low half (its lowest limb in rdx), then the high half on top. */
        movq    %rdx, %rdi
        xorl    %esi, %esi
        FP_DROP %rdi, %r8, %r9, %r10, %r11, %r12, %rsi
        FP_DROP %r8, %r9, %r10, %r11, %r12, %rsi, %rdi
        FP_DROP %r9, %r10, %r11, %r12, %rsi, %rdi, %r8
        FP_DROP %r10, %r11, %r12, %rsi, %rdi, %r8, %r9
        FP_DROP %r11, %r12, %rsi, %rdi, %r8, %r9, %r10
        FP_REDUCE %r12, %rsi, %rdi, %r8, %r9, %r10, %r11
        addq    %r13, %rsi
        adcq    %r14, %rdi
        adcq    %r15, %r8
        adcq    %rcx, %r9
        adcq    8(%rsp), %r10
        adcq    (%rsp), %r11
        POP     %rax
        POP     %rax
        POP     %rdx
        FP_FINISH %rdx, %rsi, %rdi, %r8, %r9, %r10, %r11, %rax, %rbx, %rcx, %rbp, %r12, %r13
        RESTORE %r15
        RESTORE %r14
        RESTORE %r13
        RESTORE %r12
        RESTORE %rbp
        RESTORE %rbx
        ret
END fp_sqr_adx

/* ---- Fr ---- */

.macro  FR_ROW t0, t1, t2, t3, t4
        xorl    %eax, %eax
        STEP    (%rsi), \t0, \t1
        STEP    8(%rsi), \t1, \t2
        STEP    16(%rsi), \t2, \t3
        LAST_RAX    24(%rsi), \t3, \t4
.endm

.macro  FR_REDUCE t0, t1, t2, t3, t4
        movq    \t0, %rdx
        imulq   fr_m0(%rip), %rdx
        xorl    %eax, %eax
        STEP    fr_p(%rip), \t0, \t1
        STEP    fr_p+8(%rip), \t1, \t2
        STEP    fr_p+16(%rip), \t2, \t3
        STEP    fr_p+24(%rip), \t3, \t4
        movl    $0, %eax
        adcxq   %rax, \t4
.endm

.macro  FR_REDUCE_LOW t0, t1, t2, t3
        movq    \t0, %rdx
        imulq   fr_m0(%rip), %rdx
        xorl    %eax, %eax
        STEP    fr_p(%rip), \t0, \t1
        STEP    fr_p+8(%rip), \t1, \t2
        STEP    fr_p+16(%rip), \t2, \t3
        LAST_RAX    fr_p+24(%rip), \t3, \t0
.endm

.macro  FR_FINISH t0, t1, t2, t3, s0, s1, s2, s3
        movq    \t0, \s0
        movq    \t1, \s1
        movq    \t2, \s2
        movq    \t3, \s3
        subq    fr_p(%rip), \s0
        sbbq    fr_p+8(%rip), \s1
        sbbq    fr_p+16(%rip), \s2
        sbbq    fr_p+24(%rip), \s3
        cmovcq  \t0, \s0
        cmovcq  \t1, \s1
        cmovcq  \t2, \s2
        cmovcq  \t3, \s3
        movq    \s0, (%rdi)
        movq    \s1, 8(%rdi)
        movq    \s2, 16(%rdi)
        movq    \s3, 24(%rdi)
.endm

FUNCTION fr_mul_adx
        SAVE    %rbx
        SAVE    %r12
        movq    %rdx, %rcx
        movq    (%rcx), %rdx
        mulxq   (%rsi), %r8, %r9
        mulxq   8(%rsi), %rax, %r10
        addq    %rax, %r9
        mulxq   16(%rsi), %rax, %r11
        adcq    %rax, %r10
        mulxq   24(%rsi), %rax, %r12
        adcq    %rax, %r11
        adcq    $0, %r12
        FR_REDUCE %r8, %r9, %r10, %r11, %r12
        movq    8(%rcx), %rdx
        FR_ROW  %r9, %r10, %r11, %r12, %r8
        FR_REDUCE %r9, %r10, %r11, %r12, %r8
        movq    16(%rcx), %rdx
        FR_ROW  %r10, %r11, %r12, %r8, %r9
        FR_REDUCE %r10, %r11, %r12, %r8, %r9
        movq    24(%rcx), %rdx
        FR_ROW  %r11, %r12, %r8, %r9, %r10
        FR_REDUCE %r11, %r12, %r8, %r9, %r10
        FR_FINISH %r12, %r8, %r9, %r10, %rax, %rcx, %rdx, %rsi
        RESTORE %r12
        RESTORE %rbx
        ret
END fr_mul_adx

/* Square limbs 0..7 live in rcx, r8..r13, rsi. */
FUNCTION fr_sqr_adx
        SAVE    %rbx
        SAVE    %r12
        SAVE    %r13
        movq    (%rsi), %rdx
        mulxq   8(%rsi), %r8, %r9
        mulxq   16(%rsi), %rax, %r10
        addq    %rax, %r9
        mulxq   24(%rsi), %rax, %r11
        adcq    %rax, %r10
        adcq    $0, %r11
        movq    8(%rsi), %rdx
        xorl    %eax, %eax
        STEP    16(%rsi), %r10, %r11
        LAST_RAX    24(%rsi), %r11, %r12
        movq    16(%rsi), %rdx
        mulxq   24(%rsi), %rax, %r13
        addq    %rax, %r12
        adcq    $0, %r13
        movq    (%rsi), %rdx
        xorl    %eax, %eax
        mulxq   %rdx, %rcx, %rbx
        adcxq   %r8, %r8
        adoxq   %rbx, %r8
        movq    8(%rsi), %rdx
        mulxq   %rdx, %rax, %rbx
        adcxq   %r9, %r9
        adoxq   %rax, %r9
        adcxq   %r10, %r10
        adoxq   %rbx, %r10
        movq    16(%rsi), %rdx
        mulxq   %rdx, %rax, %rbx
        adcxq   %r11, %r11
        adoxq   %rax, %r11
        adcxq   %r12, %r12
        adoxq   %rbx, %r12
        movq    24(%rsi), %rdx
        mulxq   %rdx, %rax, %rsi
        adcxq   %r13, %r13
        adoxq   %rax, %r13
        movl    $0, %eax
        adcxq   %rax, %rsi
        adoxq   %rax, %rsi
        FR_REDUCE_LOW %rcx, %r8, %r9, %r10
        FR_REDUCE_LOW %r8, %r9, %r10, %rcx
        FR_REDUCE_LOW %r9, %r10, %rcx, %r8
        FR_REDUCE_LOW %r10, %rcx, %r8, %r9
        addq    %rcx, %r11
        adcq    %r8, %r12
        adcq    %r9, %r13
        adcq    %r10, %rsi
        FR_FINISH %r11, %r12, %r13, %rsi, %rax, %rcx, %rdx, %r8
        RESTORE %r13
        RESTORE %r12
        RESTORE %rbx
        ret
END fr_sqr_adx

        .section .note.GNU-stack, "", @progbits
