/* EmptySectorUpdate: decoding, challenges, public inputs. */
#include "filecoin/update.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "filecoin/arena.h"
#include "filecoin/bincode.h"
#include "hash/poseidon.h"

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for the vanilla proofs");
}

/* ---- Decoding ---- */

static int read_partition(struct bincode_reader *r, struct update_partition *p,
                          const struct registered_update *update)
{
    const struct sector_shape *shape = update->shape;
    if (bincode_node(r, &p->comm_c, "comm_c") != 0 ||
        bincode_length(r, update->apex_leafs, "apex_leafs") != 0 ||
        bincode_nodes(r, &p->apex_leafs, update->apex_leafs, "apex_leafs") != 0 ||
        bincode_length(r, update->challenges, "challenge_proofs") != 0)
        return r->err->code;
    for (unsigned i = 0; i < update->challenges; i++) {
        struct update_challenge *c = &p->challenges[i];
        bincode_enter_item(r, "challenge_proofs", i);
        bincode_enter(r, "proof_r_old");
        if (bincode_path_r(r, &c->r_old, shape) != 0)
            return r->err->code;
        bincode_leave(r);
        bincode_enter(r, "proof_d_new");
        if (bincode_path_d(r, &c->d_new, shape) != 0)
            return r->err->code;
        bincode_leave(r);
        bincode_enter(r, "proof_r_new");
        if (bincode_path_r(r, &c->r_new, shape) != 0)
            return r->err->code;
        bincode_leave(r);
        bincode_leave(r);
    }
    return bincode_end(r);
}

static int decode_partition(struct update_vanilla *v, size_t k, struct error *err)
{
    struct update_partition *p = &v->partitions[k];
    struct bincode_reader r;
    p->challenges = arena_alloc(v->list.arena, v->update->challenges * sizeof *p->challenges);
    if (p->challenges == NULL)
        return no_memory(err);
    bincode_init(&r, v->list.proofs[k].data, v->list.proofs[k].len, err);
    if (read_partition(&r, p, v->update) != 0)
        return error_prefix(err, "vanilla proof %zu", k);
    return 0;
}

static int take_commitment(struct node *out, const uint8_t in[32], const char *name,
                           const char *zero_cause, struct error *err)
{
    struct fr value;
    if (fr_from_bytes(&value, in) != 0)
        return error_set(err, ERR_DATA, "not-canonical", "%s: is not below the field's modulus",
                         name);
    memcpy(out->b, in, sizeof out->b);
    if (node_is_zero(out))
        return error_set(err, ERR_DATA, zero_cause, "%s is all zero", name);
    return 0;
}

static int take_statement(struct update_vanilla *v, const struct update_request *request,
                          struct error *err)
{
    if (take_commitment(&v->comm_r_old, request->comm_r_old, "comm_r_old", "zero-comm-r", err) !=
            0 ||
        take_commitment(&v->comm_r_new, request->comm_r_new, "comm_r_new", "zero-comm-r", err) !=
            0 ||
        take_commitment(&v->comm_d_new, request->comm_d_new, "comm_d_new", "zero-comm-d", err) != 0)
        return err->code;
    return 0;
}

static int decode_partitions(struct update_vanilla *v, struct error *err)
{
    const struct registered_update *update = v->update;
    if (v->list.len != update->partitions)
        return error_set(err, ERR_DATA, "update-partitions",
                         "%zu vanilla proof%s instead of %u: %s needs one for each partition",
                         v->list.len, v->list.len == 1 ? "" : "s", update->partitions,
                         update->name);
    v->partitions = arena_alloc(v->list.arena, update->partitions * sizeof *v->partitions);
    if (v->partitions == NULL)
        return no_memory(err);
    for (size_t k = 0; k < update->partitions; k++)
        if (decode_partition(v, k, err) != 0)
            return err->code;
    return 0;
}

int update_vanilla_decode(struct update_vanilla *out, const struct update_request *request,
                          struct vanilla_list *list, struct error *err)
{
    memset(out, 0, sizeof *out);
    out->update = request->update;
    out->list = *list;
    memset(list, 0, sizeof *list);
    int rc = take_statement(out, request, err);
    if (rc == 0) {
        rc = decode_partitions(out, err);
        if (rc == ERR_DATA)
            vanilla_list_blame(&out->list, err);
    }
    if (rc != 0)
        update_vanilla_clean_up(out);
    return rc;
}

void update_vanilla_clean_up(struct update_vanilla *v)
{
    vanilla_list_clean_up(&v->list);
    memset(v, 0, sizeof *v);
}

/* ---- Challenges ---- */

static void snap_hash(struct fr *out, const struct fr *a, const struct fr *b)
{
    const struct fr in[2] = {*a, *b};
    poseidon_hash(out, poseidon_constants(2, POSEIDON_SNAP), in);
}

/* count bits of a little-endian number, from bit `first` on; count is at most 32. */
static uint32_t bits_of(const uint64_t limbs[4], unsigned first, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)(limbs[(first + i) / 64] >> (first + i) % 64 & 1) << i;
    return value;
}

void update_challenges(uint32_t *out, const struct registered_update *update,
                       const struct node *comm_r_new, unsigned partition)
{
    struct fr comm_r, index, digest;
    uint64_t limbs[4] = {0};
    assert(partition < update->partitions);
    node_to_fr(&comm_r, comm_r_new);
    for (unsigned i = 0; i < update->challenges; i++) {
        unsigned k = i % update->per_digest;
        if (k == 0) {
            fr_from_u64(&index, partition * update->digests + i / update->per_digest);
            snap_hash(&digest, &comm_r, &index);
            fr_to_limbs(limbs, &digest);
        }
        out[i] = bits_of(limbs, k * update->challenge_bits, update->challenge_bits) |
                 (uint32_t)partition << update->challenge_bits;
    }
}

void update_phi(struct fr *out, const struct node *comm_d_new, const struct node *comm_r_old)
{
    struct fr comm_d, comm_r;
    node_to_fr(&comm_d, comm_d_new);
    node_to_fr(&comm_r, comm_r_old);
    snap_hash(out, &comm_d, &comm_r);
}

void update_rho(struct fr *out, const struct registered_update *update, const struct fr *phi,
                uint32_t challenge)
{
    struct fr high;
    fr_from_u64(&high, challenge >> (update->shape->tree_d_levels - update->h));
    snap_hash(out, phi, &high);
}

/* ---- Public inputs ---- */

void update_public_inputs(struct fr out[UPDATE_PUBLIC_INPUTS], const struct update_vanilla *v,
                          unsigned partition)
{
    const struct registered_update *update = v->update;
    assert(partition < update->partitions);
    fr_from_u64(&out[0], partition + ((uint64_t)update->h_select << update->partition_bits));
    node_to_fr(&out[1], &v->comm_r_old);
    node_to_fr(&out[2], &v->comm_d_new);
    node_to_fr(&out[3], &v->comm_r_new);
}
