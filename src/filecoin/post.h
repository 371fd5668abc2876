/* Proofs of spacetime, winning and window (FallbackPoSt): vanilla proofs, challenges, partitions, public inputs (spec: inputs §5, §6;
 * rust-fil-proofs storage-proofs-post fallback/). */
#ifndef CUZK_FILECOIN_POST_H
#define CUZK_FILECOIN_POST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "field/fr.h"
#include "filecoin/merkle_path.h"
#include "filecoin/registered.h"
#include "filecoin/vanilla_list.h"

/* One sector's vanilla proof. */
struct post_sector {
    uint64_t id;
    struct node comm_r, comm_c, comm_r_last;
    struct merkle_path *paths; /* [post->paths], in tree R, whose shape they have */
};

/* A sector that does not stand the check, and its first fault. */
struct post_fault {
    size_t sector;     /* its place among the sectors given */
    uint64_t id;       /* its number */
    const char *cause; /* as in struct error */
    char text[160];    /* "challenge 3: opens leaf 7 instead of 9" */
};

enum { POST_ALL_PARTITIONS = -1 };

struct post_request {
    const struct registered_post *post;
    uint8_t randomness[32]; /* as the chain gives it; the top two bits are cleared */
    /* POST_ALL_PARTITIONS: the proofs are the whole proof's, split into as many partitions as they need. Else they are those of
     * the partition of this number. */
    int partition;
};

struct post_vanilla {
    const struct registered_post *post;
    uint8_t randomness[32];               /* top two bits cleared */
    unsigned partitions, first_partition; /* partition i is number first_partition + i */
    size_t sectors_len;                   /* 1 .. partitions * post->sectors; winning: 1 */
    struct post_sector *sectors;          /* in the order given */
    size_t faults_len;                    /* of the last check */
    struct post_fault *faults;            /* in order of sectors */
    struct vanilla_list list; /* owns everything, the bytes that siblings point into too */
};

/* Takes list over, in any case. Every length, tag, index and field element is checked: the proofs have the shape of request->post.
 * No proof at all, or more sectors than fit, is an error. Errors name the place, e.g. "vanilla proof 1 (sector 22):
 * vanilla_proof.sectors[0].inclusion_proofs[3].data.path[0].hashes: 6 items instead of 7 (byte 140)". */
int post_vanilla_decode(struct post_vanilla *out, const struct post_request *request,
                        struct vanilla_list *list, struct error *err);
void post_vanilla_clean_up(struct post_vanilla *v);

/* Native check of everything the circuit asserts and more: sectors ascend, as the chain goes through them (their order is never
 * changed here); no comm_r is zero; paths open the challenged leaves and hash to comm_r_last; comm_r = H(comm_c, comm_r_last). All
 * sectors are checked: the error's text has the numbers of all that are faulty (as far as they fit in it) and the first reasons,
 * v->faults has all with their reasons. */
int post_vanilla_check(struct post_vanilla *v, struct pool *pool, const struct progress_sink *sink,
                       struct error *err);

/* Leaves challenged in a sector: out[n], n < post->paths. sector_index counts over the whole proof; API 1.2 does not read it. */
void post_challenges(uint64_t *out, const struct registered_post *post,
                     const uint8_t randomness[32], uint64_t sector_id, uint64_t sector_index);

/* Sector i < post->sectors of partition's circuit, partition < v->partitions: a partition that has fewer sectors repeats its last
 * (the same pointers). Winning: copy i of the only sector, with its path i. */
struct post_circuit_sector {
    const struct node *comm_r, *comm_c, *comm_r_last;
    const struct merkle_path *paths; /* [post->challenges] */
};
struct post_circuit_sector post_circuit_sector(const struct post_vanilla *v, unsigned partition,
                                               unsigned i);

/* Public inputs of a partition without ONE: for each sector of the circuit comm_r, then the leaves challenged. Reads of v only what
 * the chain knows: post, randomness, partitions and the sectors' id and comm_r. */
size_t post_public_inputs_len(const struct registered_post *post);
void post_public_inputs(struct fr *out, const struct post_vanilla *v, unsigned partition);

#endif
