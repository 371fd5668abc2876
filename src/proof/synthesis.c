#include "proof/synthesis.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/timing.h"

const char *synthesis_path_name(enum synthesis_path path)
{
    static const char *const names[SYNTHESIS_PATHS] = {"native", "csr", "lc"};
    return names[path];
}

void synthesis_clean_up(struct synthesis *s)
{
    assignment_clean_up(&s->native);
}

/* ---- measurement ---- */

struct stopwatch {
    uint64_t wall, cpu, system, counters[PERF_COUNTERS];
};

static void start(struct stopwatch *w, const struct synthesis *s)
{
    if (s->counters != NULL)
        perf_counters_read(w->counters, s->counters);
    w->system = clock_process_system_ns();
    w->wall = clock_monotonic_ns();
    w->cpu = clock_process_cpu_ns();
}

/* Adds what passed since the start to *out. */
static void stop(struct synthesis_run *out, const struct stopwatch *w, const struct synthesis *s,
                 const char *phase, unsigned partition)
{
    uint64_t now[PERF_COUNTERS];
    const uint64_t cpu = clock_process_cpu_ns(), wall = clock_monotonic_ns() - w->wall;
    out->cpu_ns += cpu - w->cpu;
    out->system_ns += clock_process_system_ns() - w->system;
    out->wall_ns += wall;
    timing_phase(phase, (int)(s->in->first_number + partition), wall);
    if (s->counters == NULL)
        return;
    perf_counters_read(now, s->counters);
    for (int i = 0; i < PERF_COUNTERS; i++)
        out->counters[i] = now[i] == PERF_UNSUPPORTED ? PERF_UNSUPPORTED
                                                      : out->counters[i] + now[i] - w->counters[i];
}

/* ---- native ---- */

static int run_native(struct synthesis_run *out, struct synthesis *s, unsigned partition,
                      struct error *err)
{
    struct stopwatch watch;
    struct cs cs;
    start(&watch, s);
    assignment_reset(&s->native);
    cs_init_native(&cs, &s->native, s->pool);
    s->in->kind->synthesize(&cs, s->in, partition);
    int rc = cs_finish(&cs, err);
    stop(out, &watch, s, "synthesis", partition);
    out->rows = cs.num_rows;
    out->aux = cs.num_aux;
    out->allocated = cs.allocated;
    cs_clean_up(&cs);
    return rc;
}

/* ---- csr ---- */

static void take_rows(void *ctx, uint64_t first, size_t n, const struct fr *a, const struct fr *b,
                      const struct fr *c)
{
    struct comparison *comparison = ctx;
    const struct fr *const value[3] = {a, b, c};
    if (comparison != NULL)
        comparison_rows(comparison, first, n, value);
}

static int run_csr(struct synthesis_run *out, struct synthesis *s, unsigned partition,
                   struct error *err)
{
    struct comparison *comparison = NULL;
    struct witness witness = {0};
    struct stopwatch watch;
    int rc = run_native(out, s, partition, err); /* the witness is the native one itself */
    out->witness_cpu_ns = out->cpu_ns;
    if (rc == 0 && s->validate)
        rc = comparison_new(&comparison, &s->native, s->pool, err);
    if (rc != 0)
        return rc;
    start(&watch, s);
    rc = witness_init(&witness, s->native.inputs, s->native.num_inputs, &s->native.aux, err);
    if (rc == 0)
        rc = pce_eval(s->recorded, &witness, take_rows, comparison, s->pool, err);
    stop(out, &watch, s, "matvec", partition);
    if (rc == 0 && s->validate) {
        comparison_faults(out->faults, comparison);
        rc = comparison_finish(comparison, COMPARED_A, "csr", err);
    }
    witness_clean_up(&witness);
    comparison_destroy(comparison);
    return rc;
}

/* ---- lc ---- */

/* Gathers rows to blocks. */
struct row_block {
    struct comparison *comparison;
    uint64_t first;
    size_t n;
    struct fr value[3][TVEC_BLOCK];
};

