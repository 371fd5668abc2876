/* A PoRep's proofs of any sector size without sealing a sector, for tests and measurements: they
 * satisfy the circuit and every native check. The data is all zero, so that comm_d, replica_id and
 * the challenges are known first; labels are derived for challenged nodes and drawn for their
 * parents that are not challenged themselves; in trees C and R what no opened node determines is
 * drawn. Not for features whose challenges follow from comm_r. */
#ifndef CUZK_FILECOIN_SYNTHETIC_POREP_H
#define CUZK_FILECOIN_SYNTHETIC_POREP_H

#include "filecoin/replica.h"

/* Ticket and seed drawn from a number. */
void porep_sector_draw(struct porep_sector *sector, uint64_t seed);

/* All challenges opened. The same numbers give the same proofs. ERR_USAGE for other features. */
int porep_synthetic(struct porep_vanilla *out, const struct porep_sector *sector, uint64_t seed,
                    struct pool *pool, const struct progress_sink *sink, struct error *err);

#endif
