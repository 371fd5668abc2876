/* Proof kinds: what a job has to know of PoRep, WinningPoSt, WindowPoSt and EmptySectorUpdate. A kind is one struct proof_kind,
 * listed in the registry; all else is common. */
#ifndef CUZK_PROOF_KIND_H
#define CUZK_PROOF_KIND_H

#include "base/error.h"
#include "base/pool.h"
#include "base/progress.h"
#include "field/fr.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/post.h"
#include "filecoin/update.h"
#include "r1cs/cs.h"

enum { ALL_PARTITIONS = -1 };

/* What the requester says of the input and could be read out of it: it must agree. */
struct proof_claims {
    int has_prover, has_sector;
    uint8_t prover_id[32];
    uint64_t sector;
};

/* A request as a command line or a message carries it; a kind reads the fields that are its own. */
struct proof_request {
    const char *path; /* file of the C1 JSON or of the vanilla proofs; or NULL and: */
    const struct vanilla_proof *proofs; /* [proofs_len], at hand; PoRep: one, the C1 JSON */
    size_t proofs_len;
    /* ALL_PARTITIONS or one. Window: the number of the partition whose sectors' proofs are given. */
    int partition;
    unsigned registered_proof; /* all but PoRep, whose C1 JSON names it */
    uint8_t randomness[32];    /* winning, window */
    uint8_t comm_r_old[32], comm_r_new[32], comm_d_new[32]; /* snap */
    struct proof_claims claims;
    int published; /* verifying: refuse a key that is not the published one */
};

/* The input of a job, decoded. */
struct proof_input {
    const struct proof_kind *kind;
    enum sector_size size;
    unsigned partitions;   /* that it has: the kind's functions count them from 0 */
    unsigned first_number; /* what partition 0 is called */
    unsigned first, count; /* those that the request is for */
    union {
        struct porep_vanilla porep;
        struct post_vanilla post;
        struct update_vanilla update;
    };
};

struct proof_kind {
    const char *name; /* "porep", as the commands call it */
    enum circuit_kind circuit;
    /* The circuit without a proof, for shape mode. */
    int (*synthesize_blank)(struct cs *cs, const struct sector_shape *shape, struct error *err);
    /* Sets size, partitions, first_number and the union's member; nothing of the request is kept. */
    int (*decode)(struct proof_input *in, const struct proof_request *request, struct error *err);
    /* A claim that the input contradicts is an error of that code. NULL: there is nothing that could be claimed. */
    int (*check_claims)(const struct proof_input *in, const struct proof_claims *claims, int code,
                        struct error *err);
    /* Everything that the circuit asserts, natively. */
    int (*check)(struct proof_input *in, struct pool *pool, const struct progress_sink *sink,
                 struct error *err);
    void (*synthesize)(struct cs *cs, const struct proof_input *in, unsigned partition);
    /* Without ONE, as many as the circuit has. Computed as the chain does, from the statement alone. */
    int (*public_inputs)(struct fr *out, const struct proof_input *in, unsigned partition,
                         struct error *err);
    void (*clean_up)(struct proof_input *in); /* harmless when zeroed */
};
extern const struct proof_kind porep_kind, winning_kind, window_kind, snap_kind;

/* Decodes the input of a request; it is not checked yet. A partition that it has not is an ERR_USAGE. A claim that it contradicts
 * is an error of the code given: it is the input that is wrong when one proves, the proof when one verifies. */
int proof_input_decode(struct proof_input *out, const struct proof_kind *kind,
                       const struct proof_request *request, int claims_code, struct error *err);
int proof_input_check(struct proof_input *in, struct pool *pool, const struct progress_sink *sink,
                      struct error *err);
void proof_input_clean_up(struct proof_input *in);

/* For kinds whose input is a list of vanilla proofs: the request's. */
int proof_request_vanilla(struct vanilla_list *out, const struct proof_request *request,
                          struct error *err);

#endif
