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
}

static void assert_refused(const char *text, const char *cause, const char *fragment)
{
    struct vanilla_list list;
    struct error err;
    assert_error(vanilla_list_parse(&list, text, strlen(text), &err), &err, ERR_DATA, cause,
                 fragment);
    assert_null(list.arena);
}

/* Text has no zeros, so it is no proof as it is. */
static void test_other_text(void **state)
{
    (void)state;
    char hex[71];
    memset(hex, 'a', sizeof hex - 1);
    memcpy(hex, " \n0x7", 5);
    memcpy(hex + sizeof hex - 2, "\n", 2);
    assert_refused("", "vanilla-empty", "the file is empty; expected a JSON array of base64");
    assert_refused(" \n", "vanilla-json", "byte 2: nothing but white space; expected a JSON array");
    assert_refused("{}", "vanilla-json", "byte 0: { instead of [; expected a JSON array");
    assert_refused("\n \"AAEC\"", "vanilla-json", "byte 2: \" instead of [");
    assert_refused("null", "vanilla-json", "byte 0: n instead of [");
    assert_refused("\xef\xbb\xbf[]", "vanilla-json", "byte 0: 0xef instead of [");
    assert_refused(hex, "vanilla-json", "byte 2: hexadecimal digits; expected a JSON array");
}

static void test_bad_arrays(void **state)
{
    (void)state;
    assert_refused("[\"AAEC\", 7]", "vanilla-json",
                   "element 1 (byte 10): a number; expected a JSON array of base64 strings");
    assert_refused("[\"AAEC\", null]", "vanilla-json", "element 1 (byte 13): null; expected");
    assert_refused("[true]", "vanilla-json", "element 0 (byte 5): a boolean; expected");
    assert_refused("[[\"AAEC\"]]", "vanilla-json", "element 0 (byte 2): an array; expected");
    assert_refused("[{\"a\": \"AAEC\"}]", "vanilla-json",
                   "element 0 (byte 2): an object; expected");
    assert_refused("[\"AAEC\"] x", "vanilla-json", "element 1 (byte 10): malformed JSON; expected");
    assert_refused("[\"AAEC\", \"AA", "vanilla-json",
                   "element 1 (byte 12): the file ends here, inside the array; expected");
    assert_refused("[\"AAEC\"", "vanilla-json", "element 1 (byte 7): the file ends here");
    assert_refused("[", "vanilla-json", "element 0 (byte 1): the file ends here");
    assert_refused("[\"AAEC\", \"AA*C\"]", "vanilla-base64",
                   "vanilla proof 1: is not base64 at character 2 of 4");
    assert_refused("[\"AAEC\", \"AAE\"]", "vanilla-base64",
                   "vanilla proof 1: 3 characters of base64; expected a multiple of 4");
    assert_refused("[\"AAF=\"]", "vanilla-base64",
                   "vanilla proof 0: is not base64 at character 2 of 4");
}

/* Hexadecimal digits would be base64, too. Zeros in base64 are hexadecimal digits. */
static void test_hex(void **state)
{
    (void)state;
    char text[80];
    snprintf(text, sizeof text, "[\"AAEC\",\"%064d\"]", 0);
    assert_refused(text, "vanilla-base64", "vanilla proof 1: hexadecimal digits; expected base64");
    snprintf(text, sizeof text, "[\"0x%064d\"]", 0);
    assert_refused(text, "vanilla-base64", "vanilla proof 0: hexadecimal digits");
    snprintf(text, sizeof text, "[\"%060d\"]", 0);
    struct vanilla_list list = parse(text, strlen(text));
    vanilla_list_clean_up(&list);
    memset(text + 2, 'A', 60);
    memcpy(text + 62, "AAAA\"]", 7);
    list = parse(text, strlen(text));
    assert_int_equal(list.proofs[0].len, 48);
    vanilla_list_clean_up(&list);
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
        cmocka_unit_test(test_other_text), cmocka_unit_test(test_bad_arrays),
        cmocka_unit_test(test_hex),        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
