/* cs_repeat: parallel slots give what one thread gives, and what the rows give; slots that differ and memory that ends are reported. */
/* ctest: quick asan tsan */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "r1cs/cs.h"

/* Streams grow by mremap: a test can refuse it. */
static atomic_int refuse_growth;

void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    if (atomic_load(&refuse_growth))
        return MAP_FAILED;
    return (void *)syscall(SYS_mremap, old, old_size, size, flags, NULL);
}

/* ---- a circuit of words: 32 bits, their sum, its square ---- */

static void word_rows(struct cs *cs, uint32_t word)
{
    struct fr value, square;
    uint32_t bit[32];
    for (int i = 0; i < 32; i++) {
        bit[i] = cs_alloc_bit(cs, word >> i & 1);
        lc_add_one(cs_a(cs), VAR_ONE);
        lc_add_i64(cs_a(cs), bit[i], -1);
        lc_add_one(cs_b(cs), bit[i]);
        cs_enforce(cs);
    }
    fr_from_u64(&value, word);
    fr_sqr(&square, &value);
    uint32_t input = cs_alloc_input(cs, &value), var = cs_alloc(cs, &square);
    for (int i = 0; i < 32; i++)
        lc_add_i64(cs_a(cs), bit[i], (int64_t)1 << i);
    lc_add_one(cs_b(cs), input);
    lc_add_one(cs_c(cs), var);
    cs_enforce(cs);
}

/* Reserves more than it needs, as gadgets whose size depends on constants do. */
static void word_native(struct cs *cs, uint32_t word)
{
    struct fr value, square;
    native_reserve(cs, 300, 500, 20, 1, 7, 3);
    for (int i = 0; i < 32; i++) {
        int8_t bit = word >> i & 1;
        native_put_small(cs, NATIVE_AUX, bit);
        native_put_small(cs, NATIVE_A, 1 - bit);
        native_put_small(cs, NATIVE_B, bit);
        native_put_small(cs, NATIVE_C, 0);
    }
    fr_from_u64(&value, word);
    fr_sqr(&square, &value);
    native_input(cs, &value);
    native_put_full(cs, NATIVE_AUX, &square);
    native_put_full(cs, NATIVE_A, &value);
    native_put_full(cs, NATIVE_B, &value);
    native_put_full(cs, NATIVE_C, &square);
}

static void word_gadget(struct cs *cs, uint32_t word)
{
    if (cs->mode == CS_NATIVE)
        word_native(cs, word);
    else
        word_rows(cs, word);
}

static uint32_t word_of(size_t i, size_t j)
{
    uint64_t x = (i * 1000 + j + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32);
}

struct inner {
    size_t outer;
};

static void inner_body(struct cs *cs, void *ctx, size_t j)
{
    const struct inner *inner = ctx;
    word_gadget(cs, word_of(inner->outer, j));
}

enum { WORDS = 20 };

/* Words j and j + WORDS, the first of all before the second of any. */
static void inner_group(struct cs *const cs[], void *ctx, size_t j, size_t n)
{
    for (size_t k = 0; k < n; k++)
        inner_body(cs[k], ctx, j + k);
    for (size_t k = 0; k < n; k++)
        inner_body(cs[k], ctx, j + k + WORDS);
}

/* A word, nested repetitions, a word. */
static void outer_body(struct cs *cs, void *ctx, size_t i)
{
    struct inner inner = {i};
    (void)ctx;
    word_gadget(cs, word_of(i, 500));
    cs_repeat(cs, WORDS, inner_body, &inner);
    cs_repeat_together(cs, WORDS, inner_group, &inner);
    word_gadget(cs, word_of(i, 501));
}

/* Two words each, the first of all before the second of any. *ctx grows to the largest group. */
static void group_body(struct cs *const cs[], void *ctx, size_t i, size_t n)
{
    atomic_size_t *largest = ctx;
    for (size_t word = 600; word < 602; word++)
        for (size_t k = 0; k < n; k++)
            word_gadget(cs[k], word_of(i + k, word));
    size_t seen = atomic_load(largest);
    while (n > seen && !atomic_compare_exchange_weak(largest, &seen, n))
        ;
}

/* Returns the size of the largest group. */
static size_t synthesize(struct cs *cs, size_t n)
{
    atomic_size_t largest = 0;
    word_gadget(cs, 12345);
    cs_repeat(cs, n, outer_body, NULL);
    cs_repeat_together(cs, n, group_body, &largest);
    word_gadget(cs, 54321);
    return atomic_load(&largest);
}

