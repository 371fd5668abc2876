#include "circuit/porep.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/node.h"
#include "gadget/poseidon.h"
#include "gadget/sha256.h"

enum { CHALLENGE_BITS = 64, LAYER_BYTES = 4, CHALLENGE_BYTES = 8 };

/* One partition's statement and witness. */
struct partition {
    const struct sector_shape *shape;
    const struct node *replica_id, *comm_d, *comm_r;
    const struct porep_challenge_proof *proofs;
    size_t challenges, stride; /* stride 0: the first proof stands for every challenge */
    /* allocated by the prelude */
    struct num num_comm_d, num_comm_c, num_comm_r_last;
    struct bits256 replica_bits;
};

static const struct porep_challenge_proof *proof_at(const struct partition *p, size_t i)
{
    return &p->proofs[i * p->stride];
}

/* comm_r = H(comm_c, comm_r_last), and what all challenges share. */
static void prelude(struct cs *cs, struct partition *p)
{
    struct num replica_id = circuit_alloc_node(cs, p->replica_id);
    num_inputize(cs, &replica_id);
    num_to_bits256(cs, &p->replica_bits, &replica_id);
    p->num_comm_d = circuit_alloc_node(cs, p->comm_d);
    num_inputize(cs, &p->num_comm_d);
    struct num comm_r = circuit_alloc_node(cs, p->comm_r);
    num_inputize(cs, &comm_r);
    const struct porep_challenge_proof *first = proof_at(p, 0);
    p->num_comm_r_last = circuit_alloc_node(cs, &first->comm_r_last.root);
    p->num_comm_c = circuit_alloc_node(cs, &first->c_x.inclusion.root);
    struct num pair[2] = {p->num_comm_c, p->num_comm_r_last};
    struct num h = poseidon_gadget(cs, poseidon_constants(2, POSEIDON_MERKLE), pair);
    num_equal(cs, &comm_r, &h);
}

/* The parents' labels of all layers. */
struct columns {
    const struct partition *p;
    const struct porep_challenge_proof *proof;
    struct num label[POREP_PARENTS][POREP_MAX_LAYERS];
};

static const struct porep_column *column_at(const struct columns *c, size_t i)
{
    return i < POREP_DRG_PARENTS ? &c->proof->drg_parents[i]
                                 : &c->proof->exp_parents[i - POREP_DRG_PARENTS];
}

/* Of parents i .. i + n - 1: their hashes are in tree C. */
static void open_columns(struct cs *const cs[], void *ctx, size_t i, size_t n)
{
    struct columns *c = ctx;
    unsigned layers = c->p->shape->layers;
    struct num row[CS_GROUP * POREP_MAX_LAYERS], h[CS_GROUP], root[CS_GROUP];
    const struct merkle_path *path[CS_GROUP];
    for (size_t k = 0; k < n; k++) {
        const struct porep_column *column = column_at(c, i + k);
        for (unsigned l = 0; l < layers; l++)
            row[k * layers + l] = c->label[i + k][l] = circuit_alloc_node(cs[k], &column->rows[l]);
        path[k] = &column->inclusion;
        root[k] = c->p->num_comm_c;
    }
    poseidon_gadgets(cs, n, h, poseidon_constants(layers, POSEIDON_MERKLE), row);
    circuit_open_paths(cs, n, MERKLE_POSEIDON, path, h, root);
}

/* The second 32 bytes of a label's message: layer and challenge, big-endian, zeros. challenge: least significant bit first. */
static void label_header(struct bits256 *out, unsigned layer, const struct bit *challenge)
{
    memset(out->value, 0, sizeof out->value);
    memset(out->constant, 0xff, sizeof out->constant);
    memset(out->constant + LAYER_BYTES, 0, CHALLENGE_BYTES);
    out->value[LAYER_BYTES - 1] = (uint8_t)layer;
    for (size_t i = 0; i < 256; i++)
        out->bit[i] = bit_constant(out->value[i / 8] >> (7 - i % 8) & 1);
    for (size_t i = 0; i < CHALLENGE_BITS; i++) {
        struct bit b = challenge[CHALLENGE_BITS - 1 - i];
        out->value[LAYER_BYTES + i / 8] |= (uint8_t)(b.value << (7 - i % 8));
        out->bit[8 * LAYER_BYTES + i] = b;
    }
}

/* The label of the challenged node in one layer, from its parents' labels: DRG parents in the same layer, expander parents in
 * the one before (none in the first). The list is repeated up to 37 parents. */
