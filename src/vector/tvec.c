#include "vector/tvec.h"

#include <pthread.h>
#include <string.h>

int tvec_init(struct tvec *v, size_t cap, size_t full_cap, const char *what, struct error *err)
{
    *v = (struct tvec){0};
    if (tvec_reserve(v, cap, full_cap, what, err) == 0)
        return 0;
    int code = err->code;
    tvec_clean_up(v);
    return code;
}

int tvec_reserve(struct tvec *v, size_t cap, size_t full_cap, const char *what, struct error *err)
{
    size_t bytes, full_bytes;
    if (__builtin_add_overflow(cap, (size_t)TVEC_SLACK, &bytes) ||
        __builtin_mul_overflow(full_cap, sizeof(struct fr), &full_bytes))
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %s (%zu elements)", what,
                         cap);
    if (cap > v->cap || v->small == NULL) {
        int rc = buffer_grow(&v->small_buf, bytes, what, err);
        if (rc != 0)
            return rc;
        v->small = v->small_buf.data;
        v->cap = cap;
    }
    if (full_cap > v->full_cap) {
        int rc = buffer_grow(&v->full_buf, full_bytes, what, err);
        if (rc != 0)
            return rc;
        v->full = v->full_buf.data;
        v->full_cap = full_cap;
    }
    return 0;
}

void tvec_clean_up(struct tvec *v)
{
    buffer_clean_up(&v->small_buf);
    buffer_clean_up(&v->full_buf);
    *v = (struct tvec){0};
}

int8_t tvec_small(const struct fr *value)
{
    struct fr negated;
    uint64_t l[4];
    if (fr_is_zero(value))
        return 0;
    if (fr_equal(value, &FR_ONE))
        return 1;
    fr_to_limbs(l, value);
    if ((l[1] | l[2] | l[3]) == 0 && l[0] <= 127)
        return (int8_t)l[0];
    fr_neg(&negated, value);
    fr_to_limbs(l, &negated);
    if ((l[1] | l[2] | l[3]) == 0 && l[0] <= 127)
        return (int8_t) - (int)l[0];
    return TVEC_FULL;
}

/* Eight bytes at a time. In each byte of the word that comes out, 1 where the byte was TVEC_FULL: after the exclusive or that is a
 * zero byte, and no carry leaves a byte. */
static uint64_t full_marks(const int8_t *p)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t x;
    memcpy(&x, p, 8);
    x ^= ~low7;
    return ~(((x & low7) + low7) | x | low7) >> 7;
}

static size_t count_full(const int8_t *p, size_t n)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
    size_t count = 0, i = 0;
    while (n - i >= 8) {
        uint64_t sum = 0; /* bytes hold up to 255 */
        for (int k = 0; k < 255 && n - i >= 8; k++, i += 8)
            sum += full_marks(p + i);
        sum = (sum & even) + (sum >> 8 & even);
        count += (sum * UINT64_C(0x0001000100010001)) >> 48;
    }
    for (; i < n; i++)
        count += p[i] == TVEC_FULL;
    return count;
}

void tvec_index(uint32_t *index, const struct tvec *v)
{
    size_t blocks = tvec_blocks(v->len), count = 0;
    for (size_t k = 0; k < blocks; k++) {
        size_t first = k * TVEC_BLOCK, rest = v->len - first;
        index[k] = (uint32_t)count;
        count += count_full(v->small + first, rest < TVEC_BLOCK ? rest : TVEC_BLOCK);
    }
    index[blocks] = (uint32_t)count;
}

/* small_value[i + 128] = i for i = -127 .. 127; set once. */
static struct fr small_value[256];
static pthread_once_t small_value_once = PTHREAD_ONCE_INIT;

static void make_small_values(void)
{
    small_value[128] = FR_ZERO;
    for (int i = 1; i < 128; i++) {
        fr_add(&small_value[128 + i], &small_value[127 + i], &FR_ONE);
        fr_neg(&small_value[128 - i], &small_value[128 + i]);
    }
}

/* Elements small[0 .. n); full ones from full[0] on. */
static void expand(struct fr *out, const int8_t *small, size_t n, const struct fr *full)
{
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        if (full_marks(small + i) == 0) {
            for (int k = 0; k < 8; k++)
                out[i + k] = small_value[small[i + k] + 128];
        } else {
            for (int k = 0; k < 8; k++)
                out[i + k] = small[i + k] == TVEC_FULL ? *full++ : small_value[small[i + k] + 128];
        }
    }
    for (; i < n; i++)
        out[i] = small[i] == TVEC_FULL ? *full++ : small_value[small[i] + 128];
}

void tvec_expand(struct fr *out, const struct tvec *v, const uint32_t *index, size_t first,
                 size_t n)
{
    pthread_once(&small_value_once, make_small_values);
    size_t have = first >= v->len ? 0 : v->len - first < n ? v->len - first : n;
    if (have > 0)
        expand(out, v->small + first, have, v->full + index[first / TVEC_BLOCK]);
    memset(out + have, 0, (n - have) * sizeof *out);
}

void tvec_get(struct fr *out, const struct tvec *v, const uint32_t *index, size_t i)
{
    if (i >= v->len) {
        *out = FR_ZERO;
    } else if (v->small[i] != TVEC_FULL) {
        fr_from_i64(out, v->small[i]);
    } else {
        size_t first = i - i % TVEC_BLOCK;
        *out = v->full[index[i / TVEC_BLOCK] + count_full(v->small + first, i - first)];
    }
}
