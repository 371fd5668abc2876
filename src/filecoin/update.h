/* EmptySectorUpdate (SnapDeals): vanilla proofs, challenges, public inputs (spec: inputs §7; rust-fil-proofs storage-proofs-update).
 * All its Poseidon hashes but those of trees and of comm_r have POSEIDON_SNAP's tag. */
#ifndef CUZK_FILECOIN_UPDATE_H
#define CUZK_FILECOIN_UPDATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "field/fr.h"
#include "filecoin/merkle_path.h"
#include "filecoin/registered.h"
#include "filecoin/vanilla_list.h"

/* Paths of one challenged leaf: old tree R, new tree D (binary), new tree R. */
struct update_challenge {
    struct merkle_path r_old, d_new, r_new;
};

struct update_partition {
    struct node comm_c;
    struct node *
        apex_leafs; /* [update->apex_leafs]: tree D's nodes that lie apex_bits below this partition's root in it */
    struct update_challenge *challenges; /* [update->challenges] */
};

struct update_request {
    const struct registered_update *update;
    uint8_t comm_r_old[32], comm_r_new[32], comm_d_new[32];
};

struct update_vanilla {
    const struct registered_update *update;
    struct node comm_r_old, comm_r_new, comm_d_new;
    struct update_partition *partitions; /* [update->partitions] */
    struct vanilla_list list; /* owns everything, the bytes that siblings point into too */
};

/* Takes list over, in any case. There must be one proof for each partition. Every length, tag, index and field element is checked, as
 * by post_vanilla_decode. Commitments must be below r and not zero. */
int update_vanilla_decode(struct update_vanilla *out, const struct update_request *request,
                          struct vanilla_list *list, struct error *err);
void update_vanilla_clean_up(struct update_vanilla *v);

/* Native check of everything the circuit asserts: challenges follow from comm_r_new, paths open them and hash to their roots, which are
 * the same in all challenges of a partition; comm_r_old and comm_r_new are H(comm_c, root); tree D's root is comm_d_new; the new label
 * is old + data * rho; apex leaves hash to comm_d_new and are on the paths of tree D. The first fault in order of partition and
 * challenge is reported. */
int update_vanilla_check(const struct update_vanilla *v, struct pool *pool,
                         const struct progress_sink *sink, struct error *err);

/* The challenges of a partition: leaves of the sector, in [partition, partition + 1) * nodes / partitions. */
void update_challenges(uint32_t *out /* [update->challenges] */,
                       const struct registered_update *update, const struct node *comm_r_new,
                       unsigned partition);
/* phi = H(comm_d_new, comm_r_old); rho = H(phi, the h high bits of the challenge). */
void update_phi(struct fr *out, const struct node *comm_d_new, const struct node *comm_r_old);
void update_rho(struct fr *out, const struct registered_update *update, const struct fr *phi,
                uint32_t challenge);

/* Public inputs of a partition without ONE: partition + (h_select << partition_bits), comm_r_old, comm_d_new, comm_r_new. Reads of v only
 * update and the three commitments. */
enum { UPDATE_PUBLIC_INPUTS = 4 };
void update_public_inputs(struct fr out[UPDATE_PUBLIC_INPUTS], const struct update_vanilla *v,
                          unsigned partition);

#endif
