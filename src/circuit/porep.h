/* The StackedDRG PoRep circuit (spec: circuits §6), written once for all modes. */
#ifndef CUZK_CIRCUIT_POREP_H
#define CUZK_CIRCUIT_POREP_H

#include "filecoin/porep_vanilla.h"
#include "r1cs/cs.h"

/* Synthesises one partition: 571 rows of prelude, then the challenges. proof is one partition's challenges (see porep_vanilla);
 * values of the statement come from the vanilla proof. */
void porep_synthesize(struct cs *cs, const struct porep_vanilla *v, unsigned partition);

/* The same circuit without a proof: dummy values of the right shape, for shape mode. ERR_OS when memory is out. */
int porep_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err);

#endif
