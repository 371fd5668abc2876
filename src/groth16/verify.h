/* Groth16 verification (spec: params §7.4): e(A,B) = e(alpha,beta) e(sum x_i IC_i, gamma) e(C,delta). */
#ifndef CUZK_GROTH16_VERIFY_H
#define CUZK_GROTH16_VERIFY_H

#include "groth16/vk.h"

struct prepared_vk; /* pairings and line tables that every verification shares */
int prepared_vk_new(struct prepared_vk **out, const struct verifying_key *vk, struct error *err);
void prepared_vk_destroy(struct prepared_vk *pvk);

/* inputs without ONE; n must be ic_len - 1. 0 if valid, ERR_INVALID_PROOF if not. */
int groth16_verify(const struct prepared_vk *pvk, const struct proof *proof,
                   const struct fr *inputs, size_t n, struct error *err);

/* All proofs at once, under one key, with random 128-bit weights; inputs[k] points to proof k's n inputs. Fewer than two: the single
 * verifier. A batch that fails says only that some proof is wrong. */
int groth16_verify_batch(const struct prepared_vk *pvk, const struct proof *proofs,
                         const struct fr *const *inputs, size_t count, size_t n, struct error *err);

#endif
