/* ctest: quick asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mapped_file.h"

enum { PAGE = 4096, PAGES = 4 };

static char path[] = "/tmp/cuzk-mapped-XXXXXX";

static void write_file(size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < size; i++)
        fputc((int)(i % 251), file);
    assert_int_equal(fclose(file), 0);
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

struct reader {
    const struct mapped_file *file;
    size_t from, to, sum,
        cut_to; /* cut_to: truncates the file to so many bytes first; 0: leaves it */
};

static void read_range(void *ctx)
{
    struct reader *r = ctx;
    if (r->cut_to)
        assert_int_equal(truncate(path, (off_t)r->cut_to), 0);
    for (size_t i = r->from; i < r->to; i++)
        r->sum += *(const volatile uint8_t *)(r->file->data + i);
}

static void reads_what_the_file_holds(void **state)
{
    (void)state;
    struct error err;
    struct mapped_file file;
    write_file(1000);
    assert_int_equal(mapped_file_init(&file, path, &err), 0);
    assert_int_equal(file.size, 1000);
    assert_string_equal(file.path, path);
    struct reader r = {&file, 0, 1000, 0, 0};
    assert_int_equal(mapped_file_guard(&file, read_range, &r, &err), 0);
    size_t sum = 0;
    for (size_t i = 0; i < 1000; i++)
        sum += i % 251;
    assert_int_equal(r.sum, sum);
    mapped_file_clean_up(&file);
    assert_null(file.data);
    mapped_file_clean_up(&file);
}

static void truncation_fails_the_read_not_the_process(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) { /* the guard works again after it was left */
        struct error err;
        struct mapped_file file;
        write_file(PAGES * PAGE);
        assert_int_equal(mapped_file_init(&file, path, &err), 0);
        struct reader r = {&file, 0, PAGES * PAGE, 0, 2 * PAGE};
        assert_int_equal(mapped_file_guard(&file, read_range, &r, &err), ERR_IO);
        assert_string_equal(err.cause, "file-truncated");
        assert_non_null(strstr(err.text, path));
        assert_non_null(strstr(err.text, "byte 8192"));
        mapped_file_clean_up(&file);
    }
}

/* No SIGBUS here: the rest of the last page reads as zeros. */
static void truncation_within_a_page_is_seen(void **state)
{
    (void)state;
    struct error err;
    struct mapped_file file;
    write_file(PAGE);
    assert_int_equal(mapped_file_init(&file, path, &err), 0);
    struct reader r = {&file, 0, PAGE, 0, PAGE - 100};
    assert_int_equal(mapped_file_guard(&file, read_range, &r, &err), ERR_IO);
    assert_string_equal(err.cause, "file-truncated");
    mapped_file_clean_up(&file);
}

struct nested {
    struct reader inner;
    const struct mapped_file *inner_file;
    struct error err;
    int rc;
    const struct mapped_file *outer_file;
};

static void read_nested(void *ctx)
{
    struct nested *n = ctx;
    n->rc = mapped_file_guard(n->inner_file, read_range, &n->inner, &n->err);
    assert_int_equal(n->outer_file->data[0], 0);
}

static void guards_nest(void **state)
{
    (void)state;
    struct error err;
    struct mapped_file cut, whole;
    write_file(PAGES * PAGE);
    assert_int_equal(mapped_file_init(&cut, path, &err), 0);
    assert_int_equal(mapped_file_init(&whole, "/proc/self/exe", &err), 0);

    /* The inner guard's own file. */
    struct nested n = {
        .inner = {&cut, 0, PAGES * PAGE, 0, PAGE}, .inner_file = &cut, .outer_file = &cut};
    assert_int_equal(mapped_file_guard(&whole, read_nested, &n, &err), 0);
    assert_int_equal(n.rc, ERR_IO);

    /* The outer guard's file, read inside an inner guard of another: the outer one answers. */
    n = (struct nested){
        .inner = {&cut, 0, PAGES * PAGE, 0, 0}, .inner_file = &whole, .outer_file = &cut, .rc = 7};
    assert_int_equal(mapped_file_guard(&cut, read_nested, &n, &err), ERR_IO);
    assert_int_equal(n.rc, 7);
    assert_non_null(strstr(err.text, "byte 4096"));
    mapped_file_clean_up(&cut);
    mapped_file_clean_up(&whole);
}

