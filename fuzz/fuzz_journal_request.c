/* A request as the journal keeps it: what decodes encodes to something that decodes to the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_request r, again;
    struct request_bytes first, second;
    struct error err;
    if (request_decode(&r, data, size, &err) != 0) {
        if (r.vanilla_proofs != NULL || err.code >= 0 || err.cause == NULL || err.text[0] == 0)
            abort();
        return 0;
    }
    if (request_encode(&first, &r, &err) != 0 || first.n != size ||
        request_decode(&again, first.data, first.n, &err) != 0 ||
        request_encode(&second, &again, &err) != 0 || second.n != first.n ||
        memcmp(first.data, second.data, first.n) != 0)
        abort();
    request_clean_up(&again);
    request_clean_up(&r);
    free(first.data);
    free(second.data);
    return 0;
}
