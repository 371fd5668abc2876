/* Files of vanilla proofs: JSON arrays of base64, and anything else. */
/* ctest: quick */
/* ctest: asan */
#include "vanilla_checks.h"

#include <unistd.h>

static struct vanilla_list parse(const char *text, size_t n)
{
    struct vanilla_list list;
    struct error err;
    assert_done(vanilla_list_parse(&list, text, n, &err), &err);
    return list;
}

static void test_array(void **state)
{
    (void)state;
    static const char text[] = " \n[ \"AAEC\" ,\"\", \"\\/\\/8=\",\n\"YQ==\"]\n ";
    static const uint8_t second[] = {0xff, 0xff};
    struct vanilla_list list = parse(text, strlen(text));
    assert_int_equal(list.len, 4);
    assert_int_equal(list.proofs[0].len, 3);
    assert_memory_equal(list.proofs[0].data, "\0\1\2", 3);
    assert_int_equal(list.proofs[1].len, 0);
    assert_int_equal(list.proofs[2].len, 2);
    assert_memory_equal(list.proofs[2].data, second, 2);
    assert_int_equal(list.proofs[3].len, 1);
    assert_memory_equal(list.proofs[3].data, "a", 1);
    vanilla_list_clean_up(&list);
    list = parse("[]", 2);
    assert_int_equal(list.len, 0);
    vanilla_list_clean_up(&list);
    vanilla_list_clean_up(&list);
}

static void assert_whole(const char *text, size_t n)
{
    struct vanilla_list list = parse(text, n);
    assert_int_equal(list.len, 1);
    assert_int_equal(list.proofs[0].len, n);
    assert_memory_equal(list.proofs[0].data, text, n);
    vanilla_list_clean_up(&list);
}

static void test_anything_else(void **state)
{
    (void)state;
    assert_whole("\x15\0\0\0\0\0\0\0\x0a", 9);
    assert_whole("[\"AA\0A\"]", 8); /* sectors 91 and 8795 begin like lists */
    assert_whole("[\0\0\0\0\0\0\0", 8);
    assert_whole("\"AAEC\"", 6);
    assert_whole("{}", 2);
    assert_whole("  ", 2);
    assert_whole("", 0);
}

static void assert_refused(const char *text, const char *cause, const char *fragment)
{
    struct vanilla_list list;
    struct error err;
    assert_error(vanilla_list_parse(&list, text, strlen(text), &err), &err, ERR_DATA, cause,
                 fragment);
    assert_null(list.arena);
}

static void test_bad_arrays(void **state)
{
    (void)state;
    assert_refused("[\"AAEC\", 7]", "vanilla-json", "a number at byte 10");
    assert_refused("[\"AAEC\", null]", "vanilla-json", "null at byte");
    assert_refused("[true]", "vanilla-json", "a boolean at byte");
    assert_refused("[[\"AAEC\"]]", "vanilla-json", "an array at byte");
    assert_refused("[{\"a\": \"AAEC\"}]", "vanilla-json", "an object at byte");
    assert_refused("[\"AAEC\"] x", "vanilla-json", "malformed JSON at byte");
    assert_refused("[\"AAEC\", \"AA", "vanilla-json", "malformed JSON at byte");
    assert_refused("[\"AAEC\"", "vanilla-json", "malformed JSON at byte");
    assert_refused("[", "vanilla-json", "malformed JSON at byte");
    assert_refused("[\"AAEC\", \"AA*C\"]", "vanilla-base64",
                   "vanilla proof 1: is not base64 at character 2 of 4");
    assert_refused("[\"AAEC\", \"AAE\"]", "vanilla-base64",
                   "vanilla proof 1: is not base64 at character 3 of 3");
    assert_refused("[\"AAF=\"]", "vanilla-base64",
                   "vanilla proof 0: is not base64 at character 2 of 4");
}

static void test_too_many(void **state)
{
    (void)state;
    enum { N = (1 << 20) + 1 };
    char *text = malloc(3 * N + 1);
    assert_non_null(text);
    for (size_t i = 0; i < N; i++)
        memcpy(text + 3 * i + 1, "\"\",", 3);
    text[0] = '[';
    text[3 * N] = ']';
    struct vanilla_list list;
    struct error err;
    assert_error(vanilla_list_parse(&list, text, 3 * N + 1, &err), &err, ERR_DATA,
                 "vanilla-too-many", "more than 1048576 vanilla proofs");
    free(text);
}

static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/cuzk-vanilla-XXXXXX";
    struct vanilla_list list;
    struct error err;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "[\"AAEC\"]", 8), 8);
    assert_done(vanilla_list_read(&list, path, &err), &err);
    assert_int_equal(list.len, 1);
    vanilla_list_clean_up(&list);
    assert_int_equal(write(fd, "]", 1), 1);
    close(fd);
    assert_error(vanilla_list_read(&list, path, &err), &err, ERR_DATA, "vanilla-json", path);
    unlink(path);
    assert_int_equal(vanilla_list_read(&list, path, &err), ERR_NO_INPUT);
    assert_non_null(strstr(err.text, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array),      cmocka_unit_test(test_anything_else),
        cmocka_unit_test(test_bad_arrays), cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
