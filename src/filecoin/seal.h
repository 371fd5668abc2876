/* Sealing, for test data: every label of every layer is made, in memory. */
#ifndef CUZK_FILECOIN_SEAL_H
#define CUZK_FILECOIN_SEAL_H

#include "filecoin/replica.h"

/* 2 KiB and 8 MiB: larger sectors are what sealing software is for. */
int porep_seal_offered(const struct sector_shape *shape);

/* Seals the sector, for any registered proof of a size that is offered (else ERR_USAGE). data:
 * [sector nodes], each below the modulus, as pieces are stored in a sector (else ERR_DATA); NULL:
 * all zero. The replica keeps all nodes. */
int porep_seal(struct replica *out, const struct porep_sector *sector, const struct node *data,
               struct pool *pool, const struct progress_sink *sink, struct error *err);

#endif
