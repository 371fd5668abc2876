/* Proves a PoRep's C1 output in this process and writes the proof.
 *
 *     prove_c1 PARAMETER-DIRECTORY C1-FILE PROOF-FILE */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuzk/engine.h>

static int read_file(struct cuzk_bytes *out, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;
    size_t n = data ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    *out = (struct cuzk_bytes){data, n};
    return data && n == (size_t)size ? 0 : -1;
}

static int write_file(const char *path, const uint8_t *data, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return -1;
    int ok = fwrite(data, 1, n, file) == n;
    return fclose(file) == 0 && ok ? 0 : -1;
}

static int prove(struct cuzk_engine *engine, const struct cuzk_bytes *c1, const char *path)
{
    struct cuzk_request request = {.kind = CUZK_POREP, .vanilla_proof = *c1};
    struct cuzk_result result;
    struct cuzk_error err;
    char id[160];
    uint32_t position;
    if (cuzk_submit(engine, id, &position, &request, &err) != CUZK_OK ||
        cuzk_await(engine, &result, id, 0, &err) != CUZK_OK) {
        fprintf(stderr, "prove_c1: %s (%s)\n", err.message, err.cause);
        return 1;
    }
    int failed = result.state != CUZK_COMPLETED || write_file(path, result.proof, result.proof_n);
    if (failed)
        fprintf(stderr, "prove_c1: %s\n", *result.message ? result.message : path);
    else
        printf("%zu bytes in %" PRIu64 " ms\n", result.proof_n, result.total_ms);
    cuzk_result_clean_up(&result);
    return failed;
}

int main(int argc, char **argv)
{
    struct cuzk_config config;
    struct cuzk_engine *engine;
    struct cuzk_error err;
    struct cuzk_bytes c1 = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: prove_c1 PARAMETER-DIRECTORY C1-FILE PROOF-FILE\n");
        return 2;
    }
    if (read_file(&c1, argv[2]) != 0) {
        fprintf(stderr, "prove_c1: cannot read %s\n", argv[2]);
        return 66;
    }
    cuzk_config_init(&config);
    config.param_dir = argv[1];
    if (cuzk_engine_open(&engine, &config, &err) != CUZK_OK) {
        fprintf(stderr, "prove_c1: %s (%s)\n", err.message, err.cause);
        return 1;
    }
    int failed = prove(engine, &c1, argv[3]);
    cuzk_engine_close(engine);
    free((void *)c1.data);
    return failed;
}
