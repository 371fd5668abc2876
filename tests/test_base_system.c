/* ctest: quick asan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/hex.h"
#include "base/meminfo.h"
#include "base/rand.h"

static void buffers_are_aligned_and_zero(void **state)
{
    (void)state;
    struct error err;
    const size_t sizes[] = {1, 4096, 4097, (2 << 20) - 1, 2 << 20, (5 << 20) + 3};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct buffer buf;
        assert_int_equal(buffer_init(&buf, sizes[k], "test", &err), 0);
        assert_int_equal(buf.size, sizes[k]);
        assert_int_equal((uintptr_t)buf.data % (sizes[k] >= 2 << 20 ? 2 << 20 : 4096), 0);
        uint8_t *data = buf.data;
        for (size_t i = 0; i < sizes[k]; i++) {
            assert_true(data[i] == 0);
            data[i] = 1;
        }
        buffer_clean_up(&buf);
        assert_null(buf.data);
        buffer_clean_up(&buf);
    }
    struct buffer empty;
    assert_int_equal(buffer_init(&empty, 0, "test", &err), 0);
    assert_null(empty.data);
    buffer_clean_up(&empty);
}

static void buffers_grow_and_keep_their_data(void **state)
{
    (void)state;
    struct error err;
    struct buffer buf = {0};
    const size_t sizes[] = {5000, 100, 3 << 20, 9 << 20}; /* 100: stays as it is */
    size_t old = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        assert_int_equal(buffer_grow(&buf, sizes[k], "test", &err), 0);
        assert_int_equal(buf.size, sizes[k] > old ? sizes[k] : old);
        uint8_t *data = buf.data;
        for (size_t i = 0; i < buf.size; i++) {
            assert_true(data[i] == (i < old ? i % 251 : 0));
            data[i] = (uint8_t)(i % 251);
        }
        old = buf.size;
    }
    void *data = buf.data;
    assert_int_equal(buffer_grow(&buf, SIZE_MAX / 2, "the witness", &err), ERR_OS);
    assert_non_null(strstr(err.text, "the witness"));
    assert_ptr_equal(buf.data, data);
    assert_int_equal(buf.size, old);
    buffer_clean_up(&buf);
}

static void refused_buffers_are_named(void **state)
{
    (void)state;
    struct error err;
    struct buffer buf;
    assert_int_equal(buffer_init(&buf, SIZE_MAX, "the witness", &err), ERR_OS);
    assert_non_null(strstr(err.text, "the witness"));
    assert_string_equal(err.cause, "out-of-memory");
    assert_int_equal(buffer_init(&buf, SIZE_MAX / 2, "the witness", &err), ERR_OS);
    assert_null(buf.data);
}

static size_t mapped_pages(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu", &pages), 1);
    fclose(file);
    return pages;
}

static void buffers_are_given_back(void **state)
{
    (void)state;
    struct error err;
    size_t before = mapped_pages();
    for (int i = 0; i < 100; i++) {
        struct buffer buf;
        assert_int_equal(buffer_init(&buf, (16 << 20) + 1, "test", &err), 0);
        assert_true(mapped_pages() >= before + 4097);
        buffer_clean_up(&buf);
    }
    assert_true(mapped_pages() < before + 4097);
}

static void wipe_overwrites(void **state)
{
    (void)state;
    uint8_t secret[5] = {1, 2, 3, 4, 5}, rest[5] = {0, 0, 0, 0, 5};
    wipe(secret, 4);
    assert_memory_equal(secret, rest, 5);
}

static void hex_goes_both_ways(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x00, 0x9a, 0xff, 0x10};
    char text[9];
    uint8_t back[4];
    hex_encode(text, bytes, 4);
    assert_string_equal(text, "009aff10");
    assert_int_equal(hex_decode(back, 4, "009AfF10"), 0);
    assert_memory_equal(back, bytes, 4);
    assert_int_equal(hex_decode(back, 0, ""), 0);
    const char *const wrong[] = {"",         "009aff1",  "009aff100", "009aff1g",
                                 "0x9aff10", " 09aff10", "009aff1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(hex_decode(back, 4, wrong[i]), -1);
}

static void random_bytes_differ(void **state)
{
    (void)state;
    uint8_t a[1000] = {0}, b[1000] = {0};
    assert_int_equal(rand_fill(a, sizeof a), 0);
    assert_int_equal(rand_fill(b, sizeof b), 0);
    assert_memory_not_equal(a, b, sizeof a);
    int seen[256] = {0}, kinds = 0;
    for (size_t i = 0; i < sizeof a; i++)
        kinds += !seen[a[i]]++;
    assert_true(kinds > 200); /* 251 of 256 are expected among 1000 */
    assert_int_equal(rand_fill(NULL, 0), 0);
}

