#include "filecoin/params_names.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "hash/sha256.h"

/* clang-format off */
/* Sizes as counted from the circuits, digests as published in rust-fil-proofs' parameters.json. */
static const struct circuit_params table[] = {
    {"porep-2k", CIRCUIT_POREP, SECTOR_2K, 2687921, 40, 2685673, 22, 2674948, 685522,
     "434fb1338ecfaf0f59256f30dde4968f", "dc1ade9929ade1708238f155343044ac"},
    {"porep-8m", CIRCUIT_POREP, SECTOR_8M, 3844929, 40, 3842449, 22, 3815036, 1011290,
     "09e612e4eeb7a0eb95679a88404f960c", "b687beb9adbd9dabe265a7e3620813e4"},
    {"porep-512m", CIRCUIT_POREP, SECTOR_512M, 4423433, 40, 4420837, 23, 4385080, 1174174,
     "6c77597eb91ab936c1cef4cf19eba1b3", "065179da19fbe515507267677f02823e"},
    {"porep-32g", CIRCUIT_POREP, SECTOR_32G, 130278541, 328, 130169893, 27, 129753620, 33112282,
     "6a388072a518cf46ebd661f5cc46900a", "0c7b4aac1c40fdb7eb82bc355b41addf"},
    {"porep-64g", CIRCUIT_POREP, SECTOR_64G, 131185849, 328, 131076643, 27, 130637870, 33386944,
     "1801f8a6e1b00bceb00cc27314bb5ce3", "a89884252c04c298d0b3c81bfd884164"},
    {"wpost-2k", CIRCUIT_WPOST, SECTOR_2K, 21866, 23, 22128, 15, 16793, 16029,
     "7610b9f82bfc88405b7a832b651ce2f6", "0e0958009936b9d5e515ec97b8cb792d"},
    {"wpost-8m", CIRCUIT_WPOST, SECTOR_8M, 64266, 23, 65088, 16, 49353, 47149,
     "c49499bb76a0762884896f9683403f55", "34d4feeacd9abf788d69ef1bb4d8fd00"},
    {"wpost-512m", CIRCUIT_WPOST, SECTOR_512M, 85466, 23, 86568, 17, 65633, 62709,
     "1a7d4a9c8a502a497ed92a54366af33f", "4dae975de4f011f101f5a2f86d1daaba"},
    {"wpost-32g", CIRCUIT_WPOST, SECTOR_32G, 125279217, 25840, 126902376, 27, 96205645, 91925767,
     "2cf49eb26f1fee94c85781a390ddb4c8", "0f8ec542485568fa3468c066e9fed82b"},
    {"wpost-64g", CIRCUIT_WPOST, SECTOR_64G, 129887900, 25301, 131500200, 27, 99649801, 95413201,
     "3810b7780ac0e299b22ae70f1f94c9bc", "59d2bf1857adc59a4f08fcf2afaa916b"},
    {"winning-2k", CIRCUIT_WINNING, SECTOR_2K, 90750, 133, 91674, 17, 69433, 66793,
     "82c88066be968bb550a05e30ff6c2413", "ffd79788d614d27919ae5bd2d94eacb6"},
    {"winning-8m", CIRCUIT_WINNING, SECTOR_8M, 230670, 133, 233442, 18, 176881, 169489,
     "700171ecf7334e3199437c930676af82", "79ebb55f56fda427743e35053edad8fc"},
    {"winning-512m", CIRCUIT_WINNING, SECTOR_512M, 300630, 133, 304326, 19, 230605, 220837,
     "827359440349fe8f5a016e7598993b79", "bd2cd62f65c1ab84f19ca27e97b7c731"},
    {"winning-32g", CIRCUIT_WINNING, SECTOR_32G, 370590, 133, 375210, 19, 284329, 272185,
     "d84f79a16fe40e9e25a36e2107bb1ba0", "fc02943678dd119e69e7fab8420e8819"},
    {"winning-64g", CIRCUIT_WINNING, SECTOR_64G, 391314, 133, 396000, 19, 299971, 287695,
     "2170a91ad5bae22ea61f2ea766630322", "6d3789148fb6466d07ee1e24d6292fd6"},
    {"snap-2k", CIRCUIT_SNAP, SECTOR_2K, 1705039, 5, 1703569, 21, 1697194, 444404,
     "311f92a3e75036ced01b1c0025f1fa0c", "eadad9784969890d30f2749708c79771"},
    {"snap-8m", CIRCUIT_SNAP, SECTOR_8M, 10007503, 5, 9998039, 24, 9981020, 2567922,
     "5aedd2cf3e5c0a15623d56a1b43110ad", "abd80269054d391a734febdac0d2e687"},
    {"snap-512m", CIRCUIT_SNAP, SECTOR_512M, 57450479, 5, 57401314, 26, 57212322, 14916880,
     "c3ad7bb549470b82ad52ed070aebb4f4", "994c5b7d450ca9da348c910689f2dc7f"},
    {"snap-32g", CIRCUIT_SNAP, SECTOR_32G, 81049499, 5, 80978488, 27, 80743586, 20983608,
     "1b3cfd761a961543f9eb273e435a06a2", "3a6941983754737fde880d29c7094905"},
    {"snap-64g", CIRCUIT_SNAP, SECTOR_64G, 85006101, 5, 84931220, 27, 84682730, 22012684,
     "1a392e7b759fb18e036c7559b5ece816", "80e366df2f1011953c2d01c7b7c9ee8e"},
};
/* clang-format on */

