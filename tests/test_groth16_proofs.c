/* The reference's PoRep proofs under the reference's key: accepted as they are, for their own public inputs only. */
/* ctest: quick asan */
#include "json_data.h"

#include "base/cpu.h"
#include "groth16/verify.h"

static const char *const SECTORS[] = {"m1000-s11", "m1000-s12", "synth-s6", "v1-s5",
                                      "v1_1-s1",   "v1_1-s2",   "ni-s7"};
enum { SECTOR_COUNT = 7, INPUTS = 39, PROOFS_MAX = 64 };

struct fixture {
    struct prepared_vk *pvk;
    struct proof proofs[PROOFS_MAX];
    struct fr inputs[PROOFS_MAX][INPUTS];
    size_t count;
};

static void read_vk(struct verifying_key *vk)
{
    struct error err;
    char path[512];
    yajl_val json = json_load("params-2k/porep-2kib.params.json");
    snprintf(path, sizeof path, "%s/params-2k/v28-%s.vk", CUZK_TEST_DATA,
             json_string(json_get(json, "cache_id")));
    if (vk_read(vk, path, &err) != 0)
        fail_msg("%s", err.text);
    yajl_tree_free(json);
}

static void read_sector(struct fixture *f, const char *name)
{
    char file[128];
    struct error err;
    snprintf(file, sizeof file, "proofs/porep-2kib-%s.json", name);
    yajl_val json = json_load(file), variants = json_get(json, "fixed_rs_proofs");
    yajl_val inputs =
        json_get(json_at(json_get(json, "partition_assignments"), 0), "public_inputs_le");
    assert_int_equal(json_len(inputs), INPUTS);
    for (size_t v = 0; v < json_len(variants); v++) {
        uint8_t proof[PROOF_BYTES], x[32];
        assert_true(f->count < PROOFS_MAX);
        json_hex(proof, PROOF_BYTES, json_get(json_at(variants, v), "proof"));
        assert_int_equal(proof_from_bytes(&f->proofs[f->count], proof, &err), 0);
        for (size_t i = 0; i < INPUTS; i++) {
            json_hex(x, 32, json_at(inputs, i));
            assert_int_equal(fr_from_bytes(&f->inputs[f->count][i], x), 0);
        }
        f->count++;
    }
    yajl_tree_free(json);
}

static int start(void **state)
{
    static struct fixture f;
    struct verifying_key vk;
    struct error err;
    read_vk(&vk);
    assert_int_equal(prepared_vk_new(&f.pvk, &vk, &err), 0);
    vk_clean_up(&vk);
    for (int i = 0; i < SECTOR_COUNT; i++)
        read_sector(&f, SECTORS[i]);
    assert_true(f.count >= 2 * SECTOR_COUNT);
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    prepared_vk_destroy(f->pvk);
    return 0;
}

static void each_is_accepted(void **state)
{
    struct fixture *f = *state;
    struct error err;
    for (size_t i = 0; i < f->count; i++)
        assert_int_equal(groth16_verify(f->pvk, &f->proofs[i], f->inputs[i], INPUTS, &err), 0);
}

static void other_inputs_are_rejected(void **state)
{
    struct fixture *f = *state;
    struct error err;
    for (size_t i = 0; i < INPUTS; i++) {
        struct fr kept = f->inputs[0][i];
        fr_add(&f->inputs[0][i], &kept, &FR_ONE);
        assert_int_equal(groth16_verify(f->pvk, &f->proofs[0], f->inputs[0], INPUTS, &err),
                         ERR_INVALID_PROOF);
        f->inputs[0][i] = kept;
    }
    assert_int_equal(groth16_verify(f->pvk, &f->proofs[0], f->inputs[f->count - 1], INPUTS, &err),
                     ERR_INVALID_PROOF);
}

static void a_batch_is_as_strict(void **state)
{
    struct fixture *f = *state;
    struct error err;
    const struct fr *inputs[PROOFS_MAX];
    for (size_t i = 0; i < f->count; i++)
        inputs[i] = f->inputs[i];
    assert_int_equal(groth16_verify_batch(f->pvk, f->proofs, inputs, f->count, INPUTS, &err), 0);
    inputs[f->count - 1] = f->inputs[0];
    assert_int_equal(groth16_verify_batch(f->pvk, f->proofs, inputs, f->count, INPUTS, &err),
                     ERR_INVALID_PROOF);
    assert_string_equal(err.cause, "proof-invalid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_accepted),
        cmocka_unit_test(other_inputs_are_rejected),
        cmocka_unit_test(a_batch_is_as_strict),
    };
    struct error err;
    assert_int_equal(cpu_init(&err), 0);
    field_init();
    return cmocka_run_group_tests(tests, start, stop);
}
