/* Synthetic snap proofs in the largest circuits, and how fast a window PoSt of 32 GiB sectors is synthesised. */
/* ctest: long timeout=3600 */
#include "synthetic_circuits.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "field/field.h"

/* One challenge of a partition: apex and a challenge of the circuit, every row. */
static void test_snap_32gib(void **state)
{
    (void)state;
    struct synthetic_update s = {.partition = 9};
    struct cs cs;
    struct error err;
    struct assignment native = {0}, typed = {0};
    make_update(&s, 3, 1, NULL);
    struct circuit_under_test circuit = {synthesize_update, &s};
    run_native(&native, circuit, NULL);
    cs_init_generic(&cs, CS_CHECK, NULL);
    synthesize_update(&cs, &s);
    assert_ok(cs_finish(&cs, &err), &err);
    /* One digest of 568 rows instead of ten is drawn from; public inputs have a row each. */
    assert_int_equal(cs.num_rows, 5951289 + 873235 - 9 * 568 + 5);
    assert_ok(cs_take_typed(&cs, &typed, &err), &err);
    assert_same(&native, &typed);
    cs_clean_up(&cs);
    assignment_clean_up(&native);
    assignment_clean_up(&typed);
    update_vanilla_clean_up(&s.v);
}

/* ---- Speed ---- */

enum { SECTORS = 24, ROUNDS = 5 };

static double rate(uint64_t rows, uint64_t cpu_ns)
{
    return (double)rows * 1e9 / (double)cpu_ns;
}

/* CPU time of one native synthesis, the least of some: the first meets cold memory. */
static uint64_t native_ns(struct assignment *w, struct circuit_under_test circuit)
{
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < ROUNDS; i++) {
        assignment_reset(w);
        uint64_t began = clock_process_cpu_ns();
        run_native(w, circuit, NULL);
        uint64_t took = clock_process_cpu_ns() - began;
        best = took < best ? took : best;
    }
    return best;
}

static uint64_t generic_ns(struct assignment *w, struct circuit_under_test circuit)
{
    struct cs cs;
    struct error err;
    uint64_t began = clock_process_cpu_ns();
    cs_init_generic(&cs, CS_GENERIC, NULL);
    circuit.synthesize(&cs, circuit.ctx);
    assert_ok(cs_finish(&cs, &err), &err);
    uint64_t took = clock_process_cpu_ns() - began;
    assert_ok(cs_take_typed(&cs, w, &err), &err);
    cs_clean_up(&cs);
    return took;
}

/* Time of a multiplication by itself, where eight don't wait for one another. */
static double multiplication_ns(void)
{
    enum { N = 1 << 17, CHAINS = 8 };
    struct fr x[CHAINS], y;
    fr_from_u64(&y, 5);
    for (unsigned c = 0; c < CHAINS; c++)
        fr_from_u64(&x[c], c + 3);
    uint64_t began = clock_process_cpu_ns();
    for (unsigned i = 0; i < N; i++)
        for (unsigned c = 0; c < CHAINS; c++)
            fr_mul(&x[c], &x[c], &y);
    uint64_t took = clock_process_cpu_ns() - began;
    for (unsigned c = 0; c < CHAINS; c++)
        assert_false(fr_is_zero(&x[c]));
    return (double)took / (N * CHAINS);
}

/* Printed; what is asserted is that both give the same. */
static void test_window_32gib(void **state)
{
    (void)state;
    struct synthetic_post s;
    struct assignment native = {0}, generic = {0};
    make_post(&s, 13, SECTORS, NULL);
    struct circuit_under_test circuit = {synthesize_post, &s};
    uint64_t native_took = native_ns(&native, circuit), lc_took = generic_ns(&generic, circuit);
    assert_same(&native, &generic);
    uint64_t rows = native.a.len, floor = post_multiplications(&s.post);
    double floor_ns = (double)floor * multiplication_ns();
    print_message(
        "cpu path %s, window 32GiB, %d sectors, %llu rows: native %.0f rows per core-second, lc "
        "%.0f: "
        "%.1f times\n",
        cpu_path_name(cpu_path()), SECTORS, (unsigned long long)rows, rate(rows, native_took),
        rate(rows, lc_took), (double)lc_took / (double)native_took);
    print_message(
        "%llu field multiplications, by themselves %.1f ms; native takes %.1f ms, "
        "%.2f times\n",
        (unsigned long long)floor, floor_ns / 1e6, (double)native_took / 1e6,
        (double)native_took / floor_ns);
    assignment_clean_up(&native);
    assignment_clean_up(&generic);
    post_vanilla_clean_up(&s.v);
}

static int start(void **state)
{
    struct error err;
    (void)state;
    assert_ok(cpu_init(&err), &err);
    field_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snap_32gib),
        cmocka_unit_test(test_window_32gib),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
