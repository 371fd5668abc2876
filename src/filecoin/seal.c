#include "filecoin/seal.h"

int porep_seal_offered(const struct sector_shape *shape)
{
    return shape->id == SECTOR_2K || shape->id == SECTOR_8M;
}

int porep_seal(struct replica *out, const struct porep_sector *sector, const struct node *data,
               struct pool *pool, const struct progress_sink *sink, struct error *err)
{
    const struct sector_shape *shape = sector->seal->shape;
    const struct tree_filler none = {NULL, NULL};
    if (!porep_seal_offered(shape))
        return error_set(err, ERR_USAGE, "seal-size",
                         "sealing is offered for sectors of 2KiB and 8MiB, not of %s", shape->name);
    if (replica_init(out, sector, data, pool, err) != 0)
        return err->code;
    int rc = replica_keep(out, NULL, shape->nodes, err);
    if (rc == 0)
        rc = replica_derive(out, out->nodes, out->len, pool, sink, err);
    if (rc == 0)
        rc = replica_finish(out, none, none, pool, sink, err);
    if (rc != 0)
        replica_clean_up(out);
    return rc;
}
