/* ctest: quick asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

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
    assert_int_equal(file_read(&data, &n, path, 10000, &err), 0);
    assert_int_equal(n, 10000);
    free(data);
    pthread_join(feeder, NULL);
    close(end[0]);
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
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
