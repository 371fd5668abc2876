/* One budget of memory. Whoever makes a large buffer holds a lease of its size for exactly as long as the buffer lives. No locks: the
 * caller's. */
#ifndef CUZK_ENGINE_BUDGET_H
#define CUZK_ENGINE_BUDGET_H

#include <stdint.h>

struct budget {
    uint64_t total, used, peak; /* bytes; used <= total always, unless total was lowered later */
    uint64_t reserve; /* kept free for one WinningPoSt: only who is urgent may take of it */
};

enum budget_claim { BUDGET_ORDINARY, BUDGET_URGENT };

/* Whether bytes may be leased now, ahead of `ahead` bytes that are promised to someone else. */
int budget_fits(const struct budget *b, uint64_t bytes, uint64_t ahead, enum budget_claim claim);
/* Whether bytes could ever be leased, with nothing else running. */
int budget_could_fit(const struct budget *b, uint64_t bytes, enum budget_claim claim);
void budget_lease(struct budget *b, uint64_t bytes, enum budget_claim claim); /* it must fit */
void budget_release(struct budget *b, uint64_t bytes); /* it must have been leased */

#endif
