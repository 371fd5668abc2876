/* Registered proofs, sector sizes and what follows from them (spec: inputs §2, §3.7). */
#ifndef CUZK_FILECOIN_REGISTERED_H
#define CUZK_FILECOIN_REGISTERED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum circuit_kind { CIRCUIT_POREP, CIRCUIT_WPOST, CIRCUIT_WINNING, CIRCUIT_SNAP, CIRCUIT_KINDS };
enum sector_size { SECTOR_2K, SECTOR_8M, SECTOR_512M, SECTOR_32G, SECTOR_64G, SECTOR_SIZES };
enum api_version { API_1_0, API_1_1, API_1_2 };
enum porep_feature { POREP_INTERACTIVE, POREP_SYNTHETIC, POREP_NON_INTERACTIVE };

/* One row per sector size; the same for all registered proofs of that size. */
struct sector_shape {
    enum sector_size id;
    const char *suffix;              /* "2k" in circuit ids */
    const char *name;                /* "2KiB" in registered proofs */
    uint64_t bytes, nodes;           /* nodes = bytes / 32 */
    unsigned layers;                 /* 2 or 11 */
    unsigned partitions, challenges; /* per proof; per partition (interactive and synthetic) */
    unsigned ni_partitions;          /* non-interactive */
    unsigned tree_r_levels;          /* levels of trees R and C */
    uint8_t tree_r_arity[12];        /* from the leaves up: base 8s, then sub, then top */
    unsigned base, sub, top;         /* "8-8-2" */
    unsigned tree_d_levels;          /* log2(nodes), binary */
};

struct registered_seal {
    unsigned number;  /* ABI number, 0..19 */
    const char *name; /* "StackedDrg2KiBV1_1" */
    const struct sector_shape *shape;
    enum api_version api;
    enum porep_feature feature;
    uint8_t porep_id[32];
};

const struct sector_shape *sector_shape(enum sector_size id);
const struct sector_shape *sector_shape_by_suffix(const char *suffix); /* NULL if unknown */
const struct registered_seal *registered_seal_by_name(const char *name,
                                                      size_t len);        /* NULL if unknown */
const struct registered_seal *registered_seal_by_number(unsigned number); /* NULL if unknown */
unsigned registered_seal_partitions(const struct registered_seal *s);

struct registered_post {
    unsigned number;        /* ABI number, 0..14 */
    const char *name;       /* "StackedDrgWindow2KiBV1_2" */
    enum circuit_kind kind; /* CIRCUIT_WINNING (0..4) or CIRCUIT_WPOST */
    const struct sector_shape *shape;
    enum api_version api;
    unsigned sectors;    /* in one partition's circuit: 2, 2349, 2300; winning: 66 times the same */
    unsigned challenges; /* of each sector in the circuit: 10; winning: 1 */
    unsigned paths;      /* in one sector's vanilla proof: 10; winning: 66, one for each copy */
};

/* The proof of that number if it is of the kind wanted, else ERR_USAGE. */
int registered_post_of(const struct registered_post **out, enum circuit_kind kind, unsigned number,
                       struct error *err);

enum { UPDATE_HS = 6, UPDATE_MAX_CHALLENGES = 86, UPDATE_MAX_PARTITIONS = 16 };
struct registered_update {
    unsigned number;  /* ABI number, 0..4 */
    const char *name; /* "StackedDrg2KiBV1" */
    const struct sector_shape *shape;
    unsigned partitions;   /* 1, 4 or 16 */
    unsigned challenges;   /* of each partition */
    unsigned apex_leafs;   /* of each partition */
    uint8_t hs[UPDATE_HS]; /* numbers of high bits of a challenge that the circuit offers */
    unsigned h;            /* the one that is used */
    unsigned h_select;     /* its bit in the public input: 1 << its (first) position in hs */
    unsigned partition_bits, apex_bits; /* log2 of partitions, of apex_leafs */
    unsigned challenge_bits;            /* drawn for each challenge: log2(nodes) - partition_bits */
    unsigned per_digest, digests; /* challenges drawn of one digest; digests of one partition */
};

int registered_update_of(const struct registered_update **out, unsigned number,
                         struct error *err); /* ERR_USAGE */

#endif
