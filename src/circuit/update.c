#include "circuit/update.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/node.h"
#include "gadget/poseidon.h"

enum {
    MAX_BITS = 31, /* of a leaf's number */
    MAX_PARTITION_BITS = 4,
    MAX_APEX_LEAFS = 128,
    MAX_SIBLINGS = 12 * 7, /* of a path */
    DIGEST_BITS = 255,
    CAPACITY_BITS = 254, /* of a digest, that challenges are cut from */
};

/* A challenged leaf's number, least significant bit first. */
struct leaf_bits {
    struct bit bit[MAX_BITS];
};

/* One partition's statement and witness. */
struct partition {
    const struct registered_update *update;
    const struct node *comm_r_old, *comm_d_new, *comm_r_new;
    const struct update_partition *proof;
    size_t stride;   /* 0: the first challenge's paths stand for all */
    unsigned number; /* among the partitions */
    /* what differs in the Poseidon variant */
    enum merkle_hash hash_d;
    unsigned challenges, drawn_bits, partition_bits;
    /* variables */
    struct num num_comm_r_old, num_comm_d_new, num_comm_r_new, phi, root_r_old, root_r_new;
    struct num apex[MAX_APEX_LEAFS];
    struct bit select[UPDATE_HS], number_bit[MAX_PARTITION_BITS];
    struct leaf_bits *leaf; /* [challenges] */
};

static const uint8_t binary[MERKLE_MAX_LEVELS] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                                  2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

static const struct update_challenge *challenge_at(const struct partition *p, size_t i)
{
    return &p->proof->challenges[i * p->stride];
}

/* phi, rho and the digests that challenges are drawn from. */
static struct num hash_randomness(struct cs *cs, const struct num *a, const struct num *b)
{
    struct num pair[2] = {*a, *b};
    return poseidon_gadget(cs, poseidon_constants(2, POSEIDON_SNAP), pair);
}

/* ---- what all challenges share ---- */

/* The partition's number and the choice of h in one public input. */
static void choice(struct cs *cs, struct partition *p)
{
    struct bit bit[MAX_PARTITION_BITS + UPDATE_HS];
    struct fr v;
    fr_from_u64(&v, p->number | (uint64_t)p->update->h_select << p->partition_bits);
    struct num packed = num_alloc(cs, &v);
    num_inputize(cs, &packed);
    num_split(cs, bit, p->partition_bits + UPDATE_HS, &packed);
    memcpy(p->number_bit, bit, p->partition_bits * sizeof *bit);
    memcpy(p->select, bit + p->partition_bits, sizeof p->select);
}

static struct num public_node(struct cs *cs, const struct node *n)
{
    struct num v = circuit_alloc_node(cs, n);
    num_inputize(cs, &v);
    return v;
}

static void commitments(struct cs *cs, struct partition *p)
{
    p->num_comm_r_old = public_node(cs, p->comm_r_old);
    p->num_comm_d_new = public_node(cs, p->comm_d_new);
    p->num_comm_r_new = public_node(cs, p->comm_r_new);
    p->phi = hash_randomness(cs, &p->num_comm_d_new, &p->num_comm_r_old);
}

/* Returns comm_c. */
static struct num roots(struct cs *cs, struct partition *p)
{
    struct num comm_c = circuit_alloc_node(cs, &p->proof->comm_c);
    p->root_r_old = circuit_alloc_node(cs, &challenge_at(p, 0)->r_old.root);
    p->root_r_new = circuit_alloc_node(cs, &challenge_at(p, 0)->r_new.root);
    return comm_c;
}

/* comm_r = H(comm_c, root) */
static void bind_root(struct cs *cs, const struct num *comm_c, const struct num *root,
                      const struct num *comm_r)
{
    struct num pair[2] = {*comm_c, *root};
    struct num h = poseidon_gadget(cs, poseidon_constants(2, POSEIDON_MERKLE), pair);
    num_equal(cs, &h, comm_r);
}

static void bind_roots(struct cs *cs, const struct partition *p, const struct num *comm_c)
{
    bind_root(cs, comm_c, &p->root_r_old, &p->num_comm_r_old);
    bind_root(cs, comm_c, &p->root_r_new, &p->num_comm_r_new);
}

/* The apex leaves, and the end that the paths of all challenges in tree D have in common. */
static void alloc_apex(struct cs *cs, struct partition *p, struct num *end)
{
    const struct merkle_path *path = &challenge_at(p, 0)->d_new;
    for (unsigned i = 0; i < p->update->apex_leafs; i++)
        p->apex[i] = circuit_alloc_node(cs, &p->proof->apex_leafs[i]);
    for (unsigned i = 0; i < p->partition_bits; i++)
        end[i] = circuit_alloc_node(cs, &path->siblings[p->drawn_bits + i][0]);
}

