#include "cmd/bench/synth_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/timing.h"
#include "cmd/cli.h"

int synth_input_option(struct input_options *o, uint64_t *miner, int opt, const char *value)
{
    if (opt == INPUT_PARTITION && strcmp(value, "all") == 0)
        return 0;
    if (opt == INPUT_MINER_ID) {
        int rc = cli_parse_u64(miner, "--miner-id", value, UINT64_MAX);
        if (rc != 0)
            return rc;
    }
    return input_option(o, opt, value);
}

uint64_t synth_sector(const struct input_options *o)
{
    return o->request.claims.has_sector ? o->request.claims.sector : 1;
}

long long synth_input_bytes(const struct input_options *o)
{
    struct stat st;
    return stat(o->request.path, &st) == 0 ? (long long)st.st_size : 0;
}

int synth_take_input(struct proof_input *in, const struct input_options *o, struct pool *pool,
                     struct error *err)
{
    uint64_t began = clock_monotonic_ns();
    int rc = proof_input_decode(in, o->kind, &o->request, ERR_DATA, err);
    if (rc != 0)
        return rc;
    timing_phase("decode", TIMING_NO_PARTITION, clock_monotonic_ns() - began);
    began = clock_monotonic_ns();
    rc = proof_input_check(in, pool, NULL, err);
    if (rc == 0)
        timing_phase("check", TIMING_NO_PARTITION, clock_monotonic_ns() - began);
    return rc;
}

int synth_record(struct pce *p, const struct circuit *circuit, struct error *err)
{
    const char *tmp = getenv("TMPDIR");
    char dir[4096];
    uint64_t began = clock_monotonic_ns();
    snprintf(dir, sizeof dir, "%s/cuzk-XXXXXX", tmp ? tmp : "/tmp");
    if (mkdtemp(dir) == NULL)
        return error_set(err, ERR_CANT_CREATE, "no-temporary-folder", "%s cannot be made", dir);
    int rc = pce_record(circuit, dir, PCE_TEMPLATES, NULL, err);
    if (rc == 0)
        rc = pce_open(p, circuit, dir, PCE_TEMPLATES, err);
    char *path = pce_path(circuit, dir, PCE_TEMPLATES);
    if (path != NULL)
        unlink(path);
    free(path);
    rmdir(dir);
    timing_phase("record", TIMING_NO_PARTITION, clock_monotonic_ns() - began);
    return rc;
}
