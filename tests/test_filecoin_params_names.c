/* Parameter file names and sizes against those that are published. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "filecoin/params_names.h"

static const struct {
    const char *id, *hash;
    uint64_t bytes;
} published[] = {
    {"porep-2k", "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f", 1114707768u},
    {"porep-8m", "ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb", 1429027896u},
    {"porep-512m", "6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472", 1988841144u},
    {"porep-32g", "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820", 47373928632u},
    {"porep-64g", "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2", 47624967288u},
    {"wpost-2k", "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0", 11501496u},
    {"wpost-8m", "5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9", 30859704u},
    {"wpost-512m", "0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9", 45257400u},
    {"wpost-32g", "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc", 60780374232u},
    {"wpost-64g", "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def", 62556733560u},
    {"winning-2k", "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e", 47299128u},
    {"winning-8m", "50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331", 113383224u},
    {"winning-512m", "7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781",
     165299640u},
    {"winning-32g", "559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e", 192050232u},
    {"winning-64g", "b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c", 200014584u},
    {"snap-2k", "fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194", 655789464u},
    {"snap-8m", "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63", 4268165208u},
    {"snap-512m", "61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c", 21741422712u},
    {"snap-32g", "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18", 34453501368u},
    {"snap-64g", "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7", 35507495352u},
};

static void test_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const struct circuit_params *p = circuit_params_by_id(published[i].id);
        assert_non_null(p);
        assert_ptr_equal(circuit_params(p->kind, p->size), p);
        assert_string_equal(strrchr(p->id, '-') + 1, sector_shape(p->size)->suffix);
        char name[PARAMS_NAME_MAX], end[80];
        circuit_params_file_name(name, p, "params");
        snprintf(end, sizeof end, "-%s.params", published[i].hash);
        assert_true(strlen(name) > strlen(end));
        assert_string_equal(name + strlen(name) - strlen(end), end);
        assert_int_equal(circuit_params_bytes(p), published[i].bytes);
        uint64_t rows = (uint64_t)p->rows + p->inputs;
        assert_true(rows <= (uint64_t)1 << p->log2_domain && rows > (uint64_t)1
                                                                        << (p->log2_domain - 1));
        assert_true(p->n_a <= p->inputs + p->aux && p->n_b <= p->aux + 1);
        assert_int_equal(strlen(p->params_digest), 32);
        assert_int_equal(strlen(p->vk_digest), 32);
    }
    assert_null(circuit_params_by_id("porep-3k"));
}

static void check_name(const char *id, const char *extension, const char *want)
{
    char name[PARAMS_NAME_MAX];
    circuit_params_file_name(name, circuit_params_by_id(id), extension);
    assert_string_equal(name, want);
}

static void test_whole_names(void **state)
{
    (void)state;
    check_name("porep-2k", "params",
               "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
               "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f.params");
    check_name("porep-32g", "vk",
               "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"
               "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820.vk");
    check_name("wpost-64g", "params",
               "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-"
               "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def.params");
    check_name("snap-32g", "meta",
               "v28-empty-sector-update-merkletree-poseidon_hasher-8-8-0-"
               "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18.meta");
    char identifier[PARAMS_IDENTIFIER_MAX];
    circuit_params_identifier(identifier, circuit_params_by_id("winning-2k"));
    assert_string_equal(
        identifier,
        "FallbackPoSt::PublicParams{sector_size: 2048, challenge_count: 1, sector_count: 66}");
    assert_int_equal(circuit_vk_bytes(circuit_params_by_id("porep-32g")), 32356);
    assert_int_equal(circuit_vk_bytes(circuit_params_by_id("wpost-32g")), 2481508);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_whole_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
