/* Parameter files of the twenty circuits: cache names, sizes, published digests (spec: params §1, §6). */
#ifndef CUZK_FILECOIN_PARAMS_NAMES_H
#define CUZK_FILECOIN_PARAMS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "filecoin/registered.h"

struct circuit_params {
    const char *id; /* "porep-32g" */
    enum circuit_kind kind;
    enum sector_size size;
    uint32_t rows;   /* without the row that the prover adds for each input */
    uint32_t inputs; /* with ONE */
    uint32_t aux;
    unsigned log2_domain; /* of rows + inputs */
    uint32_t n_a, n_b;    /* lengths of the a and of the b_g1 and b_g2 queries */
    /* Of the published files: first 32 hex digits of their BLAKE2b-512. */
    const char *params_digest, *vk_digest;
};

enum { PARAMS_NAME_MAX = 192, PARAMS_IDENTIFIER_MAX = 400 };

/* NULL if unknown. */
const struct circuit_params *circuit_params_by_id(const char *id);
const struct circuit_params *circuit_params(enum circuit_kind kind, enum sector_size size);

/* The text whose SHA-256 is in the file name. */
void circuit_params_identifier(char out[PARAMS_IDENTIFIER_MAX], const struct circuit_params *p);
/* "v28-stacked-proof-of-replication-...-82a357...params"; extension is "params", "vk" or "meta". */
void circuit_params_file_name(char out[PARAMS_NAME_MAX], const struct circuit_params *p,
                              const char *extension);

/* Sizes of the .params and the .vk file. */
uint64_t circuit_params_bytes(const struct circuit_params *p);
uint64_t circuit_vk_bytes(const struct circuit_params *p);

/* Sectors in one proof's circuit and challenges of each, as the PoSt circuits are published. */
void post_counts(unsigned *sectors, unsigned *challenges, enum circuit_kind kind,
                 enum sector_size size);

#endif
