/* The eight-lane tiles of transforms in plain C, on every machine: all they do must equal the portable kernel's. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "det_fr.h"
#include "ifma_stand_in.h"
#include "ntt/ntt.h"

#define NTT_KERNEL_IFMA ntt_kernel_stand_in
#include "ntt/x86_64/kernel_ifma.c"
#undef NTT_KERNEL_IFMA
extern const struct ntt_kernel ntt_kernel_stand_in;

enum { TWIDDLES = 1 << 14, STRIDE = 24, MAX_ELEMENTS = STRIDE << TILE_LEVELS };

struct fixture {
    void *portable, *lanes; /* tables of the two kernels */
    struct fr *x, *y, *other;
};

static void *make_table(const struct ntt_kernel *kernel)
{
    void *table = aligned_alloc(64, TWIDDLES / 8 * kernel->twiddle_bytes);
    struct fr root, small[8] = {FR_ONE};
    unsigned order = 2;
    assert_non_null(table);
    for (size_t first = 1; first < TWIDDLES; first *= 2) {
        ntt_root_of_unity(&root, order++);
        for (size_t k = 0; k < first && first < 8; k++)
            fr_mul(&small[first + k], &small[k], &root);
        if (first == 4)
            for (size_t k = 0; k < 8; k++)
                kernel->twiddle_set(table, k, &small[k]);
        if (first >= 8)
            kernel->twiddle_scale(table, first, 0, first, &root);
    }
    return table;
}

static int start(void **state)
{
    static struct fixture f;
    f.portable = make_table(&NTT_KERNEL_PORTABLE);
    f.lanes = make_table(&ntt_kernel_stand_in);
    f.x = calloc(MAX_ELEMENTS, sizeof *f.x);
    f.y = calloc(MAX_ELEMENTS, sizeof *f.y);
    f.other = calloc(MAX_ELEMENTS, sizeof *f.other);
    assert_true(f.x != NULL && f.y != NULL && f.other != NULL);
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    free(f->portable);
    free(f->lanes);
    free(f->x);
    free(f->y);
    free(f->other);
    return 0;
}

/* Any elements, the largest as stored (r - 1) everywhere, or that and 0 in turn. */
static void fill(struct fr *x, size_t n, unsigned pattern)
{
    struct fr step;
    det_fr(&step, "pattern %u", pattern);
    for (size_t i = 0; i < n; i++) {
        if (pattern % 3 == 0)
            fr_mul(&x[i], i == 0 ? &step : &x[i - 1], &step);
        for (int l = 0; l < 4 && pattern % 3 != 0; l++)
            x[i].l[l] = pattern % 3 == 1 || i % 2 == 0 ? FR_MODULUS[l] - (l == 0) : 0;
    }
}

static void blocks(void **state)
{
    struct fixture *f = *state;
    const struct ntt_kernel *lanes = &ntt_kernel_stand_in;
    for (unsigned bits = 6; bits <= BLOCK_LOG2; bits++) {
        size_t bytes = sizeof(struct fr) << bits;
        for (size_t node = 0; node < 4; node++) {
            for (unsigned pattern = 0; pattern < 3; pattern++) {
                fill(f->x, (size_t)1 << bits, pattern);
                memcpy(f->y, f->x, bytes);
                NTT_KERNEL_PORTABLE.block_forward(f->x, bits, f->portable, node);
                lanes->block_forward(f->y, bits, f->lanes, node);
                assert_memory_equal(f->x, f->y, bytes);
                fill(f->x, (size_t)1 << bits, pattern);
                memcpy(f->y, f->x, bytes);
                NTT_KERNEL_PORTABLE.block_inverse(f->x, bits, f->portable, node);
                lanes->block_inverse(f->y, bits, f->lanes, node);
                assert_memory_equal(f->x, f->y, bytes);
            }
        }
    }
}

static void products(void **state)
{
    struct fixture *f = *state;
    const struct ntt_kernel *lanes = &ntt_kernel_stand_in;
    for (unsigned bits = 6; bits <= BLOCK_LOG2; bits++) {
        size_t n = (size_t)1 << bits;
        for (size_t node = 1; node < 4; node++) {
            for (unsigned pattern = 0; pattern < 3; pattern++) {
                fill(f->x, n, pattern);
                memcpy(f->y, f->x, n * sizeof(struct fr));
                fill(f->other, n, pattern + 3);
                NTT_KERNEL_PORTABLE.block_multiply(f->x, f->other, bits, f->portable, node);
                fill(f->other, n, pattern + 3);
                lanes->block_multiply(f->y, f->other, bits, f->lanes, node);
                for (size_t i = 0; i < n; i++) {
                    for (unsigned k = 0; k < lanes->product_shift; k++)
                        fr_double(&f->y[i], &f->y[i]);
                    assert_true(fr_equal(&f->x[i], &f->y[i]));
                }
            }
        }
    }
}

/* Columns of tiles 24 elements apart; what lies between must not change. */
static void strided_tiles(void **state)
{
    struct fixture *f = *state;
    static const unsigned steps[] = {TILE_INVERSE, TILE_FORWARD, TILE_COSET_INVERSE,
                                     TILE_INVERSE | TILE_COSET_FORWARD};
    for (unsigned levels = 1; levels <= TILE_LEVELS; levels++) {
        size_t n = (size_t)STRIDE << levels, bytes = n * sizeof(struct fr);
        for (unsigned k = 0; k < 12; k++) {
            struct strided_tile tile = {.to = f->x + 8,
                                        .from = f->x + 8,
                                        .stride = STRIDE,
                                        .node = k % 2,
                                        .coset_node = 2 + k % 2,
                                        .levels = levels,
                                        .steps = steps[k % 4]};
            fill(f->x, n, k / 4);
            memcpy(f->y, f->x, bytes);
            NTT_KERNEL_PORTABLE.strided(&tile, f->portable);
            tile.to = f->y + 8;
            tile.from = f->y + 8;
            ntt_kernel_stand_in.strided(&tile, f->lanes);
            assert_memory_equal(f->x, f->y, bytes);
            tile.to = f->other + 8;
            tile.from = f->x + 8;
            tile.add = 1;
            memset(f->other, 0, bytes);
            NTT_KERNEL_PORTABLE.strided(&tile, f->portable);
            tile.to = f->y + 8;
            memset(f->y, 0, bytes);
            ntt_kernel_stand_in.strided(&tile, f->lanes);
            tile.steps = 0;
            ntt_kernel_stand_in.strided(&tile, f->lanes);
            tile.to = f->other + 8;
            NTT_KERNEL_PORTABLE.strided(&tile, f->portable);
            assert_memory_equal(f->other, f->y, bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),
        cmocka_unit_test(products),
        cmocka_unit_test(strided_tiles),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
