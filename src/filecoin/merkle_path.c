#include "filecoin/merkle_path.h"

#include <assert.h>
#include <string.h>

#include "hash/poseidon.h"
#include "hash/sha256.h"

enum { MAX_ARITY = 8 };

int node_equal(const struct node *a, const struct node *b)
{
    return memcmp(a->b, b->b, sizeof a->b) == 0;
}

int node_is_zero(const struct node *n)
{
    static const struct node zero;
    return node_equal(n, &zero);
}

void node_to_fr(struct fr *out, const struct node *n)
{
    int rc = fr_from_bytes(out, n->b);
    assert(rc == 0);
    (void)rc;
}

void node_from_fr(struct node *out, const struct fr *a)
{
    fr_to_bytes(out->b, a);
}

uint64_t merkle_path_index(const struct merkle_path *p)
{
    uint64_t index = 0;
    for (unsigned l = p->levels; l-- > 0;)
        index = index * p->arity[l] + p->index[l];
    return index;
}

static void root_of_data(struct node *out, const struct merkle_path *p)
{
    struct node pair[2], at = p->leaf;
    for (unsigned l = 0; l < p->levels; l++) {
        pair[p->index[l]] = at;
        pair[1 - p->index[l]] = p->siblings[l][0];
        sha256(at.b, pair, sizeof pair);
        at.b[31] &= 0x3f;
    }
    *out = at;
}

static void root_of_poseidon(struct node *out, const struct merkle_path *p)
{
    struct fr children[MAX_ARITY], at;
    node_to_fr(&at, &p->leaf);
    for (unsigned l = 0; l < p->levels; l++) {
        unsigned arity = p->arity[l];
        for (unsigned i = 0, s = 0; i < arity; i++) {
            if (i == p->index[l])
                children[i] = at;
            else
                node_to_fr(&children[i], &p->siblings[l][s++]);
        }
        poseidon_hash(&at, poseidon_constants(arity, POSEIDON_MERKLE), children);
    }
    node_from_fr(out, &at);
}

void merkle_path_root(struct node *out, const struct merkle_path *p)
{
    if (p->arity[0] == 2)
        root_of_data(out, p);
    else
        root_of_poseidon(out, p);
}
