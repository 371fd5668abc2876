/* Recorded circuits of 512 MiB and 32 GiB, with the witness of a synthetic PoRep: every row's values are the native ones, and the
 * templates of 32 GiB fit 64 MiB. */
/* ctest: long timeout=7200 */
#include "pce_checks.h"
#include "synthetic_checks.h"

static struct pool *pool;

static void native_witness(struct assignment *w, unsigned registered_proof)
{
    struct porep_vanilla v;
    struct cs cs;
    struct error err;
    *w = (struct assignment){0};
    make_synthetic(&v, registered_proof, 1, pool);
    cs_init_native(&cs, w, pool);
    porep_synthesize(&cs, &v, 0);
    assert_ok(cs_finish(&cs, &err), &err);
    cs_clean_up(&cs);
    porep_vanilla_clean_up(&v);
}

static void both_forms_512mib(void **state)
{
    (void)state;
    const struct circuit *c = circuit_named("porep-512m");
    struct assignment w;
    struct error err;
    native_witness(&w, V1_1 + 2);
    for (enum pce_form form = 0; form < PCE_FORMS; form++) {
        struct pce p;
        record_and_open(&p, c, form);
        assert_int_equal(p.num_rows, 4423473);
        assert_int_equal(p.nnz[0] + p.nnz[1] + p.nnz[2], 10872177 + 4427326 + 9439982);
        assert_evaluates(&p, &w, pool);
        assert_ok(pce_verify(&p, NULL, &err), &err);
        pce_close(&p);
        remove_recording(c, form);
    }
    assignment_clean_up(&w);
}

/* The flat file would take 25.7 GiB. */
static void templates_32gib(void **state)
{
    (void)state;
    const struct circuit *c = circuit_named("porep-32g");
    const uint64_t most = 64 << 20;
    struct assignment w;
    struct pce p;
    struct error err;
    record_and_open(&p, c, PCE_TEMPLATES);
    assert_int_equal(p.nnz[0], 309405051);
    assert_int_equal(p.nnz[1], 130327340);
    assert_int_equal(p.nnz[2], 282656500);
    assert_true(p.file_bytes <= most);
    assert_true(templates_bytes(&p.templates) <= most);
    assert_true(csr_file_bytes(&p.templates) > 25 * ((uint64_t)1 << 30));
    assert_ok(pce_verify(&p, NULL, &err), &err);
    native_witness(&w, V1_1 + 3);
    assert_evaluates(&p, &w, pool);
    assignment_clean_up(&w);
    pce_close(&p);
    remove_recording(c, PCE_TEMPLATES);
}

/* The other large circuits. */
static void templates_of_other_kinds(void **state)
{
    (void)state;
    static const char *const ids[] = {"wpost-32g", "winning-32g", "snap-32g"};
    for (size_t i = 0; i < 3; i++) {
        struct pce p;
        struct error err;
        record_and_open(&p, circuit_named(ids[i]), PCE_TEMPLATES);
        assert_true(templates_bytes(&p.templates) <= 64 << 20);
        assert_ok(pce_verify(&p, NULL, &err), &err);
        pce_close(&p);
        remove_recording(circuit_named(ids[i]), PCE_TEMPLATES);
    }
}

static int set_up(void **state)
{
    struct error err;
    return pool_new(&pool, 0, &err) != 0 ? -1 : make_pce_folder(state);
}

static int tear_down(void **state)
{
    pool_destroy(pool);
    return remove_pce_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_512mib),
        cmocka_unit_test(templates_32gib),
        cmocka_unit_test(templates_of_other_kinds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
