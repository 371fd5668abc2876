#include "field/x86_64/fp_bytes_ifma.h"

#include "field/x86_64/fp8.h"

/* 2^800: the product of a plain value and this, over 2^416, is at 2^384. */
static const uint64_t TO_384[8] = {0x551039a1d2c25, 0xc857a984373dc, 0x3331128e8da66,
                                   0xba38b82e8f651, 0xbb197b6252a29, 0xcbe4f4e32928c,
                                   0x80ef81f158c5d, 0xe91f};

unsigned IFMA fp_from_bytes_8_ifma(struct fp r[8], const uint8_t in[8 * 48])
{
    __m512i w[6];
    uint64_t words[6][8];
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 6; i++) {
            memcpy(&words[5 - i][k], in + 48 * k + 8 * i, 8);
            words[5 - i][k] = __builtin_bswap64(words[5 - i][k]);
        }
    FP8_UNROLL
    for (int i = 0; i < 6; i++)
        w[i] = _mm512_loadu_si512(words[i]);
    struct fp8 a = fp8_from_words(w);
    unsigned below = _mm512_movepi64_mask(fp8_normal(fp8_sub_p(a, 0xff)).l[7]);
    if (below != 0xff)
        return below ^ 0xff;
    fp8_to_words(w, fp8_reduce(fp8_mul(a, fp8_constant(TO_384))));
    FP8_UNROLL
    for (int i = 0; i < 6; i++)
        _mm512_storeu_si512(words[i], w[i]);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 6; i++)
            r[k].l[i] = words[i][k];
    return 0;
}
