/* ctest: quick */
/* Processes that crash, and what they leave on stderr (R45: a crash names the job, its stage and the build). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pthread.h>
#include <signal.h>

#include <cmocka.h>

#include "base/crash.h"
#include "base/pool.h"

static volatile int *nowhere;

static void write_to_nowhere(void)
{
    *nowhere = 1;
}

static int overflow(volatile int *from)
{
    volatile int here[1000];
    here[0] = *from + 1;
    return here[0] < 0 ? 0 : overflow(here) + here[0];
}

static void overflow_task(void *ctx, size_t i)
{
    (void)ctx;
    if (i > 0)
        (void)overflow(&(volatile int){0});
    else
        sleep(60); /* the calling thread waits: another one takes the other task */
}

/* A pool's thread, whose stack is not the one that crash_install saw. */
static void overflow_in_pool(void)
{
    struct pool *pool;
    struct error err;
    if (pool_new(&pool, 2, &err) == 0)
        pool_run(pool, 2, overflow_task, NULL);
}

static void send_to_itself(void)
{
    kill(getpid(), SIGBUS);
    sleep(1);
}

/* What a child leaves on stderr that dies of that; it must die of that signal. */
static void crash(char *text, size_t size, void (*die)(void), int signo)
{
    int ends[2], status;
    size_t n = 0;
    ssize_t got;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct crash_note first, second, ended;
        dup2(ends[1], STDERR_FILENO);
        crash_install();
        crash_note_begin(&ended, "job ended");
        crash_note_begin(&first, "job a, partition 3 of porep-32g");
        crash_note_begin(&second, "job b");
        second.stage = "msm";
        first.stage = "ntt";
        crash_note_end(&ended);
        die();
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != signo)
        fail_msg("status %x instead of signal %d: %s", status, signo, text);
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no \"%s\" in: %s", part, text);
}

static void reports(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* crash_install leaves crashes to the sanitizer */
#endif
    static const struct {
        void (*die)(void);
        int signo;
        const char *says;
    } ways[] = {{write_to_nowhere, SIGSEGV, "crashed: SIGSEGV at address 0x0, thread "},
                {overflow_in_pool, SIGSEGV, "crashed: SIGSEGV at address 0x"},
                {abort, SIGABRT, "crashed: SIGABRT"},
                {send_to_itself, SIGBUS, "crashed: SIGBUS sent by process "}};
    static char text[20000];
    char id[100];
    (void)state;
    snprintf(id, sizeof id, "\n  build id %s\n", crash_build_id());
    assert_true(strlen(crash_build_id()) >= 16);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        crash(text, sizeof text, ways[i].die, ways[i].signo);
        expect(text, "test_base_crash " CUZK_VERSION);
        expect(text, ways[i].says);
        expect(text, id);
        expect(text, "  under way: job a, partition 3 of porep-32g, stage ntt\n");
        expect(text, "  under way: job b, stage msm\n");
        assert_null(strstr(text, "job ended"));
        expect(text, "test_base_crash("); /* a frame of the backtrace */
    }
}

static void many_notes_are_harmless(void **state)
{
    static struct crash_note many[200];
    (void)state;
    for (size_t i = 0; i < 200; i++)
        crash_note_begin(&many[i], "one of many");
    for (size_t i = 0; i < 200; i++)
        crash_note_end(&many[i]);
    crash_note_begin(&many[0], "again");
    assert_non_null(many[0].place);
    crash_note_end(&many[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports),
        cmocka_unit_test(many_notes_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
