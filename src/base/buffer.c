#include "base/buffer.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Small buffers take any page; large ones begin on a huge page's boundary, which mmap alone doesn't promise. */
static void *map_aligned(size_t size)
{
    size_t slack = size >= HUGE_PAGE ? HUGE_PAGE - PAGE : 0;
    uint8_t *raw =
        mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED || slack == 0)
        return raw;
    uint8_t *data = (uint8_t *)round_up((uintptr_t)raw, HUGE_PAGE);
    size_t head = (size_t)(data - raw);
    if (head > 0)
        munmap(raw, head);
    if (slack > head)
        munmap(data + size, slack - head);
    madvise(data, size, MADV_HUGEPAGE); /* a wish: kernels without huge pages refuse it */
    return data;
}

int buffer_init(struct buffer *buf, size_t size, const char *what, struct error *err)
{
    *buf = (struct buffer){0};
    if (size == 0)
        return 0;
    void *data = MAP_FAILED;
    errno = ENOMEM;
    if (size <= SIZE_MAX - 2 * HUGE_PAGE)
        data = map_aligned(round_up(size, PAGE));
    if (data == MAP_FAILED)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %s (%zu bytes): %s", what,
                         size, strerror(errno));
    madvise(data, round_up(size, PAGE), MADV_DONTDUMP);
    buf->data = data;
    buf->size = size;
    return 0;
}

int buffer_grow(struct buffer *buf, size_t size, const char *what, struct error *err)
{
    if (buf->data == NULL)
        return buffer_init(buf, size, what, err);
    if (size <= buf->size)
        return 0;
    void *data = MAP_FAILED;
    errno = ENOMEM;
    if (size <= SIZE_MAX - 2 * HUGE_PAGE)
        data = mremap(buf->data, round_up(buf->size, PAGE), round_up(size, PAGE), MREMAP_MAYMOVE);
    if (data == MAP_FAILED)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for %s (%zu bytes): %s", what,
                         size, strerror(errno));
    if (size >= HUGE_PAGE)
        madvise(data, round_up(size, PAGE), MADV_HUGEPAGE);
    buf->data = data;
    buf->size = size;
    return 0;
}

void buffer_clean_up(struct buffer *buf)
{
    if (buf->data)
        munmap(buf->data, round_up(buf->size, PAGE));
    *buf = (struct buffer){0};
}

void wipe(void *data, size_t n)
{
    explicit_bzero(data, n);
}
