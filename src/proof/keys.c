#include "proof/keys.h"

#include <stdlib.h>

#include "proof/params.h"

static int check(const struct circuit_keys *keys, const struct keys_request *request,
                 struct pool *pool, const struct progress_sink *sink, struct error *err)
{
    int rc =
        circuit_params_check(&keys->params, keys->circuit, &keys->stats, request->param_dir, err);
    if (rc == 0 && request->published)
        rc = circuit_params_require_published(keys->circuit, request->param_dir, sink, err);
    if (rc == 0 && request->check_points)
        rc = params_check_points(&keys->params, pool, sink, err);
    return rc;
}

int circuit_keys_open(struct circuit_keys *out, const struct circuit *circuit,
                      const struct keys_request *request, struct pool *pool,
                      const struct progress_sink *sink, struct error *err)
{
    *out = (struct circuit_keys){.circuit = circuit};
    int rc = circuit_params_open(&out->params, circuit, request->param_dir, err);
    if (rc == 0)
        rc = circuit_stats(&out->stats, circuit, err);
    if (rc == 0)
        rc = check(out, request, pool, sink, err);
    if (rc == 0)
        rc = prepared_vk_new(&out->pvk, &out->params.vk, err);
    if (rc != 0)
        circuit_keys_close(out);
    return rc;
}

void circuit_keys_close(struct circuit_keys *keys)
{
    prepared_vk_destroy(keys->pvk);
    params_close(&keys->params);
    shape_stats_clean_up(&keys->stats);
    *keys = (struct circuit_keys){0};
}

int circuit_vk_open(struct prepared_vk **out, const struct circuit *circuit, const char *param_dir,
                    struct error *err)
{
    struct verifying_key vk = {0};
    char *path = circuit_file_path(circuit, param_dir, "vk");
    if (path == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a path");
    const size_t inputs = circuit_names(circuit)->inputs;
    int rc = vk_read(&vk, path, err);
    if (rc == 0 && vk.ic_len != inputs)
        rc = error_set(err, ERR_CONFIG, "vk-other-circuit",
                       "%s: a key of another circuit: %zu ic points, %s has %zu inputs", path,
                       vk.ic_len, circuit_names(circuit)->id, inputs);
    if (rc == 0)
        rc = prepared_vk_new(out, &vk, err);
    vk_clean_up(&vk);
    free(path);
    return rc;
}
