/* ctest: long timeout=1800 */
/* A hundred thousand histories of the engine's decisions, by seed. */
#include "engine_simulator.h"

static void many_seeds(void **state)
{
    static struct sim sim;
    (void)state;
    for (uint64_t seed = 1; seed <= 100000; seed++) {
        const char *violation = sim_run(&sim, seed);
        if (violation)
            fail_msg("seed %u: not true that %s", (unsigned)seed, violation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
