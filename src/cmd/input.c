#include "cmd/input.h"

#include "cmd/cli.h"
#include "proof/registry.h"

#define P (1u << CIRCUIT_POREP)
#define WN (1u << CIRCUIT_WINNING)
#define WD (1u << CIRCUIT_WPOST)
#define S (1u << CIRCUIT_SNAP)

/* Kinds that need an option, and those that take it. */
static const struct {
    const char *name, *value;
    unsigned needed, taken;
} rules[] = {
    [INPUT_C1 - INPUT_C1] = {"--c1", "FILE", P, P},
    [INPUT_VANILLA - INPUT_C1] = {"--vanilla", "FILE", WN | WD | S, WN | WD | S},
    [INPUT_REGISTERED_PROOF - INPUT_C1] = {"--registered-proof", "N", WN | WD | S, WN | WD | S},
    [INPUT_RANDOMNESS - INPUT_C1] = {"--randomness", "HEX", WN | WD, WN | WD},
    [INPUT_SECTOR_NUM - INPUT_C1] = {"--sector-num", "N", 0, P | WN},
    [INPUT_MINER_ID - INPUT_C1] = {"--miner-id", "N", 0, P},
    [INPUT_PROVER_ID - INPUT_C1] = {"--prover-id", "HEX", 0, P},
    [INPUT_PARTITION - INPUT_C1] = {"--partition", "N", 0, P | WD | S},
    [INPUT_COMM_R_OLD - INPUT_C1] = {"--comm-r-old", "HEX", S, S},
    [INPUT_COMM_R_NEW - INPUT_C1] = {"--comm-r-new", "HEX", S, S},
    [INPUT_COMM_D_NEW - INPUT_C1] = {"--comm-d-new", "HEX", S, S},
};
enum { RULES = sizeof rules / sizeof *rules };
_Static_assert(RULES == INPUT_END - INPUT_C1, "a rule for each option");

int input_kind(struct input_options *o, const char *name)
{
    struct error err;
    if (name == NULL)
        return cli_usage("the kind of proof is missing");
    if (proof_kind_by_name(&o->kind, name, &err) != 0)
        return cli_usage("%s", err.text);
    o->request.partition = ALL_PARTITIONS;
    return 0;
}

static int number(uint64_t *out, int option, const char *value, uint64_t max)
{
    return cli_parse_u64(out, rules[option - INPUT_C1].name, value, max);
}

static int claim(struct proof_claims *claims, int option, const char *value)
{
    uint64_t n;
    int rc;
    if (option == INPUT_SECTOR_NUM) {
        claims->has_sector = 1;
        return number(&claims->sector, option, value, UINT64_MAX);
    }
    claims->has_prover = 1;
    if (option == INPUT_PROVER_ID)
        return cli_parse_bytes32(claims->prover_id, "--prover-id", value);
    rc = number(&n, option, value, UINT64_MAX);
    if (rc == 0)
        prover_id_of_miner(claims->prover_id, n);
    return rc;
}

int input_option(struct input_options *o, int option, const char *value)
{
    struct proof_request *r = &o->request;
    uint64_t n;
    int rc;
    o->seen |= 1u << (option - INPUT_C1);
    switch (option) {
    case INPUT_C1:
    case INPUT_VANILLA:
        r->path = value;
        return 0;
    case INPUT_PARTITION:
        rc = number(&n, option, value, INT32_MAX);
        if (rc == 0)
            r->partition = (int)n;
        return rc;
    case INPUT_REGISTERED_PROOF:
        rc = number(&n, option, value, INT32_MAX);
        if (rc == 0)
            r->registered_proof = (unsigned)n;
        return rc;
    case INPUT_RANDOMNESS:
        return cli_parse_bytes32(r->randomness, "--randomness", value);
    case INPUT_COMM_R_OLD:
        return cli_parse_bytes32(r->comm_r_old, "--comm-r-old", value);
    case INPUT_COMM_R_NEW:
        return cli_parse_bytes32(r->comm_r_new, "--comm-r-new", value);
    case INPUT_COMM_D_NEW:
        return cli_parse_bytes32(r->comm_d_new, "--comm-d-new", value);
    default:
        return claim(&r->claims, option, value);
    }
}

int input_complete(const struct input_options *o)
{
    const unsigned kind = 1u << o->kind->circuit;
    const unsigned miner = 1u << (INPUT_MINER_ID - INPUT_C1),
                   prover = 1u << (INPUT_PROVER_ID - INPUT_C1);
    for (unsigned i = 0; i < RULES; i++) {
        int seen = o->seen >> i & 1;
        if (seen && !(rules[i].taken & kind))
            return cli_usage("%s does not apply to %s", rules[i].name, o->kind->name);
        if (!seen && rules[i].needed & kind)
            return cli_usage("%s %s is missing", rules[i].name, rules[i].value);
    }
    if ((o->seen & (miner | prover)) == (miner | prover))
        return cli_usage("--miner-id and --prover-id exclude each other");
    return 0;
}
