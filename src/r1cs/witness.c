#include "r1cs/witness.h"

#include <stdlib.h>

int witness_init(struct witness *w, const struct fr *inputs, size_t num_inputs,
                 const struct tvec *aux, struct error *err)
{
    *w = (struct witness){.inputs = inputs,
                          .num_inputs = num_inputs,
                          .num_aux = aux->len,
                          .small = aux->small,
                          .full = aux->full};
    w->full_before = malloc((aux->len / WITNESS_BLOCK + 1) * sizeof *w->full_before);
    if (w->full_before == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory to index %zu variables",
                         aux->len);
    uint32_t full = 0;
    for (size_t i = 0; i < aux->len; i += WITNESS_BLOCK) {
        uint8_t here = 0;
        w->full_before[i / WITNESS_BLOCK] = full;
        for (size_t k = 0; k < WITNESS_BLOCK && i + k < aux->len; k++)
            here = (uint8_t)(here + (aux->small[i + k] == TVEC_FULL));
        full += here;
    }
    for (int i = -128; i < 128; i++)
        fr_from_i64(&w->integer[(uint8_t)i], i);
    return 0;
}

void witness_clean_up(struct witness *w)
{
    free(w->full_before);
    w->full_before = NULL;
}
