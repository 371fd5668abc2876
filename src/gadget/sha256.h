/* SHA-256 of bellperson (spec: circuits §3): uint32 with MultiEq, one MultiEq per block. */
#ifndef CUZK_GADGET_SHA256_H
#define CUZK_GADGET_SHA256_H

#include "gadget/num.h"

/* digest of the n * 256 bits of the pieces, padding included. In native mode it appends bits and
 * row values straight from 32-bit integer arithmetic. All message bits are constants or plain (not
 * negated) variables. */
void sha256_gadget(struct cs *cs, struct bits256 *digest, const struct bits256 *const *pieces,
                   size_t n);

/* Filecoin's in-circuit Sha256 hasher for two numbers (binary tree node, hash2): 45,379 rows. */
struct num sha256_hash2(struct cs *cs, const struct num *left, const struct num *right);

#endif
