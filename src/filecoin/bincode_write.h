/* Writes vanilla proofs in bincode, as bincode.h reads them. */
#ifndef CUZK_FILECOIN_BINCODE_WRITE_H
#define CUZK_FILECOIN_BINCODE_WRITE_H

#include "filecoin/post.h"
#include "filecoin/update.h"

struct bincode_writer {
    uint8_t *data; /* grows by malloc */
    size_t len, cap;
    int failed; /* no memory: what follows is dropped */
};

/* A zeroed writer is empty. These append; _end moves the bytes to out, whose data is the caller's
 * to free, or fails with ERR_OS when there was no memory for them. */
void bincode_put_post_sector(struct bincode_writer *w, const struct post_sector *s,
                             const struct registered_post *post);
void bincode_put_update_partition(struct bincode_writer *w, const struct update_partition *p,
                                  const struct registered_update *update);
int bincode_writer_end(struct vanilla_proof *out, struct bincode_writer *w, struct error *err);

#endif
