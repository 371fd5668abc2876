#include "proof/registry.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define ALL_SIZES(kind) \
    {kind, SECTOR_2K}, {kind, SECTOR_8M}, {kind, SECTOR_512M}, {kind, SECTOR_32G}, {kind, SECTOR_64G}

/* In the order of the enums: circuit_of relies on it. */
static const struct circuit circuits[CIRCUIT_KINDS * SECTOR_SIZES] = {
    ALL_SIZES(&porep_kind),
    ALL_SIZES(&window_kind),
    ALL_SIZES(&winning_kind),
    ALL_SIZES(&snap_kind),
};
/* clang-format on */
enum { CIRCUITS = sizeof circuits / sizeof *circuits };

const struct circuit *circuit_at(size_t i)
{
    return i < CIRCUITS ? &circuits[i] : NULL;
}

const struct circuit *circuit_of(enum circuit_kind kind, enum sector_size size)
{
    const struct circuit *c = &circuits[(size_t)kind * SECTOR_SIZES + size];
    assert(c->kind->circuit == kind && c->size == size);
    return c;
}

int proof_kind_by_name(const struct proof_kind **out, const char *name, struct error *err)
{
    char known[128] = "";
    for (size_t i = 0; i < CIRCUITS; i += SECTOR_SIZES) {
        size_t used = strlen(known);
        *out = circuits[i].kind;
        if (strcmp((*out)->name, name) == 0)
            return 0;
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", (*out)->name);
    }
    return error_set(err, ERR_USAGE, "kind-unknown", "no kind of proof \"%.40s\"; known: %s", name,
                     known);
}

const struct circuit_params *circuit_names(const struct circuit *circuit)
{
    return circuit_params(circuit->kind->circuit, circuit->size);
}

int circuit_by_id(const struct circuit **out, const char *id, struct error *err)
{
    const struct circuit_params *names = circuit_params_by_id(id);
    if (names != NULL) {
        *out = circuit_of(names->kind, names->size);
        return 0;
    }
    char known[512] = "";
    for (size_t i = 0; i < CIRCUITS; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                 circuit_names(&circuits[i])->id);
    }
    return error_set(err, ERR_USAGE, "circuit-unknown", "no circuit \"%.40s\"; known: %s", id,
                     known);
}

char *circuit_file_path(const struct circuit *circuit, const char *param_dir, const char *extension)
{
    char name[PARAMS_NAME_MAX], *path;
    circuit_params_file_name(name, circuit_names(circuit), extension);
    return asprintf(&path, "%s/%s", param_dir, name) < 0 ? NULL : path;
}

int circuit_rows(struct cs *cs, const struct circuit *circuit, struct error *err)
{
    return circuit->kind->synthesize_blank(cs, sector_shape(circuit->size), err);
}

int circuit_stats(struct shape_stats *out, const struct circuit *circuit, struct error *err)
{
    *out = (struct shape_stats){0};
    struct row_sink sink = shape_stats_sink(out);
    struct cs cs;
    cs_init_shape(&cs, &sink);
    int rc = circuit_rows(&cs, circuit, err);
    if (rc == 0)
        rc = cs_finish(&cs, err);
    if (rc == 0)
        rc = shape_stats_finish(out, &cs, err);
    cs_clean_up(&cs);
    if (rc != 0)
        shape_stats_clean_up(out);
    return rc;
}

int circuit_digest(uint8_t out[32], const struct circuit *circuit, const struct shape_stats *stats,
                   struct error *err)
{
    struct shape_digest *digest =
        shape_digest_new(stats->num_inputs, stats->num_aux, stats->num_constraints);
    if (digest == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a digest");
    struct row_sink sink = shape_digest_sink(digest);
    struct cs cs;
    cs_init_shape(&cs, &sink);
    int rc = circuit_rows(&cs, circuit, err);
    if (rc == 0)
        rc = cs_finish(&cs, err);
    cs_clean_up(&cs);
    shape_digest_finish(digest, out);
    return rc;
}
