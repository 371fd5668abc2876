/* What the tests of synthetic vanilla proofs share. */
#ifndef CUZK_TESTS_PATH_CHECKS_H
#define CUZK_TESTS_PATH_CHECKS_H

#include "vanilla_checks.h"

/* A node and its siblings all differ, in every level: a wrong sibling or index leads elsewhere. */
static inline void assert_siblings_differ(const struct merkle_path *p)
{
    struct merkle_path lower = *p;
    for (unsigned l = 0; l < p->levels; l++) {
        struct node own = p->leaf;
        lower.levels = (uint8_t)l;
        if (l > 0)
            merkle_path_root(&own, &lower);
        for (unsigned i = 0; i + 1 < p->arity[l]; i++) {
            assert_false(node_equal(&p->siblings[l][i], &own));
            for (unsigned j = 0; j < i; j++)
                assert_false(node_equal(&p->siblings[l][i], &p->siblings[l][j]));
        }
    }
}

static inline void assert_same_list(const struct vanilla_list *x, const struct vanilla_list *y)
{
    assert_int_equal(x->len, y->len);
    for (size_t i = 0; i < x->len; i++) {
        assert_int_equal(x->proofs[i].len, y->proofs[i].len);
        assert_memory_equal(x->proofs[i].data, y->proofs[i].data, x->proofs[i].len);
    }
}

/* No proof of one is one of the other. */
static inline void assert_other_list(const struct vanilla_list *x, const struct vanilla_list *y)
{
    for (size_t i = 0; i < x->len; i++)
        for (size_t j = 0; j < y->len; j++)
            assert_false(x->proofs[i].len == y->proofs[j].len &&
                         memcmp(x->proofs[i].data, y->proofs[j].data, x->proofs[i].len) == 0);
}

#endif
