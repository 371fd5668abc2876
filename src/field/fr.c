#include "field/fr.h"

#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "field/kernels.h"

const struct fr FR_ZERO = {{0}};
const struct fr FR_ONE = {
    {0x00000001fffffffe, 0x5884b7fa00034802, 0x998c4fefecbc4ff5, 0x1824b159acc5056f}};
const struct fr FR_MINUS_ONE = {
    {0xfffffffd00000003, 0xfb38ec08fffb13fc, 0x99ad88181ce5880f, 0x5bc8f5f97cd877d8}};
const struct fr FR_ROOT_OF_UNITY_2_32 = {
    {0xb9b58d8c5f0e466a, 0x5b1b4c801819d7ec, 0x0af53ae352a31e64, 0x5bf3adda19e9b27b}};
const struct fr FR_GENERATOR = {
    {0x0000000efffffff1, 0x17e363d300189c0f, 0xff9c57876f8457b0, 0x351332208fc5a8c4}};

/* 2^256 and 2^512 in Montgomery form. */
static const struct fr FR_R2 = {
    {0xc999e990f3f29c6d, 0x2b6cedcb87925c23, 0x05d314967254398f, 0x0748d9d99f59ff11}};
static const struct fr FR_R3 = {
    {0xc62c1807439b73af, 0x1b3e0d188cf06990, 0x73d13c71c7b5f418, 0x6e2a5bb9c8db33e9}};

#define FIELD fr
#define FIELD_N 4
#define FIELD_M FR_MODULUS
#define FIELD_M0 UINT64_C(0xfffffffeffffffff)
#define FIELD_ONE FR_ONE
#define FIELD_R2 FR_R2
#include "field/field_template.h"

void fr_dot_portable(struct fr *r, const struct fr *a, const struct fr *b, size_t n)
{
    struct fr sum = FR_ZERO, product;
    for (size_t i = 0; i < n; i++) {
        fr_mul_portable(&product, &a[i], &b[i]);
        fr_add(&sum, &sum, &product);
    }
    *r = sum;
}

void fr_pow_u64(struct fr *r, const struct fr *a, uint64_t e)
{
    fr_pow(r, a, &e, 1);
}

void fr_from_i64(struct fr *r, int64_t v)
{
    if (v >= 0) {
        fr_from_u64(r, (uint64_t)v);
    } else {
        fr_from_u64(r, -(uint64_t)v);
        fr_neg(r, r);
    }
}

/* 2^256 < 3r: two subtractions reduce any four limbs. */
static void reduce_limbs(struct fr *r, const uint64_t in[4])
{
    limbs_reduce_once(r->l, in, FR_MODULUS, 4);
    limbs_reduce_once(r->l, r->l, FR_MODULUS, 4);
}

void fr_from_limbs(struct fr *r, const uint64_t in[4])
{
    struct fr t;
    reduce_limbs(&t, in);
    fr_mul(r, &t, &FR_R2);
}

void fr_to_bytes(uint8_t out[32], const struct fr *a)
{
    uint64_t l[4];
    fr_to_limbs(l, a);
    for (int i = 0; i < 4; i++)
        limb_to_le(out + 8 * i, l[i]);
}

int fr_from_bytes(struct fr *r, const uint8_t in[32])
{
    struct fr t;
    for (int i = 0; i < 4; i++)
        t.l[i] = limb_from_le(in + 8 * i);
    if (!limbs_less(t.l, FR_MODULUS, 4))
        return -1;
    fr_mul(r, &t, &FR_R2);
    return 0;
}

void fr_from_bytes_wide(struct fr *r, const uint8_t in[64])
{
    uint64_t l[8];
    struct fr low, high;
    for (int i = 0; i < 8; i++)
        l[i] = limb_from_le(in + 8 * i);
    reduce_limbs(&low, l);
    reduce_limbs(&high, l + 4);
    fr_mul(&low, &low, &FR_R2);
    fr_mul(&high, &high, &FR_R3);
    fr_add(r, &low, &high);
}

int fr_random(struct fr *r)
{
    uint8_t bytes[64];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return ERR_OS;
    fr_from_bytes_wide(r, bytes);
    return 0;
}