enum { TABLE_LEN = sizeof table / sizeof table[0], G1_BYTES = 96, G2_BYTES = 192, COUNT_BYTES = 4 };

const struct circuit_params *circuit_params_by_id(const char *id)
{
    for (unsigned i = 0; i < TABLE_LEN; i++)
        if (strcmp(table[i].id, id) == 0)
            return &table[i];
    return NULL;
}

const struct circuit_params *circuit_params(enum circuit_kind kind, enum sector_size size)
{
    for (unsigned i = 0; i < TABLE_LEN; i++)
        if (table[i].kind == kind && table[i].size == size)
            return &table[i];
    return NULL;
}

void post_counts(unsigned *sectors, unsigned *challenges, enum circuit_kind kind,
                 enum sector_size size)
{
    assert(kind == CIRCUIT_WPOST || kind == CIRCUIT_WINNING);
    *challenges = kind == CIRCUIT_WINNING ? 1 : 10;
    if (kind == CIRCUIT_WINNING)
        *sectors = 66;
    else
        *sectors = size == SECTOR_64G ? 2300 : size == SECTOR_32G ? 2349 : 2;
}

static void tree_name(char *out, size_t cap, const struct sector_shape *s)
{
    snprintf(out, cap, "merkletree-poseidon_hasher-%u-%u-%u", s->base, s->sub, s->top);
}

void circuit_params_identifier(char out[PARAMS_IDENTIFIER_MAX], const struct circuit_params *p)
{
    const struct sector_shape *s = sector_shape(p->size);
    char tree[64];
    unsigned sectors, challenges;
    int n = 0;
    switch (p->kind) {
    case CIRCUIT_POREP:
        tree_name(tree, sizeof tree, s);
        n = snprintf(out, PARAMS_IDENTIFIER_MAX,
                     "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{"
                     "expansion_degree: 8 base_graph: drgraph::BucketGraph{size: %" PRIu64
                     "; degree: 6; hasher: poseidon_hasher} }, challenges: LayerChallenges { "
                     "layers: %u, max_count: %u }, tree: %s }",
                     s->nodes, s->layers, s->challenges, tree);
        break;
    case CIRCUIT_WPOST:
    case CIRCUIT_WINNING:
        post_counts(&sectors, &challenges, p->kind, p->size);
        n = snprintf(out, PARAMS_IDENTIFIER_MAX,
                     "FallbackPoSt::PublicParams{sector_size: %" PRIu64
                     ", challenge_count: %u, sector_count: %u}",
                     s->bytes, challenges, sectors);
        break;
    case CIRCUIT_SNAP:
        n = snprintf(out, PARAMS_IDENTIFIER_MAX,
                     "empty_sector_update::PublicParams{ sector_nodes: %" PRIu64 " }", s->nodes);
        break;
    case CIRCUIT_KINDS:
        break;
    }
    assert(n > 0 && n < PARAMS_IDENTIFIER_MAX);
}

void circuit_params_file_name(char out[PARAMS_NAME_MAX], const struct circuit_params *p,
                              const char *extension)
{
    char identifier[PARAMS_IDENTIFIER_MAX], tree[64], hex[65];
    uint8_t digest[32];
    circuit_params_identifier(identifier, p);
    sha256(digest, identifier, strlen(identifier));
    hex_encode(hex, digest, sizeof digest);
    tree_name(tree, sizeof tree, sector_shape(p->size));
    const char *prefix = p->kind == CIRCUIT_POREP  ? "stacked-proof-of-replication-"
                         : p->kind == CIRCUIT_SNAP ? "empty-sector-update-"
                                                   : "proof-of-spacetime-fallback-";
    int n = snprintf(out, PARAMS_NAME_MAX, "v28-%s%s%s-%s.%s", prefix, tree,
                     p->kind == CIRCUIT_POREP ? "-sha256_hasher" : "", hex, extension);
    assert(n > 0 && n < PARAMS_NAME_MAX);
}

uint64_t circuit_vk_bytes(const struct circuit_params *p)
{
    return 3 * G1_BYTES + 3 * G2_BYTES + COUNT_BYTES + (uint64_t)p->inputs * G1_BYTES;
}

uint64_t circuit_params_bytes(const struct circuit_params *p)
{
    uint64_t n_h = ((uint64_t)1 << p->log2_domain) - 1;
    return circuit_vk_bytes(p) + 5 * COUNT_BYTES + G1_BYTES * (n_h + p->aux + p->n_a + p->n_b) +
           G2_BYTES * (uint64_t)p->n_b;
}
