/* Setup, proof and verification of the tiny circuit against what bellperson made of it, and cheating provers. */
/* ctest: quick asan */
#include "groth16_tiny.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/cpu.h"
#include "base/file.h"
#include "groth16/params.h"
#include "groth16/prove.h"
#include "groth16/verify.h"
#include "hash/sha256.h"
#include "ntt/ntt.h"

/* What every test here starts from: the reference's files, written by our setup. */
struct fixture {
    yajl_val tiny;
    char folder[64], prefix[128], params_path[160], vk_path[160];
    struct trapdoor trapdoor;
    struct params_file params;
    struct shape_stats stats;
    struct prepared_vk *pvk;
    struct pool *pool;
};

static int start(void **state)
{
    static struct fixture f;
    struct error err;
    f.tiny = json_load("groth16_tiny.json");
    tiny_trapdoor(&f.trapdoor, f.tiny);
    temp_folder_make(f.folder);
    snprintf(f.prefix, sizeof f.prefix, "%s/tiny", f.folder);
    snprintf(f.params_path, sizeof f.params_path, "%s.params", f.prefix);
    snprintf(f.vk_path, sizeof f.vk_path, "%s.vk", f.prefix);
    assert_int_equal(pool_new(&f.pool, 2, &err), 0);
    if (setup_write(f.prefix, TINY_SECTOR_SIZE, &TINY_CIRCUIT, &f.trapdoor, f.pool, NULL, &err) !=
        0)
        fail_msg("%s", err.text);
    if (params_open(&f.params, f.params_path, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(prepared_vk_new(&f.pvk, &f.params.vk, &err), 0);
    tiny_stats(&f.stats);
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    yajl_tree_free(f->tiny);
    prepared_vk_destroy(f->pvk);
    params_close(&f->params);
    shape_stats_clean_up(&f->stats);
    pool_destroy(f->pool);
    temp_folder_remove(f->folder);
    return 0;
}

static void expect_file(const char *prefix, const char *extension, const void *expected, size_t n)
{
    char path[256];
    uint8_t *data;
    size_t len;
    struct error err;
    snprintf(path, sizeof path, "%s.%s", prefix, extension);
    assert_int_equal(file_read(&data, &len, path, 1 << 20, &err), 0);
    assert_int_equal(len, n);
    assert_memory_equal(data, expected, n);
    free(data);
}

static void setup_equals_bellperson(void **state)
{
    struct fixture *f = *state;
    size_t n;
    uint8_t *bytes = json_bytes(&n, json_get(f->tiny, "params_hex"));
    assert_int_equal(n, json_u64(json_get(f->tiny, "params_len")));
    expect_file(f->prefix, "params", bytes, n);
    free(bytes);
    bytes = json_bytes(&n, json_get(f->tiny, "vk_hex"));
    expect_file(f->prefix, "vk", bytes, n);
    free(bytes);
    expect_file(f->prefix, "meta", "{\"sector_size\":2048}", 20);
    assert_int_equal(temp_folder_entries(f->folder), 3);
}

static void setup_fits_its_circuit(void **state)
{
    struct fixture *f = *state;
    struct error err;
    assert_int_equal(params_check_circuit(&f->params, &f->stats, &err), 0);
    assert_int_equal(params_check_vk(&f->params, f->vk_path, &err), 0);
    assert_int_equal(params_check_points(&f->params, f->pool, NULL, &err), 0);
}

static void setup_replaces_nothing(void **state)
{
    struct fixture *f = *state;
    struct error err;
    static const char *const extensions[] = {"vk", "meta", "params"};
    assert_int_equal(setup_write(f->prefix, 2048, &TINY_CIRCUIT, &f->trapdoor, NULL, NULL, &err),
                     ERR_CANT_CREATE);
    assert_string_equal(err.cause, "params-exist");
    assert_int_equal(temp_folder_entries(f->folder), 3);
    for (size_t i = 0; i < 3; i++) {
        char folder[64], prefix[128], path[160];
        temp_folder_make(folder);
        snprintf(prefix, sizeof prefix, "%s/one", folder);
        snprintf(path, sizeof path, "%s.%s", prefix, extensions[i]);
        write_whole_file(path, "mine", 4);
        assert_int_equal(setup_write(prefix, 2048, &TINY_CIRCUIT, &f->trapdoor, NULL, NULL, &err),
                         ERR_CANT_CREATE);
        assert_string_equal(err.cause, "params-exist");
        assert_non_null(strstr(err.text, path));
        assert_int_equal(temp_folder_entries(folder), 1);
        expect_file(prefix, extensions[i], "mine", 4);
        temp_folder_remove(folder);
    }
}

static int unconstrained(void *ctx, struct cs *cs, struct error *err)
{
    const struct tiny zero = {0};
    (void)ctx;
    (void)err;
    tiny_rows(cs, &zero);
    cs_alloc(cs, &FR_ZERO);
    return 0;
}

static int refusing(void *ctx, struct cs *cs, struct error *err)
{
    (void)ctx;
    (void)cs;
    return error_set(err, ERR_UNAVAILABLE, "refused", "no");
}

/* A failure leaves no file: a circuit that fails, one with a loose variable, trapdoors that divide by zero, a full disk. */
static void failed_setup_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    char folder[64], prefix[128];
    struct error err;
    const struct setup_circuit loose = {unconstrained, NULL}, refused = {refusing, NULL};
    struct trapdoor bad = f->trapdoor;
    temp_folder_make(folder);
    snprintf(prefix, sizeof prefix, "%s/x", folder);
    assert_int_equal(setup_write(prefix, 2048, &refused, &f->trapdoor, NULL, NULL, &err),
                     ERR_UNAVAILABLE);
    assert_int_equal(temp_folder_entries(folder), 0);

    assert_int_equal(setup_write(prefix, 2048, &loose, &f->trapdoor, NULL, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "variable-unconstrained");
    assert_non_null(strstr(err.text, "aux variable 4"));
    assert_int_equal(temp_folder_entries(folder), 0);

    bad.delta = FR_ZERO;
    assert_int_equal(setup_write(prefix, 2048, &TINY_CIRCUIT, &bad, NULL, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "trapdoor-zero");
    bad = f->trapdoor;
    ntt_root_of_unity(&bad.tau, TINY_LOG2);
    assert_int_equal(setup_write(prefix, 2048, &TINY_CIRCUIT, &bad, NULL, NULL, &err), ERR_DATA);
    assert_string_equal(err.cause, "tau-in-domain");
    assert_int_equal(temp_folder_entries(folder), 0);

    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (rlim_t limit = 10; limit < 3576; limit += 1777) {
        small = before;
        small.rlim_cur = limit;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        int rc = setup_write(prefix, 2048, &TINY_CIRCUIT, &f->trapdoor, NULL, NULL, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(rc, ERR_IO);
        assert_int_equal(temp_folder_entries(folder), 0);
    }
    temp_folder_remove(folder);
    snprintf(prefix, sizeof prefix, "%s/x", folder);
    assert_int_equal(setup_write(prefix, 2048, &TINY_CIRCUIT, &f->trapdoor, NULL, NULL, &err),
                     ERR_CANT_CREATE);
}

static void random_trapdoor_works(void **state)
{
    (void)state;
    struct trapdoor t;
    struct error err;
    char folder[64], prefix[128], path[160];
    struct params_file params;
    assert_int_equal(trapdoor_random(&t, &err), 0);
    assert_false(fr_equal(&t.alpha, &t.beta));
    temp_folder_make(folder);
    snprintf(prefix, sizeof prefix, "%s/x", folder);
    snprintf(path, sizeof path, "%s.params", prefix);
    assert_int_equal(setup_write(prefix, 2048, &TINY_CIRCUIT, &t, NULL, NULL, &err), 0);
    assert_int_equal(params_open(&params, path, &err), 0);
    assert_int_equal(params_check_points(&params, NULL, NULL, &err), 0);
    params_close(&params);
    temp_folder_remove(folder);
}

static void sha256_of(uint8_t out[32], const struct fr *x, size_t n)
{
    uint8_t *bytes = malloc(32 * n);
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++)
        fr_to_bytes(bytes + 32 * i, &x[i]);
    sha256(out, bytes, 32 * n);
    free(bytes);
}

static void expect_digest(yajl_val trace, const char *format, char letter, const struct fr *x,
                          size_t n)
{
    char key[64];
    uint8_t expected[32], digest[32];
    snprintf(key, sizeof key, format, letter);
    json_hex(expected, 32, json_get(trace, key));
    sha256_of(digest, x, n);
    assert_memory_equal(digest, expected, 32);
}

static void reverse_order(struct fr x[8])
{
    static const int other[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    struct fr y[8];
    for (int i = 0; i < 8; i++)
        y[i] = x[other[i]];
    memcpy(x, y, sizeof y);
}

/* Rows, their coefficients, and their values on the reference's coset 7 w^k. */
static void check_trace_vector(yajl_val trace, char letter, const struct tvec *v,
                               const struct ntt_domain *d)
{
    struct fr x[8] = {0}, power = FR_ONE;
    for (size_t i = 0, full = 0; i < v->len; i++) {
        if (v->small[i] == TVEC_FULL)
            x[i] = v->full[full++];
        else
            fr_from_i64(&x[i], v->small[i]);
    }
    expect_digest(trace, "sha256_%c_evals", letter, x, v->len);
    reverse_order(x);
    ntt_inverse(d, x, NULL);
    expect_digest(trace, "sha256_%c_coeffs_after_ifft", letter, x, 8);
    for (int i = 0; i < 8; i++) {
        fr_mul(&x[i], &x[i], &power);
        fr_mul(&power, &power, &FR_GENERATOR);
    }
    ntt_forward(d, x, NULL);
    reverse_order(x);
    expect_digest(trace, "sha256_%c_coset_evals", letter, x, 8);
}

static void transforms_equal_bellperson(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct ntt_domain d;
    yajl_val proofs = json_get(f->tiny, "proofs");
    assert_int_equal(ntt_domain_init(&d, TINY_LOG2, NULL, &err), 0);
    for (size_t k = 0; k < json_len(proofs); k++) {
        yajl_val p = json_at(proofs, k), trace = json_get(p, "trace");
        struct assignment w;
        struct tiny values;
        struct fr x, h[8], tmp[8];
        json_fr(&x, json_at(json_get(p, "aux"), 0));
        tiny_honest(&values, &x, YAJL_IS_TRUE(json_get(p, "b")));
        tiny_assign(&w, &values);
        check_trace_vector(trace, 'a', &w.a, &d);
        check_trace_vector(trace, 'b', &w.b, &d);
        check_trace_vector(trace, 'c', &w.c, &d);
        assert_int_equal(ntt_quotient(h, tmp, &d, &w.a, &w.b, &w.c, NULL, NULL, &err), 0);
        expect_digest(trace, "sha256_h_coeffs%c", 0, h, 7);
        assignment_clean_up(&w);
    }
    ntt_domain_clean_up(&d);
}

static void expect_g1(yajl_val trace, const char *key, const struct g1_affine *p)
{
    uint8_t expected[48], got[48];
    json_hex(expected, 48, json_get(trace, key));
    g1_to_compressed(got, p);
    assert_memory_equal(got, expected, 48);
}

static void expect_g2(yajl_val trace, const char *key, const struct g2_affine *p)
{
    uint8_t expected[96], got[96];
    json_hex(expected, 96, json_get(trace, key));
    g2_to_compressed(got, p);
    assert_memory_equal(got, expected, 96);
}

static void check_sums(yajl_val trace, const struct groth16_sums *sums)
{
    expect_g1(trace, "msm_h", &sums->h);
    expect_g1(trace, "msm_l", &sums->l);
    expect_g1(trace, "msm_a_inputs", &sums->a_inputs);
    expect_g1(trace, "msm_a_aux", &sums->a_aux);
    expect_g1(trace, "msm_b_g1_inputs", &sums->b_g1_inputs);
    expect_g1(trace, "msm_b_g1_aux", &sums->b_g1_aux);
    expect_g2(trace, "msm_b_g2_inputs", &sums->b_g2_inputs);
    expect_g2(trace, "msm_b_g2_aux", &sums->b_g2_aux);
}

static struct prover *new_prover(struct fixture *f)
{
    struct error err;
    struct prover *prover;
    if (prover_new(&prover, &f->params, &f->stats.density, TINY_LOG2, f->pool, &err) != 0)
        fail_msg("%s", err.text);
    return prover;
}

static void prove(struct proof *out, struct groth16_sums *sums, struct prover *prover,
                  struct fixture *f, const struct tiny *values, const struct fr *r,
                  const struct fr *s)
{
    struct assignment w;
    struct groth16_timings timings = {0};
    struct error err;
    tiny_assign(&w, values);
    if (prover_sums(sums, &timings, prover, &w, NULL, &err) != 0)
        fail_msg("%s", err.text);
    groth16_assemble(out, sums, &f->params.vk, r, s);
    assert_true(timings.ntt_ns > 0 && timings.msm_ns > 0);
    assignment_clean_up(&w);
}

/* One prover makes all of them: its memory carries nothing over. */
static void proofs_equal_bellperson(void **state)
{
    struct fixture *f = *state;
    struct prover *prover = new_prover(f);
    yajl_val proofs = json_get(f->tiny, "proofs");
    assert_true(json_len(proofs) >= 4);
    for (size_t k = 0; k < json_len(proofs); k++) {
        yajl_val p = json_at(proofs, k);
        struct tiny values;
        struct groth16_sums sums;
        struct proof proof, read;
        struct fr x, r, s;
        struct error err;
        uint8_t expected[PROOF_BYTES], got[PROOF_BYTES];
        json_fr(&x, json_at(json_get(p, "aux"), 0));
        json_fr(&r, json_get(p, "r_le"));
        json_fr(&s, json_get(p, "s_le"));
        tiny_honest(&values, &x, YAJL_IS_TRUE(json_get(p, "b")));
        prove(&proof, &sums, prover, f, &values, &r, &s);
        check_sums(json_get(p, "trace"), &sums);
        proof_to_bytes(got, &proof);
        json_hex(expected, PROOF_BYTES, json_get(p, "proof"));
        assert_memory_equal(got, expected, PROOF_BYTES);
        assert_int_equal(proof_from_bytes(&read, expected, &err), 0);
        assert_int_equal(groth16_verify(f->pvk, &read, &values.y, 1, &err), 0);
    }
    prover_destroy(prover);
}

/* A proof of each bit flipped: none may be read and accepted. */
static void flipped_bits_are_rejected(void **state)
{
    struct fixture *f = *state;
    yajl_val p = json_at(json_get(f->tiny, "proofs"), 1);
    uint8_t bytes[PROOF_BYTES];
    struct proof proof;
    struct error err;
    struct fr y;
    int read = 0;
    json_hex(bytes, PROOF_BYTES, json_get(p, "proof"));
    json_fr(&y, json_at(json_get(p, "inputs"), 1));
    for (int bit = 0; bit < 8 * PROOF_BYTES; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        int rc = proof_from_bytes(&proof, bytes, &err);
        if (rc == 0) {
            read++;
            rc = groth16_verify(f->pvk, &proof, &y, 1, &err);
        }
        assert_int_equal(rc, ERR_INVALID_PROOF);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(read >= 3); /* the three signs at least */
    assert_int_equal(proof_from_bytes(&proof, bytes, &err), 0);
    assert_int_equal(groth16_verify(f->pvk, &proof, &y, 1, &err), 0);
    fr_add(&y, &y, &FR_ONE);
    assert_int_equal(groth16_verify(f->pvk, &proof, &y, 1, &err), ERR_INVALID_PROOF);
    assert_string_equal(err.cause, "proof-invalid");
}

static void proof_points_are_checked(void **state)
{
    struct fixture *f = *state;
    uint8_t good[PROOF_BYTES], bytes[PROOF_BYTES];
    struct proof proof;
    struct error err;
    static const int offset[3] = {0, 48, 144}, length[3] = {48, 96, 48};
    json_hex(good, PROOF_BYTES, json_get(json_at(json_get(f->tiny, "proofs"), 1), "proof"));
    for (int i = 0; i < 3; i++) {
        memcpy(bytes, good, sizeof bytes);
        memset(bytes + offset[i], 0, (size_t)length[i]);
        bytes[offset[i]] = 0xc0;
        assert_int_equal(proof_from_bytes(&proof, bytes, &err), ERR_INVALID_PROOF);
        assert_string_equal(err.cause, "point-at-infinity");
        memset(bytes + offset[i], 0xff, (size_t)length[i]);
        bytes[offset[i]] = 0x9f;
        assert_int_equal(proof_from_bytes(&proof, bytes, &err), ERR_INVALID_PROOF);
        assert_string_equal(err.cause, "point-not-canonical");
        memcpy(bytes, good, sizeof bytes);
        bytes[offset[i]] &= 0x7f;
        assert_int_equal(proof_from_bytes(&proof, bytes, &err), ERR_INVALID_PROOF);
        assert_string_equal(err.cause, "point-bad-flags");
    }
}

/* Every single value of the assignment changed alone, and combinations that satisfy all rows but one, are caught before a proof is
 * made; a proof of other values made anyway (of sums that don't belong together) doesn't verify. */
static void cheating_assignments_are_refused(void **state)
{
    struct fixture *f = *state;
    struct prover *prover = new_prover(f);
    struct error err;
    struct fr three;
    fr_from_u64(&three, 3);
    for (int cheat = 0; cheat < 10; cheat++) {
        struct tiny t;
        struct assignment w;
        struct groth16_sums sums;
        struct groth16_timings timings = {0};
        tiny_honest(&t, &three, 1);
        struct fr *const value[5] = {&t.x, &t.x2, &t.x3, &t.b, &t.y};
        if (cheat < 5)
            fr_add(value[cheat], value[cheat], &FR_ONE);
        else
            fr_neg(value[cheat - 5], value[cheat - 5]);
        tiny_assign(&w, &t);
        assert_int_equal(prover_sums(&sums, &timings, prover, &w, NULL, &err), ERR_DATA);
        assert_string_equal(err.cause, "witness-unsatisfied");
        assignment_clean_up(&w);
    }
    prover_destroy(prover);
}

static void mixed_sums_do_not_verify(void **state)
{
    struct fixture *f = *state;
    struct prover *prover = new_prover(f);
    struct groth16_sums one, other;
    struct proof proof, p;
    struct tiny a, b;
    struct fr x, r;
    struct error err;
    fr_from_u64(&r, 99);
    fr_from_u64(&x, 3);
    tiny_honest(&a, &x, 1);
    fr_from_u64(&x, 4);
    tiny_honest(&b, &x, 0);
    prove(&p, &other, prover, f, &b, &r, &r);
    prove(&proof, &one, prover, f, &a, &r, &r);
    assert_int_equal(groth16_verify(f->pvk, &proof, &a.y, 1, &err), 0);
    assert_int_equal(groth16_verify(f->pvk, &p, &b.y, 1, &err), 0);
    for (int i = 0; i < 5; i++) {
        struct groth16_sums mixed = one;
        if (i == 0)
            mixed.h = other.h;
        else if (i == 1)
            mixed.l = other.l;
        else if (i == 2)
            mixed.a_aux = other.a_aux;
        else if (i == 3)
            mixed.b_g1_aux = other.b_g1_aux;
        else
            mixed.b_g2_aux = other.b_g2_aux;
        groth16_assemble(&p, &mixed, &f->params.vk, &r, &r);
        assert_int_equal(groth16_verify(f->pvk, &p, &a.y, 1, &err), ERR_INVALID_PROOF);
    }
    /* elements of two valid proofs of one statement, and those of one in other places */
    struct fr r2;
    fr_from_u64(&r2, 100);
    groth16_assemble(&p, &one, &f->params.vk, &r2, &r);
    assert_int_equal(groth16_verify(f->pvk, &p, &a.y, 1, &err), 0);
    p.c = proof.c;
    assert_int_equal(groth16_verify(f->pvk, &p, &a.y, 1, &err), ERR_INVALID_PROOF);
    p = proof;
    p.a = proof.c;
    p.c = proof.a;
    assert_int_equal(groth16_verify(f->pvk, &p, &a.y, 1, &err), ERR_INVALID_PROOF);
    prover_destroy(prover);
}

static void batches(void **state)
{
    struct fixture *f = *state;
    enum { N = 4 };
    yajl_val list = json_get(f->tiny, "proofs");
    struct proof proofs[N];
    struct fr y[N];
    const struct fr *inputs[N];
    struct error err;
    for (size_t i = 0; i < N; i++) {
        uint8_t bytes[PROOF_BYTES];
        json_hex(bytes, PROOF_BYTES, json_get(json_at(list, i), "proof"));
        assert_int_equal(proof_from_bytes(&proofs[i], bytes, &err), 0);
        json_fr(&y[i], json_at(json_get(json_at(list, i), "inputs"), 1));
        inputs[i] = &y[i];
    }
    for (size_t count = 0; count <= N; count++)
        assert_int_equal(groth16_verify_batch(f->pvk, proofs, inputs, count, 1, &err), 0);
    for (size_t wrong = 0; wrong < N; wrong++) {
        struct proof kept = proofs[wrong];
        g1_affine_neg(&proofs[wrong].c, &kept.c);
        for (size_t count = 1; count <= N; count++)
            assert_int_equal(groth16_verify_batch(f->pvk, proofs, inputs, count, 1, &err),
                             wrong < count ? ERR_INVALID_PROOF : 0);
        proofs[wrong] = kept;
    }
    /* two wrong statements whose errors cancel when summed without weights */
    fr_add(&y[0], &y[0], &FR_ONE);
    fr_sub(&y[1], &y[1], &FR_ONE);
    assert_int_equal(groth16_verify_batch(f->pvk, proofs, inputs, N, 1, &err), ERR_INVALID_PROOF);
    assert_int_equal(groth16_verify_batch(f->pvk, proofs, inputs, N, 2, &err), ERR_CONFIG);
    assert_string_equal(err.cause, "vk-input-count");
    assert_int_equal(groth16_verify(f->pvk, proofs, inputs[0], 0, &err), ERR_CONFIG);
}

static void wrong_sizes_are_refused(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct prover *prover;
    struct groth16_sums sums;
    struct groth16_timings timings = {0};
    struct density empty = {0};
    struct assignment w;
    struct tiny t;
    assert_int_equal(prover_new(&prover, &f->params, &f->stats.density, TINY_LOG2 + 1, NULL, &err),
                     ERR_CONFIG);
    assert_int_equal(prover_new(&prover, &f->params, &empty, TINY_LOG2, NULL, &err), ERR_CONFIG);
    assert_string_equal(err.cause, "params-other-circuit");
    prover = new_prover(f);
    tiny_honest(&t, &FR_ONE, 0);
    tiny_assign(&w, &t);
    w.aux.len--;
    assert_int_equal(prover_sums(&sums, &timings, prover, &w, NULL, &err), ERR_SOFTWARE);
    assert_string_equal(err.cause, "assignment-size");
    assignment_clean_up(&w);
    prover_destroy(prover);
}

/* Proving reads the file as it is now: a point that became infinity and a file cut short fail the proof, not the process. */
static void files_that_change_under_a_prover(void **state)
{
    struct fixture *f = *state;
    static const enum params_section sections[] = {PARAMS_H, PARAMS_L, PARAMS_A, PARAMS_B_G1,
                                                   PARAMS_B_G2};
    char path[160];
    size_t n;
    uint8_t *bytes = json_bytes(&n, json_get(f->tiny, "params_hex"));
    struct tiny t;
    struct assignment w;
    tiny_honest(&t, &FR_ONE, 1);
    tiny_assign(&w, &t);
    snprintf(path, sizeof path, "%s/changing.params", f->folder);
    for (size_t i = 0; i <= PARAMS_SECTIONS; i++) {
        struct params_file params;
        struct prover *prover;
        struct groth16_sums sums;
        struct groth16_timings timings = {0};
        struct error err;
        write_whole_file(path, bytes, n);
        assert_int_equal(params_open(&params, path, &err), 0);
        assert_int_equal(prover_new(&prover, &params, &f->stats.density, TINY_LOG2, f->pool, &err),
                         0);
        assert_int_equal(prover_sums(&sums, &timings, prover, &w, NULL, &err), 0);
        if (i == PARAMS_SECTIONS) {
            assert_int_equal(truncate(path, 2000), 0);
            assert_int_equal(prover_sums(&sums, &timings, prover, &w, NULL, &err), ERR_IO);
            assert_string_equal(err.cause, "file-truncated");
        } else {
            FILE *file = fopen(path, "r+b");
            assert_non_null(file);
            assert_int_equal(fseek(file, (long)params.offset[sections[i]], SEEK_SET), 0);
            fputc(POINT_FLAG_INFINITY, file);
            assert_int_equal(fclose(file), 0);
            assert_int_equal(prover_sums(&sums, &timings, prover, &w, NULL, &err), ERR_CONFIG);
            assert_non_null(strstr(err.text, params_section_name(sections[i])));
            assert_non_null(strstr(err.text, path));
        }
        prover_destroy(prover);
        params_close(&params);
    }
    assert_int_equal(unlink(path), 0);
    assignment_clean_up(&w);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup_equals_bellperson),
        cmocka_unit_test(setup_fits_its_circuit),
        cmocka_unit_test(setup_replaces_nothing),
        cmocka_unit_test(failed_setup_leaves_nothing),
        cmocka_unit_test(random_trapdoor_works),
        cmocka_unit_test(transforms_equal_bellperson),
        cmocka_unit_test(proofs_equal_bellperson),
        cmocka_unit_test(flipped_bits_are_rejected),
        cmocka_unit_test(proof_points_are_checked),
        cmocka_unit_test(cheating_assignments_are_refused),
        cmocka_unit_test(mixed_sums_do_not_verify),
        cmocka_unit_test(batches),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(files_that_change_under_a_prover),
    };
    struct error err;
    assert_int_equal(cpu_init(&err), 0);
    field_init();
    return cmocka_run_group_tests(tests, start, stop);
}
