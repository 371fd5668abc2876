/* Registered proofs, sector sizes and what follows from them (spec: inputs §2, §3.7). */
#ifndef CUZK_FILECOIN_REGISTERED_H
#define CUZK_FILECOIN_REGISTERED_H

#include <stddef.h>
#include <stdint.h>

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

#endif
