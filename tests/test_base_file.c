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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temp_names.h"

static char folder[] = "/tmp/cuzk-file-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* Succeeds only if every test removed what it made, temporary files included. */
static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void assert_holds(const char *path, const char *text)
{
    struct error err;
    uint8_t *data;
    size_t n;
    assert_int_equal(file_read(&data, &n, path, 100000, &err), 0);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(data, text, n + 1);
    free(data);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct error err;
    const char *path = in_folder("a");
    assert_int_equal(file_write(path, FILE_KEEP, "hello", 5, &err), 0);
    assert_holds(path, "hello");
    assert_int_equal(file_write(path, FILE_REPLACE, "", 0, &err), 0);
    assert_holds(path, "");
    char *longer = malloc(50001);
    memset(longer, 'y', 50000);
    longer[50000] = 0;
    assert_int_equal(file_write(path, FILE_REPLACE, longer, 50000, &err), 0);
    assert_holds(path, longer);
    free(longer);
    assert_int_equal(unlink(path), 0);
}

static void refuses_to_replace(void **state)
{
    (void)state;
    struct error err;
    const char *path = in_folder("b");
    struct output_file file;
    assert_int_equal(output_file_init(&file, path, FILE_KEEP, &err), 0);
    assert_int_equal(output_file_write(&file, "mine", 4, &err), 0);
    /* Someone else is faster. */
    assert_int_equal(file_write(path, FILE_KEEP, "theirs", 6, &err), 0);
    assert_int_equal(output_file_commit(&file, &err), ERR_CANT_CREATE);
    assert_string_equal(err.cause, "file-exists");
    output_file_clean_up(&file);
    assert_int_equal(file_write(path, FILE_KEEP, "mine", 4, &err), ERR_CANT_CREATE);
    assert_string_equal(err.cause, "file-exists");
    assert_holds(path, "theirs");
    assert_int_equal(unlink(path), 0);
}

static void uncommitted_files_disappear(void **state)
{
    (void)state;
    struct error err;
    const char *path = in_folder("c");
    struct output_file file;
    assert_int_equal(output_file_init(&file, path, FILE_REPLACE, &err), 0);
    assert_int_equal(output_file_write(&file, "half", 4, &err), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(file.temp_path, F_OK), file.nameless ? -1 : 0);
    output_file_clean_up(&file);
    output_file_clean_up(&file);
    assert_int_equal(access(path, F_OK), -1);
}

