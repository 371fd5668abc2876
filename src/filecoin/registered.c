#include "filecoin/registered.h"

#include <assert.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* clang-format off */
static const struct sector_shape shapes[SECTOR_SIZES] = {
    {SECTOR_2K, "2k", "2KiB", 2 * KIB, 2 * KIB / 32, 2, 1, 2, 13,
     2, {8, 8}, 8, 0, 0, 6},
    {SECTOR_8M, "8m", "8MiB", 8 * MIB, 8 * MIB / 32, 2, 1, 2, 13,
     6, {8, 8, 8, 8, 8, 8}, 8, 0, 0, 18},
    {SECTOR_512M, "512m", "512MiB", 512 * MIB, 512 * MIB / 32, 2, 1, 2, 13,
     8, {8, 8, 8, 8, 8, 8, 8, 8}, 8, 0, 0, 24},
    {SECTOR_32G, "32g", "32GiB", 32 * GIB, 32 * GIB / 32, 11, 10, 18, 126,
     10, {8, 8, 8, 8, 8, 8, 8, 8, 8, 8}, 8, 8, 0, 30},
    {SECTOR_64G, "64g", "64GiB", 64 * GIB, 64 * GIB / 32, 11, 10, 18, 126,
     11, {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 2}, 8, 8, 2, 31},
};

/* The five sizes of one version; porep_id is the number as LE u64 and a nonce of 0. */
#define SEAL(number, size, shape, suffix, api, feature) \
    {number, "StackedDrg" size suffix, &shapes[shape], api, feature, {number}}
#define SEALS(first, suffix, api, feature) \
    SEAL(first, "2KiB", SECTOR_2K, suffix, api, feature), \
    SEAL(first + 1, "8MiB", SECTOR_8M, suffix, api, feature), \
    SEAL(first + 2, "512MiB", SECTOR_512M, suffix, api, feature), \
    SEAL(first + 3, "32GiB", SECTOR_32G, suffix, api, feature), \
    SEAL(first + 4, "64GiB", SECTOR_64G, suffix, api, feature)

static const struct registered_seal seals[] = {
    SEALS(0, "V1", API_1_0, POREP_INTERACTIVE),
    SEALS(5, "V1_1", API_1_1, POREP_INTERACTIVE),
    SEALS(10, "V1_1_Feat_SyntheticPoRep", API_1_2, POREP_SYNTHETIC),
    SEALS(15, "V1_2_Feat_NonInteractivePoRep", API_1_2, POREP_NON_INTERACTIVE),
};
/* clang-format on */

enum { SEALS_LEN = sizeof seals / sizeof seals[0] };

const struct sector_shape *sector_shape(enum sector_size id)
{
    assert((unsigned)id < SECTOR_SIZES);
    return &shapes[id];
}

const struct sector_shape *sector_shape_by_suffix(const char *suffix)
{
    for (unsigned i = 0; i < SECTOR_SIZES; i++)
        if (strcmp(shapes[i].suffix, suffix) == 0)
            return &shapes[i];
    return NULL;
}

const struct registered_seal *registered_seal_by_name(const char *name, size_t len)
{
    for (unsigned i = 0; i < SEALS_LEN; i++)
        if (strlen(seals[i].name) == len && memcmp(seals[i].name, name, len) == 0)
            return &seals[i];
    return NULL;
}

const struct registered_seal *registered_seal_by_number(unsigned number)
{
    return number < SEALS_LEN ? &seals[number] : NULL;
}

unsigned registered_seal_partitions(const struct registered_seal *s)
{
    return s->feature == POREP_NON_INTERACTIVE ? s->shape->ni_partitions : s->shape->partitions;
}

/* clang-format off */
#define POST(number, size, shape, prefix, suffix, kind, api, sectors, challenges, paths) \
    {number, prefix size suffix, kind, &shapes[shape], api, sectors, challenges, paths}
#define WINNING(number, size, shape) \
    POST(number, size, shape, "StackedDrgWinning", "V1", CIRCUIT_WINNING, API_1_0, 66, 1, 66)
#define WINDOW(number, size, shape, suffix, api, sectors) \
    POST(number, size, shape, "StackedDrgWindow", suffix, CIRCUIT_WPOST, api, sectors, 10, 10)
#define WINDOWS(first, suffix, api) \
    WINDOW(first, "2KiB", SECTOR_2K, suffix, api, 2), \
    WINDOW(first + 1, "8MiB", SECTOR_8M, suffix, api, 2), \
    WINDOW(first + 2, "512MiB", SECTOR_512M, suffix, api, 2), \
    WINDOW(first + 3, "32GiB", SECTOR_32G, suffix, api, 2349), \
    WINDOW(first + 4, "64GiB", SECTOR_64G, suffix, api, 2300)

static const struct registered_post posts[] = {
    WINNING(0, "2KiB", SECTOR_2K),
    WINNING(1, "8MiB", SECTOR_8M),
    WINNING(2, "512MiB", SECTOR_512M),
    WINNING(3, "32GiB", SECTOR_32G),
    WINNING(4, "64GiB", SECTOR_64G),
    WINDOWS(5, "V1", API_1_0),
    WINDOWS(10, "V1_2", API_1_2),
};

#define HIGH_BITS {7, 8, 9, 10, 11, 12}
static const struct registered_update updates[] = {
    {0, "StackedDrg2KiBV1", &shapes[SECTOR_2K], 1, 10, 8,
     {1, 1, 1, 1, 1, 1}, 1, 1 << 0, 0, 3, 6, 42, 1},
    {1, "StackedDrg8MiBV1", &shapes[SECTOR_8M], 4, 10, 128,
     HIGH_BITS, 10, 1 << 3, 2, 7, 16, 15, 1},
    {2, "StackedDrg512MiBV1", &shapes[SECTOR_512M], 16, 86, 128,
     HIGH_BITS, 10, 1 << 3, 4, 7, 20, 12, 8},
    {3, "StackedDrg32GiBV1", &shapes[SECTOR_32G], 16, 86, 128,
     HIGH_BITS, 10, 1 << 3, 4, 7, 26, 9, 10},
    {4, "StackedDrg64GiBV1", &shapes[SECTOR_64G], 16, 86, 128,
     HIGH_BITS, 10, 1 << 3, 4, 7, 27, 9, 10},
};
/* clang-format on */

enum {
    POSTS_LEN = sizeof posts / sizeof posts[0],
    UPDATES_LEN = sizeof updates / sizeof updates[0],
};

int registered_post_of(const struct registered_post **out, enum circuit_kind kind, unsigned number,
                       struct error *err)
{
    assert(kind == CIRCUIT_WINNING || kind == CIRCUIT_WPOST);
    const char *wanted = kind == CIRCUIT_WINNING ? "winning (0 to 4)" : "window (5 to 14)";
    if (number >= POSTS_LEN)
        return error_set(err, ERR_USAGE, "registered-proof",
                         "there is no registered PoSt proof %u: those for %s exist", number,
                         wanted);
    if (posts[number].kind != kind)
        return error_set(err, ERR_USAGE, "registered-proof-kind",
                         "registered proof %u is %s, which is not one for %s", number,
                         posts[number].name, wanted);
    *out = &posts[number];
    return 0;
}

int registered_update_of(const struct registered_update **out, unsigned number, struct error *err)
{
    if (number >= UPDATES_LEN)
        return error_set(err, ERR_USAGE, "registered-proof",
                         "there is no registered update proof %u: 0 to %u exist", number,
                         UPDATES_LEN - 1u);
    *out = &updates[number];
    return 0;
}
