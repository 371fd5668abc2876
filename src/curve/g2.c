#include "curve/g2.h"

const struct g2_affine G2_GENERATOR = {
    {{{0xf5f28fa202940a10, 0xb3f5fb2687b4961a, 0xa1a893b53e2ae580, 0x9894999d1a3caee9,
       0x6f67b7631863366b, 0x058191924350bcd7}},
     {{0xa5a9c0759e23f606, 0xaaa0c59dbccd60c3, 0x3bb17e18e2867806, 0x1b1ab6cc8541b367,
       0xc2b6ed0ef2158547, 0x11922a097360edf3}}},
    {{{0x4c730af860494c4a, 0x597cfa1f5e369c5a, 0xe7e6856caa0a635a, 0xbbefb5e96e0d495f,
       0x07d3a975f0ef25a2, 0x0083fd8e7e80dae5}},
     {{0xadc0fc92df64b05d, 0x18aa270a2b1461dc, 0x86adac6a3be4eba0, 0x79495c4ec93da33a,
       0xe7175850a43ccaed, 0x0b2bc2a163de1bf2}}}};

static const struct fp2 CURVE_B = {
    {{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f, 0xb1d37ebee6ba24d7,
      0x8ec9733bbf78ab2f, 0x09d645513d83de7e}},
    {{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f, 0xb1d37ebee6ba24d7,
      0x8ec9733bbf78ab2f, 0x09d645513d83de7e}}}; /* 4 (1 + u) */

#define GROUP g2
#define BASE fp2
#define BASE_ONE FP2_ONE
#define BASE_BYTES 96
#include "curve/group_template.h"

/* The untwist-Frobenius-twist endomorphism: (x, y) -> (conj(x) / (1+u)^((p-1)/3), conj(y) / (1+u)^((p-1)/2)). */
static void psi(struct g2_affine *r, const struct g2_affine *a)
{
    static const struct fp2 factor_x = {
        {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
          0x0000000000000000, 0x0000000000000000}},
        {{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024,
          0x14e4f04fe2db9068, 0x14e56d3f1564853a}}};
    static const struct fp2 factor_y = {
        {{0x3e2f585da55c9ad1, 0x4294213d86c18183, 0x382844c88b623732, 0x92ad2afd19103e18,
          0x1d794e4fac7cf0b9, 0x0bd592fc7d825ec8}},
        {{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7,
          0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}}};
    fp2_conj(&r->x, &a->x);
    fp2_conj(&r->y, &a->y);
    fp2_mul(&r->x, &r->x, &factor_x);
    fp2_mul(&r->y, &r->y, &factor_y);
}

/* x is negative: psi(P) = [x]P is psi(P) + [|x|]P = 0. */
int g2_in_subgroup(const struct g2_affine *a)
{
    struct g2 t;
    struct g2_affine image;
    if (g2_affine_is_infinity(a))
        return 1;
    psi(&image, a);
    g2_from_affine(&t, a);
    mul_by_abs_x(&t, &t);
    g2_add_affine(&t, &t, &image);
    return g2_is_infinity(&t);
}
