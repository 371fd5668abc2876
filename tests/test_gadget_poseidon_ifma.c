/* The eight-lane Poseidon in plain C, on every machine: the values of all variables of a hash, row by row. */
/* ctest: quick */
/* ctest: asan */
#include "circuit_checks.h"

#include "gadget/poseidon.h"
#include "ifma_stand_in.h"

#define poseidon_trace8_ifma poseidon_trace8_stand_in
#include "gadget/x86_64/poseidon_trace_ifma.c"
#undef poseidon_trace8_ifma

enum { HASHES = 40, VARIABLES = 505 };

struct hash_case {
    struct num in[8];
};

static void hash(struct cs *cs, void *ctx)
{
    struct hash_case *t = ctx;
    poseidon_gadget(cs, poseidon_constants(8, POSEIDON_MERKLE), t->in);
}

/* Large elements, and -1, 0 and 1 where i's bits say so. */
static void fill(struct hash_case *t, unsigned i)
{
    static const struct fr *const extreme[] = {&FR_MINUS_ONE, &FR_ZERO, &FR_ONE, NULL};
    for (unsigned k = 0; k < 8; k++) {
        struct fr *v = &t->in[k].value;
        fr_from_u64(v, 100 * i + k + 2);
        fr_pow_u64(v, v, 1000003);
        if (extreme[i >> k & 3] != NULL)
            *v = *extreme[i >> k & 3];
    }
}

static void test_stand_in(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HASHES; i++) {
        struct hash_case t;
        struct assignment want = {0};
        struct fr in[8], got[VARIABLES];
        fill(&t, i);
        for (unsigned k = 0; k < 8; k++)
            in[k] = t.in[k].value;
        run_native(&want, (struct circuit_under_test){hash, &t}, NULL); /* the portable path */
        poseidon_trace8_stand_in(got, poseidon_constants(8, POSEIDON_MERKLE), in);
        assert_int_equal(want.aux.full_len, VARIABLES);
        for (size_t v = 0; v < VARIABLES; v++)
            if (!fr_equal(&got[v], &want.aux.full[v]))
                fail_msg("hash %u: variable %zu differs", i, v);
        assignment_clean_up(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stand_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
