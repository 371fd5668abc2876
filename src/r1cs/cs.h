/* The constraint system: circuits are written once against struct cs and run in four modes.
 *
 *   CS_SHAPE    rows as linear combinations, streamed to a sink; values are whatever the dummy input gives and are not kept
 *   CS_NATIVE   typed assignment and typed row values; gadgets call native evaluators, no variable has an index
 *   CS_GENERIC  the reference's way: assignment kept as field elements, each row's linear combinations evaluated term by term;
 *               an optional sink sees the rows too
 *   CS_CHECK    as generic, and each row is tested: the first that fails is kept
 *
 * A row <A | B | C> means A * B = C. Input 0 is ONE. After synthesis one row <input_i | 0 | 0> per input follows (cs_finish), as in the
 * reference; sinks see those rows with last = 1 (the digest leaves them out).
 *
 * Failures (memory; a bug found) are sticky: circuits run on harmlessly and cs_finish reports them. */
#ifndef CUZK_R1CS_CS_H
#define CUZK_R1CS_CS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "field/fr.h"
#include "r1cs/lc.h"
#include "vector/tvec.h"

enum cs_mode { CS_SHAPE, CS_NATIVE, CS_GENERIC, CS_CHECK };

/* One row, normalised: ascending by variable, no zero coefficients. Valid during the call. */
struct row {
    const struct term *a, *b, *c;
    size_t a_len, b_len, c_len;
    uint64_t index;
    int last; /* one of the final rows, one per input */
};

struct row_sink {
    void (*row)(void *ctx, const struct row *row);
    void *ctx;
};

/* What synthesis produced: typed in native mode, and the generic modes' result converted for comparison by cs_take_typed. */
struct assignment {
    struct fr *inputs; /* [num_inputs], ONE first */
    size_t num_inputs, inputs_cap;
    struct tvec aux;
    struct tvec a, b, c; /* row values, final rows included after cs_finish */
};
void assignment_clean_up(struct assignment *w);
void assignment_reset(struct assignment *w); /* empty; memory kept for the next partition */

/* 1 if both hold the same values (how they are typed doesn't matter), else 0 and where[0 .. n) names the first difference. */
int assignment_equal(const struct assignment *x, const struct assignment *y, char *where, size_t n);

/* SHA-256 over prefix[0 .. prefix_len) and all elements of v, each as 32 little-endian bytes. The fixtures' assignment_sha256 is
 * that of the inputs and aux. */
void tvec_sha256(uint8_t out[32], const struct tvec *v, const struct fr *prefix, size_t prefix_len);

/* Generic mode as the reference's prover has it (bellperson's ProvingAssignment): linear combinations in maps, made and dropped row by
 * row, evaluated into vectors of field elements, densities tracked. Rows are not streamed to a sink. */
struct cs_maps_options {
    enum lc_storage storage;    /* not LC_LIST */
    int by_value;               /* struct lc_memory */
    uint64_t num_aux, num_rows; /* room reserved from the start; 0: the vectors grow */
    /* If not NULL: gets the row's values, A, B and C, which are not kept then. */
    void (*values)(void *ctx, uint64_t row, const struct fr abc[3]);
    void *ctx;
};

/* Its state. */
struct cs_maps {
    struct cs_maps_options options;
    uint64_t *dense[3]; /* bitmaps: a_aux, b_input, b_aux as in struct density */
    size_t words[2];    /* their lengths: inputs, aux */
};

/* The value store of the generic modes. */
struct fr_list {
    struct fr *v;
    size_t len, cap;
};

struct cs {
    enum cs_mode mode;
    uint64_t num_inputs, num_aux, num_rows; /* num_rows: without the final rows until cs_finish */
    struct row_sink sink;                /* shape, and generic/check if wanted; row may be NULL */
    struct assignment *out;              /* native */
    struct fr_list inputs, aux, a, b, c; /* generic and check */
    struct lc scratch[3];                /* A, B, C of the row being built: cs_a, cs_b, cs_c */
    struct cs_maps maps;                 /* generic: if options.storage is not LC_LIST */
    struct lc_memory
        allocated;           /* values and terms of the generic modes; the native mode's streams */
    struct pool *pool;       /* native: may be NULL; NULL in a slot */
    const struct cs *parent; /* native: a slot of cs_repeat */
    struct {                 /* check: the first row that fails */
        int found;
        uint64_t row;
    } fault;
    int failed;          /* sticky enum error_code */
    const char *failure; /* what failed, for cs_finish */
    /* native: next write positions and their limits */
    struct native_cursor {
        int8_t *small;
        struct fr *full;
    } at[4], limit[4]; /* indexed by enum native_stream */
    /* native: furthest ends of reservations, counted from the streams' beginnings */
    struct native_count {
        size_t small, full;
    } reserved[4];
    uint64_t inputs_end;     /* native: room in out->inputs for this cs */
    struct buffer discarded; /* native: where gadgets write after a failure */
};