/* The apex leaves lie in comm_d_new, at this partition's place. */
static void bind_apex(struct cs *cs, const struct partition *p, const struct num *end)
{
    struct num root = merkle_sha256_root_gadget(cs, p->apex, p->update->apex_leafs);
    struct merkle_variables path = {MERKLE_SHA256, p->partition_bits, binary, p->number_bit, end};
    merkle_known_path_gadget(cs, &root, &p->num_comm_d_new, &path);
}

/* Challenges are runs of bits of digests, which are numbered through all partitions. */
static void draw_challenges(struct cs *cs, struct partition *p, const struct num *number)
{
    struct bit bit[DIGEST_BITS];
    unsigned each = CAPACITY_BITS / p->drawn_bits, digests = (p->challenges + each - 1) / each;
    for (unsigned i = 0; i < p->challenges; i++) {
        if (i % each == 0) {
            struct num index = num_affine(cs, digests, number, i / each);
            struct num digest = hash_randomness(cs, &p->num_comm_r_new, &index);
            num_split(cs, bit, DIGEST_BITS, &digest);
        }
        struct bit *leaf = p->leaf[i].bit;
        memcpy(leaf, bit + i % each * p->drawn_bits, p->drawn_bits * sizeof *bit);
        memcpy(leaf + p->drawn_bits, p->number_bit, p->partition_bits * sizeof *bit);
    }
}

/* ---- a challenge ---- */

/* The high bits of the leaf's number, as many as select says. */
static struct num high_bits(struct cs *cs, const struct partition *p, const struct bit *leaf)
{
    struct num chosen[UPDATE_HS];
    unsigned bits = p->drawn_bits + p->partition_bits;
    for (unsigned i = 0; i < UPDATE_HS; i++) {
        unsigned h = p->update->hs[i];
        struct num high = num_pack_bits(cs, leaf + bits - h, h);
        chosen[i] = num_mul_bit(cs, &high, p->select[i]);
    }
    return num_sum(cs, chosen, UPDATE_HS);
}

/* Variables for the siblings of the lower levels of path, then the way up from node to top. */
static void open_path(struct cs *cs, enum merkle_hash hash, const struct merkle_path *path,
                      unsigned levels, const struct bit *bits, const struct num *node,
                      const struct num *top)
{
    struct num siblings[MAX_SIBLINGS];
    size_t n = 0;
    for (unsigned l = 0; l < levels; l++)
        for (unsigned i = 0; i + 1 < path->arity[l]; i++) {
            assert(n < MAX_SIBLINGS);
            siblings[n++] = circuit_alloc_node(cs, &path->siblings[l][i]);
        }
    struct merkle_variables known = {hash, levels, path->arity, bits, siblings};
    merkle_known_path_gadget(cs, node, top, &known);
}

static void open_data(struct cs *cs, const struct partition *p, const struct merkle_path *path,
                      const struct bit *leaf, const struct num *d_new)
{
    if (p->hash_d == MERKLE_POSEIDON) {
        open_path(cs, p->hash_d, path, path->levels, leaf, d_new, &p->num_comm_d_new);
        return;
    }
    unsigned levels = p->drawn_bits - p->update->apex_bits;
    struct num top = select_gadget(cs, p->apex, p->update->apex_leafs, leaf + levels);
    open_path(cs, p->hash_d, path, levels, leaf, d_new, &top);
}

static void challenge(struct cs *cs, void *ctx, size_t i)
{
    const struct partition *p = ctx;
    const struct update_challenge *proof = challenge_at(p, i);
    const struct bit *leaf = p->leaf[i].bit;
    struct num high = high_bits(cs, p, leaf);
    struct num rho = hash_randomness(cs, &p->phi, &high);
    struct num r_old = circuit_alloc_node(cs, &proof->r_old.leaf);
    struct num d_new = circuit_alloc_node(cs, &proof->d_new.leaf);
    struct num terms[2] = {r_old, num_mul(cs, &d_new, &rho)};
    struct num r_new = num_sum(cs, terms, 2);
    unsigned levels = proof->r_old.levels;
    open_path(cs, MERKLE_POSEIDON, &proof->r_old, levels, leaf, &r_old, &p->root_r_old);
    open_path(cs, MERKLE_POSEIDON, &proof->r_new, levels, leaf, &r_new, &p->root_r_new);
    open_data(cs, p, &proof->d_new, leaf, &d_new);
}

