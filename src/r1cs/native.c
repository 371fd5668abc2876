#include "r1cs/native.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 4, FIRST_SMALL = 1 << 16, FIRST_FULL = 1 << 10, FIRST_INPUTS = 64 };

static const char *const STREAM_NAME[STREAMS] = {"witness", "row values A", "row values B",
                                                 "row values C"};
static const char NO_MEMORY[] = "no memory for the assignment";
static const char SLOT_TOO_SMALL[] = "a repeated part of the circuit outgrew its slot";
static const char SLOT_NOT_FULL[] = "repeated parts of the circuit differ in size";

static void fail(struct cs *cs, int code, const char *what)
{
    if (!cs->failed) {
        cs->failed = code;
        cs->failure = what;
    }
}

static struct tvec *stream_of(const struct cs *cs, int s)
{
    struct assignment *w = cs->out;
    struct tvec *stream[STREAMS] = {&w->aux, &w->a, &w->b, &w->c};
    return stream[s];
}

/* Elements written so far. Not after a failure: then the cursors are elsewhere. */
static struct native_count count_of(const struct cs *cs, int s)
{
    const struct tvec *v = stream_of(cs, s);
    return (struct native_count){(size_t)(cs->at[s].small - v->small),
                                 (size_t)(cs->at[s].full - v->full)};
}

/* ---- room ---- */

static int fits(const struct cs *cs, const struct native_count need[STREAMS])
{
    int ok = 1;
    for (int s = 0; s < STREAMS; s++)
        ok &= (size_t)(cs->limit[s].small - cs->at[s].small) >= need[s].small &&
              (size_t)(cs->limit[s].full - cs->at[s].full) >= need[s].full;
    return ok;
}

/* At least twice the old capacity where it grows at all: untouched pages cost nothing. */
static size_t grown(size_t cap, size_t need)
{
    return need <= cap ? cap : need > 2 * cap ? need : 2 * cap;
}

static void point_at(struct cs *cs, int s, struct native_count used)
{
    const struct tvec *v = stream_of(cs, s);
    cs->at[s] = (struct native_cursor){v->small + used.small, v->full + used.full};
    cs->limit[s] = (struct native_cursor){v->small + v->cap, v->full + v->full_cap};
}

static int grow_stream(struct cs *cs, int s, struct native_count used, struct native_count need)
{
    struct tvec *v = stream_of(cs, s);
    struct error err;
    size_t small, full;
    if (__builtin_add_overflow(used.small, need.small, &small) ||
        __builtin_add_overflow(used.full, need.full, &full))
        return -1;
    const size_t cap = v->cap, full_cap = v->full_cap;
    if (tvec_reserve(v, grown(cap, small), grown(full_cap, full), STREAM_NAME[s], &err) != 0)
        return -1;
    cs->allocated.allocations += (v->cap != cap) + (v->full_cap != full_cap);
    cs->allocated.bytes += (v->cap - cap) + (v->full_cap - full_cap) * sizeof *v->full;
    point_at(cs, s, used);
    return 0;
}

