/* Strict reading of bincode as Rust's bincode 1 writes it by default (spec: inputs §4): little-endian, lengths of 64 bits, tags of 32.
 * The caller knows every length and tag in advance: nothing is allocated that the input asks for. Nodes are left where they are in
 * the input. */
#ifndef CUZK_FILECOIN_BINCODE_H
#define CUZK_FILECOIN_BINCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "filecoin/merkle_path.h"
#include "filecoin/registered.h"

enum { BINCODE_MAX_DEPTH = 8 };

/* A place in the input, for messages: "vanilla_proof.sectors[0].comm_c". */
struct bincode_place {
    const char *name;
    size_t index;
    int indexed;
};

struct bincode_reader {
    uint8_t *data;
    size_t len, at;
    unsigned depth;
    struct bincode_place places[BINCODE_MAX_DEPTH];
    struct error *err;
};

void bincode_init(struct bincode_reader *r, uint8_t *data, size_t len, struct error *err);

/* Names of what is read next. Items of a sequence: the name of the sequence. A failed read leaves them, so that the reader is
 * of no use after an error. */
void bincode_enter(struct bincode_reader *r, const char *name);
void bincode_enter_item(struct bincode_reader *r, const char *name, size_t index);
void bincode_leave(struct bincode_reader *r);

/* All return 0 or ERR_DATA; `name` is the field's. Causes: bincode-truncated, bincode-number, bincode-length, bincode-tag,
 * bincode-trailing, not-canonical. */
int bincode_u64(struct bincode_reader *r, uint64_t *out, const char *name);
int bincode_less(struct bincode_reader *r, uint64_t *out, uint64_t limit,
                 const char *name); /* an integer below limit */
int bincode_length(struct bincode_reader *r, size_t want,
                   const char *name); /* of the sequence that follows */
int bincode_tag(struct bincode_reader *r, unsigned want, const char *const *names,
                unsigned names_len);
/* n nodes in a row, all below r. */
int bincode_nodes(struct bincode_reader *r, struct node **out, size_t n, const char *name);
int bincode_node(struct bincode_reader *r, struct node *out, const char *name);
int bincode_end(struct bincode_reader *r); /* nothing is left over */

/* MerkleProof: all levels of a tree of the sector size. */
int bincode_path_d(struct bincode_reader *r, struct merkle_path *out,
                   const struct sector_shape *shape);
int bincode_path_r(struct bincode_reader *r, struct merkle_path *out,
                   const struct sector_shape *shape);

#endif
