/* Pippenger's sum. Included by g1.c and g2.c after batch_add_template.h.
 *
 * Slices of any size are gathered into one pending slice in memory of our own
 * (huge pages, whatever the caller's points are mapped from). A full one is
 * summed into the buckets in three loops of independent tasks: digits: every
 * scalar's digit in every window; sort:   window by window, the points' indices
 * by bucket (counting sort); sum:    chunk by chunk of a window's sorted
 * points, each bucket's points are added pairwise in rounds; when a round
 * leaves an odd one, it goes into the bucket. So no pair depends on another of
 * its round, whatever the scalars are, and a bucket that gets all the points
 * costs what any other costs. */

#include <assert.h>
#include <stdlib.h>

#define MSM CAT(struct msm, GROUP)
#define M(name) CAT(CAT(msm, GROUP), name)

enum {
    RANGE = 4096,        /* values or points of one task that walks a slice */
    RANGES = 256,        /* of one block of typed values */
    SLICE_MAX = 1 << 18, /* pending points */
    CHUNK = 8192,        /* sorted points of one task, up to a bucket's end */
    PIECE = 2 * CHUNK,   /* sorted points that share the rounds: their sums fit a
                          core's cache */
    CHAINS = 512,        /* of one task that sums up buckets, at most */
    STEPS_MIN = 32,      /* buckets of a chain, unless the window has fewer: its ends
                     cost some 30 multiplications */
};

struct run {
    uint32_t bucket, len; /* bucket: 1 .. half */
};

/* A thread's scratch, and its share of the sum of points with scalars 1 and -1.
 */
struct worker {
    struct batch batch;
    AFFINE unit[BATCH];                 /* the sum is spread over these, so that each batch is
                         independent */
    AFFINE tree[PIECE / 2 + PIECE / 4]; /* the sums of odd and even rounds; chains
                                         when buckets are summed up */
    union {
        struct run run[PIECE];
        uint32_t pick[2][RANGE]; /* typed values: units (sign on top), dense ones */
    };
};

MSM
{
    struct pool *pool;
    unsigned threads;
    struct windows win;
    size_t cap, pending;      /* points */
    int has_units, has_dense; /* since the last finish */
    size_t parts;             /* into which a window's buckets are cut when they are summed up */
    size_t steps, items_per_task; /* buckets of a chain there; windows or parts of
                                   one task */
    struct buffer memory;
    AFFINE *points;         /* [cap] */
    uint64_t(*scalars)[4];  /* [cap] */
    uint32_t *digits;       /* [win.count][cap] */
    uint32_t *order;        /* [win.count][cap]: index of a pending point, sign on top,
                      by bucket */
    uint32_t *end;          /* [win.count][half + 1]: where bucket b ends in order; [0] = 0 */
    AFFINE *buckets;        /* [win.count][half] */
    struct worker *workers; /* [threads] */
    POINT *part_sums;       /* [win.count][parts], then [threads] */
    size_t dense_before[RANGES + 1],
        full_before[RANGES + 1]; /* of the current block of typed values */
};

static size_t take(size_t *offset, size_t bytes)
{
    size_t at = *offset;
    *offset = (at + bytes + 63) / 64 * 64;
    return at;
}

static void *at(const MSM *m, size_t offset)
{
    return m->memory.data ? (char *)m->memory.data + offset : NULL;
}

/* Sets sizes and, when m->memory is there, the pointers into it. Returns the
 * bytes needed. */
static size_t lay_out(MSM *m, size_t expected, unsigned threads)
{
    size_t offset = 0;
    windows_init(&m->win, windows_bits_for_sum(expected));
    size_t windows = m->win.count, half = m->win.half;
    m->threads = threads;
    m->cap = expected < RANGE ? RANGE : expected < SLICE_MAX ? expected : SLICE_MAX;
    m->parts = 1;
    while (m->parts * windows < 4 * (size_t)threads && half / m->parts >= 16 * CHAINS)
        m->parts *= 2;
    m->steps = half / m->parts / CHAINS > STEPS_MIN ? half / m->parts / CHAINS : STEPS_MIN;
    if (m->steps > half)
        m->steps = half;
    m->items_per_task = CHAINS * m->steps / (half / m->parts);
    m->points = at(m, take(&offset, m->cap * sizeof *m->points));
    m->scalars = at(m, take(&offset, m->cap * sizeof *m->scalars));
    m->digits = at(m, take(&offset, windows * m->cap * sizeof *m->digits));
    m->order = at(m, take(&offset, windows * m->cap * sizeof *m->order));
    m->end = at(m, take(&offset, windows * (half + 1) * sizeof *m->end));
    m->buckets = at(m, take(&offset, windows * half * sizeof *m->buckets));
    m->workers = at(m, take(&offset, threads * sizeof *m->workers));
    m->part_sums = at(m, take(&offset, (windows * m->parts + threads) * sizeof *m->part_sums));
    return offset;
}

