/* Allocated numbers, their bits, and packing (spec: circuits §2). All functions work in every
 * mode. */
#ifndef CUZK_GADGET_NUM_H
#define CUZK_GADGET_NUM_H

#include "gadget/bit.h"

struct num {
    uint32_t var; /* unused in native mode */
    struct fr value;
};

/* 256 bits in the order in which SHA-256 reads them: byte by byte, most significant bit first. Row
 * modes use bit[]; native mode uses value and constant (1 = this bit is a constant) and leaves
 * bit[] alone. */
struct bits256 {
    uint8_t value[32], constant[32];
    struct bit bit[256];
};

/* [256]: 2^i. Computed on the first call; thread safe. */
const struct fr *num_powers_of_two(void);

struct num num_alloc(struct cs *cs, const struct fr *value);
void num_inputize(struct cs *cs, const struct num *n);
struct num num_mul(struct cs *cs, const struct num *a, const struct num *b);
void num_equal(struct cs *cs, const struct num *a, const struct num *b); /* <a | 1 | b> */
struct num num_add(struct cs *cs, const struct num *a,
                   const struct num *b); /* <a + b | 1 | s>; PoRep's encode(key, value) */
struct num num_sum(struct cs *cs, const struct num *terms, size_t n); /* <sum | 1 | s> */
struct num num_pick(struct cs *cs, struct bit cond, const struct num *a,
                    const struct num *b); /* cond ? a : b: <b - a | cond | b - c> */
struct num num_mul_bit(struct cs *cs, const struct num *a, struct bit b); /* <a | b | p> */
/* <k a + c | 1 | r>; a c of 0 leaves no term. */
struct num num_affine(struct cs *cs, uint64_t k, const struct num *a, uint64_t c);

/* to_bits_le, then reverse_bit_numbering: 255 bit variables LSB first, the unpacking row <0 | 0 |
 * sum - v>; bit 255 constant false. The result reads as the element's 32 little-endian bytes. */
void num_to_bits256(struct cs *cs, struct bits256 *out, const struct num *n);
/* 255 bits least significant first, the same rows. */
void num_to_bits(struct cs *cs, struct bit out[255], const struct num *n);

/* The n <= 255 low bits of v, least significant first, as storage-proofs-update splits numbers:
 * n bit variables, <sum | 1 | v>. */
void num_split(struct cs *cs, struct bit *out, size_t n, const struct num *v);

/* pack_bits: the first 254 bits (LSB first); <sum | 1 | v>. From a digest: bits reversed inside
 * each byte again, so the value is the digest's 32 little-endian bytes with the top two bits
 * cleared. */
struct num num_pack_digest(struct cs *cs, const struct bits256 *digest);
/* pack_bits of n <= 254 bits, least significant first; also for n = 0. */
struct num num_pack_bits(struct cs *cs, const struct bit *bits, size_t n);
/* multipack::pack_into_inputs for n <= 254 bits: one new public input x, <sum | 1 | x>. */
void num_pack_into_input(struct cs *cs, const struct bit *bits, size_t n);

#endif
