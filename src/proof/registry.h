/* The registry of circuits: what a circuit id means. A proof kind lands by one entry here. */
#ifndef CUZK_PROOF_REGISTRY_H
#define CUZK_PROOF_REGISTRY_H

#include "base/error.h"
#include "filecoin/params_names.h"
#include "proof/kind.h"
#include "r1cs/sinks.h"

struct circuit {
    const struct proof_kind *kind;
    enum sector_size size;
};

/* "porep", "winning", "window", "snap". ERR_USAGE with the list of names when there is no such kind. */
int proof_kind_by_name(const struct proof_kind **out, const char *name, struct error *err);

/* ERR_USAGE with the list of ids when there is no such circuit. */
int circuit_by_id(const struct circuit **out, const char *id, struct error *err);
/* All circuits in order of listing; NULL past the last. */
const struct circuit *circuit_at(size_t i);
const struct circuit *circuit_of(enum circuit_kind kind, enum sector_size size);
/* Ids, file names, expected sizes and published digests. */
const struct circuit_params *circuit_names(const struct circuit *circuit);
/* PARAM_DIR/v28-....EXTENSION; free() it. NULL when memory is out. */
char *circuit_file_path(const struct circuit *circuit, const char *param_dir,
                        const char *extension);

/* Streams the circuit's rows through cs (shape mode), with dummy values. */
int circuit_rows(struct cs *cs, const struct circuit *circuit, struct error *err);
/* Counts and density of a circuit, by one pass over its rows. */
int circuit_stats(struct shape_stats *out, const struct circuit *circuit, struct error *err);
/* TestConstraintSystem::hash(): a second pass, with the counts of the first. */
int circuit_digest(uint8_t out[32], const struct circuit *circuit, const struct shape_stats *stats,
                   struct error *err);

#endif
