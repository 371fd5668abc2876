/* Verifying keys and proofs as bellperson stores them (spec: params §2, §7.3, §7.4). */
#ifndef CUZK_GROTH16_VK_H
#define CUZK_GROTH16_VK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "curve/g1.h"
#include "curve/g2.h"
#include "field/fr.h"

struct verifying_key {
    struct g1_affine alpha_g1, beta_g1, delta_g1;
    struct g2_affine beta_g2, gamma_g2, delta_g2;
    struct g1_affine *ic; /* [ic_len]: ONE, then the public inputs */
    size_t ic_len;
};

enum { VK_FIXED_BYTES = 868 /* six points and the count */, PROOF_BYTES = 192 };

/* Bytes that a key with ic_len points takes. */
size_t vk_bytes(size_t ic_len);
/* Reads a key from the head of data; *used = its bytes. Every point is checked: canonical, on the curve, in the subgroup, not infinity.
 * Errors name the point and its byte offset. */
int vk_parse(struct verifying_key *vk, size_t *used, const uint8_t *data, size_t n,
             struct error *err);
/* A .vk file: nothing may follow the key. */
int vk_read(struct verifying_key *vk, const char *path, struct error *err);
void vk_write(uint8_t *out /* vk_bytes(ic_len) */, const struct verifying_key *vk);
void vk_clean_up(struct verifying_key *vk);

struct proof {
    struct g1_affine a, c;
    struct g2_affine b;
};
void proof_to_bytes(uint8_t out[PROOF_BYTES], const struct proof *p);
/* Refuses bad flags, non-canonical coordinates, points off the curve or outside the subgroup, infinity. ERR_INVALID_PROOF. */
int proof_from_bytes(struct proof *p, const uint8_t in[PROOF_BYTES], struct error *err);

#endif
