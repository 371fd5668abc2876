/* PoSt: decoding, partitions, public inputs. */
#include "filecoin/post.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "filecoin/arena.h"
#include "filecoin/bincode.h"
#include "hash/sha256.h"

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for the vanilla proofs");
}

/* ---- Decoding ---- */

static int read_sector(struct bincode_reader *r, struct post_sector *s,
                       const struct registered_post *post)
{
    bincode_enter(r, "vanilla_proof");
    if (bincode_length(r, 1, "sectors") != 0)
        return r->err->code;
    bincode_enter_item(r, "sectors", 0);
    if (bincode_length(r, post->paths, "inclusion_proofs") != 0)
        return r->err->code;
    for (unsigned i = 0; i < post->paths; i++) {
        bincode_enter_item(r, "inclusion_proofs", i);
        if (bincode_path_r(r, &s->paths[i], post->shape) != 0)
            return r->err->code;
        bincode_leave(r);
    }
    if (bincode_node(r, &s->comm_c, "comm_c") != 0 ||
        bincode_node(r, &s->comm_r_last, "comm_r_last") != 0)
        return r->err->code;
    return bincode_end(r);
}

static int decode_sector(struct post_vanilla *v, size_t i, struct error *err)
{
    struct bincode_reader r;
    struct post_sector *s = &v->sectors[i];
    s->paths = arena_alloc(v->list.arena, v->post->paths * sizeof *s->paths);
    if (s->paths == NULL)
        return no_memory(err);
    bincode_init(&r, v->list.proofs[i].data, v->list.proofs[i].len, err);
    if (bincode_u64(&r, &s->id, "sector_id") != 0)
        return error_prefix(err, "vanilla proof %zu", i);
    if (bincode_node(&r, &s->comm_r, "comm_r") != 0 || read_sector(&r, s, v->post) != 0)
        return error_prefix(err, "vanilla proof %zu (sector %" PRIu64 ")", i, s->id);
    return 0;
}

/* How many partitions the proofs make, and which. */
static int choose_partitions(struct post_vanilla *v, const struct post_request *request,
                             struct error *err)
{
    const struct registered_post *post = request->post;
    size_t n = v->list.len, fit = post->kind == CIRCUIT_WINNING ? 1 : post->sectors;
    int single = request->partition != POST_ALL_PARTITIONS;
    assert(request->partition >= POST_ALL_PARTITIONS);
    if (n == 0)
        return error_set(err, ERR_DATA, "post-no-sectors",
                         "there is no vanilla proof at all; expected one%s",
                         post->kind == CIRCUIT_WINNING ? "" : " for each sector");
    if (post->kind == CIRCUIT_WINNING && request->partition > 0)
        return error_set(err, ERR_DATA, "partition-number",
                         "partition %d does not exist: a winning PoSt has one", request->partition);
    if (n > fit && (single || post->kind == CIRCUIT_WINNING))
        return error_set(
            err, ERR_DATA, "post-too-many-sectors",
            "%zu vanilla proofs are given: one partition of %s has at most %zu sector%s", n,
            post->name, fit, fit == 1 ? "" : "s");
    v->partitions = (unsigned)((n + fit - 1) / fit);
    v->first_partition = single ? (unsigned)request->partition : 0;
    return 0;
}

int post_vanilla_decode(struct post_vanilla *out, const struct post_request *request,
                        struct vanilla_list *list, struct error *err)
{
    memset(out, 0, sizeof *out);
    out->post = request->post;
    out->list = *list;
    memset(list, 0, sizeof *list);
    memcpy(out->randomness, request->randomness, sizeof out->randomness);
    out->randomness[31] &= 0x3f;
    err->code = 0;
    if (choose_partitions(out, request, err) == 0) {
        out->sectors = arena_alloc(out->list.arena, out->list.len * sizeof *out->sectors);
        if (out->sectors == NULL)
            no_memory(err);
    }
    for (; err->code == 0 && out->sectors_len < out->list.len; out->sectors_len++)
        decode_sector(out, out->sectors_len, err);
    if (err->code == ERR_DATA)
        vanilla_list_blame(&out->list, err);
    if (err->code != 0)
        post_vanilla_clean_up(out);
    return err->code;
}

void post_vanilla_clean_up(struct post_vanilla *v)
{
    vanilla_list_clean_up(&v->list);
    memset(v, 0, sizeof *v);
}

/* ---- Challenges ---- */

void post_challenges(uint64_t *out, const struct registered_post *post,
                     const uint8_t randomness[32], uint64_t sector_id, uint64_t sector_index)
{
    uint8_t in[48], digest[32];
    uint64_t first = post->api == API_1_2 ? 0 : sector_index * post->paths;
    memcpy(in, randomness, 32);
    for (unsigned i = 0; i < 8; i++)
        in[32 + i] = (uint8_t)(sector_id >> (8 * i));
    for (unsigned n = 0; n < post->paths; n++) {
        uint64_t value = 0;
        for (unsigned i = 0; i < 8; i++)
            in[40 + i] = (uint8_t)((first + n) >> (8 * i));
        sha256(digest, in, sizeof in);
        for (unsigned i = 0; i < 8; i++)
            value |= (uint64_t)digest[i] << (8 * i);
        out[n] = value % post->shape->nodes;
    }
}

/* ---- Partitions ---- */

/* Which of the sectors given is sector i of a window partition. */
static size_t place_of(const struct post_vanilla *v, unsigned partition, unsigned i)
{
    size_t at = (size_t)partition * v->post->sectors + i;
    return at < v->sectors_len ? at : v->sectors_len - 1;
}

struct post_circuit_sector post_circuit_sector(const struct post_vanilla *v, unsigned partition,
                                               unsigned i)
{
    assert(partition < v->partitions && i < v->post->sectors);
    int winning = v->post->kind == CIRCUIT_WINNING;
    const struct post_sector *s = &v->sectors[winning ? 0 : place_of(v, partition, i)];
    return (struct post_circuit_sector){.comm_r = &s->comm_r,
                                        .comm_c = &s->comm_c,
                                        .comm_r_last = &s->comm_r_last,
                                        .paths = winning ? &s->paths[i] : s->paths};
}

/* ---- Public inputs ---- */

enum { MAX_PATHS = 66 };

size_t post_public_inputs_len(const struct registered_post *post)
{
    return (size_t)post->sectors * (1 + post->challenges);
}

static void winning_public_inputs(struct fr *out, const struct post_vanilla *v)
{
    uint64_t challenges[MAX_PATHS];
    const struct post_sector *s = &v->sectors[0];
    post_challenges(challenges, v->post, v->randomness, s->id, 0);
    for (unsigned i = 0; i < v->post->sectors; i++) {
        node_to_fr(out++, &s->comm_r);
        fr_from_u64(out++, challenges[i]);
    }
}

void post_public_inputs(struct fr *out, const struct post_vanilla *v, unsigned partition)
{
    uint64_t challenges[MAX_PATHS];
    uint64_t first = (uint64_t)v->first_partition * v->post->sectors;
    assert(partition < v->partitions && v->post->paths <= MAX_PATHS);
    if (v->post->kind == CIRCUIT_WINNING) {
        winning_public_inputs(out, v);
        return;
    }
    for (unsigned i = 0; i < v->post->sectors; i++) {
        size_t at = place_of(v, partition, i);
        const struct post_sector *s = &v->sectors[at];
        post_challenges(challenges, v->post, v->randomness, s->id, first + at);
        node_to_fr(out++, &s->comm_r);
        for (unsigned n = 0; n < v->post->challenges; n++)
            fr_from_u64(out++, challenges[n]);
    }
}
