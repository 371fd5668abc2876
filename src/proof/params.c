#include "proof/params.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/hex.h"

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for a parameter file's path");
}

/* Names are equal from their first hyphen on; before it is "v" and a number. */
int circuit_params_name_other_version(const struct circuit *circuit, const char *param_dir,
                                      struct error *err)
{
    char name[PARAMS_NAME_MAX];
    struct dirent *entry;
    DIR *dir = err->code == ERR_NO_INPUT ? opendir(param_dir) : NULL;
    if (dir == NULL)
        return err->code;
    circuit_params_file_name(name, circuit_names(circuit), "params");
    while ((entry = readdir(dir)) != NULL) {
        const char *rest = strchr(entry->d_name, '-');
        size_t used = strlen(err->text);
        if (rest == NULL || entry->d_name[0] != 'v' || strcmp(rest, strchr(name, '-')) != 0)
            continue;
        snprintf(err->text + used, sizeof err->text - used, "; there is %s, of another version",
                 entry->d_name);
        break;
    }
    closedir(dir);
    return err->code;
}

int circuit_params_open(struct params_file *out, const struct circuit *circuit,
                        const char *param_dir, struct error *err)
{
    char *path = circuit_file_path(circuit, param_dir, "params");
    if (path == NULL)
        return no_memory(err);
    int rc = params_open(out, path, err);
    free(path);
    return rc == 0 ? 0 : circuit_params_name_other_version(circuit, param_dir, err);
}

int circuit_params_check(const struct params_file *params, const struct circuit *circuit,
                         const struct shape_stats *stats, const char *param_dir, struct error *err)
{
    int rc = params_check_circuit(params, stats, err);
    if (rc != 0)
        return rc;
    char *path = circuit_file_path(circuit, param_dir, "vk");
    if (path == NULL)
        return no_memory(err);
    rc = params_check_vk(params, path, err);
    free(path);
    return rc;
}

/* ---- presence ---- */

/* why: "" if the file is there, of that size and readable. Returns whether it is there at all. */
static int look_at(char why[160], const struct circuit *circuit, const char *param_dir,
                   const char *extension, uint64_t expected)
{
    struct stat st;
    char *path = circuit_file_path(circuit, param_dir, extension);
    int rc = path == NULL ? -1 : stat(path, &st),
        missing = rc != 0 && (errno == ENOENT || errno == ENOTDIR);
    if (rc != 0)
        snprintf(why, 160, ".%s: %s", extension, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        snprintf(why, 160, ".%s: no regular file", extension);
    else if ((uint64_t)st.st_size != expected)
        snprintf(why, 160, ".%s: %lld bytes, expected %llu", extension, (long long)st.st_size,
                 (unsigned long long)expected);
    else if (access(path, R_OK) != 0)
        snprintf(why, 160, ".%s: %s", extension, strerror(errno));
    free(path);
    return !missing;
}

enum params_presence circuit_params_presence(char why[160], const struct circuit *circuit,
                                             const char *param_dir)
{
    const struct circuit_params *names = circuit_names(circuit);
    why[0] = '\0';
    if (!look_at(why, circuit, param_dir, "params", circuit_params_bytes(names))) {
        why[0] = '\0';
        return PARAMS_ABSENT;
    }
    if (why[0] == '\0')
        look_at(why, circuit, param_dir, "vk", circuit_vk_bytes(names));
    return why[0] == '\0' ? PARAMS_PRESENT : PARAMS_UNUSABLE;
}

/* ---- trapdoor ---- */

static int field_bytes(uint8_t *out, size_t n, yajl_val tree, const char *field, struct error *err)
{
    const char *path[] = {field, NULL};
    const char *text = YAJL_GET_STRING(yajl_tree_get(tree, path, yajl_t_string));
    if (text != NULL && hex_decode(out, n, text) == 0)
        return 0;
    return error_set(err, ERR_DATA, "trapdoor-field",
                     "field \"%s\" must be a string of %zu hexadecimal digits", field, 2 * n);
}

static int trapdoor_parse(struct trapdoor *out, yajl_val tree, struct error *err)
{
    const struct {
        const char *field;
        struct fr *value;
    } scalars[] = {{"alpha_le", &out->alpha},
                   {"beta_le", &out->beta},
                   {"gamma_le", &out->gamma},
                   {"delta_le", &out->delta},
                   {"tau_le", &out->tau}};
    uint8_t bytes[G2_COMPRESSED_BYTES];
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        int rc = field_bytes(bytes, 32, tree, scalars[i].field, err);
        if (rc != 0)
            return rc;
        if (fr_from_bytes(scalars[i].value, bytes) != 0 || fr_is_zero(scalars[i].value))
            return error_set(err, ERR_DATA, "trapdoor-field", "field \"%s\" must be in 1 .. r-1",
                             scalars[i].field);
    }
    int rc = field_bytes(bytes, G1_COMPRESSED_BYTES, tree, "g1_compressed", err);
    if (rc != 0)
        return rc;
    enum point_status status = g1_from_compressed(&out->g1, bytes, POINT_CHECK_SUBGROUP);
    if (status != POINT_OK)
        return error_set(err, ERR_DATA, point_status_name(status),
                         "field \"g1_compressed\" is no generator");
    rc = field_bytes(bytes, G2_COMPRESSED_BYTES, tree, "g2_compressed", err);
    if (rc != 0)
        return rc;
    status = g2_from_compressed(&out->g2, bytes, POINT_CHECK_SUBGROUP);
    if (status != POINT_OK)
        return error_set(err, ERR_DATA, point_status_name(status),
                         "field \"g2_compressed\" is no generator");
    return 0;
}

