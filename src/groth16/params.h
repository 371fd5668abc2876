/* bellperson's .params files, mapped (spec: params §1-§3). Nothing is believed before it is checked. */
#ifndef CUZK_GROTH16_PARAMS_H
#define CUZK_GROTH16_PARAMS_H

#include "base/mapped_file.h"
#include "base/pool.h"
#include "base/progress.h"
#include "groth16/vk.h"
#include "r1cs/sinks.h"

enum params_section { PARAMS_H, PARAMS_L, PARAMS_A, PARAMS_B_G1, PARAMS_B_G2, PARAMS_SECTIONS };
const char *params_section_name(enum params_section s); /* "h", "l", "a", "b_g1", "b_g2" */

struct params_file {
    struct mapped_file file;
    struct verifying_key vk;                                /* the embedded key */
    size_t offset[PARAMS_SECTIONS], count[PARAMS_SECTIONS]; /* first point's byte; points */
};

/* Maps PATH and checks the key and that the sections fill the file exactly. Errors: params-absent, params-unreadable,
 * params-empty, params-truncated, params-trailing, ... with file, section and byte offset. */
int params_open(struct params_file *p, const char *path, struct error *err);
void params_close(struct params_file *p);

/* Section counts against the circuit (domain 2^log2_domain): ERR_CONFIG "params-other-circuit". */
int params_check_circuit(const struct params_file *p, const struct shape_stats *stats,
                         struct error *err);
/* The .vk file beside it must hold the same key, byte for byte. */
int params_check_vk(const struct params_file *p, const char *vk_path, struct error *err);
/* Every point of every section: canonical, on the curve, in the subgroup, not infinity. The first bad one is named. */
int params_check_points(const struct params_file *p, struct pool *pool,
                        const struct progress_sink *sink, struct error *err);

/* Points [first, first + n) of a G1 (G2) section, decoded. Flags and ranges only are checked here; a file truncated since it was
 * mapped gives ERR_IO. */
int params_g1(struct g1_affine *out, const struct params_file *p, enum params_section s,
              size_t first, size_t n, struct error *err);
int params_g2(struct g2_affine *out, const struct params_file *p, size_t first, size_t n,
              struct error *err);

/* First 32 hex digits of BLAKE2b-512 of the file, as parameters.json gives it. */
int params_digest(char out[33], const char *path, const struct progress_sink *sink,
                  struct error *err);

#endif
