/* Recorded circuits and their checksums: what is accepted must be harmless to evaluate, and what is refused must leave nothing. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hash/sha256.h"
#include "r1cs/csr_file.h"
#include "r1cs/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_VARS = 1 << 16, ROWS = 200, CHECKSUM_BYTES = 32 };

static void assert_refusal(int clean, const struct error *err)
{
    if (!clean || err->code >= 0 || err->cause == NULL || err->text[0] == 0)
        abort();
}

/* A witness of the right size, bits and full elements mixed. -1: too large to be worth it. */
static int make_witness(struct witness *w, struct tvec *aux, struct fr **inputs,
                        uint64_t num_inputs, uint64_t num_aux)
{
    struct error err;
    if (num_inputs > MOST_VARS || num_aux > MOST_VARS)
        return -1;
    if (tvec_init(aux, num_aux, num_aux / 3 + 1, "aux", &err) != 0)
        abort();
    for (aux->len = 0; aux->len < num_aux; aux->len++) {
        aux->small[aux->len] = aux->len % 3 == 0 ? TVEC_FULL : (int8_t)(aux->len % 5 - 2);
        if (aux->len % 3 == 0)
            aux->full[aux->full_len++] = FR_MINUS_ONE;
    }
    *inputs = malloc(num_inputs * sizeof **inputs);
    if (*inputs == NULL)
        abort();
    for (uint64_t i = 0; i < num_inputs; i++)
        (*inputs)[i] = FR_ONE;
    if (witness_init(w, *inputs, num_inputs, aux, &err) != 0)
        abort();
    return 0;
}

static void free_witness(struct witness *w, struct tvec *aux, struct fr *inputs)
{
    witness_clean_up(w);
    tvec_clean_up(aux);
    free(inputs);
}

static void eval_templates(const struct templates *t)
{
    static int8_t small[3][ROWS + TEMPLATE_SLACK];
    static struct fr full[3][ROWS];
    struct witness w;
    struct tvec aux;
    struct fr *inputs;
    struct row_values v[3];
    if (make_witness(&w, &aux, &inputs, t->num_inputs, t->num_aux) != 0)
        return;
    const uint64_t first[] = {0, t->num_rows / 2, t->num_rows};
    for (int i = 0; i < 3; i++) {
        for (int m = 0; m < 3; m++)
            v[m] = (struct row_values){small[m], full[m], 0};
        templates_eval(v, t, &w, first[i], ROWS);
    }
    free_witness(&w, &aux, inputs);
}

static void fuzz_templates(const uint8_t *data, size_t size)
{
    struct templates t;
    struct error err;
    char id[TEMPLATE_ID_BYTES + 1];
    uint8_t digest[32];
    if (templates_parse(&t, id, digest, data, size, &err) == 0) {
        eval_templates(&t);
        templates_clean_up(&t);
    } else {
        assert_refusal(t.term == NULL && t.place == NULL, &err);
    }
}

static void count_row(void *ctx, const struct row *row)
{
    *(uint64_t *)ctx += row->a_len + row->b_len + row->c_len;
}

static void use_flat(struct csr_file *f)
{
    static struct fr out[3][ROWS];
    struct fr *const outs[3] = {out[0], out[1], out[2]};
    struct witness w;
    struct tvec aux;
    struct fr *inputs;
    struct error err;
    uint64_t terms = 0;
    struct row_sink sink = {count_row, &terms};
    int rows_rc = csr_file_rows(f, &sink, &err);
    if (rows_rc == 0 && terms != f->matrix[0].nnz + f->matrix[1].nnz + f->matrix[2].nnz)
        abort();
    if (make_witness(&w, &aux, &inputs, f->num_inputs, f->num_aux) != 0)
        return;
    for (uint64_t first = 0; first < f->num_rows; first += ROWS) {
        size_t n = f->num_rows - first < ROWS ? f->num_rows - first : ROWS;
        if (csr_file_eval(outs, f, &w, first, n, &err) != 0 && rows_rc == 0)
            abort();
    }
    free_witness(&w, &aux, inputs);
}

static void fuzz_flat(const uint8_t *data, size_t size)
{
    struct csr_file f;
    struct error err;
    char path[64];
    int fd = memfd_create("pce", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (csr_file_open(&f, path, NULL, &err) == 0) {
        use_flat(&f);
        csr_file_close(&f);
    } else {
        assert_refusal(f.file.data == NULL, &err);
    }
    close(fd);
}

static void fuzz_sums(const uint8_t *data, size_t size)
{
    struct block_sums s;
    struct error err;
    if (block_sums_parse(&s, (const char *)data, size, &err) == 0)
        block_sums_clean_up(&s);
    else
        assert_refusal(s.block == NULL, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_sums(data, size);
    fuzz_flat(data, size);
    fuzz_templates(data, size);
    if (size <= CHECKSUM_BYTES)
        return 0;
    uint8_t *sealed = malloc(size); /* past the checksum */
    if (sealed == NULL)
        abort();
    memcpy(sealed, data, size);
    sha256(sealed + size - CHECKSUM_BYTES, sealed, size - CHECKSUM_BYTES);
    fuzz_templates(sealed, size);
    free(sealed);
    return 0;
}
