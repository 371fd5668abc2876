/* ctest: quick */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/text.h"

static void sets_code_cause_and_text(void **state)
{
    (void)state;
    struct error err;
    assert_int_equal(error_set(&err, ERR_DATA, "c1-truncated", "byte %d of %s", 7, "c1.json"), -65);
    assert_int_equal(err.code, ERR_DATA);
    assert_string_equal(err.cause, "c1-truncated");
    assert_string_equal(err.text, "byte 7 of c1.json");
}

static void prefix_goes_before_the_text(void **state)
{
    (void)state;
    struct error err;
    error_set(&err, ERR_IO, "disk-full", "write failed");
    assert_int_equal(error_prefix(&err, "partition %d", 3), ERR_IO);
    assert_string_equal(err.text, "partition 3: write failed");
    assert_string_equal(err.cause, "disk-full");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    struct error err;
    char longer[2 * sizeof err.text];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    error_set(&err, ERR_IO, "long", "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    error_prefix(&err, "head");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "head: xxx", 9);
    error_prefix(&err, "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "xxx", 3);
}

static void what_comes_from_outside_is_printable(void **state)
{
    (void)state;
    struct error err;
    error_set(&err, ERR_NO_INPUT, "file-absent", "%s: no",
              "a\x1b[31m\nb\x7f\xc2\x9b\xff\xc3\xa9\xe2\x82");
    assert_string_equal(err.text, "a\\x1b[31m\\x0ab\\x7f\\xc2\\x9b\\xff\xc3\xa9\\xe2\\x82: no");
    error_prefix(&err, "%s", "\t");
    assert_memory_equal(err.text, "\\x09: a\\x1b[31m", 14);
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    char out[6];
    assert_string_equal(text_printable(out, sizeof out, "abcd\n"), "abcd");
    assert_string_equal(text_printable(out, sizeof out, "a\n!"), "a\\x0a");
    assert_string_equal(text_printable(out, sizeof out, "abcd\xc3\xa9"), "abcd");
    assert_string_equal(text_printable(out, 1, "a"), "");
    char wide[16];
    assert_string_equal(text_printable(wide, sizeof wide, "\xe2\x80\xae!"), "\\xe2\\x80\\xae!");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_code_cause_and_text),
        cmocka_unit_test(prefix_goes_before_the_text),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(what_comes_from_outside_is_printable),
        cmocka_unit_test(text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