static void compare_rows(struct row_block *b)
{
    const struct fr *const value[3] = {b->value[0], b->value[1], b->value[2]};
    comparison_rows(b->comparison, b->first, b->n, value);
    b->first += b->n;
    b->n = 0;
}

static void take_row(void *ctx, uint64_t row, const struct fr abc[3])
{
    struct row_block *b = ctx;
    (void)row;
    for (int m = 0; m < 3; m++)
        b->value[m][b->n] = abc[m];
    if (++b->n == TVEC_BLOCK)
        compare_rows(b);
}

static int compare_variables(struct comparison *c, const struct cs *cs,
                             const struct assignment *native, struct error *err)
{
    const struct fr_list *aux = &cs->aux;
    for (size_t i = 0; i < aux->len; i += TVEC_BLOCK)
        comparison_block(c, COMPARED_AUX, i, aux->len - i < TVEC_BLOCK ? aux->len - i : TVEC_BLOCK,
                         aux->v + i);
    if (cs->inputs.len != native->num_inputs ||
        memcmp(cs->inputs.v, native->inputs, cs->inputs.len * sizeof *native->inputs) != 0)
        return error_set(err, ERR_SOFTWARE, "paths-differ",
                         "lc and native differ in the public inputs");
    return 0;
}

/* Block NULL: row values are kept. */
static int run_lc(struct synthesis_run *out, const struct synthesis *s, unsigned partition,
                  struct row_block *block, struct error *err)
{
    struct cs_maps_options options = {.storage = s->storage, .by_value = s->by_value};
    struct stopwatch watch;
    struct cs cs;
    if (s->presize) {
        const struct circuit_params *names =
            circuit_names(circuit_of(s->in->kind->circuit, s->in->size));
        options.num_aux = names->aux;
        options.num_rows = (uint64_t)names->rows + names->inputs;
    }
    if (block != NULL) {
        options.values = take_row;
        options.ctx = block;
    }
    start(&watch, s);
    cs_init_maps(&cs, &options);
    s->in->kind->synthesize(&cs, s->in, partition);
    int rc = cs_finish(&cs, err);
    stop(out, &watch, s, "synthesis", partition);
    out->rows = cs.num_rows;
    out->aux = cs.num_aux;
    out->allocated = cs.allocated;
    if (rc == 0 && block != NULL) {
        compare_rows(block);
        rc = compare_variables(block->comparison, &cs, &s->native, err);
    }
    cs_clean_up(&cs);
    return rc;
}

static int validate_lc(struct synthesis_run *out, struct synthesis *s, unsigned partition,
                       struct error *err)
{
    struct synthesis_run native = {0};
    struct row_block *block = NULL;
    struct comparison *comparison = NULL;
    int rc = run_native(&native, s, partition, err);
    if (rc == 0)
        rc = comparison_new(&comparison, &s->native, s->pool, err);
    if (rc != 0)
        return rc;
    block = calloc(1, sizeof *block);
    if (block == NULL) {
        rc = error_set(err, ERR_OS, "out-of-memory", "no memory to compare assignments");
    } else {
        block->comparison = comparison;
        rc = run_lc(out, s, partition, block, err);
    }
    if (rc == 0)
        rc = comparison_finish(comparison, COMPARED_AUX, "lc", err);
    comparison_destroy(comparison);
    free(block);
    return rc;
}

int synthesis_run(struct synthesis_run *out, struct synthesis *s, enum synthesis_path path,
                  unsigned partition, struct error *err)
{
    *out = (struct synthesis_run){0};
    if (path == SYNTHESIS_NATIVE)
        return run_native(out, s, partition, err);
    if (path == SYNTHESIS_CSR)
        return run_csr(out, s, partition, err);
    return s->validate ? validate_lc(out, s, partition, err) : run_lc(out, s, partition, NULL, err);
}
