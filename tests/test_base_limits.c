/* ctest: quick asan */
/* R41: memory limits of cgroups, read from folders that look like theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/limits.h"

static char root[] = "/tmp/cuzk-cgroup-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    char path[300];
    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/a", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/a/b", root);
    return mkdir(path, 0700);
}

static int tear_down(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void least_of_all_ancestors(void **state)
{
    (void)state;
    assert_int_equal(limits_cgroup_memory(root, "/a/b", 0), 0);
    put("a/b/memory.max", "max\n");
    put("a/memory.max", "4294967296\n");
    assert_int_equal(limits_cgroup_memory(root, "/a/b", 0), UINT64_C(4294967296));
    put("a/b/memory.high", "3000000000\n");
    assert_int_equal(limits_cgroup_memory(root, "/a/b", 0), UINT64_C(3000000000));
    put("memory.max", "1000\n"); /* a container's own root */
    assert_int_equal(limits_cgroup_memory(root, "/a/b", 0), 1000);
    assert_int_equal(limits_cgroup_memory(root, "/not/here", 0), 1000);
}

static void version_1(void **state)
{
    (void)state;
    put("a/b/memory.limit_in_bytes", "9223372036854771712\n"); /* no limit */
    assert_int_equal(limits_cgroup_memory(root, "/a/b", 1), 0);
    put("a/memory.limit_in_bytes", "8589934592\n");
    assert_int_equal(limits_cgroup_memory(root, "/a/b", 1), UINT64_C(8589934592));
    put("a/b/memory.limit_in_bytes", "nonsense\n");
    assert_int_equal(limits_cgroup_memory(root, "/a/b", 1), UINT64_C(8589934592));
}

static void this_process_has_some(void **state)
{
    (void)state;
    assert_true(limits_memory_bytes() > 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_of_all_ancestors),
        cmocka_unit_test(version_1),
        cmocka_unit_test(this_process_has_some),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