size_t M(bytes)(size_t expected, unsigned threads)
{
    MSM m = {0};
    return sizeof m + lay_out(&m, expected, threads);
}

int M(new)(MSM **out, size_t expected, struct pool *pool, struct error *err)
{
    *out = NULL;
    MSM *m = calloc(1, sizeof *m);
    if (!m)
        return error_set(err, ERR_OS, "out-of-memory",
                         "no memory for a multi-scalar multiplication");
    m->pool = pool;
    int rc = buffer_init(&m->memory, lay_out(m, expected, pool_threads(pool)),
                         "a multi-scalar multiplication", err);
    if (rc != 0) {
        free(m);
        return rc;
    }
    lay_out(m, expected, pool_threads(pool)); /* zeroed memory: every bucket is
                                               infinity, every batch empty */
    *out = m;
    return 0;
}

void M(destroy)(MSM *m)
{
    if (!m)
        return;
    buffer_clean_up(&m->memory);
    free(m);
}

static struct worker *my_worker(MSM *m)
{
    return &m->workers[pool_worker()];
}

static void digits_task(void *ctx, size_t range)
{
    MSM *m = ctx;
    size_t first = range * RANGE, last = first + RANGE < m->pending ? first + RANGE : m->pending;
    const uint64_t zero[4] = {0};
    for (size_t i = first; i < last; i++) {
        struct windowed s;
        windows_prepare(&s, &m->win, G(affine_is_infinity)(&m->points[i]) ? zero : m->scalars[i]);
        for (unsigned w = 0; w < m->win.count; w++)
            m->digits[w * m->cap + i] = windows_digit(&m->win, &s, w);
    }
}

/* Digits 0 are sorted behind all others, where nobody looks. */
static void sort_task(void *ctx, size_t w)
{
    MSM *m = ctx;
    size_t half = m->win.half, n = m->pending;
    const uint32_t *digits = m->digits + w * m->cap;
    uint32_t *order = m->order + w * m->cap, *end = m->end + w * (half + 1), at_most = 0;
    memset(end, 0, (half + 1) * sizeof *end);
    for (size_t i = 0; i < n; i++)
        end[digits[i] & DIGIT_MAGNITUDE]++;
    for (size_t b = 1; b <= half; b++) {
        uint32_t count = end[b];
        end[b] = at_most;
        at_most += count;
    }
    end[0] = at_most;
    for (size_t i = 0; i < n; i++) {
        uint32_t digit = digits[i];
        order[end[digit & DIGIT_MAGNITUDE]++] = (uint32_t)i | (digit & ~DIGIT_MAGNITUDE);
    }
    end[0] = 0;
}

static inline uintptr_t ref_ordered(const AFFINE *points, uint32_t entry)
{
    return ref(&points[entry & DIGIT_MAGNITUDE]) | entry >> DIGIT_SIGN_BIT;
}

/* The first round: pairs of points into tree, odd ones into their buckets. Runs
 * are left with their pairs. */
static size_t sum_points(const MSM *m, struct worker *me, AFFINE *buckets, const uint32_t *order,
                         size_t runs)
{
    size_t kept = 0;
    AFFINE *out = me->tree;
    for (size_t i = 0; i < runs; i++) {
        struct run run = me->run[i];
        for (uint32_t j = 0; j + 1 < run.len; j += 2)
            batch_push(&me->batch, ref_ordered(m->points, order[j]),
                       ref_ordered(m->points, order[j + 1]), out++);
        if (run.len % 2) {
            AFFINE *bucket = &buckets[run.bucket - 1];
            batch_push(&me->batch, ref(bucket), ref_ordered(m->points, order[run.len - 1]), bucket);
        }
        order += run.len;
        if (run.len > 1)
            me->run[kept++] = (struct run){run.bucket, run.len / 2};
    }
    batch_flush(&me->batch);
    return kept;
}

