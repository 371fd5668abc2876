/* SDR labels: the keys that the data is encoded with (spec: circuits §6; rust-fil-proofs
 * porep/stacked/vanilla/create_label). */
#ifndef CUZK_FILECOIN_LABEL_H
#define CUZK_FILECOIN_LABEL_H

#include <stdint.h>

#include "filecoin/porep_vanilla.h"

/* SHA-256(replica_id || BE32 layer || BE64 node || 20 zeros || parents), cut to 254 bits. layer is
 * 1 or more. parents holds POREP_LABEL_PARENTS labels; NULL for node 0, which has none. */
void porep_label(struct node *out, const struct node *replica_id, unsigned layer, uint64_t node,
                 const struct node *parents);

#endif