/* The words one after the other, without repetition. */
static void reference(struct assignment *out, size_t n)
{
    struct cs cs;
    struct error err;
    cs_init_generic(&cs, CS_CHECK, NULL);
    word_gadget(&cs, 12345);
    for (size_t i = 0; i < n; i++) {
        word_gadget(&cs, word_of(i, 500));
        for (size_t j = 0; j < WORDS; j++)
            word_gadget(&cs, word_of(i, j));
        for (size_t j = 0; j < WORDS; j++) {
            word_gadget(&cs, word_of(i, j));
            word_gadget(&cs, word_of(i, j + WORDS));
        }
        word_gadget(&cs, word_of(i, 501));
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 600; j < 602; j++)
            word_gadget(&cs, word_of(i, j));
    word_gadget(&cs, 54321);
    assert_int_equal(cs_finish(&cs, &err), 0);
    assert_int_equal(cs_take_typed(&cs, out, &err), 0);
    cs_clean_up(&cs);
}

static void assert_same(const struct assignment *x, const struct assignment *y)
{
    char where[300];
    if (!assignment_equal(x, y, where, sizeof where))
        fail_msg("%s", where);
}

/* The first body goes alone. */
static size_t largest_group(size_t n)
{
    if (n < 2)
        return n;
    return n - 1 < CS_GROUP ? n - 1 : CS_GROUP;
}

/* The assignment's memory is used again from run to run, each with other counts. 150 repetitions outgrow the first capacity. */
static void threads_agree(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 150, 9};
    struct assignment native = {0};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct assignment want = {0}, rows = {0};
        struct cs cs;
        struct error err;
        reference(&want, counts[c]);
        cs_init_generic(&cs, CS_GENERIC, NULL);
        synthesize(&cs, counts[c]);
        assert_int_equal(cs_finish(&cs, &err), 0);
        assert_int_equal(cs_take_typed(&cs, &rows, &err), 0);
        assert_same(&rows, &want);
        cs_clean_up(&cs);
        for (unsigned threads = 0; threads <= 4; threads += threads ? threads : 1) {
            struct pool *pool = NULL;
            if (threads > 0)
                assert_int_equal(pool_new(&pool, threads, &err), 0);
            cs_init_native(&cs, &native, pool);
            assert_int_equal(synthesize(&cs, counts[c]), largest_group(counts[c]));
            assert_int_equal(cs_finish(&cs, &err), 0);
            assert_int_equal(cs.num_rows, want.a.len);
            assert_int_equal(cs.num_aux, want.aux.len);
            assert_same(&native, &want);
            cs_clean_up(&cs);
            pool_destroy(pool);
            assignment_reset(&native);
        }
        assignment_clean_up(&want);
        assignment_clean_up(&rows);
    }
    assignment_clean_up(&native);
}

/* ---- faults ---- */

enum fault { MORE_AUX, LESS_ROWS, MORE_INPUTS, LESS_INPUTS, FULL_FOR_SMALL, FAR_TOO_MUCH, FAULTS };

struct faulty {
    enum fault fault;
    size_t at;
};

static void faulty_body(struct cs *cs, void *ctx, size_t i)
{
    const struct faulty *f = ctx;
    int here = i == f->at;
    word_native(cs, word_of(i, 0));
    if (!(here && f->fault == LESS_INPUTS))
        native_input(cs, &FR_ONE);
    if (here && f->fault == MORE_INPUTS)
        native_input(cs, &FR_ONE);
    native_reserve(cs, 2, 1, 1, 0, 0, 0);
    if (here && f->fault == FULL_FOR_SMALL)
        native_put_full(cs, NATIVE_AUX, &FR_ONE);
    else
        native_put_small(cs, NATIVE_AUX, 1);
    if (here && f->fault == MORE_AUX)
        native_put_small(cs, NATIVE_AUX, 1);
    if (!(here && f->fault == LESS_ROWS))
        for (int s = NATIVE_A; s <= NATIVE_C; s++)
            native_put_small(cs, (enum native_stream)s, 1);
    for (int k = 0; here && f->fault == FAR_TOO_MUCH && k < 5000; k++)
        word_native(cs, 7);
}

enum { BODIES = 9 };

static void in_slots(struct cs *cs, struct faulty *f)
{
    cs_repeat(cs, BODIES, faulty_body, f);
}

static void faulty_group(struct cs *const cs[], void *ctx, size_t i, size_t n)
{
    for (size_t k = 0; k < n; k++)
        faulty_body(cs[k], ctx, i + k);
}

static void in_groups(struct cs *cs, struct faulty *f)
{
    cs_repeat_together(cs, BODIES, faulty_group, f);
}

/* Only the last of the outer slots is wrong, and that in one of its own. */
static void outer_of_groups(struct cs *cs, void *ctx, size_t i)
{
    struct faulty f = *(const struct faulty *)ctx;
    if (i != 2)
        f.at = BODIES;
    in_groups(cs, &f);
}