/* A later round: the same over the sums of the round before. */
static size_t sum_sums(struct worker *me, AFFINE *buckets, AFFINE *out, const AFFINE *in,
                       size_t runs)
{
    size_t kept = 0;
    for (size_t i = 0; i < runs; i++) {
        struct run run = me->run[i];
        for (uint32_t j = 0; j + 1 < run.len; j += 2)
            batch_push(&me->batch, ref(&in[j]), ref(&in[j + 1]), out++);
        if (run.len % 2) {
            AFFINE *bucket = &buckets[run.bucket - 1];
            batch_push(&me->batch, ref(bucket), ref(&in[run.len - 1]), bucket);
        }
        in += run.len;
        if (run.len > 1)
            me->run[kept++] = (struct run){run.bucket, run.len / 2};
    }
    batch_flush(&me->batch);
    return kept;
}

static void sum_piece(const MSM *m, struct worker *me, AFFINE *buckets, const uint32_t *order,
                      size_t runs)
{
    AFFINE *in = me->tree, *out = me->tree + PIECE / 2;
    runs = sum_points(m, me, buckets, order, runs);
    while (runs > 0) {
        runs = sum_sums(me, buckets, out, in, runs);
        AFFINE *other = in;
        in = out;
        out = other;
    }
}

/* The first bucket that begins at position or later; half + 1 when none does.
 * Bucket b begins where b - 1 ends. */
static size_t bucket_from(const uint32_t *end, size_t half, size_t position)
{
    size_t low = 0, high = half + 1;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (end[mid] >= position)
            high = mid;
        else
            low = mid + 1;
    }
    return low < half ? low + 1 : half + 1;
}

static size_t chunks(const MSM *m)
{
    return (m->pending + CHUNK - 1) / CHUNK;
}

static void sum_task(void *ctx, size_t task)
{
    MSM *m = ctx;
    struct worker *me = my_worker(m);
    size_t w = task / chunks(m), chunk = task % chunks(m), half = m->win.half;
    const uint32_t *end = m->end + w * (half + 1), *order = m->order + w * m->cap;
    AFFINE *buckets = m->buckets + w * half;
    size_t b = bucket_from(end, half, chunk * CHUNK),
           stop = bucket_from(end, half, (chunk + 1) * CHUNK);
    size_t position = end[b - 1];
    while (b < stop) {
        size_t runs = 0, first = position;
        while (b < stop && position - first < PIECE) {
            size_t len = end[b] - position, room = PIECE - (position - first);
            if (len > room)
                len = room;
            if (len > 0)
                me->run[runs++] = (struct run){(uint32_t)b, (uint32_t)len};
            position += len;
            b += position == end[b];
        }
        sum_piece(m, me, buckets, order + first, runs);
    }
}

static void sum_pending(MSM *m)
{
    if (m->pending == 0)
        return;
    pool_run(m->pool, (m->pending + RANGE - 1) / RANGE, digits_task, m);
    pool_run(m->pool, m->win.count, sort_task, m);
    pool_run(m->pool, m->win.count * chunks(m), sum_task, m);
    m->pending = 0;
    m->has_dense = 1;
}

struct add_job {
    MSM *m;
    const AFFINE *points;
    const uint64_t (*scalars)[4];
    const int8_t *small;
    const struct fr *full;
    size_t n, first_range;
};

static void copy_task(void *ctx, size_t range)
{
    const struct add_job *job = ctx;
    size_t first = range * RANGE, n = job->n - first < RANGE ? job->n - first : RANGE;
    size_t to = job->m->pending + first;
    memcpy(job->m->points + to, job->points + first, n * sizeof *job->points);
    memcpy(job->m->scalars + to, job->scalars + first, n * sizeof *job->scalars);
}

