/* Recorded circuits of 2 KiB: both forms give the values of the native evaluators, and what is not the circuit's is refused by name. */
/* ctest: timeout=1800 */
#include "pce_checks.h"

#include "base/file.h"
#include "circuit/porep.h"

static struct pool *pool;

static void names(void **state)
{
    (void)state;
    static const char *const reference[][2] = {
        {"porep-32g", "D/pce-porep-32g.bin"},      {"porep-64g", "D/pce-porep-64g.bin"},
        {"winning-32g", "D/pce-winning-post.bin"}, {"wpost-32g", "D/pce-window-post.bin"},
        {"snap-32g", "D/pce-snap-deals-32g.bin"},  {"snap-64g", "D/pce-snap-deals-64g.bin"}};
    for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
        char *path = pce_path(circuit_named(reference[i][0]), "D", PCE_FLAT);
        assert_string_equal(path, reference[i][1]);
        free(path);
    }
    char *path = pce_path(circuit_named("wpost-2k"), "D", PCE_TEMPLATES);
    assert_string_equal(path, "D/pce-window-post-2k.templates");
    free(path);
    /* each circuit has its own name and digest */
    const struct circuit *a, *b;
    for (size_t i = 0; (a = circuit_at(i)) != NULL; i++)
        for (size_t j = 0; j < i; j++) {
            uint8_t x[32], y[32];
            b = circuit_at(j);
            char *p = pce_path(a, "D", PCE_FLAT), *q = pce_path(b, "D", PCE_FLAT);
            assert_string_not_equal(p, q);
            pce_circuit_digest(x, a);
            pce_circuit_digest(y, b);
            assert_memory_not_equal(x, y, 32);
            free(p);
            free(q);
        }
}

static void assert_verifies(struct pce *p)
{
    struct error err;
    assert_ok(pce_verify(p, NULL, &err), &err);
}

/* H11: a recorded circuit against the witness of the sealed fixture. */
static void porep(void **state)
{
    (void)state;
    struct error err;
    struct porep_vanilla v;
    struct assignment w = {0};
    struct cs cs;
    char path[1024];
    snprintf(path, sizeof path, "%s/proofs/porep-2kib-m1000-s11.c1.json", CUZK_TEST_DATA);
    assert_ok(porep_vanilla_read(&v, path, &err), &err);
    cs_init_native(&cs, &w, pool);
    porep_synthesize(&cs, &v, 0);
    assert_ok(cs_finish(&cs, &err), &err);
    cs_clean_up(&cs);
    for (enum pce_form form = 0; form < PCE_FORMS; form++) {
        struct pce p;
        record_and_open(&p, circuit_named("porep-2k"), form);
        assert_int_equal(p.num_rows, 2687961);
        assert_int_equal(p.nnz[0], 6421005);
        assert_int_equal(p.nnz[1], 2689006);
        assert_int_equal(p.nnz[2], 5824682);
        if (form == PCE_TEMPLATES)
            assert_true(p.file_bytes < 8 << 20 && templates_bytes(&p.templates) < 8 << 20);
        assert_evaluates(&p, &w, pool);
        assert_evaluates(&p, &w, NULL);
        if (form == PCE_TEMPLATES)
            assert_verifies(&p);
        pce_close(&p);
        remove_recording(circuit_named("porep-2k"), form);
    }
    assignment_clean_up(&w);
    porep_vanilla_clean_up(&v);
}

/* The other kinds, with the linear combinations' values for a witness of zeros, inverses and whatever else the circuit makes of it. */
static void other_kinds(void **state)
{
    (void)state;
    static const char *const ids[] = {"winning-2k", "wpost-2k", "snap-2k"};
    for (size_t i = 0; i < 3; i++) {
        const struct circuit *c = circuit_named(ids[i]);
        struct error err;
        struct cs cs;
        struct assignment w = {0};
        cs_init_generic(&cs, CS_GENERIC, NULL);
        assert_ok(circuit_rows(&cs, c, &err), &err);
        assert_ok(cs_finish(&cs, &err), &err);
        assert_ok(cs_take_typed(&cs, &w, &err), &err);
        cs_clean_up(&cs);
        for (enum pce_form form = 0; form < PCE_FORMS; form++) {
            struct pce p;
            if (i == 2 && form == PCE_FLAT)
                continue; /* 400 MB, and nothing new */
            record_and_open(&p, c, form);
            assert_evaluates(&p, &w, pool);
            assert_verifies(&p);
            pce_close(&p);
            remove_recording(c, form);
        }
        assignment_clean_up(&w);
    }
}

/* ---- refusals ---- */

static void assert_refused(const struct circuit *c, enum pce_form form, const char *cause)
{
    struct pce p;
    struct error err;
    char *path = pce_path(c, pce_folder, form);
    assert_int_equal(pce_open(&p, c, pce_folder, form, &err), ERR_DATA);
    assert_string_equal(err.cause, cause);
    assert_non_null(strstr(err.text, path));
    assert_null(p.path);
    free(path);
}

