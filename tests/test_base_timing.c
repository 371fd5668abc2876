/* CUZK_TIMING's lines, and hardware counters where the machine has them. */
/* ctest: quick asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/perf_counters.h"
#include "base/timing.h"

/* What timing_phase writes to a stderr that is a file. */
static void capture(char *text, size_t size, const char *setting, int partition)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    if (setting != NULL)
        setenv("CUZK_TIMING", setting, 1);
    else
        unsetenv("CUZK_TIMING");
    timing_phase("synthesis", partition, 253104567);
    /* Not flushed: it must be there already. */
    ssize_t n = pread(fileno(file), text, size - 1, 0);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    fclose(file);
    assert_true(n >= 0);
    text[n] = 0;
}

static void phases_are_lines(void **state)
{
    char text[200];
    (void)state;
    capture(text, sizeof text, "1", 3);
    assert_string_equal(text, "CUZK_TIMING: synthesis_ms=253.105 partition=3\n");
    capture(text, sizeof text, "1", TIMING_NO_PARTITION);
    assert_string_equal(text, "CUZK_TIMING: synthesis_ms=253.105\n");
    capture(text, sizeof text, "0", 3);
    assert_string_equal(text, "");
    capture(text, sizeof text, NULL, 3);
    assert_string_equal(text, "");
}

static void counters_count_or_say_no(void **state)
{
    struct perf_counters c;
    uint64_t before[PERF_COUNTERS], after[PERF_COUNTERS];
    volatile uint64_t sum = 0;
    (void)state;
    perf_counters_open(&c);
    perf_counters_read(before, &c);
    for (uint64_t i = 0; i < 1000000; i++)
        sum += i;
    perf_counters_read(after, &c);
    assert_int_equal(sum, UINT64_C(499999500000));
    for (int i = 0; i < PERF_COUNTERS; i++) {
        assert_true(strlen(perf_counter_name(i)) > 0);
        if (c.fd[i] < 0) {
            assert_true(before[i] == PERF_UNSUPPORTED && after[i] == PERF_UNSUPPORTED);
        } else if (after[i] != PERF_UNSUPPORTED && i == PERF_INSTRUCTIONS) {
            assert_true(after[i] >= 1000000);
        }
    }
    perf_counters_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(phases_are_lines),
                                       cmocka_unit_test(counters_count_or_say_no)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
