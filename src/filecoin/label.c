#include "filecoin/label.h"

#include <string.h>

#include "hash/sha256.h"

void porep_label(struct node *out, const struct node *replica_id, unsigned layer, uint64_t node,
                 const struct node *parents)
{
    uint8_t in[64 + 32 * POREP_LABEL_PARENTS] = {0};
    memcpy(in, replica_id->b, 32);
    for (unsigned i = 0; i < 4; i++)
        in[32 + i] = (uint8_t)(layer >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; i++)
        in[36 + i] = (uint8_t)(node >> (56 - 8 * i));
    if (parents != NULL)
        memcpy(in + 64, parents, 32 * POREP_LABEL_PARENTS);
    sha256(out->b, in, parents != NULL ? sizeof in : 64);
    out->b[31] &= 0x3f;
}
