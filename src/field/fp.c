#include "field/fp.h"

#include <string.h>

#include "base/cpu.h"
#include "field/kernels.h"
#ifdef __x86_64__
#include "field/x86_64/fp_bytes_ifma.h"
#endif

const struct fp FP_ZERO = {{0}};
const struct fp FP_ONE = {{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba,
                           0x77ce585370525745, 0x5c071a97a256ec6d, 0x15f65ec3fa80e493}};

/* 2^384 in Montgomery form. */
static const struct fp FP_R2 = {{0xf4df1f341c341746, 0x0a76e6a609d104f1, 0x8de5476c4c95b6d5,
                                 0x67eb88a9939d83c0, 0x9a793e85b519952d, 0x11988fe592cae3aa}};

#define FIELD fp
#define FIELD_N 6
#define FIELD_M FP_MODULUS
#define FIELD_M0 UINT64_C(0x89f3fffcfffcfffd)
#define FIELD_ONE FP_ONE
#define FIELD_R2 FP_R2
#include "field/field_template.h"

/* p = 3 mod 4: the root of a square is a^((p+1)/4). */
int fp_sqrt(struct fp *r, const struct fp *a)
{
    static const uint64_t e[6] = {0xee7fbfffffffeaab, 0x07aaffffac54ffff, 0xd9cc34a83dac3d89,
                                  0xd91dd2e13ce144af, 0x92c6e9ed90d2eb35, 0x0680447a8e5ff9a6};
    struct fp t, check;
    fp_pow(&t, a, e, 6);
    fp_sqr(&check, &t);
    if (!fp_equal(&check, a))
        return -1;
    *r = t;
    return 0;
}

int fp_from_limbs(struct fp *r, const uint64_t in[6])
{
    struct fp t;
    if (!limbs_less(in, FP_MODULUS, 6))
        return -1;
    memcpy(t.l, in, sizeof(t.l));
    fp_mul(r, &t, &FP_R2);
    return 0;
}

void fp_to_bytes(uint8_t out[48], const struct fp *a)
{
    uint64_t l[6];
    fp_to_limbs(l, a);
    for (int i = 0; i < 6; i++)
        limb_to_be(out + 8 * i, l[5 - i]);
}

int fp_from_bytes(struct fp *r, const uint8_t in[48])
{
    uint64_t l[6];
    for (int i = 0; i < 6; i++)
        l[5 - i] = limb_from_be(in + 8 * i);
    return fp_from_limbs(r, l);
}

size_t fp_from_bytes_many(struct fp *r, const uint8_t *in, size_t n)
{
    size_t i = 0;
#ifdef __x86_64__
    if (cpu_path() == CPU_IFMA)
        while (i + 8 <= n && fp_from_bytes_8_ifma(r + i, in + 48 * i) == 0)
            i += 8;
#endif
    while (i < n && fp_from_bytes(r + i, in + 48 * i) == 0)
        i++;
    return i;
}

int fp_is_above_half(const struct fp *a)
{
    static const uint64_t half[6] = {0xdcff7fffffffd555, 0x0f55ffff58a9ffff, 0xb39869507b587b12,
                                     0xb23ba5c279c2895f, 0x258dd3db21a5d66b, 0x0d0088f51cbff34d};
    uint64_t l[6];
    fp_to_limbs(l, a);
    return limbs_less(half, l, 6);
}
