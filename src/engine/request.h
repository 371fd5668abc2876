/* A request as bytes: what is hashed to tell whether an input is the same, and what the journal keeps of it. */
#ifndef CUZK_ENGINE_REQUEST_H
#define CUZK_ENGINE_REQUEST_H

#include "base/error.h"
#include "cuzk/engine.h"
#include "engine/jobs.h"

struct request_bytes {
    uint8_t *data; /* free() it */
    size_t n;
};

/* Kind and inputs; not request_id, priority and deadline. ERR_OS. */
int request_encode(struct request_bytes *out, const struct cuzk_request *request,
                   struct error *err);
void request_hash(uint8_t out[JOB_HASH_BYTES], const struct request_bytes *bytes);

/* The request back, pointing into bytes; clean it up before they go. ERR_DATA "request-damaged". */
int request_decode(struct cuzk_request *out, const uint8_t *data, size_t n, struct error *err);
void request_clean_up(struct cuzk_request *request);

enum cuzk_priority request_priority(const struct cuzk_request *request); /* never CUZK_BY_KIND */
/* What the input will take in memory while its job lives, of what it takes as a message. */
uint64_t request_input_bytes(const struct request_bytes *bytes);

#endif
