/* G1 and G2: the reference's points, the group law at its edges, encodings and their refusals. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "cpu_paths.h"
#include "curve/g1.h"
#include "curve/g2.h"
#include "det_fr.h"

#define GROUP g1
#define BASE fp
#define GENERATOR G1_GENERATOR
#define COMPRESSED G1_COMPRESSED_BYTES
#define UNCOMPRESSED G1_UNCOMPRESSED_BYTES
#include "curve_group_tests.h"
#undef GROUP
#undef BASE
#undef GENERATOR
#undef COMPRESSED
#undef UNCOMPRESSED

#define GROUP g2
#define BASE fp2
#define GENERATOR G2_GENERATOR
#define COMPRESSED G2_COMPRESSED_BYTES
#define UNCOMPRESSED G2_UNCOMPRESSED_BYTES
#include "curve_group_tests.h"

static void test_g1(void **state)
{
    yajl_val root = json_load("vectors/bls12_381.json");
    (void)state;
    FOR_EACH_CPU_PATH(path)
    g1_check_all(root);
    yajl_tree_free(root);
}

static void test_g2(void **state)
{
    yajl_val root = json_load("vectors/bls12_381.json");
    (void)state;
    FOR_EACH_CPU_PATH(path)
    g2_check_all(root);
    yajl_tree_free(root);
}

static void test_status_names(void **state)
{
    (void)state;
    for (enum point_status a = POINT_OK; a <= POINT_NOT_IN_SUBGROUP; a++)
        for (enum point_status b = POINT_OK; b <= POINT_NOT_IN_SUBGROUP; b++)
            assert_int_equal(strcmp(point_status_name(a), point_status_name(b)) == 0, a == b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g1),
        cmocka_unit_test(test_g2),
        cmocka_unit_test(test_status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
