/* ctest: quick asan */
/* What arrives instead of a message is refused before it costs memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "service/wire.h"

enum { FIELDS_MOST = 65536 };
static const ProtobufCMessageDescriptor *const submit = &cuzk__v1__submit_proof_request__descriptor;
static const ProtobufCMessageDescriptor *const prove = &cuzk__v1__prove_request__descriptor;

/* Unpacks a copy that ends with its last byte, which a sanitizer watches over. */
static ProtobufCMessage *unpack(const ProtobufCMessageDescriptor *type, const void *data, size_t n,
                                struct cuzk_error *err)
{
    uint8_t *copy = malloc(n);
    assert_non_null(copy);
    memcpy(copy, data, n);
    ProtobufCMessage *m = wire_unpack(type, copy, n, err);
    free(copy);
    return m;
}

static void refuse(const ProtobufCMessageDescriptor *type, const void *data, size_t n,
                   const char *cause)
{
    struct cuzk_error err = {0};
    assert_null(unpack(type, data, n, &err));
    assert_int_equal(err.status, CUZK_INVALID_ARGUMENT);
    assert_string_equal(err.cause, cause);
}

static void accept(const ProtobufCMessageDescriptor *type, const void *data, size_t n)
{
    struct cuzk_error err = {0};
    ProtobufCMessage *m = unpack(type, data, n, &err);
    if (m == NULL)
        fail_msg("%s", err.message);
    protobuf_c_message_free_unpacked(m, NULL);
}

/* A field that the type lacks, and one that repeats, n times each. */
static void test_fields_are_counted(void **state)
{
    (void)state;
    static const uint8_t pairs[2][2] = {{0x30, 0}, {0x5a, 0}};
    static uint8_t data[2 * FIELDS_MOST + 2];
    for (int i = 0; i < 2; i++) {
        for (size_t at = 0; at < sizeof data; at += 2)
            memcpy(data + at, pairs[i], 2);
        accept(submit, data, sizeof data - 2);
        refuse(submit, data, sizeof data, "message-fields");
    }
}

/* The inner message's count too, and each field that carries one. */
static void test_inner_fields_are_counted(void **state)
{
    (void)state;
    enum { INNER = FIELDS_MOST / 2 };
    static uint8_t data[2 * (4 + 2 * INNER)];
    for (uint8_t *half = data; half < data + sizeof data; half += sizeof data / 2) {
        memcpy(half, "\x0a\x80\x80\x04", 4); /* submit, 65536 bytes */
        for (size_t at = 0; at < INNER; at++)
            memcpy(half + 4 + 2 * at, "\x30\x00", 2);
    }
    accept(prove, data, sizeof data / 2);
    refuse(prove, data, sizeof data, "message-fields");
}

static void test_strings_are_utf8(void **state)
{
    (void)state;
    static const char *const good[] = {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    static const char *const bad[] = {
        "\xff\xfe",         "a\xc3",        "\xe2\x82", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xf0\x9f\x98", "\xc0\x80"};
    char message[16] = "\x0a";
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        message[1] = (char)strlen(good[i]);
        strcpy(message + 2, good[i]);
        accept(submit, message, 2 + strlen(good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        message[1] = (char)strlen(bad[i]);
        strcpy(message + 2, bad[i]);
        refuse(submit, message, 2 + strlen(bad[i]), "field-text");
    }
    refuse(submit,
           "\x0a\x03"
           "a\0b",
           5, "field-text");
    refuse(prove,
           "\x0a\x05\x0a\x03"
           "a\0b",
           7, "field-text");
}

/* Each cut of each, and what protobuf-c would refuse or not. */
static void test_malformed(void **state)
{
    (void)state;
    static const char whole[] =
        "\x0a\x02id\x18\xac\x02\x31"
        "12345678"
        "\x35"
        "1234\x5a\x01x";
    static const char *const bad[] = {
        "\x0b",
        "\x0c",
        "\x0e",
        "\x0f",                                             /* groups, and no wire types */
        "\x80\x80\x80\x80\x80\x01",                         /* a tag of 6 bytes */
        "\x5a\xff\xff\xff\xff\x0f",                         /* 4 GiB of it */
        "\x5a\x80\x80\x80\x80\x80\x01",                     /* a length of 6 bytes */
        "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", /* a number of 11 */
    };
    size_t n = sizeof whole - 1, taken = 0;
    for (size_t cut = 1; cut <= n; cut++) {
        struct cuzk_error err = {0};
        ProtobufCMessage *theirs =
            protobuf_c_message_unpack(submit, NULL, cut, (const uint8_t *)whole);
        ProtobufCMessage *ours = unpack(submit, whole, cut, &err);
        assert_int_equal(theirs == NULL, ours == NULL);
        taken += ours != NULL;
        protobuf_c_message_free_unpacked(theirs, NULL);
        protobuf_c_message_free_unpacked(ours, NULL);
    }
    assert_int_equal(taken, 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(submit, bad[i], strlen(bad[i]), "message-malformed");
    accept(submit, "", 0);
}

static const char *cause_of_id(const char *id)
{
    Cuzk__V1__SubmitProofRequest m = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    struct wire_request request;
    struct cuzk_error err = {0};
    m.request_id = (char *)id;
    m.proof_kind = CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT;
    m.vanilla_proof = (ProtobufCBinaryData){1, (uint8_t *)"{"};
    int rc = wire_request_init(&request, &m, &err);
    wire_request_clean_up(&request);
    return rc == 0 ? "" : err.cause;
}

static void test_ids_hold_no_controls(void **state)
{
    (void)state;
    static const char *const good[] = {
        "",         "ps-winpost-1000-00ff",     "</script>\"\\ \xc3\xa9",
        "\xc2\xa0", "\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x81\xa5\xe2\x81\xaa"};
    static const char *const bad[] = {"a\nb",         "\x1b[31m",     "\x7f",
                                      "\xc2\x80",     "\xc2\x9f",     "x\xe2\x80\xa8",
                                      "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae",
                                      "\xe2\x81\xa6", "\xe2\x81\xa9"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_string_equal(cause_of_id(good[i]), "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_string_equal(cause_of_id(bad[i]), "field-text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_counted),
        cmocka_unit_test(test_inner_fields_are_counted),
        cmocka_unit_test(test_strings_are_utf8),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_ids_hold_no_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