static void clocks_run_forward(void **state)
{
    (void)state;
    uint64_t wall = clock_monotonic_ns(), cpu = clock_process_cpu_ns();
    while (clock_process_cpu_ns() < cpu + 1000000)
        continue;
    assert_true(clock_monotonic_ns() > wall);
}

static void memory_is_counted(void **state)
{
    (void)state;
    struct error err;
    struct meminfo_sampler *sampler;
    const size_t size = 64 << 20;
    uint64_t before = meminfo_anon_bytes();
    assert_true(before > 0);
    assert_int_equal(meminfo_sampler_new(&sampler, &err), 0);
    struct buffer buf;
    assert_int_equal(buffer_init(&buf, size, "test", &err), 0);
    memset(buf.data, 1, size);
    assert_true(meminfo_anon_bytes() >= before + size - (1 << 20));
    assert_true(meminfo_sampler_peak_bytes(sampler) >= before + size - (1 << 20));
    buffer_clean_up(&buf);
    assert_true(meminfo_anon_bytes() < before + size / 2);
    assert_true(meminfo_sampler_peak_bytes(sampler) >= before + size - (1 << 20));
    assert_true(meminfo_peak_rss_bytes() >= before + size - (1 << 20));
    meminfo_sampler_destroy(sampler);
    meminfo_sampler_destroy(NULL);
}

static void cpu_path_follows_the_environment(void **state)
{
    (void)state;
    struct error err;
    assert_int_equal(cpu_path(), CPU_PORTABLE);
    assert_int_equal(cpu_path_available(CPU_PORTABLE), 1);
    assert_string_equal(cpu_path_name(CPU_PORTABLE), "portable");
    assert_string_equal(cpu_path_name(CPU_ADX), "adx");
    assert_string_equal(cpu_path_name(CPU_IFMA), "ifma");

    unsetenv("CUZK_CPU");
    assert_int_equal(cpu_init(&err), 0);
    assert_int_equal(cpu_path(), cpu_path_available(CPU_IFMA)  ? CPU_IFMA
                                 : cpu_path_available(CPU_ADX) ? CPU_ADX
                                                               : CPU_PORTABLE);
    setenv("CUZK_CPU", "portable", 1);
    assert_int_equal(cpu_init(&err), 0);
    assert_int_equal(cpu_path(), CPU_PORTABLE);
    setenv("CUZK_CPU", "adx", 1);
    if (cpu_path_available(CPU_ADX)) {
        assert_int_equal(cpu_init(&err), 0);
        assert_int_equal(cpu_path(), CPU_ADX);
    } else {
        assert_int_equal(cpu_init(&err), ERR_UNAVAILABLE);
        assert_int_equal(cpu_path(), CPU_PORTABLE);
    }
    setenv("CUZK_CPU", "abacus", 1);
    assert_int_equal(cpu_init(&err), ERR_USAGE);
    assert_non_null(strstr(err.text, "abacus"));
    unsetenv("CUZK_CPU");
    assert_true(strlen(cpu_model()) > 0);
}

/* The kernel's own list of features must agree with what CPUID told. */
static void cpu_features_agree_with_the_kernel(void **state)
{
    (void)state;
    FILE *file = fopen("/proc/cpuinfo", "re");
    assert_non_null(file);
    char line[8192];
    int found = 0, has = 0, has_ifma = 0;
    while (!found && fgets(line, sizeof line, file))
        if (strncmp(line, "flags", 5) == 0) {
            found = 1;
            has = strstr(line, " avx2") && strstr(line, " bmi2") && strstr(line, " adx");
            has_ifma = has && strstr(line, " avx512f") && strstr(line, " avx512dq") &&
                       strstr(line, " avx512vl") && strstr(line, " avx512ifma");
        }
    fclose(file);
    assert_int_equal(cpu_path_available(CPU_ADX), has);
    assert_int_equal(cpu_path_available(CPU_IFMA), has_ifma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_aligned_and_zero),
        cmocka_unit_test(buffers_grow_and_keep_their_data),
        cmocka_unit_test(refused_buffers_are_named),
        cmocka_unit_test(buffers_are_given_back),
        cmocka_unit_test(wipe_overwrites),
        cmocka_unit_test(hex_goes_both_ways),
        cmocka_unit_test(random_bytes_differ),
        cmocka_unit_test(clocks_run_forward),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(cpu_path_follows_the_environment),
        cmocka_unit_test(cpu_features_agree_with_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
