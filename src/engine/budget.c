#include "engine/budget.h"

#include <assert.h>

static uint64_t limit(const struct budget *b, enum budget_claim claim)
{
    uint64_t reserve = claim == BUDGET_URGENT ? 0 : b->reserve;
    return b->total > reserve ? b->total - reserve : 0;
}

int budget_could_fit(const struct budget *b, uint64_t bytes, enum budget_claim claim)
{
    return bytes <= limit(b, claim);
}

int budget_fits(const struct budget *b, uint64_t bytes, uint64_t ahead, enum budget_claim claim)
{
    uint64_t most = limit(b, claim);
    return b->used <= most && ahead <= most - b->used && bytes <= most - b->used - ahead;
}

void budget_lease(struct budget *b, uint64_t bytes, enum budget_claim claim)
{
    assert(budget_fits(b, bytes, 0, claim));
    b->used += bytes;
    if (b->used > b->peak)
        b->peak = b->used;
}

void budget_release(struct budget *b, uint64_t bytes)
{
    assert(bytes <= b->used);
    b->used -= bytes;
}
