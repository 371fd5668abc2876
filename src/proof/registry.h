/* The registry of circuits: what a circuit id means. A proof kind lands by one entry here. */
#ifndef CUZK_PROOF_REGISTRY_H
#define CUZK_PROOF_REGISTRY_H

#include "base/error.h"
#include "filecoin/registered.h"
#include "r1cs/cs.h"
#include "r1cs/sinks.h"

struct circuit {
    const char *id; /* "porep-2k" */
    enum sector_size size;
    /* Streams the circuit's rows through cs (shape mode) with dummy values. */
    int (*synthesize_blank)(struct cs *cs, const struct sector_shape *shape, struct error *err);
};

/* ERR_USAGE with the list of ids when there is no such circuit. */
int circuit_by_id(const struct circuit **out, const char *id, struct error *err);
/* All circuits in order of listing; NULL past the last. */
const struct circuit *circuit_at(size_t i);
/* The PoRep circuit of a sector size. */
const struct circuit *circuit_porep(const struct sector_shape *shape);

/* Counts and density of a circuit, by one pass over its rows. */
int circuit_stats(struct shape_stats *out, const struct circuit *circuit, struct error *err);
/* TestConstraintSystem::hash(): a second pass, with the counts of the first. */
int circuit_digest(uint8_t out[32], const struct circuit *circuit, const struct shape_stats *stats, struct error *err);

#endif
