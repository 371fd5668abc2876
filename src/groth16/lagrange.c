#include "groth16/lagrange.h"

#include <stdlib.h>

#include "ntt/ntt.h"

int lagrange_init(struct lagrange *l, unsigned log2, const struct fr *tau, struct error *err)
{
    struct fr m;
    *l = (struct lagrange){.tau = *tau, .next = LAGRANGE_BLOCK};
    fr_from_u64(&m, UINT64_C(1) << log2);
    fr_inv(&m, &m);
    fr_pow_u64(&l->z, tau, UINT64_C(1) << log2);
    fr_sub(&l->z, &l->z, &FR_ONE);
    if (fr_is_zero(&l->z))
        return error_set(err, ERR_DATA, "tau-in-domain",
                         "tau must not be a root of unity of order 2^%u", log2);
    fr_mul(&l->z_over_m, &l->z, &m);
    l->element = FR_ONE;
    ntt_root_of_unity(&l->root, log2);
    l->value = malloc(2 * LAGRANGE_BLOCK * sizeof *l->value);
    if (l->value == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for Lagrange coefficients");
    l->scratch = l->value + LAGRANGE_BLOCK;
    return 0;
}

void lagrange_clean_up(struct lagrange *l)
{
    free(l->value);
    *l = (struct lagrange){0};
}

/* L_i(tau) = (z / m) root^i / (tau - root^i), one inversion for a block. */
static void fill(struct lagrange *l)
{
    struct fr x = l->element;
    for (size_t i = 0; i < LAGRANGE_BLOCK; i++) {
        fr_sub(&l->value[i], &l->tau, &x);
        fr_mul(&x, &x, &l->root);
    }
    fr_batch_inv(l->value, LAGRANGE_BLOCK, l->scratch);
    struct fr y;
    fr_mul(&y, &l->element, &l->z_over_m);
    for (size_t i = 0; i < LAGRANGE_BLOCK; i++) {
        fr_mul(&l->value[i], &l->value[i], &y);
        fr_mul(&y, &y, &l->root);
    }
    l->element = x;
    l->next = 0;
}

const struct fr *lagrange_next(struct lagrange *l)
{
    if (l->next == LAGRANGE_BLOCK)
        fill(l);
    return &l->value[l->next++];
}
