/* SHA-256: counts of the reference, digests of libcrypto, and the native evaluators equal to the
 * rows for messages with constants of every pattern. With CUZK_TEST_BENCH set it prints rows per
 * second. */
/* ctest: quick */
/* ctest: asan */
#include "circuit_checks.h"
#include "cpu_paths.h"

#include <time.h>

#include "gadget/sha256.h"
#include "gadget/sha256_native.h"

enum { MAX_PIECES = 40 };

struct message {
    size_t n;
    uint8_t value[MAX_PIECES][32], constant[MAX_PIECES][32];
    uint8_t digest[32], digest_constant[32]; /* results; in row modes of bit[] */
    uint64_t rows, aux;                      /* row modes: those of the gadget alone */
};

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void set_bit(uint8_t bytes[32], size_t i, int value)
{
    bytes[i / 8] = (uint8_t)((bytes[i / 8] & ~(0x80 >> i % 8)) | (value ? 0x80 >> i % 8 : 0));
}

static int get_bit(const uint8_t bytes[32], size_t i)
{
    return bytes[i / 8] >> (7 - i % 8) & 1;
}

/* Allocates the variables among a piece's bits. */
static void alloc_piece(struct cs *cs, struct bits256 *out, const uint8_t value[32],
                        const uint8_t constant[32])
{
    memcpy(out->value, value, 32);
    memcpy(out->constant, constant, 32);
    for (size_t i = 0; i < 256; i++)
        out->bit[i] = get_bit(constant, i) ? bit_constant(get_bit(value, i))
                                           : bit_alloc(cs, get_bit(value, i));
}

static void hash_message(struct cs *cs, void *ctx)
{
    struct message *m = ctx;
    struct bits256 *piece = malloc(MAX_PIECES * sizeof *piece), digest;
    const struct bits256 *pieces[MAX_PIECES];
    assert_non_null(piece);
    for (size_t i = 0; i < m->n; i++) {
        alloc_piece(cs, &piece[i], m->value[i], m->constant[i]);
        pieces[i] = &piece[i];
    }
    m->rows = cs->num_rows;
    m->aux = cs->num_aux;
    sha256_gadget(cs, &digest, pieces, m->n);
    m->rows = cs->num_rows - m->rows;
    m->aux = cs->num_aux - m->aux;
    if (cs->mode == CS_NATIVE) {
        memcpy(m->digest, digest.value, 32);
        memcpy(m->digest_constant, digest.constant, 32);
    } else {
        for (size_t i = 0; i < 256; i++) {
            set_bit(m->digest, i, digest.bit[i].value);
            set_bit(m->digest_constant, i, digest.bit[i].kind == BIT_CONSTANT);
        }
    }
    free(piece);
}

static void check_digest(struct message *m)
{
    uint8_t want[32];
    sha256(want, m->value, m->n * 32);
    assert_memory_equal(m->digest, want, 32);
    memset(m->digest, 0, 32);
}

/* Rows against linear combinations once, every path's native evaluator against that. */
static void check_message(struct message *m)
{
    struct circuit_under_test t = {hash_message, m};
    struct assignment first = {0};
    uint8_t constant[32];
    cpu_path_use(CPU_PORTABLE);
    run_native(&first, t, NULL);
    check_digest(m);
    memcpy(constant, m->digest_constant, 32);
    check_paths(&first, t);
    check_digest(m);
    assert_memory_equal(m->digest_constant, constant, 32);
    FOR_EACH_CPU_PATH(path)
    {
        struct assignment w = {0};
        run_native(&w, t, NULL);
        assert_same(&w, &first);
        check_digest(m);
        assignment_clean_up(&w);
    }
    assignment_clean_up(&first);
}

/* Random values; bit i of the message is a constant with a chance of one in `one_in` (0: never). */
static void fill(struct message *m, size_t n, unsigned one_in, uint64_t seed)
{
    seed = seed * 0x9e3779b97f4a7c15 + 1;
    memset(m, 0, sizeof *m);
    m->n = n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < 256; j++) {
            set_bit(m->value[i], j, next_random(&seed) >> 40 & 1);
            set_bit(m->constant[i], j, one_in != 0 && (next_random(&seed) >> 32) % one_in == 0);
        }
}

/* The padded bit of a field element. */
static void top_bits_constant(struct message *m, size_t first)
{
    for (size_t i = first; i < m->n; i++) {
        m->constant[i][31] |= 0x80;
        m->value[i][31] &= 0x7f;
    }
}

/* create_label's message: replica id, layer (constant) and challenge with zeros behind, then
 * parents. */
static void fill_label(struct message *m, size_t parents, uint64_t seed)
{
    fill(m, 2 + parents, 0, seed);
    top_bits_constant(m, 0);
    memset(m->constant[1], 0xff, 32);
    memset(m->constant[1] + 4, 0, 8);
    memcpy(m->value[1], "\0\0\0\x0b", 4);
    memset(m->value[1] + 12, 0, 20);
}

/* ---- counts ---- */

static void count(struct message *m, uint64_t rows)
{
    count_rows((struct circuit_under_test){hash_message, m});
    assert_int_equal(m->rows, rows);
}

static void test_counts(void **state)
{
    (void)state;
    struct message m;
    fill(&m, 2, 0, 1);
    count(&m, 44874);
    top_bits_constant(&m, 0);
    count(&m, 44866);
    fill_label(&m, 37, 2);
    count(&m, 522269 - 1);
    assert_int_equal(m.aux, 521749 - 1);
    fill(&m, 3, 1, 3); /* all constant: nothing left */
    count(&m, 0);
}

static void hash_two(struct cs *cs, void *ctx)
{
    struct fr *v = ctx;
    struct num l = num_alloc(cs, &v[0]), r = num_alloc(cs, &v[1]);
    v[2] = sha256_hash2(cs, &l, &r).value;
}