static void devices_are_written_directly(void **state)
{
    (void)state;
    struct error err;
    struct stat st;
    assert_int_equal(file_write("/dev/null", FILE_KEEP, "x", 1, &err), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(file_write("/dev/full", FILE_KEEP, "x", 1, &err), ERR_IO);
    assert_string_equal(err.cause, "disk-full");
}

static void names_what_is_wrong(void **state)
{
    (void)state;
    struct error err;
    uint8_t *data = (uint8_t *)1;
    size_t n;
    assert_int_equal(file_read(&data, &n, in_folder("absent"), 10, &err), ERR_NO_INPUT);
    assert_null(data);
    assert_non_null(strstr(err.text, "/absent"));
    assert_int_equal(file_read(&data, &n, folder, 10, &err), ERR_IO);
    assert_int_equal(file_write(in_folder("no/folder"), FILE_KEEP, "x", 1, &err), ERR_CANT_CREATE);
    assert_int_equal(file_write(folder, FILE_REPLACE, "x", 1, &err), ERR_CANT_CREATE);

    const char *path = in_folder("d");
    assert_int_equal(file_write(path, FILE_KEEP, "0123456789", 10, &err), 0);
    assert_int_equal(file_read(&data, &n, path, 9, &err), ERR_DATA);
    assert_string_equal(err.cause, "file-too-long");
    assert_null(data);
    assert_int_equal(file_read(&data, &n, path, 10, &err), 0);
    assert_int_equal(n, 10);
    free(data);
    assert_int_equal(unlink(path), 0);
}

static void *feed_pipe(void *arg)
{
    int fd = *(int *)arg;
    for (int i = 0; i < 1000; i++)
        if (write(fd, "0123456789", 10) != 10)
            break;
    close(fd);
    return NULL;
}

static void pipes_are_read_to_their_end(void **state)
{
    (void)state;
    int end[2];
    assert_int_equal(pipe(end), 0);
    pthread_t feeder;
    assert_int_equal(pthread_create(&feeder, NULL, feed_pipe, &end[1]), 0);
    char path[40];
    snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    struct error err;
    uint8_t *data;
    size_t n;
    assert_int_equal(file_read(&data, &n, path, 20000, &err), ERR_IO);
    assert_string_equal(err.cause, "file-not-regular");
    assert_int_equal(file_read_stream(&data, &n, path, 10000, &err), 0);
    assert_int_equal(n, 10000);
    free(data);
    pthread_join(feeder, NULL);
    close(end[0]);
}

/* Not one of these waits: a test that hangs fails by its timeout. */
static void what_is_no_file_is_refused_by_what_it_is(void **state)
{
    (void)state;
    struct error err;
    struct output_file file;
    uint8_t *data;
    size_t n;
    const char *path = in_folder("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_read(&data, &n, path, 10, &err), ERR_IO);
    assert_non_null(strstr(err.text, "/fifo: is a pipe, not a regular file"));
    assert_int_equal(file_read_stream(&data, &n, path, 10, &err), ERR_IO);
    assert_string_equal(err.cause, "pipe-without-writer");
    assert_int_equal(output_file_init(&file, path, FILE_REPLACE, &err), ERR_CANT_CREATE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_read(&data, &n, "/dev/zero", 10, &err), ERR_IO);
    assert_non_null(strstr(err.text, "/dev/zero: is a character device"));
    assert_int_equal(file_read_stream(&data, &n, "/dev/zero", 10, &err), ERR_IO);
    assert_int_equal(file_read(&data, &n, folder, 10, &err), ERR_IO);
    assert_non_null(strstr(err.text, ": is a directory"));
    assert_null(data);
}

/* It leaves nothing, keeps what is there, and does not open a pipe: this one would refuse, and a reader would see an end. */
static void an_output_is_checked_before_it_is_made(void **state)
{
    (void)state;
    struct error err;
    const char *path = in_folder("later");
    assert_int_equal(output_file_check(path, FILE_REPLACE, &err), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(file_write(path, FILE_KEEP, "old", 3, &err), 0);
    assert_int_equal(output_file_check(path, FILE_REPLACE, &err), 0);
    assert_int_equal(output_file_check(path, FILE_KEEP, &err), ERR_CANT_CREATE);
    assert_string_equal(err.cause, "file-exists");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 3);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(output_file_check(in_folder("none/x"), FILE_REPLACE, &err), ERR_CANT_CREATE);
    path = in_folder("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(output_file_check(path, FILE_REPLACE, &err), 0);
    assert_int_equal(unlink(path), 0);
}

static void a_pipe_has_a_limit_too(void **state)
{
    (void)state;
    struct error err;
    uint8_t *data;
    size_t n;
    int end[2];
    char path[40];
    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], "0123456789", 10), 10);
    snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
    assert_int_equal(file_read_stream(&data, &n, path, 9, &err), ERR_DATA);
    assert_string_equal(err.cause, "file-too-long");
    close(end[1]); /* a writer was there: an empty input, no error */
    assert_int_equal(file_read_stream(&data, &n, path, 9, &err), 0);
    assert_int_equal(n, 0);
    free(data);
    close(end[0]);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void links_stay_and_so_do_modes(void **state)
{
    (void)state;
    struct error err;
    struct stat st;
    char target[200], link[200];
    strcpy(target, in_folder("target"));
    strcpy(link, in_folder("link"));
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(file_write(link, FILE_KEEP, "new", 3, &err), 0); /* led nowhere */
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(file_write(link, FILE_KEEP, "more", 4, &err), ERR_CANT_CREATE);
    assert_int_equal(file_write(link, FILE_REPLACE, "more", 4, &err), 0);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_holds(target, "more");
    assert_int_equal(mode_of(target), 0640);
    assert_int_equal(unlink(target), 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("link", link), 0);
    assert_int_equal(file_write(link, FILE_REPLACE, "x", 1, &err), ERR_CANT_CREATE);
    assert_int_equal(unlink(link), 0);
}

/* As with > FILE and >> FILE: the file is not replaced, for the shell's descriptor leads to this one. */
static void standard_output_is_written_where_it_stands(void **state)
{
    (void)state;
    struct error err;
    const char *path = in_folder("out");
    int saved = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(saved >= 0 && fd >= 0);
    assert_int_equal(write(fd, "before ", 7), 7);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    int rc = file_write("/proc/self/fd/1", FILE_REPLACE, "after", 5, &err);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(rc, 0);
    assert_holds(path, "before after");
    assert_int_equal(unlink(path), 0);
}

static void a_lock_that_was_removed_is_not_removed_again(void **state)
{
    (void)state;
    struct error err;
    struct file_lock lock, other;
    const char *path = in_folder("lock");
    assert_int_equal(file_lock_init(&lock, path, &err), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_lock_init(&other, path, &err), 0);
    file_lock_clean_up(&lock);
    assert_int_equal(file_lock_init(&lock, path, &err), ERR_TEMP_FAIL);
    file_lock_clean_up(&other);
    assert_int_equal(access(path, F_OK), -1);
}

static void one_holds_a_lock(void **state)
{
    (void)state;
    struct error err;
    struct file_lock lock, other;
    const char *path = in_folder("lock");
    assert_int_equal(file_write(path, FILE_KEEP, "", 0, &err), 0); /* a killed holder left it */
    assert_int_equal(file_lock_init(&lock, path, &err), 0);
    assert_int_equal(file_lock_init(&other, path, &err), ERR_TEMP_FAIL);
    assert_string_equal(err.cause, "file-locked");
    file_lock_clean_up(&other);
    file_lock_clean_up(&lock);
    file_lock_clean_up(&lock);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(file_lock_init(&lock, path, &err), 0);
    pid_t child = fork();
    if (child == 0) { /* as when a signal comes */
        temp_names_unlink();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(access(path, F_OK), -1);
    file_lock_clean_up(&lock);
}

static void a_file_is_blamed_once(void **state)
{
    (void)state;
    struct error err;
    error_set(&err, ERR_DATA, "x", "byte 7");
    file_blame(&err, NULL);
    assert_string_equal(err.text, "byte 7");
    file_blame(&err, "a\nb");
    file_blame(&err, "a\nb");
    assert_string_equal(err.text, "a\\x0ab: byte 7");
    error_set(&err, ERR_DATA, "x", "byte 7");
    file_blame(&err, "-");
    assert_string_equal(err.text, "standard input: byte 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(refuses_to_replace),
        cmocka_unit_test(uncommitted_files_disappear),
        cmocka_unit_test(devices_are_written_directly),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(pipes_are_read_to_their_end),
        cmocka_unit_test(what_is_no_file_is_refused_by_what_it_is),
        cmocka_unit_test(an_output_is_checked_before_it_is_made),
        cmocka_unit_test(a_pipe_has_a_limit_too),
        cmocka_unit_test(links_stay_and_so_do_modes),
        cmocka_unit_test(standard_output_is_written_where_it_stands),
        cmocka_unit_test(one_holds_a_lock),
        cmocka_unit_test(a_lock_that_was_removed_is_not_removed_again),
        cmocka_unit_test(a_file_is_blamed_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
