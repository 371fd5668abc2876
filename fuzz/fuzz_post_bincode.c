/* PoSt vanilla proofs. Input: registered proof, partition, randomness (32 bytes), then the file. What decodes must survive the check and
 * the making of public inputs and of circuits' sectors. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/post.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 34 };

static void use(struct post_vanilla *v)
{
    struct error err;
    struct fr *inputs = malloc(post_public_inputs_len(v->post) * sizeof *inputs);
    if (inputs == NULL)
        abort();
    for (unsigned k = 0; k < v->partitions; k++) {
        post_public_inputs(inputs, v, k);
        for (unsigned i = 0; i < v->post->sectors; i++)
            if (merkle_path_index(post_circuit_sector(v, k, i).paths) >= v->post->shape->nodes)
                abort();
    }
    free(inputs);
    if (post_vanilla_check(v, NULL, NULL, &err) != 0 && (err.code >= 0 || err.text[0] == 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct post_request request;
    struct vanilla_list list;
    struct post_vanilla v;
    struct error err;
    if (size < HEADER)
        return 0;
    unsigned number = data[0] % 15;
    if (registered_post_of(&request.post, number < 5 ? CIRCUIT_WINNING : CIRCUIT_WPOST, number,
                           &err) != 0)
        abort();
    request.partition = (int8_t)data[1] < 0 ? POST_ALL_PARTITIONS : data[1];
    memcpy(request.randomness, data + 2, 32);
    int rc = vanilla_list_parse(&list, data + HEADER, size - HEADER, &err);
    if (rc == 0)
        rc = post_vanilla_decode(&v, &request, &list, &err);
    if (rc != 0) {
        if (list.arena != NULL || rc != err.code || err.cause == NULL || err.text[0] == 0)
            abort();
        return 0;
    }
    use(&v);
    post_vanilla_clean_up(&v);
    return 0;
}
