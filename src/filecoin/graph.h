/* The stacked DRG: six parents in the same layer, eight in the layer before (spec: inputs §3.4; rust-fil-proofs drgraph.rs and
 * porep/stacked/vanilla/graph.rs). */
#ifndef CUZK_FILECOIN_GRAPH_H
#define CUZK_FILECOIN_GRAPH_H

#include <stdint.h>

#include "filecoin/registered.h"

enum { GRAPH_DRG_PARENTS = 6, GRAPH_EXP_PARENTS = 8 };

struct graph {
    uint64_t nodes;
    enum api_version api;
    uint8_t drg_seed[28];
    uint64_t feistel_keys[3];
    unsigned feistel_half_bits;
};

/* nodes: 2 .. 2^32. */
void graph_init(struct graph *g, uint64_t nodes, enum api_version api, const uint8_t porep_id[32]);

/* In the order in which labels take them; node < g->nodes. Nodes 0 and 1 have DRG parents 0. */
void graph_drg_parents(uint32_t out[GRAPH_DRG_PARENTS], const struct graph *g, uint64_t node);
void graph_exp_parents(uint32_t out[GRAPH_EXP_PARENTS], const struct graph *g, uint64_t node);

#endif