static struct num create_label(struct cs *cs, const struct partition *p, unsigned layer,
                               const struct bit *challenge,
                               struct num columns[POREP_PARENTS][POREP_MAX_LAYERS])
{
    struct bits256 parent[POREP_PARENTS], header, digest;
    size_t parents = layer == 1 ? POREP_DRG_PARENTS : POREP_PARENTS;
    for (size_t i = 0; i < parents; i++) {
        unsigned row = i < POREP_DRG_PARENTS ? layer - 1 : layer - 2;
        num_to_bits256(cs, &parent[i], &columns[i][row]);
    }
    label_header(&header, layer, challenge);
    const struct bits256 *message[2 + POREP_LABEL_PARENTS] = {&p->replica_bits, &header};
    for (size_t i = 0; i < POREP_LABEL_PARENTS; i++)
        message[2 + i] = &parent[i % parents];
    sha256_gadget(cs, &digest, message, 2 + POREP_LABEL_PARENTS);
    return num_pack_digest(cs, &digest);
}

static void challenge(struct cs *cs, void *ctx, size_t index)
{
    const struct partition *p = ctx;
    const struct porep_challenge_proof *proof = proof_at(p, index);
    unsigned layers = p->shape->layers;
    struct columns columns = {.p = p, .proof = proof};
    struct num label[POREP_MAX_LAYERS];
    struct bit bits[CHALLENGE_BITS];

    struct num data_leaf = circuit_alloc_node(cs, &proof->comm_d.leaf);
    circuit_open_path(cs, MERKLE_SHA256, &proof->comm_d, &data_leaf, &p->num_comm_d);
    cs_repeat_together(cs, POREP_PARENTS, open_columns, &columns);
    for (size_t i = 0; i < CHALLENGE_BITS; i++)
        bits[i] = bit_alloc(cs, proof->labeling[0].node >> i & 1);
    num_pack_into_input(cs, bits, CHALLENGE_BITS);
    for (unsigned layer = 1; layer <= layers; layer++)
        label[layer - 1] = create_label(cs, p, layer, bits, columns.label);
    struct num encoded = num_add(cs, &label[layers - 1], &data_leaf);
    circuit_open_path(cs, MERKLE_POSEIDON, &proof->comm_r_last, &encoded, &p->num_comm_r_last);
    struct num h = poseidon_gadget(cs, poseidon_constants(layers, POSEIDON_MERKLE), label);
    circuit_open_path(cs, MERKLE_POSEIDON, &proof->c_x.inclusion, &h, &p->num_comm_c);
}

static void synthesize(struct cs *cs, struct partition *p)
{
    prelude(cs, p);
    cs_repeat(cs, p->challenges, challenge, p);
}

void porep_synthesize(struct cs *cs, const struct porep_vanilla *v, unsigned partition)
{
    assert(partition < v->partitions && v->challenges > 0);
    struct partition p = {.shape = v->seal->shape,
                          .replica_id = &v->replica_id,
                          .comm_d = &v->comm_d,
                          .comm_r = &v->comm_r,
                          .proofs = v->proofs[partition],
                          .challenges = v->challenges,
                          .stride = 1};
    synthesize(cs, &p);
}

int porep_synthesize_blank(struct cs *cs, const struct sector_shape *shape, struct error *err)
{
    struct porep_challenge_proof *proof = calloc(1, sizeof *proof);
    if (proof == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a blank challenge proof");
    struct node zeros[7] = {0};
    circuit_blank_path(&proof->comm_d, shape->tree_d_levels, NULL, zeros);
    circuit_blank_path(&proof->comm_r_last, shape->tree_r_levels, shape->tree_r_arity, zeros);
    circuit_blank_path(&proof->c_x.inclusion, shape->tree_r_levels, shape->tree_r_arity, zeros);
    for (size_t i = 0; i < POREP_DRG_PARENTS; i++)
        proof->drg_parents[i].inclusion = proof->c_x.inclusion;
    for (size_t i = 0; i < POREP_EXP_PARENTS; i++)
        proof->exp_parents[i].inclusion = proof->c_x.inclusion;
    struct partition p = {.shape = shape,
                          .replica_id = zeros,
                          .comm_d = zeros,
                          .comm_r = zeros,
                          .proofs = proof,
                          .challenges = shape->challenges};
    synthesize(cs, &p);
    free(proof);
    return 0;
}