int trapdoor_read(struct trapdoor *out, const char *path, struct error *err)
{
    enum { TRAPDOOR_FILE_LIMIT = 1 << 20 };
    uint8_t *text;
    size_t n;
    char reason[200];
    int rc = file_read_stream(&text, &n, path, TRAPDOOR_FILE_LIMIT, err);
    if (rc != 0)
        return rc;
    yajl_val tree = yajl_tree_parse((const char *)text, reason, sizeof reason);
    if (tree == NULL)
        rc = error_set(err, ERR_DATA, "trapdoor-not-json",
                       n == 0 ? "the file is empty; expected a JSON object"
                              : "no JSON; expected an object of alpha_le, beta_le, ...");
    else
        rc = trapdoor_parse(out, tree, err);
    yajl_tree_free(tree);
    wipe(text, n);
    free(text);
    return rc == 0 ? 0 : file_blame(err, path);
}

/* ---- generation ---- */

static int synthesize_rows(void *ctx, struct cs *cs, struct error *err)
{
    const struct circuit *const *circuit = ctx;
    return circuit_rows(cs, *circuit, err);
}

static int make_directory(const char *path, struct error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    return error_set(err, ERR_CANT_CREATE, "directory-not-made", "%s: %s", path, strerror(errno));
}

int circuit_params_generate(const struct circuit *circuit, const char *param_dir,
                            const struct trapdoor *trapdoor, struct pool *pool,
                            const struct progress_sink *sink, struct error *err)
{
    const struct setup_circuit setup = {synthesize_rows, &circuit};
    int rc = make_directory(param_dir, err);
    if (rc != 0)
        return rc;
    char *prefix = circuit_file_path(circuit, param_dir, "params");
    if (prefix == NULL)
        return no_memory(err);
    prefix[strlen(prefix) - strlen(".params")] = '\0';
    rc = setup_write(prefix, sector_shape(circuit->size)->bytes, &setup, trapdoor, pool, sink, err);
    free(prefix);
    return rc;
}

/* ---- verification ---- */

static int digest_is(int *same, const struct circuit *circuit, const char *param_dir,
                     const char *extension, const char *published, const struct progress_sink *sink,
                     struct error *err)
{
    char digest[33];
    char *path = circuit_file_path(circuit, param_dir, extension);
    if (path == NULL)
        return no_memory(err);
    int rc = params_digest(digest, path, sink, err);
    free(path);
    if (rc == 0)
        *same = strcmp(digest, published) == 0;
    return rc;
}

static int both_published(int *published, const struct circuit *circuit, const char *param_dir,
                          const struct progress_sink *sink, struct error *err)
{
    const struct circuit_params *names = circuit_names(circuit);
    *published = 0;
    int same = 0;
    int rc = digest_is(&same, circuit, param_dir, "vk", names->vk_digest, sink, err);
    if (rc == 0 && same)
        rc = digest_is(&same, circuit, param_dir, "params", names->params_digest, sink, err);
    if (rc == 0)
        *published = same;
    return rc;
}

/* 0 when sound; otherwise err tells what is wrong. */
static int check_files(const struct circuit *circuit, const char *param_dir, int points,
                       struct pool *pool, const struct progress_sink *sink, struct error *err)
{
    struct params_file params = {0};
    struct shape_stats stats;
    int rc = circuit_params_open(&params, circuit, param_dir, err);
    if (rc != 0)
        return rc;
    rc = circuit_stats(&stats, circuit, err);
    if (rc == 0) {
        rc = circuit_params_check(&params, circuit, &stats, param_dir, err);
        shape_stats_clean_up(&stats);
    }
    if (rc == 0 && points)
        rc = params_check_points(&params, pool, sink, err);
    params_close(&params);
    return rc;
}

int circuit_params_verify(enum params_verdict *verdict, const struct circuit *circuit,
                          const char *param_dir, int points, struct pool *pool,
                          const struct progress_sink *sink, struct error *err)
{
    int published, rc = check_files(circuit, param_dir, points, pool, sink, err);
    if (rc == ERR_CONFIG || rc == ERR_DATA) {
        *verdict = PARAMS_DAMAGED;
        return 0;
    }
    if (rc == 0)
        rc = both_published(&published, circuit, param_dir, sink, err);
    if (rc == 0)
        *verdict = published ? PARAMS_PUBLISHED : PARAMS_NOT_PUBLISHED;
    return rc;
}

static int require(int rc, int published, const struct circuit *circuit, const char *param_dir,
                   struct error *err)
{
    if (rc != 0 || published)
        return rc;
    return error_set(err, ERR_CONFIG, "params-not-published",
                     "parameters of %s in %s are not the published ones",
                     circuit_names(circuit)->id, param_dir);
}

int circuit_params_require_published(const struct circuit *circuit, const char *param_dir,
                                     const struct progress_sink *sink, struct error *err)
{
    int published = 0, rc = both_published(&published, circuit, param_dir, sink, err);
    return require(rc, published, circuit, param_dir, err);
}

int circuit_vk_require_published(const struct circuit *circuit, const char *param_dir,
                                 struct error *err)
{
    int published = 0;
    int rc = digest_is(&published, circuit, param_dir, "vk", circuit_names(circuit)->vk_digest,
                       NULL, err);
    return require(rc, published, circuit, param_dir, err);
}