void M(add)(MSM *m, const AFFINE *points, const uint64_t (*scalars)[4], size_t n)
{
    while (n > 0) {
        size_t room = m->cap - m->pending, len = n < room ? n : room;
        struct add_job job = {.m = m, .points = points, .scalars = scalars, .n = len};
        pool_run(m->pool, (len + RANGE - 1) / RANGE, copy_task, &job);
        m->pending += len;
        if (m->pending == m->cap)
            sum_pending(m);
        points += len;
        scalars += len;
        n -= len;
    }
}

/* Leaves each range's own counts; the caller sums them up. */
static void count_task(void *ctx, size_t range)
{
    const struct add_job *job = ctx;
    size_t first = range * RANGE, n = job->n - first < RANGE ? job->n - first : RANGE;
    size_t dense = 0, full = 0;
    for (size_t i = first; i < first + n; i++) {
        dense += job->small[i] < -1 || job->small[i] > 1;
        full += job->small[i] == TVEC_FULL;
    }
    job->m->dense_before[range + 1] = dense;
    job->m->full_before[range + 1] = full;
}

/* A small integer as a canonical scalar. */
static void scalar_from_small(uint64_t out[4], int v)
{
    const uint64_t magnitude[4] = {(uint64_t)(v < 0 ? -v : v)};
    if (v < 0)
        limbs_sub(out, FR_MODULUS, magnitude, 4);
    else
        memcpy(out, magnitude, sizeof magnitude);
}

/* Sums the units of a range into this thread's share and copies the dense
 * values to their places in the pending slice. */
static void typed_task(void *ctx, size_t task)
{
    const struct add_job *job = ctx;
    MSM *m = job->m;
    struct worker *me = my_worker(m);
    size_t range = job->first_range + task, first = range * RANGE;
    size_t n = job->n - first < RANGE ? job->n - first : RANGE, units = 0, dense = 0;
    const AFFINE *points = job->points + first;
    const int8_t *small = job->small + first;
    for (size_t i = 0; i < n; i++) { /* without branches: bits are random */
        int v = small[i];
        me->pick[0][units] = (uint32_t)i | ((uint32_t)v & ~DIGIT_MAGNITUDE);
        units += v == 1 || v == -1;
        me->pick[1][dense] = (uint32_t)i;
        dense += v < -1 || v > 1;
    }
    for (size_t i = 0; i < units; i++) {
        AFFINE *sum = &me->unit[me->batch.n];
        batch_push(&me->batch, ref(sum), ref_ordered(points, me->pick[0][i]), sum);
    }
    batch_flush(&me->batch);
    size_t to = m->pending + m->dense_before[range] - m->dense_before[job->first_range];
    const struct fr *full = job->full ? job->full + m->full_before[range] : NULL;
    for (size_t i = 0; i < dense; i++, to++) {
        size_t from = me->pick[1][i];
        m->points[to] = points[from];
        if (small[from] == TVEC_FULL)
            fr_to_limbs(m->scalars[to], full++);
        else
            scalar_from_small(m->scalars[to], small[from]);
    }
}

/* Up to RANGE * RANGES values. Returns how many of full were used. */
static size_t add_typed_block(MSM *m, struct add_job *job)
{
    size_t ranges = (job->n + RANGE - 1) / RANGE;
    pool_run(m->pool, ranges, count_task, job);
    m->dense_before[0] = m->full_before[0] = 0;
    for (size_t i = 1; i <= ranges; i++) {
        m->dense_before[i] += m->dense_before[i - 1];
        m->full_before[i] += m->full_before[i - 1];
    }
    for (size_t first = 0, last; first < ranges; first = last) {
        for (last = first; last < ranges; last++)
            if (m->dense_before[last + 1] - m->dense_before[first] > m->cap - m->pending)
                break;
        job->first_range = first;
        pool_run(m->pool, last - first, typed_task, job);
        m->pending += m->dense_before[last] - m->dense_before[first];
        if (last < ranges)
            sum_pending(m); /* cap >= RANGE, so a next range fits then */
    }
    m->has_units = 1;
    return m->full_before[ranges];
}

