/* Parameter files by circuit: made for tests, and judged. */
#ifndef CUZK_PROOF_PARAMS_H
#define CUZK_PROOF_PARAMS_H

#include "base/pool.h"
#include "base/progress.h"
#include "groth16/params.h"
#include "groth16/setup.h"
#include "proof/registry.h"

/* PARAM_DIR/v28-....params of a circuit, opened (see params_open). */
int circuit_params_open(struct params_file *out, const struct circuit *circuit,
                        const char *param_dir, struct error *err);
/* Where err is that the file is absent: names another version's file of the same circuit, if there is one. Returns err->code. */
int circuit_params_name_other_version(const struct circuit *circuit, const char *param_dir,
                                      struct error *err);
/* Counts against the circuit's, embedded key against the .vk file. */
int circuit_params_check(const struct params_file *params, const struct circuit *circuit,
                         const struct shape_stats *stats, const char *param_dir, struct error *err);

/* What is there by name, kind, size and permission, .params and .vk; nothing is read. why: what is wrong, "" if nothing is. */
enum params_presence { PARAMS_ABSENT, PARAMS_PRESENT, PARAMS_UNUSABLE };
enum params_presence circuit_params_presence(char why[160], const struct circuit *circuit,
                                             const char *param_dir);

/* A JSON object with the fields of the fixtures' toxic_waste: alpha_le, beta_le, gamma_le, delta_le, tau_le (64 hex digits,
 * little-endian), g1_compressed, g2_compressed; other fields are ignored. Wipe the result. */
int trapdoor_read(struct trapdoor *out, const char *path, struct error *err);

/* Test parameters of a circuit into param_dir (made if it is absent). */
int circuit_params_generate(const struct circuit *circuit, const char *param_dir,
                            const struct trapdoor *trapdoor, struct pool *pool,
                            const struct progress_sink *sink, struct error *err);

enum params_verdict {
    PARAMS_PUBLISHED, /* sound, and both digests are those of the published files */
    PARAMS_NOT_PUBLISHED, /* sound for this circuit, but not the published files: test parameters, or another ceremony's */
    PARAMS_DAMAGED, /* does not fit the circuit, itself or its .vk file; err tells */
};
/* points: also check every point. 0 with *verdict set (err filled when damaged), or an error when the files can't be read. */
int circuit_params_verify(enum params_verdict *verdict, const struct circuit *circuit,
                          const char *param_dir, int points, struct pool *pool,
                          const struct progress_sink *sink, struct error *err);
/* ERR_CONFIG "params-not-published" unless both digests are the published ones; the second: the .vk file's, all that verifying uses. */
int circuit_params_require_published(const struct circuit *circuit, const char *param_dir,
                                     const struct progress_sink *sink, struct error *err);
int circuit_vk_require_published(const struct circuit *circuit, const char *param_dir,
                                 struct error *err);

#endif