static void test_hash2(void **state)
{
    (void)state;
    struct fr v[3] = {FR_MINUS_ONE, FR_GENERATOR}, want;
    struct circuit_under_test t = {hash_two, v};
    uint8_t bytes[64];
    assert_int_equal(count_rows(t).rows, 45379);
    FOR_EACH_CPU_PATH(path)
    check_modes(t);
    fr_to_bytes(bytes, &v[0]);
    fr_to_bytes(bytes + 32, &v[1]);
    sha256(bytes, bytes, 64);
    bytes[31] &= 0x3f;
    assert_int_equal(fr_from_bytes(&want, bytes), 0);
    assert_memory_equal(&v[2], &want, sizeof want);
}

/* One compression of variables from the constant IV. */
static void test_one_block(void **state)
{
    (void)state;
    struct sha256_message m = {{0}, {0}};
    FOR_EACH_CPU_PATH(path)
    {
        struct sha256_state s = {.variable = 0};
        struct assignment w = {0};
        struct error err;
        struct cs cs;
        memcpy(s.hash, SHA256_IV, sizeof s.hash);
        cs_init_native(&cs, &w, NULL);
        sha256_native_block(&cs, &s, &m);
        assert_int_equal(s.variable, 1);
        assert_int_equal(s.hash[0], 0xda5698be);
        assert_ok(cs_finish(&cs, &err), &err);
        assert_int_equal(cs.num_rows, 25840 + 1); /* and that of ONE */
        assert_int_equal(cs.num_aux, 25840 - 26);
        cs_clean_up(&cs);
        assignment_clean_up(&w);
    }
}

/* ---- native against rows ---- */

static void test_random_constants(void **state)
{
    (void)state;
    static const unsigned one_in[] = {0, 2, 8, 40, 1};
    struct message m;
    for (unsigned i = 0; i < sizeof one_in / sizeof one_in[0]; i++) {
        fill(&m, 1 + i % 3, one_in[i], i);
        check_message(&m);
    }
    fill(&m, 0, 0, 1);
    check_message(&m);
}

static void test_labels(void **state)
{
    (void)state;
    struct message m;
    for (size_t parents = 0; parents < 4; parents++) {
        fill_label(&m, parents, parents);
        check_message(&m);
    }
}

/* Variables that come late: constant words of the state meet every rule of ch and maj, constants
 * of the schedule those of xor. */
static void test_late_variables(void **state)
{
    (void)state;
    static const size_t bits[] = {0, 40, 120, 255, 256, 511, 512 + 300};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        struct message m;
        fill(&m, 4, 1, i);
        set_bit(m.constant[bits[i] / 256], bits[i] % 256, 0);
        check_message(&m);
    }
}

/* ---- slots ---- */

struct batch {
    struct message m[5];
};

static void hash_one_of(struct cs *cs, void *ctx, size_t i)
{
    hash_message(cs, &((struct batch *)ctx)->m[i]);
}

static void hash_batch(struct cs *cs, void *ctx)
{
    cs_repeat(cs, 5, hash_one_of, ctx);
}

/* Threads fill neighbouring slots: nobody writes past the end of his own. */
static void test_slots(void **state)
{
    (void)state;
    struct batch batch;
    struct circuit_under_test t = {hash_batch, &batch};
    struct pool *pool;
    struct error err;
    for (uint64_t i = 0; i < 5; i++)
        fill_label(&batch.m[i], 3, i);
    assert_ok(pool_new(&pool, 3, &err), &err);
    FOR_EACH_CPU_PATH(path)
    {
        struct assignment w = {0}, v = {0};
        run_native(&w, t, NULL);
        for (int i = 0; i < 5; i++) {
            run_native(&v, t, pool);
            assert_same(&v, &w);
            assignment_reset(&v);
        }
        assignment_clean_up(&v);
        assignment_clean_up(&w);
    }
    pool_destroy(pool);
}

/* ---- figures ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The gadget alone, the message's bits being there. */
static void hash_only(struct cs *cs, void *ctx)
{
    struct message *m = ctx;
    static struct bits256 piece[MAX_PIECES];
    const struct bits256 *pieces[MAX_PIECES];
    struct bits256 digest;
    for (size_t i = 0; i < m->n; i++) {
        memcpy(piece[i].value, m->value[i], 32);
        memcpy(piece[i].constant, m->constant[i], 32);
        pieces[i] = &piece[i];
    }
    sha256_gadget(cs, &digest, pieces, m->n);
}

static void bench(void)
{
    struct message m;
    fill_label(&m, 37, 1);
    struct circuit_under_test t = {hash_message, &m};
    double start = now();
    struct counts c = count_rows(t);
    printf("shape: %.1f ns a row\n", (now() - start) / (double)c.rows * 1e9);
    t.synthesize = hash_only;
    FOR_EACH_CPU_PATH(path)
    {
        enum { WARM_UP = 10, RUNS = 200 };
        struct assignment w = {0};
        for (int i = 0; i < WARM_UP + RUNS; i++) {
            if (i == WARM_UP)
                start = now();
            assignment_reset(&w);
            run_native(&w, t, NULL);
        }
        double seconds = (now() - start) / RUNS;
        printf("%s: %.0f million rows a second\n", cpu_path_name(path),
               (double)w.a.len / seconds / 1e6);
        assignment_clean_up(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),    cmocka_unit_test(test_hash2),
        cmocka_unit_test(test_one_block), cmocka_unit_test(test_random_constants),
        cmocka_unit_test(test_labels),    cmocka_unit_test(test_late_variables),
        cmocka_unit_test(test_slots),
    };
    if (getenv("CUZK_TEST_BENCH"))
        bench();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
