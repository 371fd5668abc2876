/* ctest: quick asan */
/* A thousand histories of the engine's decisions, by seed; and rules that are broken on purpose, to see that they are found. */
#include "engine_simulator.h"

/* The scheduler itself, with places where a mutant changes one rule. */
enum mutant {
    SOUND,
    YOUNGEST_FIRST,
    PRIORITY_IGNORED,
    LEASE_UNCHECKED,
    LEASE_KEPT,
    ATTACHES_NEVER,
    MUTANTS
};
static enum mutant mutant;

static int mutant_before(const struct job *a, const struct job *b)
{
    if (mutant == YOUNGEST_FIRST)
        return a->priority != b->priority ? a->priority > b->priority : a->seq > b->seq;
    if (mutant == PRIORITY_IGNORED)
        return a->seq < b->seq;
    return job_before(a, b);
}

static int mutant_fits(const struct budget *b, uint64_t bytes, uint64_t ahead,
                       enum budget_claim claim)
{
    return mutant == LEASE_UNCHECKED || budget_fits(b, bytes, ahead, claim);
}

static void mutant_lease(struct budget *b, uint64_t bytes, enum budget_claim claim)
{
    if (mutant == LEASE_UNCHECKED)
        b->used += bytes;
    else
        budget_lease(b, bytes, claim);
}

static void mutant_release(struct budget *b, uint64_t bytes)
{
    if (mutant != LEASE_KEPT)
        budget_release(b, bytes);
}

static struct job *mutant_same(const struct jobs *jobs, const uint8_t hash[JOB_HASH_BYTES])
{
    return mutant == ATTACHES_NEVER ? NULL : jobs_same_input(jobs, hash);
}

#define job_before mutant_before
#define budget_fits mutant_fits
#define budget_lease mutant_lease
#define budget_release mutant_release
#define jobs_same_input mutant_same
#include "engine/scheduler.c"

static void a_thousand_seeds(void **state)
{
    static struct sim sim;
    unsigned completed = 0, failed = 0, cancelled = 0, crashes = 0, refused = 0, attached = 0,
             evictions = 0;
    (void)state;
    mutant = SOUND;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        const char *violation = sim_run(&sim, seed);
        if (violation)
            fail_msg("seed %u: not true that %s", (unsigned)seed, violation);
        completed += sim.completed;
        failed += sim.failed;
        cancelled += sim.cancelled;
        crashes += sim.crashes;
        refused += sim.refused;
        attached += sim.attached;
        evictions += sim.evictions;
    }
    print_message(
        "%u completed, %u failed, %u cancelled, %u crashes, %u refused, %u attached, %u "
        "unloaded\n",
        completed, failed, cancelled, crashes, refused, attached, evictions);
    assert_true(completed > 5000 && failed > 500 && cancelled > 500 && crashes > 500);
    assert_true(refused > 500 && attached > 500 && evictions > 500);
}

static void broken_rules_are_found(void **state)
{
    static struct sim sim;
    (void)state;
    for (mutant = YOUNGEST_FIRST; mutant < MUTANTS; mutant++) {
        const char *found = NULL;
        for (uint64_t seed = 1; seed <= 200 && !found; seed++)
            found = sim_run(&sim, seed);
        if (!found)
            fail_msg("mutant %d was not found", mutant);
        print_message("mutant %d: not true that %s\n", mutant, found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_seeds),
        cmocka_unit_test(broken_rules_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
