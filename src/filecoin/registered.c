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
