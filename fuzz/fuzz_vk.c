/* Verifying keys: what is read must write the same bytes, what is refused must leave nothing. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "groth16/vk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct verifying_key vk = {0};
    struct error err;
    size_t used;
    if (vk_parse(&vk, &used, data, size, &err) != 0) {
        if (vk.ic != NULL || err.code >= 0 || err.cause == NULL || err.text[0] == 0)
            abort();
        return 0;
    }
    if (used > size || used != vk_bytes(vk.ic_len))
        abort();
    uint8_t *bytes = malloc(used);
    if (bytes == NULL)
        abort();
    vk_write(bytes, &vk);
    if (memcmp(bytes, data, used) != 0)
        abort();
    free(bytes);
    vk_clean_up(&vk);
    return 0;
}