static void in_nested_groups(struct cs *cs, struct faulty *f)
{
    cs_repeat(cs, 3, outer_of_groups, f);
}

static void check_fault(struct pool *pool, void (*repeat)(struct cs *cs, struct faulty *f),
                        size_t bodies, struct faulty f)
{
    struct assignment out = {0};
    struct error err = {0};
    struct cs cs;
    cs_init_native(&cs, &out, pool);
    repeat(&cs, &f);
    word_native(&cs, 3);
    assert_int_equal(cs_finish(&cs, &err), ERR_SOFTWARE);
    assert_string_equal(err.cause, "circuit-bug");
    cs_clean_up(&cs);
    assignment_reset(&out);
    f.at = BODIES;
    cs_init_native(&cs, &out, pool);
    repeat(&cs, &f);
    assert_int_equal(cs_finish(&cs, &err), 0);
    assert_int_equal(out.num_inputs, 1 + bodies * 2);
    assert_int_equal(out.aux.len, bodies * 34);
    cs_clean_up(&cs);
    assignment_clean_up(&out);
}

/* One thread, for a slot that writes too much races with its neighbour before it is found out. */
static void slots_that_differ(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err;
    assert_int_equal(pool_new(&pool, 1, &err), 0);
    for (int fault = 0; fault < FAULTS; fault++)
        for (size_t at = 1; at < BODIES; at += 7) {
            struct faulty f = {(enum fault)fault, at};
            check_fault(pool, in_slots, BODIES, f);
            check_fault(pool, in_groups, BODIES, f);
            check_fault(pool, in_nested_groups, 3 * BODIES, f);
        }
    pool_destroy(pool);
}

static void rows_that_differ(void **state)
{
    (void)state;
    struct assignment out = {0};
    struct cs cs;
    struct error err = {0};
    cs_init_native(&cs, &out, NULL);
    native_reserve(&cs, 0, 1, 0, 0, 0, 0);
    native_put_small(&cs, NATIVE_A, 1);
    assert_int_equal(cs_finish(&cs, &err), ERR_SOFTWARE);
    cs_clean_up(&cs);
    assignment_clean_up(&out);
}

/* Streams that cannot grow, in the middle of a circuit, with and without threads: it runs to its end, and the error is told. */
static void memory_ends(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err;
    assert_int_equal(pool_new(&pool, 2, &err), 0);
    for (int with_pool = 0; with_pool < 2; with_pool++) {
        struct assignment out = {0}, want = {0};
        struct cs cs;
        cs_init_native(&cs, &out, with_pool ? pool : NULL);
        atomic_store(&refuse_growth, 1);
        synthesize(&cs, 150);
        atomic_store(&refuse_growth, 0);
        synthesize(&cs, 150);
        err = (struct error){0};
        assert_int_equal(cs_finish(&cs, &err), ERR_OS);
        assert_string_equal(err.cause, "out-of-memory");
        cs_clean_up(&cs);
        assignment_reset(&out);
        cs_init_native(&cs, &out, with_pool ? pool : NULL);
        synthesize(&cs, 150);
        assert_int_equal(cs_finish(&cs, &err), 0);
        cs_clean_up(&cs);
        reference(&want, 150);
        assert_same(&out, &want);
        assignment_clean_up(&want);
        assignment_clean_up(&out);
    }
    pool_destroy(pool);
}

/* What an outer gadget has reserved stays promised when an inner one asks for more and there is no memory. */
static void promise_survives_failure(void **state)
{
    (void)state;
    struct assignment out = {0};
    struct cs cs;
    struct error err = {0};
    cs_init_native(&cs, &out, NULL);
    native_reserve(&cs, 60000, 0, 1000, 0, 0, 0);
    atomic_store(&refuse_growth, 1);
    native_reserve(&cs, 0, 100000, 0, 0, 0, 2);
    atomic_store(&refuse_growth, 0);
    assert_int_equal(cs.failed, ERR_OS);
    for (int i = 0; i < 60000; i++)
        native_put_small(&cs, NATIVE_AUX, 1);
    for (int i = 0; i < 1000; i++)
        *cs.at[NATIVE_AUX].full++ = FR_ONE;
    for (int i = 0; i < 100000; i++)
        native_put_small(&cs, NATIVE_C, 1);
    for (int s = 0; s < 4; s++) {
        assert_true(cs.at[s].small <= cs.limit[s].small);
        assert_true(cs.at[s].full <= cs.limit[s].full);
    }
    assert_int_equal(cs_finish(&cs, &err), ERR_OS);
    cs_clean_up(&cs);
    assignment_clean_up(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(slots_that_differ),
        cmocka_unit_test(rows_that_differ),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(promise_survives_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
