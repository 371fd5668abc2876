/* Those who wait for a job to end, with or without a time-out. */
#ifndef CUZK_SERVICE_WAITING_H
#define CUZK_SERVICE_WAITING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "cuzk/engine.h"
#include "service/rpc.h"

struct waiting_room;

/* An answer to a call that waited: result is NULL on time-out. */
typedef void waiting_answer(struct rpc_call *call, const char *job_id,
                            const struct cuzk_result *result);

int waiting_room_new(struct waiting_room **out, struct error *err);
void waiting_room_abandon(struct waiting_room *room); /* UNAVAILABLE to all, and to all who come */
void waiting_room_destroy(struct waiting_room *room); /* empty; NULL is harmless */

/* The call waits for the job: answered by answer() once it has ended or timeout_ms (0: none) have passed; if the client goes first, the
 * call is closed and the job goes on. 0, or -1 with err filled and the call still to be answered: no such job. */
int waiting_room_enter(struct waiting_room *room, struct cuzk_engine *engine, struct rpc_call *call,
                       const char *job_id, uint64_t timeout_ms, waiting_answer *answer,
                       struct cuzk_error *err);

#endif
