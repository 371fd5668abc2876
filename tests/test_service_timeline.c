/* ctest: quick asan */
/* What the engine tells as lines and as a trace: stages have a beginning and an end, each partition its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "service/timeline.h"

static void tell(struct timeline *t, const char *event, const char *job, const char *detail)
{
    timeline_event(t, 0, event, job, detail);
}

/* Two partitions of a job and one of another, woven. */
static void weave(struct timeline *t)
{
    tell(t, "submitted", "a", "porep-2k");
    tell(t, "synthesis", "a", "partition 0");
    tell(t, "synthesis", "b", "partition 0");
    tell(t, "synthesis", "a", "partition 1");
    tell(t, "ntt", "a", "partition 0");
    tell(t, "msm", "a", "partition 0");
    tell(t, "verify", "a", "partition 0");
    tell(t, "partition-done", "a", "partition 0");
    tell(t, "partition-failed", "a", "partition 1: cancelled");
    tell(t, "partition-failed", "a", "partition 1: again, and nothing was begun");
}

/* The lines without their milliseconds, which are digits, and without those of a stage. */
static void without_times(char *text)
{
    char *out = text;
    for (const char *c = text; *c != '\0'; c++) {
        *out++ = *c;
        if (strncmp(c, "TIMELINE,", 9) == 0 || strncmp(c, "_ms=", 4) == 0) {
            size_t n = *c == 'T' ? 9 : 4;
            memmove(out, c + 1, n - 1);
            out += n - 1;
            c += n - 1;
            size_t digits = strspn(c + 1, "0123456789");
            assert_in_range(digits, 1, 6);
            c += digits;
        }
    }
    *out = '\0';
}

static void lines(void **state)
{
    struct timeline *t;
    struct error err;
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    (void)state;
    assert_int_equal(timeline_new(&t, f, &err), 0);
    weave(t);
    tell(t, "completed", "x,\ny\x7f", "a, b");
    char *trace = timeline_trace(t, "x,\ny\x7f");
    assert_non_null(trace);
    free(trace);
    fclose(f);
    without_times(text);
    assert_string_equal(text,
                        "TIMELINE,,SUBMITTED,a,porep-2k\n"
                        "TIMELINE,,SYNTH_START,a,partition=0\n"
                        "TIMELINE,,SYNTH_START,b,partition=0\n"
                        "TIMELINE,,SYNTH_START,a,partition=1\n"
                        "TIMELINE,,SYNTH_END,a,partition=0,synth_ms=\n"
                        "TIMELINE,,NTT_START,a,partition=0\n"
                        "TIMELINE,,NTT_END,a,partition=0,ntt_ms=\n"
                        "TIMELINE,,MSM_START,a,partition=0\n"
                        "TIMELINE,,MSM_END,a,partition=0,msm_ms=\n"
                        "TIMELINE,,VERIFY_START,a,partition=0\n"
                        "TIMELINE,,VERIFY_END,a,partition=0,verify_ms=\n"
                        "TIMELINE,,PARTITION_DONE,a,partition 0\n"
                        "TIMELINE,,SYNTH_END,a,partition=1,synth_ms=\n"
                        "TIMELINE,,PARTITION_FAILED,a,partition 1: cancelled\n"
                        "TIMELINE,,PARTITION_FAILED,a,partition 1: again, and nothing was begun\n"
                        "TIMELINE,,COMPLETED,x??y?,a, b\n");
    free(text);
    timeline_destroy(t);
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static void traces(void **state)
{
    struct timeline *t;
    struct error err;
    (void)state;
    assert_int_equal(timeline_new(&t, NULL, &err), 0);
    weave(t);
    char *all = timeline_trace(t, NULL), *a = timeline_trace(t, "a");
    assert_int_equal(count(all, "\"ph\":\"B\""), 6);
    assert_int_equal(count(all, "\"ph\":\"E\""), 5); /* b is still in its synthesis */
    assert_int_equal(count(a, "\"ph\":\"B\""), 5);
    assert_int_equal(count(a, "\"ph\":\"E\""), 5);
    assert_int_equal(count(a, "\"tid\":1,"), 4);
    assert_int_equal(count(a, "process_name"), 2 - 1);
    assert_int_equal(count(a, "\"job\":\"b\""), 0);
    assert_null(timeline_trace(t, "nobody"));
    free(all);
    free(a);
    for (int i = 0; i < 20000; i++) /* the oldest are forgotten */
        tell(t, "submitted", "c", "");
    assert_null(timeline_trace(t, "a"));
    tell(t, "ntt", "a", "partition 0"); /* the end of what is forgotten is not told */
    a = timeline_trace(t, "a");
    assert_int_equal(count(a, "\"ph\":\"E\""), 0);
    free(a);
    timeline_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