/* Cursors to memory that nobody reads, with room for need. */
static void discard_from_here(struct cs *cs, const struct native_count need[STREAMS])
{
    size_t bytes = 0, full_bytes, at = 0;
    int bad = 0;
    for (int s = 0; s < STREAMS; s++)
        bad |= __builtin_mul_overflow(need[s].full, sizeof(struct fr), &full_bytes) ||
               __builtin_add_overflow(bytes, full_bytes, &bytes) ||
               __builtin_add_overflow(bytes, need[s].small, &bytes) ||
               __builtin_add_overflow(bytes, 2 * TVEC_SLACK, &bytes);
    if (bad || bytes > cs->discarded.size) {
        struct error err = {.text = "too large"};
        buffer_clean_up(&cs->discarded);
        if (bad || buffer_init(&cs->discarded, bytes, "what a failed circuit writes", &err) != 0) {
            fprintf(stderr, "cuzk: %s\n", err.text);
            abort();
        }
    }
    uint8_t *base = cs->discarded.data;
    for (int s = 0; s < STREAMS; s++) {
        cs->at[s].full = (struct fr *)(base + at);
        cs->limit[s].full = cs->at[s].full + need[s].full;
        at += need[s].full * sizeof(struct fr);
    }
    for (int s = 0; s < STREAMS; s++) {
        cs->at[s].small = (int8_t *)(base + at);
        cs->limit[s].small = cs->at[s].small + need[s].small;
        at += need[s].small + TVEC_SLACK;
    }
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* What earlier reservations still promise behind the cursors. */
static struct native_count promised(const struct cs *cs, int s)
{
    if (cs->failed || cs->parent)
        return (struct native_count){(size_t)(cs->limit[s].small - cs->at[s].small),
                                     (size_t)(cs->limit[s].full - cs->at[s].full)};
    struct native_count used = count_of(cs, s), end = cs->reserved[s];
    return (struct native_count){larger(end.small, used.small) - used.small,
                                 larger(end.full, used.full) - used.full};
}

/* No room: streams grow, slots can't; where that fails the cursors move. */
static void reserve_more(struct cs *cs, const struct native_count need[STREAMS])
{
    struct native_count all[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        all[s] = promised(cs, s);
        all[s].small = larger(all[s].small, need[s].small);
        all[s].full = larger(all[s].full, need[s].full);
    }
    if (!cs->failed && cs->parent) {
        fail(cs, ERR_SOFTWARE, SLOT_TOO_SMALL);
    } else if (!cs->failed) {
        int bad = 0;
        for (int s = 0; s < STREAMS; s++)
            bad |= grow_stream(cs, s, count_of(cs, s), all[s]);
        if (bad)
            fail(cs, ERR_OS, NO_MEMORY);
    }
    if (cs->failed)
        discard_from_here(cs, all);
}

static void reserve(struct cs *cs, const struct native_count need[STREAMS])
{
    assert(cs->mode == CS_NATIVE);
    if (!fits(cs, need))
        reserve_more(cs, need);
    if (cs->failed || cs->parent)
        return;
    for (int s = 0; s < STREAMS; s++) {
        struct native_count used = count_of(cs, s), *end = &cs->reserved[s];
        end->small = larger(end->small, used.small + need[s].small);
        end->full = larger(end->full, used.full + need[s].full);
    }
}

void native_reserve(struct cs *cs, size_t aux, size_t rows, size_t aux_full, size_t a_full,
                    size_t b_full, size_t c_full)
{
    const struct native_count need[STREAMS] = {
        {aux, aux_full}, {rows, a_full}, {rows, b_full}, {rows, c_full}};
    reserve(cs, need);
}

/* ---- inputs ---- */

static int reserve_inputs(struct cs *cs, uint64_t n)
{
    struct assignment *w = cs->out;
    if (n <= cs->inputs_end - cs->num_inputs)
        return 0;
    if (cs->parent) {
        fail(cs, ERR_SOFTWARE, SLOT_TOO_SMALL);
        return -1;
    }
    size_t cap = w->inputs_cap ? w->inputs_cap : FIRST_INPUTS;
    while (cap - cs->num_inputs < n && cap <= SIZE_MAX / 4 / sizeof *w->inputs)
        cap *= 2;
    struct fr *inputs = cap - cs->num_inputs < n ? NULL : realloc(w->inputs, cap * sizeof *inputs);
    if (inputs == NULL) {
        fail(cs, ERR_OS, NO_MEMORY);
        return -1;
    }
    w->inputs = inputs;
    w->inputs_cap = cs->inputs_end = cap;
    return 0;
}

void native_input(struct cs *cs, const struct fr *value)
{
    assert(cs->mode == CS_NATIVE);
    if (reserve_inputs(cs, 1) == 0)
        cs->out->inputs[cs->num_inputs++] = *value;
}

/* ---- beginning and end ---- */

void cs_init_native(struct cs *cs, struct assignment *out, struct pool *pool)
{
    *cs = (struct cs){.mode = CS_NATIVE, .out = out, .pool = pool, .inputs_end = out->inputs_cap};
    const struct native_count none = {0}, first = {FIRST_SMALL, FIRST_FULL};
    for (int s = 0; s < STREAMS; s++)
        if (grow_stream(cs, s, none, first) != 0)
            fail(cs, ERR_OS, NO_MEMORY);
    if (cs->failed) {
        const struct native_count nothing[STREAMS] = {0};
        discard_from_here(cs, nothing);
    }
    native_input(cs, &FR_ONE);
}

/* Lengths and counts from cursors. */
static void sync_lengths(struct cs *cs)
{
    for (int s = 0; s < STREAMS; s++) {
        struct native_count used = count_of(cs, s);
        stream_of(cs, s)->len = used.small;
        stream_of(cs, s)->full_len = used.full;
    }
    cs->out->num_inputs = cs->num_inputs;
    cs->num_aux = cs->out->aux.len;
    cs->num_rows = cs->out->a.len;
    if (cs->out->a.len != cs->out->b.len || cs->out->a.len != cs->out->c.len)
        fail(cs, ERR_SOFTWARE, "row values A, B and C differ in number");
}

void native_finish(struct cs *cs)
{
    native_reserve(cs, 0, cs->num_inputs, 0, cs->num_inputs, 0, 0);
    if (cs->failed)
        return;
    for (uint64_t i = 0; i < cs->num_inputs; i++) {
        const struct fr *input = &cs->out->inputs[i];
        int8_t small = tvec_small(input);
        if (small == TVEC_FULL)
            native_put_full(cs, NATIVE_A, input);
        else
            native_put_small(cs, NATIVE_A, small);
        native_put_small(cs, NATIVE_B, 0);
        native_put_small(cs, NATIVE_C, 0);
    }
    sync_lengths(cs);
}

/* ---- slots ---- */

struct repeat {
    struct cs *cs;
    cs_group_body *body;
    void *ctx;
    size_t slots, group;
    /* A body's size; what it reserves beyond its end, for which a slot within a slot has the room of the outer one. */
    struct native_count each[STREAMS], spare[STREAMS];
    uint64_t inputs_each;
    _Atomic(const char *) failure;
    atomic_int code;
};

static struct native_cursor advanced(struct native_cursor at, size_t slots, struct native_count by)
{
    return (struct native_cursor){at.small + slots * by.small, at.full + slots * by.full};
}

/* Slot k holds body k + 1. The parent's cursors stand where slot 0 begins. */
static void open_slot(struct cs *sub, const struct repeat *r, size_t slot)
{
    const struct cs *cs = r->cs;
    *sub = (struct cs){.mode = CS_NATIVE,
                       .out = cs->out,
                       .parent = cs,
                       .num_inputs = cs->num_inputs + slot * r->inputs_each};
    sub->inputs_end = sub->num_inputs + r->inputs_each;
    for (int s = 0; s < STREAMS; s++) {
        sub->at[s] = advanced(cs->at[s], slot, r->each[s]);
        sub->limit[s] = cs->parent ? cs->limit[s]
                                   : advanced(advanced(sub->at[s], 1, r->each[s]), 1, r->spare[s]);
    }
}

static void close_slot(struct cs *sub, struct repeat *r, size_t slot)
{
    for (int s = 0; s < STREAMS && !sub->failed; s++) {
        struct native_cursor end = advanced(r->cs->at[s], slot + 1, r->each[s]);
        if (sub->at[s].small != end.small || sub->at[s].full != end.full)
            fail(sub, ERR_SOFTWARE, SLOT_NOT_FULL);
    }
    if (sub->num_inputs != sub->inputs_end)
        fail(sub, ERR_SOFTWARE, SLOT_NOT_FULL);
    if (sub->failed) {
        atomic_store(&r->failure, sub->failure);
        atomic_store(&r->code, sub->failed);
    }
    cs_clean_up(sub);
}

static void run_group(void *ctx, size_t g)
{
    struct repeat *r = ctx;
    struct cs sub[CS_GROUP], *each[CS_GROUP] = {NULL};
    size_t first = g * r->group, n = r->slots - first < r->group ? r->slots - first : r->group;
    for (size_t k = 0; k < n; k++) {
        each[k] = &sub[k];
        open_slot(each[k], r, first + k);
    }
    r->body(each, r->ctx, first + 1, n);
    for (size_t k = 0; k < n; k++)
        close_slot(each[k], r, first + k);
}

/* Room for the slots and what the last one may reserve beyond. */
static int reserve_slots(struct cs *cs, const struct repeat *r)
{
    size_t n = r->slots;
    struct native_count need[STREAMS];
    uint64_t inputs;
    int bad = __builtin_mul_overflow(n, r->inputs_each, &inputs);
    for (int s = 0; s < STREAMS; s++)
        bad |= __builtin_mul_overflow(n, r->each[s].small, &need[s].small) ||
               __builtin_add_overflow(need[s].small, r->spare[s].small, &need[s].small) ||
               __builtin_mul_overflow(n, r->each[s].full, &need[s].full) ||
               __builtin_add_overflow(need[s].full, r->spare[s].full, &need[s].full);
    if (bad)
        fail(cs, ERR_OS, NO_MEMORY);
    else if (reserve_inputs(cs, inputs) == 0)
        reserve(cs, need);
    return cs->failed ? -1 : 0;
}

size_t native_repeat(struct cs *cs, size_t n, size_t group, cs_group_body *body, void *ctx)
{
    if (cs->failed)
        return 0;
    struct native_count before[STREAMS], reserved[STREAMS];
    uint64_t inputs_before = cs->num_inputs;
    memcpy(reserved, cs->reserved, sizeof reserved);
    for (int s = 0; s < STREAMS; s++)
        before[s] = cs->reserved[s] = count_of(cs, s);
    body(&cs, ctx, 0, 1);
    if (cs->failed)
        return 1;
    struct repeat r = {.cs = cs,
                       .body = body,
                       .ctx = ctx,
                       .slots = n - 1,
                       .group = group,
                       .inputs_each = cs->num_inputs - inputs_before};
    for (int s = 0; s < STREAMS; s++) {
        struct native_count after = count_of(cs, s), *end = &cs->reserved[s];
        r.each[s] =
            (struct native_count){after.small - before[s].small, after.full - before[s].full};
        if (!cs->parent)
            r.spare[s] = promised(cs, s);
        end->small = larger(end->small, reserved[s].small);
        end->full = larger(end->full, reserved[s].full);
    }
    if (reserve_slots(cs, &r) != 0)
        return 1;
    pool_run(cs->pool, (r.slots + group - 1) / group, run_group, &r);
    for (int s = 0; s < STREAMS; s++)
        cs->at[s] = advanced(cs->at[s], r.slots, r.each[s]);
    cs->num_inputs += r.slots * r.inputs_each;
    if (atomic_load(&r.code))
        fail(cs, atomic_load(&r.code), atomic_load(&r.failure));
    else if (!cs->parent)
        sync_lengths(cs);
    return n;
}