size_t M(add_typed)(MSM *m, const AFFINE *points, const int8_t *small, const struct fr *full,
                    size_t n)
{
    size_t used = 0;
    for (size_t first = 0; first < n; first += (size_t)RANGE * RANGES) {
        struct add_job job = {.m = m,
                              .points = points + first,
                              .small = small + first,
                              .full = full ? full + used : NULL,
                              .n = n - first < (size_t)RANGE * RANGES ? n - first
                                                                      : (size_t)RANGE * RANGES};
        used += add_typed_block(m, &job);
    }
    return used;
}

static void mul_small(POINT *p, size_t k)
{
    POINT sum;
    G(set_infinity)(&sum);
    for (int bit = 63; bit >= 0; bit--) {
        G(double)(&sum, &sum);
        if (k >> bit & 1)
            G(add)(&sum, &sum, p);
    }
    *p = sum;
}

/* total = sum of in[i], weighted = sum of i in[i] */
static void weigh(POINT *total, POINT *weighted, const AFFINE *in, size_t n)
{
    G(set_infinity)(total);
    G(set_infinity)(weighted);
    for (size_t i = n; i-- > 0;) {
        G(add)(weighted, weighted, total);
        G(add_affine)(total, total, &in[i]);
    }
}

/* The weighted sums of some items (windows or their parts): sum of (lo + i + 1)
 * bucket[i] each. Their chains of steps buckets advance side by side in
 * batches: chain j forms run[j], the sum of its buckets, and sum[j], the same
 * weighted 1, 2, ... */
static void weigh_task(void *ctx, size_t task)
{
    MSM *m = ctx;
    struct worker *me = my_worker(m);
    size_t first = task * m->items_per_task, items = m->win.count * m->parts - first;
    if (items > m->items_per_task)
        items = m->items_per_task;
    size_t steps = m->steps, chains = m->win.half / m->parts / steps, n = items * chains;
    AFFINE *bucket = m->buckets + first * chains * steps, *run = me->tree, *sum = me->tree + CHAINS;
    memset(me->tree, 0, 2 * CHAINS * sizeof *me->tree);
    for (size_t k = steps; k-- > 0;) {
        for (size_t j = 0; j < n; j++)
            batch_push(&me->batch, ref(&run[j]), ref(&bucket[j * steps + k]), &run[j]);
        batch_flush(&me->batch);
        for (size_t j = 0; j < n; j++)
            batch_push(&me->batch, ref(&sum[j]), ref(&run[j]), &sum[j]);
        batch_flush(&me->batch);
    }
    memset(bucket, 0, n * steps * sizeof *bucket);
    for (size_t i = 0; i < items; i++, run += chains, sum += chains) {
        POINT total, weighted, *result = &m->part_sums[first + i];
        weigh(&total, &weighted, run, chains);
        mul_small(&weighted, steps);
        mul_small(&total, (first + i) % m->parts * chains * steps);
        G(add)(result, &total, &weighted);
        for (size_t j = 0; j < chains; j++)
            G(add_affine)(result, result, &sum[j]);
    }
}

static size_t weigh_tasks(const MSM *m)
{
    return (m->win.count * m->parts + m->items_per_task - 1) / m->items_per_task;
}

static void units_task(void *ctx, size_t thread)
{
    MSM *m = ctx;
    POINT *sum = &m->part_sums[m->win.count * m->parts + thread];
    AFFINE *unit = m->workers[thread].unit;
    G(set_infinity)(sum);
    for (size_t i = 0; i < BATCH; i++)
        G(add_affine)(sum, sum, &unit[i]);
    memset(unit, 0, BATCH * sizeof *unit);
}

void M(finish)(MSM *m, POINT *sum)
{
    sum_pending(m);
    G(set_infinity)(sum);
    if (m->has_dense) {
        pool_run(m->pool, weigh_tasks(m), weigh_task, m);
        for (size_t w = m->win.count; w-- > 0;) {
            for (unsigned i = 0; i < m->win.bits; i++)
                G(double)(sum, sum);
            for (size_t i = 0; i < m->parts; i++)
                G(add)(sum, sum, &m->part_sums[w * m->parts + i]);
        }
    }
    if (m->has_units) {
        pool_run(m->pool, m->threads, units_task, m);
        for (unsigned i = 0; i < m->threads; i++)
            G(add)(sum, sum, &m->part_sums[m->win.count * m->parts + i]);
    }
    m->has_dense = m->has_units = 0;
}
