#include "proof/synthesis.h"

#include "base/clock.h"

const char *synthesis_path_name(enum synthesis_path path)
{
    static const char *const names[SYNTHESIS_PATHS] = {"native", "lc"};
    return names[path];
}

int synthesis_run(struct synthesis_run *out, struct assignment *reused, enum synthesis_path path,
                  const struct proof_input *in, unsigned partition, struct pool *pool,
                  struct error *err)
{
    struct cs cs;
    uint64_t wall = clock_monotonic_ns(), cpu = clock_process_cpu_ns();
    if (path == SYNTHESIS_NATIVE) {
        assignment_reset(reused);
        cs_init_native(&cs, reused, pool);
    } else {
        cs_init_generic(&cs, CS_GENERIC, NULL);
    }
    in->kind->synthesize(&cs, in, partition);
    int rc = cs_finish(&cs, err);
    out->wall_ns = clock_monotonic_ns() - wall;
    out->cpu_ns = clock_process_cpu_ns() - cpu;
    out->rows = cs.num_rows;
    cs_clean_up(&cs);
    return rc;
}
