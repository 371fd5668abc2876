/* PoRep challenges (spec: inputs §3.5; rust-fil-proofs porep/stacked/vanilla/challenges.rs). Challenges are nodes in
 * [1, sector nodes). Inputs are 32 bytes as the chain stores them. */
#ifndef CUZK_FILECOIN_CHALLENGES_H
#define CUZK_FILECOIN_CHALLENGES_H

#include <stdint.h>

#include "filecoin/registered.h"

/* The count challenges from number `first` on of all partitions' challenges, counted through: partition k with c challenges
 * starts at k * c. */
void challenges_interactive(uint32_t *out, unsigned count, uint64_t nodes,
                            const uint8_t replica_id[32], const uint8_t seed[32], uint32_t first);
void challenges_non_interactive(uint32_t *out, unsigned count, uint64_t nodes,
                                const uint8_t replica_id[32], const uint8_t comm_r[32],
                                uint32_t first);

/* The synthetic set: elements first .. first + count - 1. */
void challenges_synthetic_set(uint32_t *out, unsigned count, uint64_t nodes,
                              const uint8_t replica_id[32], const uint8_t comm_r[32],
                              uint32_t first);
/* Those of a synthetic set of n elements that the seed selects. */
void challenges_synthetic(uint32_t *out, unsigned count, uint64_t nodes, uint32_t n,
                          const uint8_t replica_id[32], const uint8_t comm_r[32],
                          const uint8_t seed[32], uint32_t first);

/* The challenges of one partition of a registered proof; seed is not read for non-interactive proofs. */
void porep_challenges(uint32_t *out /* [seal->shape->challenges] */,
                      const struct registered_seal *seal, const uint8_t replica_id[32],
                      const uint8_t comm_r[32], const uint8_t seed[32], unsigned partition);

#endif
