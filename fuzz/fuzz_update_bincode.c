/* EmptySectorUpdate vanilla proofs. Input: registered proof, comm_r_old, comm_r_new, comm_d_new, then the file. What decodes must survive
 * the check and the making of public inputs. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/update.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 97 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct update_request request;
    struct vanilla_list list;
    struct update_vanilla v;
    struct error err;
    struct fr inputs[UPDATE_PUBLIC_INPUTS];
    if (size < HEADER)
        return 0;
    if (registered_update_of(&request.update, data[0] % 5, &err) != 0)
        abort();
    memcpy(request.comm_r_old, data + 1, 32);
    memcpy(request.comm_r_new, data + 33, 32);
    memcpy(request.comm_d_new, data + 65, 32);
    int rc = vanilla_list_parse(&list, data + HEADER, size - HEADER, &err);
    if (rc == 0)
        rc = update_vanilla_decode(&v, &request, &list, &err);
    if (rc != 0) {
        if (list.arena != NULL || rc != err.code || err.cause == NULL || err.text[0] == 0)
            abort();
        return 0;
    }
    for (unsigned k = 0; k < v.update->partitions; k++)
        update_public_inputs(inputs, &v, k);
    if (update_vanilla_check(&v, NULL, NULL, &err) != 0 && (err.code >= 0 || err.text[0] == 0))
        abort();
    update_vanilla_clean_up(&v);
    return 0;
}
