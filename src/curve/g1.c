#include "curve/g1.h"

const struct g1_affine G1_GENERATOR = {
    {{0x5cb38790fd530c16, 0x7817fc679976fff5, 0x154f95c7143ba1c1, 0xf0ae6acdf3d0e747,
      0xedce6ecc21dbf440, 0x120177419e0bfb75}},
    {{0xbaac93d50ce72271, 0x8c22631a7918fd8e, 0xdd595f13570725ce, 0x51ac582950405194,
      0x0e1c8c3fad0059c0, 0x0bbc3efc5008a26a}}};

static const struct fp CURVE_B = {{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f,
                                   0xb1d37ebee6ba24d7, 0x8ec9733bbf78ab2f,
                                   0x09d645513d83de7e}}; /* 4 */

#define GROUP g1
#define BASE fp
#define BASE_ONE FP_ONE
#define BASE_BYTES 48
#include "curve/group_template.h"

int g1_in_subgroup(const struct g1_affine *a)
{
    /* The cube root of unity for which (beta x, y) = -[x^2](x, y) in the subgroup. */
    static const struct fp beta = {{0x30f1361b798a64e8, 0xf3b8ddab7ece5a2a, 0x16a8ca3ac61577f7,
                                    0xc26a2ff874fd029b, 0x3636b76660701c6e, 0x051ba4ab241b6160}};
    struct g1 t;
    struct g1_affine sigma = *a;
    if (g1_affine_is_infinity(a))
        return 1;
    fp_mul(&sigma.x, &sigma.x, &beta);
    g1_from_affine(&t, a);
    mul_by_abs_x(&t, &t);
    mul_by_abs_x(&t, &t);
    g1_add_affine(&t, &t, &sigma);
    return g1_is_infinity(&t);
}
