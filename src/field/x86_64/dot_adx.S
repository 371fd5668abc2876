/* Sums of products in Fr with MULX and the two carry chains of ADCX and ADOX: fr_dot of fr.h.
 *
 * The rows of a Montgomery multiplication (mul_adx.S), but those of all products before each division by 2^64: for every limb
 * i of b, t += sum a_k b_k[i], then t = (t + m r) / 2^64. So n products cost 16 n multiplications of limbs and one reduction.
 *
 * With n <= 16 terms t stays below 2^324 on the way, six limbs, and ends below n r^2 / 2^256 + r < 8.3 r < 2^258. Its multiple of r
 * to take off follows from the top four bits k = floor(t / 2^254): q = floor(k 2^254 / r) is at most floor(t / r), and
 * t - q r < 2^254 + r < 2 r; one conditional subtraction is left.
 *
 * System V calling convention: rdi = r, rsi = a, rdx = b, rcx = n >= 1. r is written last, so it may alias. r14, r15: the limb
 * of a and b at hand; rax, rbx: the product at hand; rbp = 0; rdi: b; the terms left stand at rsp. XOR clears both carry flags. */

        .section .rodata
        .balign 64
fr_p:   .quad   0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48
fr_m0:  .quad   0xfffffffeffffffff
/* The low 256 bits of q r for k = 0 .. 15. */
        .balign 64
fr_qr:
        .quad   0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000
        .quad   0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000
        .quad   0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48
        .quad   0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48
        .quad   0xfffffffe00000002, 0xa77b4805fffcb7fd, 0x6673b0101343b00a, 0xe7db4ea6533afa90
        .quad   0xfffffffe00000002, 0xa77b4805fffcb7fd, 0x6673b0101343b00a, 0xe7db4ea6533afa90
        .quad   0xfffffffd00000003, 0xfb38ec08fffb13fc, 0x99ad88181ce5880f, 0x5bc8f5f97cd877d8
        .quad   0xfffffffd00000003, 0xfb38ec08fffb13fc, 0x99ad88181ce5880f, 0x5bc8f5f97cd877d8
        .quad   0xfffffffc00000004, 0x4ef6900bfff96ffb, 0xcce7602026876015, 0xcfb69d4ca675f520
        .quad   0xfffffffc00000004, 0x4ef6900bfff96ffb, 0xcce7602026876015, 0xcfb69d4ca675f520
        .quad   0xfffffffb00000005, 0xa2b4340efff7cbfa, 0x002138283029381a, 0x43a4449fd0137269
        .quad   0xfffffffa00000006, 0xf671d811fff627f9, 0x335b103039cb101f, 0xb791ebf2f9b0efb1
        .quad   0xfffffffa00000006, 0xf671d811fff627f9, 0x335b103039cb101f, 0xb791ebf2f9b0efb1
        .quad   0xfffffff900000007, 0x4a2f7c14fff483f8, 0x6694e838436ce825, 0x2b7f9346234e6cf9
        .quad   0xfffffff900000007, 0x4a2f7c14fff483f8, 0x6694e838436ce825, 0x2b7f9346234e6cf9
        .quad   0xfffffff800000008, 0x9ded2017fff2dff7, 0x99cec0404d0ec02a, 0x9f6d3a994cebea41

        .text

.macro  SAVE reg
        pushq   \reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \reg, 0
.endm

.macro  RESTORE reg
        popq    \reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore \reg
.endm

/* low += rdx * src (one limb), the high half into the next limb. */
.macro  STEP src, low, high
        mulxq   \src, %rax, %rbx
        adcxq   %rax, \low
        adoxq   %rbx, \high
.endm

/* Both carries behind four steps. */
.macro  CARRY t4, t5
        adcxq   %rbp, \t4
        adoxq   %rbp, \t5
        adcxq   %rbp, \t5
.endm

/* t5..t0 += sum of a_k * limb of b_k; then t5..t1 = (t5..t0 + m r) / 2^64, and t0 = 0 is the next round's top limb. */
.macro  ROUND limb, t0, t1, t2, t3, t4, t5
        movq    %rsi, %r14
        leaq    \limb(%rdi), %r15
        movq    %rcx, (%rsp)
        .balign 16
1:      movq    (%r15), %rdx
        xorl    %eax, %eax
        STEP    (%r14), \t0, \t1
        STEP    8(%r14), \t1, \t2
        STEP    16(%r14), \t2, \t3
        STEP    24(%r14), \t3, \t4
        CARRY   \t4, \t5
        addq    $32, %r14
        addq    $32, %r15
        decq    (%rsp)
        jnz     1b
        movq    \t0, %rdx
        imulq   fr_m0(%rip), %rdx
        xorl    %eax, %eax
        STEP    fr_p(%rip), \t0, \t1
        STEP    fr_p+8(%rip), \t1, \t2
        STEP    fr_p+16(%rip), \t2, \t3
        STEP    fr_p+24(%rip), \t3, \t4
        CARRY   \t4, \t5
.endm

        .globl  fr_dot_adx
        .hidden fr_dot_adx
        .type   fr_dot_adx, @function
        .balign 32
fr_dot_adx:
        .cfi_startproc
        SAVE    %rbx
        SAVE    %rbp
        SAVE    %r12
        SAVE    %r13
        SAVE    %r14
        SAVE    %r15
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        movq    %rdx, %rdi
        xorl    %ebp, %ebp
        xorl    %r8d, %r8d
        xorl    %r9d, %r9d
        xorl    %r10d, %r10d
        xorl    %r11d, %r11d
        xorl    %r12d, %r12d
        xorl    %r13d, %r13d
        ROUND   0, %r8, %r9, %r10, %r11, %r12, %r13
        ROUND   8, %r9, %r10, %r11, %r12, %r13, %r8
        ROUND   16, %r10, %r11, %r12, %r13, %r8, %r9
        ROUND   24, %r11, %r12, %r13, %r8, %r9, %r10
        /* t = r10 r9 r8 r13 r12 */
        shldq   $2, %r9, %r10
        shlq    $5, %r10
        leaq    fr_qr(%rip), %rax
        addq    %rax, %r10
        subq    (%r10), %r12
        sbbq    8(%r10), %r13
        sbbq    16(%r10), %r8
        sbbq    24(%r10), %r9
        movq    %r12, %r14
        movq    %r13, %r15
        movq    %r8, %rax
        movq    %r9, %rbx
        subq    fr_p(%rip), %r14
        sbbq    fr_p+8(%rip), %r15
        sbbq    fr_p+16(%rip), %rax
        sbbq    fr_p+24(%rip), %rbx
        cmovncq %r14, %r12
        cmovncq %r15, %r13
        cmovncq %rax, %r8
        cmovncq %rbx, %r9
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        movq    %r12, (%rdi)
        movq    %r13, 8(%rdi)
        movq    %r8, 16(%rdi)
        movq    %r9, 24(%rdi)
        RESTORE %r15
        RESTORE %r14
        RESTORE %r13
        RESTORE %r12
        RESTORE %rbp
        RESTORE %rbx
        ret
        .cfi_endproc
        .size   fr_dot_adx, . - fr_dot_adx

        .section .note.GNU-stack, "", @progbits
