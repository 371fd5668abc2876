/* Proofs: what is read must write the same bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "groth16/vk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct proof proof;
    struct error err;
    uint8_t bytes[PROOF_BYTES];
    if (size < PROOF_BYTES)
        return 0;
    if (proof_from_bytes(&proof, data, &err) != 0) {
        if (err.code != ERR_INVALID_PROOF || err.cause == NULL || err.text[0] == 0)
            abort();
        return 0;
    }
    proof_to_bytes(bytes, &proof);
    if (memcmp(bytes, data, PROOF_BYTES) != 0)
        abort();
    return 0;
}