enum native_stream { NATIVE_AUX, NATIVE_A, NATIVE_B, NATIVE_C };

void cs_init_shape(struct cs *cs, const struct row_sink *sink);
void cs_init_generic(struct cs *cs, enum cs_mode generic_or_check,
                     const struct row_sink *sink_or_null);
void cs_init_maps(struct cs *cs, const struct cs_maps_options *options); /* mode: CS_GENERIC */
/* Appends to an empty (zeroed or reset) assignment. */
void cs_init_native(struct cs *cs, struct assignment *out, struct pool *pool);
void cs_clean_up(struct cs *cs);

/* Call once at the end: adds the final rows, completes the assignment and the counts, and reports sticky failures; in check mode a
 * failed row is ERR_DATA, cause "row-unsatisfied", its number named. */
int cs_finish(struct cs *cs, struct error *err);

/* Generic and check: the result as a typed assignment (values in [-127, 127] become small), for comparison with native. out is
 * empty (zeroed or reset). */
int cs_take_typed(const struct cs *cs, struct assignment *out, struct error *err);

/* ---- row modes (everything but native) ---- */

/* New variable; value is copied (kept in generic and check mode). */
uint32_t cs_alloc(struct cs *cs, const struct fr *value);
uint32_t cs_alloc_input(struct cs *cs, const struct fr *value);
uint32_t cs_alloc_bit(struct cs *cs, int value); /* the variable only; no row */

/* Build the row in these (they are empty), then call cs_enforce, which normalises, counts, evaluates, streams and empties them. */
static inline struct lc *cs_a(struct cs *cs)
{
    return &cs->scratch[0];
}
static inline struct lc *cs_b(struct cs *cs)
{
    return &cs->scratch[1];
}
static inline struct lc *cs_c(struct cs *cs)
{
    return &cs->scratch[2];
}
void cs_enforce(struct cs *cs);

/* ---- native mode ---- */

/* Room for at least this much behind each cursor; an upper bound will do. Afterwards a gadget writes through cs->at[...] and
 * advances. The streams may move: don't keep cursors over a call. Within the reserved room a store may run past the last element
 * written by up to TVEC_SLACK bytes, but only when the same gadget overwrites or the gadget's final bytes are written exactly:
 * the next bytes may belong to another thread's slot.
 * Which elements are small and which full must not depend on values, or the slots of cs_repeat differ in size.
 * After a failure (no memory, or a slot that outgrows its room) the cursors lead to memory of this cs that nobody reads, so
 * gadgets run on. Should even that not be had, the process ends. */
void native_reserve(struct cs *cs, size_t aux, size_t rows, size_t aux_full, size_t a_full,
                    size_t b_full, size_t c_full);

/* Appends one element to a stream (room reserved). */
static inline void native_put_small(struct cs *cs, enum native_stream s, int8_t v)
{
    *cs->at[s].small++ = v;
}
static inline void native_put_full(struct cs *cs, enum native_stream s, const struct fr *v)
{
    *cs->at[s].small++ = TVEC_FULL;
    *cs->at[s].full++ = *v;
}
void native_input(struct cs *cs,
                  const struct fr *value); /* appends a public input; reserves by itself */

/* ---- all modes ---- */

/* Runs body(cs_i, ctx, i) for i = 0 .. n-1, all of the same shape. Row modes and pool == NULL: one after the other on cs. Native: the
 * first alone to learn how much one appends to each stream (inputs included), then the rest in parallel, each into its own slots;
 * there a nested cs_repeat runs one after the other. A body that doesn't end exactly at its slot's end is a sticky ERR_SOFTWARE. */
void cs_repeat(struct cs *cs, size_t n, void (*body)(struct cs *cs, void *ctx, size_t i),
               void *ctx);

/* The same where in native mode, pool or not, up to CS_GROUP bodies go together, so that a gadget can compute for all of them at once:
 * body(cs, ctx, i, n) does what bodies i .. i + n - 1 do, each in its own cs[0 .. n). In row modes n is 1. */
enum { CS_GROUP = 8 };
typedef void cs_group_body(struct cs *const cs[], void *ctx, size_t i, size_t n);
void cs_repeat_together(struct cs *cs, size_t n, cs_group_body *body, void *ctx);

#endif
