/* What the chain knows of a PoRep: ids and public inputs. */
#include <assert.h>
#include <string.h>

#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/porep_vanilla.h"
#include "hash/sha256.h"

void prover_id_of_miner(uint8_t out[32], uint64_t miner_id)
{
    memset(out, 0, 32);
    for (unsigned i = 0; i == 0 || miner_id != 0; i++, miner_id >>= 7)
        out[i] = (uint8_t)((miner_id & 0x7f) | (miner_id >> 7 != 0 ? 0x80 : 0));
}

void porep_replica_id(struct node *out, const struct registered_seal *seal,
                      const uint8_t prover_id[32], uint64_t sector_number, const uint8_t ticket[32],
                      const struct node *comm_d)
{
    uint8_t in[136];
    memcpy(in, prover_id, 32);
    for (unsigned i = 0; i < 8; i++)
        in[32 + i] = (uint8_t)(sector_number >> (56 - 8 * i));
    memcpy(in + 40, ticket, 32);
    memcpy(in + 72, comm_d->b, 32);
    memcpy(in + 104, seal->porep_id, 32);
    sha256(out->b, in, sizeof in);
    out->b[31] &= 0x3f;
}

enum { INPUTS_PER_CHALLENGE = 1 + POREP_PARENTS + 3, MAX_CHALLENGES = 18 };

size_t porep_public_inputs_len(const struct registered_seal *seal)
{
    return 3 + INPUTS_PER_CHALLENGE * (size_t)seal->shape->challenges;
}

static int put_node(struct fr *out, const struct node *n, const char *what, struct error *err)
{
    if (fr_from_bytes(out, n->b) != 0)
        return error_set(err, ERR_DATA, "not-canonical", "%s is not below the field's modulus",
                         what);
    return 0;
}

int porep_public_inputs(struct fr *out, const struct porep_statement *s, unsigned partition,
                        struct error *err)
{
    unsigned partitions = registered_seal_partitions(s->seal), count = s->seal->shape->challenges;
    if (partition >= partitions)
        return error_set(err, ERR_DATA, "partition-number",
                         "partition %u does not exist: %s has %u partitions", partition,
                         s->seal->name, partitions);
    if (put_node(out++, &s->replica_id, "replica_id", err) != 0 ||
        put_node(out++, &s->comm_d, "comm_d", err) != 0 ||
        put_node(out++, &s->comm_r, "comm_r", err) != 0)
        return err->code;

    uint32_t challenges[MAX_CHALLENGES], drg[GRAPH_DRG_PARENTS], exp[GRAPH_EXP_PARENTS];
    assert(count <= MAX_CHALLENGES);
    porep_challenges(challenges, s->seal, s->replica_id.b, s->comm_r.b, s->seed, partition);
    struct graph graph;
    graph_init(&graph, s->seal->shape->nodes, s->seal->api, s->seal->porep_id);
    for (unsigned i = 0; i < count; i++) {
        uint32_t c = challenges[i];
        graph_drg_parents(drg, &graph, c);
        graph_exp_parents(exp, &graph, c);
        fr_from_u64(out++, c); /* path in tree D */
        for (unsigned j = 0; j < GRAPH_DRG_PARENTS; j++)
            fr_from_u64(out++, drg[j]);
        for (unsigned j = 0; j < GRAPH_EXP_PARENTS; j++)
            fr_from_u64(out++, exp[j]);
        fr_from_u64(out++, c); /* label */
        fr_from_u64(out++, c); /* path in tree R */
        fr_from_u64(out++, c); /* path of the own column in tree C */
    }
    return 0;
}
