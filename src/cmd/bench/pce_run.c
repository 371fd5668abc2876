#include "cmd/bench/pce_run.h"

#include <stdio.h>

#include "base/clock.h"

double pce_seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

void pce_run_clean_up(struct pce_run *r)
{
    pce_close(&r->recorded);
    proof_input_clean_up(&r->in);
    pool_destroy(r->pool);
}

int pce_run_load(struct pce_run *r, struct error *err)
{
    int rc = pool_new(&r->pool, 0, err);
    if (rc == 0)
        rc = synth_take_input(&r->in, &r->input, r->pool, err);
    if (rc == 0)
        printf("c1 loaded: %lld bytes\n", synth_input_bytes(&r->input));
    return rc;
}

int pce_run_extract(struct pce_run *r, const char *heading, struct error *err)
{
    const uint64_t began = clock_monotonic_ns();
    printf("\n--- %s ---\n", heading);
    fflush(stdout);
    int rc = synth_record(&r->recorded, circuit_of(r->in.kind->circuit, r->in.size), err);
    r->extract_ns = clock_monotonic_ns() - began;
    if (rc == 0)
        printf("  extract=%.1fs\n", pce_seconds(r->extract_ns));
    return rc;
}

int pce_run_synthesize(struct pce_synthesis *out, struct synthesis *s, enum synthesis_path path,
                       struct error *err)
{
    *out = (struct pce_synthesis){0};
    for (unsigned k = 0; k < s->in->count; k++) {
        struct synthesis_run run;
        int rc = synthesis_run(&run, s, path, s->in->first + k, err);
        if (rc != 0) {
            error_prefix(err, "partition %u", s->in->first_number + s->in->first + k);
            return rc;
        }
        out->wall_ns += run.wall_ns;
        out->rows = run.rows;
    }
    return 0;
}

int pce_run_old_path(struct pce_synthesis *out, const struct pce_run *r, struct error *err)
{
    struct synthesis s = {.in = &r->in, .pool = r->pool, .storage = LC_VEC, .validate = 1};
    fflush(stdout);
    int rc = pce_run_synthesize(out, &s, SYNTHESIS_LC, err);
    synthesis_clean_up(&s);
    return rc;
}
