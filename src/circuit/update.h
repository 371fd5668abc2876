/* The EmptySectorUpdate circuit of SnapDeals (spec: circuits §7), written once for all modes, and its variant whose tree D is a
 * Poseidon tree. */
#ifndef CUZK_CIRCUIT_UPDATE_H
#define CUZK_CIRCUIT_UPDATE_H

#include "filecoin/update.h"
#include "r1cs/cs.h"

/* Synthesises one partition: commitments and apex tree (5,951,289 rows at 32 GiB), then the challenges (873,235 each). */
void update_synthesize(struct cs *cs, const struct update_vanilla *v, unsigned partition);

/* The same circuit without a proof: dummy values of the right shape, for shape mode. */
void update_synthesize_blank(struct cs *cs, const struct registered_update *update);
/* With the registered constants of the sector size. */
int snap_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err);

/* The Poseidon variant: one partition has the challenges of all, tree D has the shape of tree R, and nothing is apart for its
 * top. partitions[0].challenges holds update->challenges * update->partitions; apex_leafs is not read. The public input for the
 * partition is h_select alone. ERR_OS when memory is out. */
int update_poseidon_synthesize(struct cs *cs, const struct update_vanilla *v, struct error *err);
int update_poseidon_synthesize_blank(struct cs *cs, const struct registered_update *update,
                                     struct error *err);

#endif