/* ---- the circuits ---- */

/* A partition of the SHA-256 variant, its values still to be set. */
static struct partition partition_of(const struct registered_update *update)
{
    assert(update->partition_bits <= MAX_PARTITION_BITS && update->apex_leafs <= MAX_APEX_LEAFS);
    return (struct partition){.update = update,
                              .stride = 1,
                              .hash_d = MERKLE_SHA256,
                              .challenges = update->challenges,
                              .drawn_bits = update->challenge_bits,
                              .partition_bits = update->partition_bits};
}

static struct partition poseidon_partition_of(const struct registered_update *update)
{
    return (struct partition){.update = update,
                              .stride = 1,
                              .hash_d = MERKLE_POSEIDON,
                              .challenges = update->challenges * update->partitions,
                              .drawn_bits = update->challenge_bits + update->partition_bits};
}

static void synthesize(struct cs *cs, struct partition *p)
{
    struct leaf_bits leaf[UPDATE_MAX_CHALLENGES];
    struct num end[MAX_PARTITION_BITS];
    assert(p->challenges <= UPDATE_MAX_CHALLENGES);
    p->leaf = leaf;
    choice(cs, p);
    struct num number = num_pack_bits(cs, p->number_bit, p->partition_bits);
    commitments(cs, p);
    struct num comm_c = roots(cs, p);
    alloc_apex(cs, p, end);
    bind_roots(cs, p, &comm_c);
    bind_apex(cs, p, end);
    draw_challenges(cs, p, &number);
    cs_repeat(cs, p->challenges, challenge, p);
}

static int synthesize_poseidon(struct cs *cs, struct partition *p, struct error *err)
{
    p->leaf = calloc(p->challenges, sizeof *p->leaf);
    if (p->leaf == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for the challenges' bits");
    choice(cs, p);
    commitments(cs, p);
    struct num comm_c = roots(cs, p);
    bind_roots(cs, p, &comm_c);
    struct num number = num_alloc(cs, &FR_ZERO);
    draw_challenges(cs, p, &number);
    cs_repeat(cs, p->challenges, challenge, p);
    free(p->leaf);
    return 0;
}

static void set_values(struct partition *p, const struct update_vanilla *v, unsigned partition)
{
    p->comm_r_old = &v->comm_r_old;
    p->comm_d_new = &v->comm_d_new;
    p->comm_r_new = &v->comm_r_new;
    p->proof = &v->partitions[partition];
    p->number = partition;
}

void update_synthesize(struct cs *cs, const struct update_vanilla *v, unsigned partition)
{
    assert(partition < v->update->partitions);
    struct partition p = partition_of(v->update);
    set_values(&p, v, partition);
    synthesize(cs, &p);
}

int update_poseidon_synthesize(struct cs *cs, const struct update_vanilla *v, struct error *err)
{
    struct partition p = poseidon_partition_of(v->update);
    set_values(&p, v, 0);
    return synthesize_poseidon(cs, &p, err);
}

/* Zeros of the right shape. */
struct blank {
    struct node zeros[MAX_APEX_LEAFS];
    struct update_challenge challenge;
    struct update_partition partition;
};

static void set_blank(struct partition *p, struct blank *b)
{
    const struct sector_shape *s = p->update->shape;
    unsigned data_levels = p->drawn_bits + p->partition_bits;
    *b = (struct blank){.partition = {.apex_leafs = b->zeros, .challenges = &b->challenge}};
    circuit_blank_path(&b->challenge.r_old, s->tree_r_levels, s->tree_r_arity, b->zeros);
    b->challenge.r_new = b->challenge.d_new = b->challenge.r_old;
    if (p->hash_d == MERKLE_SHA256)
        circuit_blank_path(&b->challenge.d_new, data_levels, binary, b->zeros);
    p->comm_r_old = p->comm_d_new = p->comm_r_new = b->zeros;
    p->proof = &b->partition;
    p->stride = 0;
}

void update_synthesize_blank(struct cs *cs, const struct registered_update *update)
{
    struct blank b;
    struct partition p = partition_of(update);
    set_blank(&p, &b);
    synthesize(cs, &p);
}

int snap_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err)
{
    const struct registered_update *update;
    int rc = registered_update_of(&update, shape->id, err);
    if (rc == 0)
        update_synthesize_blank(cs, update);
    return rc;
}

int update_poseidon_synthesize_blank(struct cs *cs, const struct registered_update *update,
                                     struct error *err)
{
    struct blank b;
    struct partition p = poseidon_partition_of(update);
    set_blank(&p, &b);
    return synthesize_poseidon(cs, &p, err);
}
