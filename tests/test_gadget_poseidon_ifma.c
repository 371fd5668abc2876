/* The eight-lane Poseidon in plain C, on every machine: the values of all variables of a group of hashes. */
/* ctest: quick */
/* ctest: asan */
#include "circuit_checks.h"

#include "gadget/poseidon.h"
#include "ifma_stand_in.h"

#define poseidon_trace_ifma poseidon_trace_stand_in
#include "gadget/x86_64/poseidon_trace_ifma.c"
#undef poseidon_trace_ifma

enum { HASHES = 8, MAX_VARIABLES = 598 };

struct hash_case {
    const struct poseidon_constants *c;
    struct num in[POSEIDON_MAX_WIDTH];
};

static void hash(struct cs *cs, void *ctx)
{
    struct hash_case *t = ctx;
    poseidon_gadget(cs, t->c, t->in);
}

/* Large elements, and -1, 0 and 1 where i's bits say so. */
static void fill(struct hash_case *t, unsigned i)
{
    static const struct fr *const extreme[] = {&FR_MINUS_ONE, &FR_ZERO, &FR_ONE, NULL};
    for (unsigned k = 0; k < t->c->arity; k++) {
        struct fr *v = &t->in[k].value;
        fr_from_u64(v, 100 * i + k + 2);
        fr_pow_u64(v, v, 1000003);
        if (extreme[i >> k & 3] != NULL)
            *v = *extreme[i >> k & 3];
    }
}

/* n hashes at once against the portable path's one after the other. */
static void check(unsigned arity, enum poseidon_domain domain, size_t n, unsigned seed)
{
    struct hash_case t[HASHES];
    struct fr in[POSEIDON_MAX_WIDTH][HASHES] = {0}, got[HASHES][MAX_VARIABLES], *aux[HASHES];
    for (size_t k = 0; k < n; k++) {
        t[k].c = poseidon_constants(arity, domain);
        fill(&t[k], seed + (unsigned)k);
        for (unsigned i = 0; i < arity; i++)
            in[i][k] = t[k].in[i].value;
        aux[k] = got[k];
    }
    poseidon_trace_stand_in(aux, n, t[0].c, in);
    for (size_t k = 0; k < n; k++) {
        struct assignment want = {0};
        run_native(&want, (struct circuit_under_test){hash, &t[k]}, NULL); /* the portable path */
        for (size_t v = 0; v < want.aux.full_len; v++)
            if (!fr_equal(&got[k][v], &want.aux.full[v]))
                fail_msg("arity %u, hash %zu: variable %zu differs", arity, k, v);
        assignment_clean_up(&want);
    }
}

static void test_stand_in(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 5 * HASHES; seed += HASHES)
        check(8, POSEIDON_MERKLE, HASHES, seed);
    check(8, POSEIDON_MERKLE, 1, 3);
    check(8, POSEIDON_MERKLE, 5, 4);
    check(2, POSEIDON_MERKLE, HASHES, 5);
    check(2, POSEIDON_SNAP, HASHES, 6);
    check(4, POSEIDON_MERKLE, HASHES, 7);
    check(11, POSEIDON_MERKLE, HASHES, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stand_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