static void of_another_circuit(void **state)
{
    (void)state;
    const struct circuit *small = circuit_named("wpost-2k"), *other = circuit_named("wpost-8m");
    for (enum pce_form form = 0; form < PCE_FORMS; form++) {
        struct pce p;
        record_and_open(&p, small, form);
        char *from = pce_path(small, pce_folder, form), *to = pce_path(other, pce_folder, form);
        assert_int_equal(rename(from, to), 0);
        assert_refused(other, form, "pce-other-circuit");
        assert_int_equal(rename(to, from), 0);
        struct witness w = {.num_inputs = circuit_names(small)->inputs,
                            .num_aux = circuit_names(small)->aux - 1};
        struct error err;
        assert_int_equal(pce_eval(&p, &w, NULL, NULL, NULL, &err), ERR_DATA);
        assert_string_equal(err.cause, "pce-other-circuit");
        pce_close(&p);
        remove_recording(small, form);
        free(from);
        free(to);
        assert_int_equal(pce_open(&p, small, pce_folder, form, &err), ERR_NO_INPUT);
    }
}

/* Well-formed files that say they are what they are not. */
static void false_claims(void **state)
{
    (void)state;
    const struct circuit *c = circuit_named("wpost-2k");
    struct pce p;
    struct error err;
    uint8_t digest[32];
    record_and_open(&p, c, PCE_TEMPLATES);
    struct templates *t = &p.templates;
    pce_circuit_digest(digest, c);
    char *sums = NULL;
    for (enum pce_form form = 0; form < PCE_FORMS; form++) {
        char *path = pce_path(c, pce_folder, form);
        assert_true(asprintf(&sums, "%s.sums", path) > 0);
        for (int lie = 0; lie < 3; lie++) {
            const char *id = lie == 0 ? "wpost-8m" : "wpost-2k";
            digest[0] ^= lie == 1;
            uint32_t was = t->term[100].coeff;
            if (lie == 2)
                t->term[100].coeff = (was + 1) % (uint32_t)t->coeffs;
            assert_ok(form == PCE_FLAT ? csr_file_write(path, sums, t, id, digest, &err)
                                       : templates_write(path, t, id, digest, &err),
                      &err);
            t->term[100].coeff = was;
            digest[0] ^= lie == 1;
            if (lie < 2) {
                assert_refused(c, form, "pce-other-circuit");
                continue;
            }
            struct pce q; /* only reading it all can show this */
            assert_ok(pce_open(&q, c, pce_folder, form, &err), &err);
            assert_int_equal(pce_verify(&q, NULL, &err), ERR_DATA);
            assert_string_equal(err.cause, "pce-other-circuit");
            pce_close(&q);
        }
        remove_recording(c, form);
        free(path);
        free(sums);
    }
    pce_close(&p);
}

static void drop_rows(void *ctx, uint64_t first, size_t n, const struct fr *a, const struct fr *b,
                      const struct fr *c)
{
    (void)first, (void)a, (void)b, (void)c;
    atomic_fetch_add((atomic_uint_fast64_t *)ctx, n);
}

/* An altered block is found by whichever thread meets it, and the others stop. */
static void altered_while_in_use(void **state)
{
    (void)state;
    const struct circuit *c = circuit_named("wpost-2k");
    struct pce p;
    struct error err;
    struct assignment w = {0};
    struct witness witness;
    atomic_uint_fast64_t rows = 0;
    struct cs cs;
    record_and_open(&p, c, PCE_FLAT);
    FILE *f = fopen(p.path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)p.flat.matrix[2].values + 5, SEEK_SET), 0);
    assert_int_not_equal(fputc('x', f), EOF);
    assert_int_equal(fclose(f), 0);
    cs_init_generic(&cs, CS_GENERIC, NULL);
    assert_ok(circuit_rows(&cs, c, &err), &err);
    assert_ok(cs_finish(&cs, &err), &err);
    assert_ok(cs_take_typed(&cs, &w, &err), &err);
    cs_clean_up(&cs);
    assert_ok(witness_init(&witness, w.inputs, w.num_inputs, &w.aux, &err), &err);
    assert_int_equal(pce_eval(&p, &witness, drop_rows, &rows, pool, &err), ERR_DATA);
    assert_string_equal(err.cause, "sums-differ");
    assert_int_equal(atomic_load(&rows), 0);
    assert_int_equal(pce_verify(&p, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "sums-differ");
    witness_clean_up(&witness);
    assignment_clean_up(&w);
    pce_close(&p);
    remove_recording(c, PCE_FLAT);
}

static int set_up(void **state)
{
    struct error err;
    return pool_new(&pool, 3, &err) != 0 ? -1 : make_pce_folder(state);
}

static int tear_down(void **state)
{
    pool_destroy(pool);
    return remove_pce_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),        cmocka_unit_test(porep),
        cmocka_unit_test(other_kinds),  cmocka_unit_test(of_another_circuit),
        cmocka_unit_test(false_claims), cmocka_unit_test(altered_while_in_use),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