static void *thread_main(void *arg)
{
    struct error err;
    struct reader *r = arg;
    int rc = mapped_file_guard(r->file, read_range, r, &err);
    return rc == ERR_IO ? NULL : (void *)1;
}

static void every_thread_has_its_own_guard(void **state)
{
    (void)state;
    struct error err;
    struct mapped_file file;
    write_file(PAGES * PAGE);
    assert_int_equal(mapped_file_init(&file, path, &err), 0);
    pthread_t thread[4];
    struct reader r[4];
    for (int i = 0; i < 4; i++) {
        r[i] = (struct reader){&file, 0, PAGES * PAGE, 0, PAGE};
        assert_int_equal(pthread_create(&thread[i], NULL, thread_main, &r[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
    }
    mapped_file_clean_up(&file);
}

static void do_nothing(void *ctx)
{
    (void)ctx;
}

/* A child that reads a truncated mapping outside of any guard; before: how the process handled SIGBUS until then. */
static int status_of_unguarded_read(void (*before)(int))
{
    pid_t child = fork();
    if (child == 0) {
        struct error err;
        struct mapped_file file;
        signal(SIGBUS, before);
        if (mapped_file_init(&file, path, &err) || mapped_file_guard(&file, do_nothing, NULL, &err))
            _exit(1);
        struct reader r = {&file, 0, PAGES * PAGE, 0, PAGE};
        read_range(&r);
        _exit(2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void exit_33(int signo)
{
    (void)signo;
    _exit(33);
}

static void other_faults_go_where_they_went(void **state)
{
    (void)state;
    write_file(PAGES * PAGE);
    int status = status_of_unguarded_read(SIG_DFL);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
    write_file(PAGES * PAGE);
    status = status_of_unguarded_read(exit_33);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 33);
}

static int error_of(const char *name, struct error *err)
{
    struct mapped_file file;
    int rc = mapped_file_init(&file, name, err);
    assert_null(file.data);
    assert_null(file.path);
    return rc;
}

/* The test runner's handler lies over ours between two tests, as another library's may. */
static void takes_its_place_again(void **state)
{
    signal(SIGBUS, exit_33);
    truncation_fails_the_read_not_the_process(state);
}

static void names_what_is_wrong(void **state)
{
    (void)state;
    struct error err;
    assert_int_equal(error_of("/tmp/cuzk-is-not-here", &err), ERR_NO_INPUT);
    assert_string_equal(err.cause, "file-absent");
    assert_non_null(strstr(err.text, "/tmp/cuzk-is-not-here"));
    assert_int_equal(error_of("/tmp", &err), ERR_IO);
    assert_string_equal(err.cause, "file-not-regular");
    assert_int_equal(error_of("/dev/null", &err), ERR_IO);
    write_file(10);
    if (geteuid() != 0) {
        assert_int_equal(chmod(path, 0), 0);
        assert_int_equal(error_of(path, &err), ERR_NO_PERM);
        assert_int_equal(chmod(path, 0600), 0);
    }
}

static void an_empty_file_maps(void **state)
{
    (void)state;
    struct error err;
    struct mapped_file file;
    write_file(0);
    assert_int_equal(mapped_file_init(&file, path, &err), 0);
    assert_int_equal(file.size, 0);
    assert_int_equal(mapped_file_guard(&file, do_nothing, NULL, &err), 0);
    mapped_file_clean_up(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_faults_go_where_they_went),
        cmocka_unit_test(reads_what_the_file_holds),
        cmocka_unit_test(truncation_fails_the_read_not_the_process),
        cmocka_unit_test(truncation_within_a_page_is_seen),
        cmocka_unit_test(guards_nest),
        cmocka_unit_test(every_thread_has_its_own_guard),
        cmocka_unit_test(takes_its_place_again),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(an_empty_file_maps),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
