/* C1 JSON, bare or wrapped: what parses must survive the native check and the making of public inputs. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/porep_vanilla.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct porep_vanilla v;
    struct error err;
    if (porep_vanilla_parse(&v, data, size, &err) != 0) {
        if (v.arena != NULL || err.code >= 0 || err.cause == NULL || err.text[0] == 0)
            abort();
        return 0;
    }
    struct porep_statement s = {v.seal, v.replica_id, v.comm_d, v.comm_r, {0}};
    memcpy(s.seed, v.seed, sizeof s.seed);
    struct fr *inputs = malloc(porep_public_inputs_len(v.seal) * sizeof *inputs);
    if (inputs == NULL)
        abort();
    for (unsigned k = 0; k < v.partitions; k++)
        if (porep_public_inputs(inputs, &s, k, &err) != 0)
            abort(); /* parsing has checked all that can be wrong here */
    free(inputs);
    (void)porep_vanilla_check(&v, NULL, NULL, &err);
    porep_vanilla_clean_up(&v);
    return 0;
}
