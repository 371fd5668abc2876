/* Number-theoretic transforms over Fr, and the quotient polynomial H of Groth16.
 *
 * Coefficients are in natural order, values in bit-reversed order: value k stands where the bits of k, reversed, say. So no pass only
 * permutes. A transform walks down (values: up) the tree of remainders modulo x^n - 1 = (x^(n/2) - 1)(x^(n/2) + 1) = ..., whose
 * twiddle factors depend on the node alone: all transforms up to size n share one table, and the coset of the odd 2n-th roots
 * of unity (x^n + 1, the other child of x^(2n) - 1) is the same walk further right in the same table.
 *
 * One transform at a time may write a vector; domains are read only and may be shared. */
#ifndef CUZK_NTT_NTT_H
#define CUZK_NTT_NTT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/progress.h"
#include "field/fr.h"
#include "vector/tvec.h"

enum { NTT_MAX_LOG2 = 31 }; /* the coset needs roots of order 2n, and Fr has 2^32 */

struct ntt_domain {
    unsigned log2;
    size_t n;
    const struct ntt_kernel *kernel; /* of cpu_path() when the domain was made */
    void *
        twiddle; /* [max(n / 2, 8)]: node b's x^h - t^2 falls apart into x^(h/2) -+ t, t = twiddle[b] */
    struct buffer buffer;
};

/* The primitive 2^log2-th root of unity that bellperson uses; log2 <= 32. */
void ntt_root_of_unity(struct fr *r, unsigned log2);

/* Takes 16 to 20 bytes per element. pool may be NULL. log2 above NTT_MAX_LOG2: ERR_DATA "domain-too-large". */
int ntt_domain_init(struct ntt_domain *d, unsigned log2, struct pool *pool, struct error *err);
void ntt_domain_clean_up(struct ntt_domain *d);

/* x[n] in place: coefficients to values at the powers of the root of unity (bit-reversed), and back. */
void ntt_forward(const struct ntt_domain *d, struct fr *x, struct pool *pool);
void ntt_inverse(const struct ntt_domain *d, struct fr *x, struct pool *pool);

/* h[n] = coefficients of H = (A B - C) / (x^n - 1) in natural order, where A, B, C take the values a, b, c (lengths <= n, then zeros)
 * at the powers of the root of unity. tmp[n] is scratch. log2 >= 1. Six transforms: C is only needed as coefficients.
 *
 * H has degree n - 2 at most. When h[n-1] is not 0 no such H exists, the rows are not satisfied: ERR_DATA "witness-unsatisfied". */
int ntt_quotient(struct fr *h, struct fr *tmp, const struct ntt_domain *d, const struct tvec *a,
                 const struct tvec *b, const struct tvec *c, struct pool *pool,
                 const struct progress_sink *sink, struct error *err);

#endif
