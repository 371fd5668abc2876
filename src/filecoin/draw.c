#include "filecoin/draw.h"

#include <assert.h>
#include <string.h>

#include "hash/sha256.h"

static void store_u64(uint8_t *out, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

void node_draw(const void *drawing, struct node *out, unsigned level, uint64_t index)
{
    const struct node_drawing *d = drawing;
    uint8_t in[40] = {0};
    assert(strlen(d->what) <= 16);
    store_u64(in, d->seed);
    memcpy(in + 8, d->what, strlen(d->what));
    store_u64(in + 24, level);
    store_u64(in + 32, index);
    sha256(out->b, in, sizeof in);
    out->b[31] &= 0x3f;
}

uint64_t draw_seed(uint64_t seed, const char *what, uint64_t index)
{
    struct node n;
    uint64_t drawn = 0;
    node_draw(&(struct node_drawing){seed, what}, &n, 0, index);
    for (unsigned i = 0; i < 8; i++)
        drawn |= (uint64_t)n.b[i] << (8 * i);
    return drawn;
}
