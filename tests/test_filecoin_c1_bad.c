/* C1 JSON that is damaged in every way that we know: each must be refused with its cause and place. */
/* ctest: quick */
/* ctest: asan */
#include "json_data.h"

#include "filecoin/base64.h"
#include "filecoin/porep_vanilla.h"
#include "hash/poseidon.h"

static char *good, *good_wrapped; /* a V1_1 sector: the bare object, and as Curio wraps it */
static size_t good_len, good_wrapped_len;

/* ---- Edits of the text ---- */

struct edit {
    const char *find;  /* first occurrence */
    const char *until; /* NULL, or what ends the part to be replaced (itself included) */
    const char *with;
    const char *cause; /* NULL: must be accepted */
    const char *text;  /* part of the message */
};

/* The text with the edit made; free it. */
static char *edited(size_t *n, const char *text, const struct edit *e)
{
    const char *at = strstr(text, e->find);
    if (at == NULL)
        fail_msg("\"%s\" does not occur", e->find);
    const char *rest = at + strlen(e->find);
    if (e->until != NULL) {
        rest = strstr(rest, e->until);
        assert_non_null(rest);
        rest += strlen(e->until);
    }
    char *out = malloc(strlen(text) + strlen(e->with) + 1);
    assert_non_null(out);
    size_t head = (size_t)(at - text);
    memcpy(out, text, head);
    strcpy(out + head, e->with);
    strcat(out + head, rest);
    *n = strlen(out);
    return out;
}

static void expect_parse(const char *text, size_t n, const char *cause, const char *fragment)
{
    struct porep_vanilla v;
    struct error err = {0};
    /* An exact copy on the heap, so that the sanitizer sees a read behind its end. */
    char *copy = malloc(n > 0 ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    int rc = porep_vanilla_parse(&v, copy, n, &err);
    free(copy);
    if (cause == NULL) {
        if (rc != 0)
            fail_msg("refused: %s", err.text);
        assert_int_equal(porep_vanilla_check(&v, NULL, NULL, &err), 0);
        porep_vanilla_clean_up(&v);
        return;
    }
    if (rc == 0)
        fail_msg("accepted, should be %s (%s)", cause, fragment);
    if (rc != ERR_DATA || err.code != rc || strcmp(err.cause, cause) != 0 ||
        strstr(err.text, fragment) == NULL)
        fail_msg("%d %s: %s; should be %s: %s", rc, err.cause, err.text, cause, fragment);
    assert_null(v.arena);
}

static void run_edits(const char *text, const struct edit *edits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t len;
        char *bad = edited(&len, text, &edits[i]);
        expect_parse(bad, len, edits[i].cause, edits[i].text);
        free(bad);
    }
}

#define TEN "255,255,255,255,255,255,255,255,255,255,"
#define PROOF "vanilla_proofs[0][0]."
/* The modulus of Fr, little-endian. */
#define MODULUS                                                                                    \
    "1,0,0,0,255,255,255,255,254,91,254,255,2,164,189,83,5,216,161,9,8,216,57,51,72,125,157,41,"   \
    "83,167,237,115"
#define BELOW_MODULUS                                                                              \
    "0,0,0,0,255,255,255,255,254,91,254,255,2,164,189,83,5,216,161,9,8,216,57,51,72,125,157,41,"   \
    "83,167,237,115"
#define NI "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"

/* clang-format off */
static const struct edit inner_edits[] = {
    /* keys */
    {"\"comm_r\":", NULL, "\"Comm_r\":", "c1-missing-key", "key \"comm_r\" is missing"},
    {"\"registered_proof\":", NULL, "\"RegisteredProof\":", "c1-missing-key", "key \"registered_proof\" is missing"},
    {"\"vanilla_proofs\":", NULL, "\"vanillaProofs\":", "c1-missing-key", "key \"vanilla_proofs\" is missing"},
    {"\"seed\":", "],", "", "c1-missing-key", "key \"seed\" is missing"},
    {",\"_h\":null", NULL, "", "c1-missing-key", PROOF "replica_column_proofs.c_x.column: key \"_h\" is missing"},
    {"\"inclusion_proof\":", NULL, "\"x\":", "c1-missing-key", "replica_column_proofs.c_x: key \"inclusion_proof\" is missing"},
    {"\"leaf\":", NULL, "\"Leaf\":", "c1-missing-key", PROOF "comm_d_proofs.data: key \"leaf\" is missing"},
    {"\"_h\":null", NULL, "\"_h\":null,\"_h\":null", "c1-duplicate-key", "key \"_h\" twice"},
    {"\"seed\":", NULL, "\"seed\":[],\"seed\":", "c1-length", "seed: 0 bytes instead of 32"},
    {"\"comm_d\":", NULL, "\"comm_d\":[" BELOW_MODULUS "],\"comm_d\":", "c1-duplicate-key", "key \"comm_d\" twice"},
    {"\"data\":{\"Single\"", NULL, "\"data\":{},\"x\":{\"Single\"", "c1-missing-key", PROOF "comm_d_proofs.data: an empty object"},
    {"\"seed\":", NULL, "\"extra\":{\"a\":[1,-2.5e7,{\"b\":null}],\"a\":\"\\u00e9\",\"c\":true},\"seed\":", NULL, ""},
    {"\"index\":", NULL, "\"Index\":[[],{}],\"ind\\u0065x\":", NULL, ""},
    /* types */
    {"\"_h\":null", NULL, "\"_h\":0", "c1-type", "column._h: a number instead of null"},
    {"\"_h\":null", NULL, "\"_h\":[]", "c1-type", "an array instead of null"},
    {"\"registered_proof\":", NULL, "\"registered_proof\":5,\"x\":", "c1-type", "registered_proof: a number instead of a string"},
    {"\"comm_r\":", "]", "\"comm_r\":\"68af\"", "c1-type", "comm_r: a string instead of an array of 32 bytes"},
    {"\"comm_r\":", "]", "\"comm_r\":null", "c1-type", "comm_r: null instead of an array of 32 bytes"},
    {"\"comm_r\":[", NULL, "\"comm_r\":[true,", "c1-type", "comm_r[0]: not an integer of 0 to 255"},
    {"\"comm_r\":[", NULL, "\"comm_r\":[[1],", "c1-type", "comm_r[0]: not an integer of 0 to 255"},
    {"\"vanilla_proofs\":", NULL, "\"vanilla_proofs\":[],\"x\":", "c1-type", "an array instead of an object"},
    {"\"drg_parents\":", NULL, "\"drg_parents\":{},\"x\":", "c1-type", "an object instead of an array"},
    {"\"layer_index\":1", NULL, "\"layer_index\":\"1\"", "c1-type", "labeling_proofs[0].layer_index: a string instead of an integer"},
    {"\"layer_index\":1", NULL, "\"layer_index\":false", "c1-type", "false instead of an integer"},
    /* numbers */
    {"\"comm_r\":[104", NULL, "\"comm_r\":[256", "c1-number", "comm_r[0]: \"256\" is more than 255"},
    {"\"comm_r\":[104", NULL, "\"comm_r\":[-1", "c1-number", "comm_r[0]: \"-1\" is not an unsigned integer"},
    {"\"comm_r\":[104", NULL, "\"comm_r\":[104.0", "c1-number", "\"104.0\" is not an unsigned integer"},
    {"\"comm_r\":[104", NULL, "\"comm_r\":[1e2", "c1-number", "\"1e2\" is not an unsigned integer"},
    {"\"comm_r\":[104", NULL, "\"comm_r\":[18446744073709551616", "c1-number", "is more than 255"},
    {"\"layer_index\":1", NULL, "\"layer_index\":4294967296", "c1-number", "is more than 4294967295"},
    {"\"node\":9", NULL, "\"node\":18446744073709551616", "c1-number", "is more than 18446744073709551615"},
    {"\"node\":9", NULL, "\"node\":-9", "c1-number", PROOF "labeling_proofs[0].node: \"-9\" is not an unsigned integer"},
    {"\"index\":1", NULL, "\"index\":2", "c1-number", PROOF "comm_d_proofs.data.path.path[0].index: index 2 among 2"},
    /* lengths */
    {"\"comm_r\":[", NULL, "\"comm_r\":[1,", "c1-length", "comm_r: more than 32 bytes"},
    {"\"comm_r\":[104,", NULL, "\"comm_r\":[", "c1-length", "comm_r: 31 bytes instead of 32"},
    {"\"hashes\":[[", "]]", "\"hashes\":[]", "c1-length", PROOF "comm_d_proofs.data.path.path[0].hashes: 0 items instead of 1"},
    {"\"hashes\":[", NULL, "\"hashes\":[[" BELOW_MODULUS "],", "c1-length", "hashes: more than 1 items"},
    {"\"path\":{\"path\":[", NULL, "\"path\":{\"path\":[{\"hashes\":[[" BELOW_MODULUS "]],\"index\":0},", "c1-length", PROOF "comm_d_proofs.data.path.path: more than 6 items"},
    {"\"path\":{\"path\":[", NULL, "\"path\":{\"path\":[],\"x\":[", "c1-length", "comm_d_proofs.data.path.path: 0 items instead of 6"},
    {"\"rows\":[", NULL, "\"rows\":[[" BELOW_MODULUS "],", "c1-length", "column.rows: more than 2 items"},
    {"\"drg_parents\":[", NULL, "\"drg_parents\":[],\"x\":[", "c1-length", "drg_parents: 0 items instead of 6"},
    {"\"parents\":[", NULL, "\"parents\":[],\"x\":[", "c1-length", "labeling_proofs[0].parents: 0 items instead of 37"},
    {"\"StackedDrg2KiBV1\":[[", NULL, "\"StackedDrg2KiBV1\":[[],[", "c1-length", "vanilla_proofs[0]: 0 items instead of 2"},
    {"]]},\"comm_r\"", NULL, "],[]]},\"comm_r\"", "c1-length", "vanilla_proofs: more than 1 items"},
    {"]]},\"comm_r\"", NULL, ",{}]]},\"comm_r\"", "c1-length", "vanilla_proofs[0]: more than 2 items"},
    {"StackedDrg2KiBV1_1", NULL, NI, "c1-length", "vanilla_proofs: 1 items instead of 13"},
    /* field elements */
    {"\"comm_r\":[", "]", "\"comm_r\":[" TEN TEN TEN "255,255]", "c1-not-canonical", "comm_r: not below the modulus"},
    {"\"comm_d\":[", "]", "\"comm_d\":[" MODULUS "]", "c1-not-canonical", "comm_d: not below the modulus"},
    {"\"replica_id\":[", "]", "\"replica_id\":[" MODULUS "]", "c1-not-canonical", "replica_id: not below"},
    {"\"hashes\":[[", "]", "\"hashes\":[[" MODULUS "]", "c1-not-canonical", PROOF "comm_d_proofs.data.path.path[0].hashes[0]: not below"},
    {"\"rows\":[[", "]", "\"rows\":[[" MODULUS "]", "c1-not-canonical", PROOF "replica_column_proofs.c_x.column.rows[0]: not below"},
    {"\"seed\":[", "]", "\"seed\":[" TEN TEN TEN "255,255]", NULL, NULL},
    /* kinds */
    {"StackedDrg2KiBV1_1", NULL, "StackedDrg2KiBV1_3", "c1-registered-proof", "unknown registered proof \"StackedDrg2KiBV1_3\""},
    {"StackedDrg2KiBV1_1", NULL, "\\u0000\\n", "c1-registered-proof", "unknown registered proof \"??\""},
    {"StackedDrg2KiBV1_1", NULL, "StackedDrg8MiBV1_1", "c1-registered-proof", "proofs for 2KiB sectors under registered proof StackedDrg8MiBV1_1"},
    {"\"StackedDrg2KiBV1\":", NULL, "\"StackedDrg32GiBV1\":", "c1-registered-proof", "proofs for 32GiB sectors under registered proof StackedDrg2KiBV1_1"},
    {"\"StackedDrg2KiBV1\":", NULL, "\"StackedDrg2KiBV1_1\":", "c1-tag", "vanilla_proofs: unknown kind \"StackedDrg2KiBV1_1\""},
    {"]]},\"comm_r\"", NULL, "]],\"x\":1},\"comm_r\"", "c1-tag", "vanilla_proofs: a second key \"x\""},
    {"\"Single\":", NULL, "\"Sub\":", "c1-tag", PROOF "comm_d_proofs.data: path of kind Sub instead of Single"},
    {"\"comm_r_last_proof\":{\"data\":{\"Single\":", NULL, "\"comm_r_last_proof\":{\"data\":{\"Top\":", "c1-tag", "comm_r_last_proof.data: path of kind Top instead of Single"},
    {"\"Single\":", NULL, "\"single\":", "c1-tag", "unknown kind \"single\""},
    /* JSON itself */
    {"\"comm_r\":[104,", NULL, "\"comm_r\":[104,,", "c1-syntax", "comm_r[0]: no JSON"},
    {"\"comm_r\":[104", NULL, "\"comm_r\":[0104", "c1-syntax", "no JSON"},
    {"\"seed\"", NULL, "\"s\xff\xfe\"", "c1-syntax", "no JSON"},
    {"\"seed\":", NULL, "'seed':", "c1-syntax", "no JSON"},
    {"\"seed\":", NULL, "/* comment */\"seed\":", "c1-syntax", "no JSON"},
};
/* clang-format on */

static void test_inner_edits(void **state)
{
    (void)state;
    /* Row without text: legal, but this seed gives other challenges. */
    for (size_t i = 0; i < sizeof inner_edits / sizeof inner_edits[0]; i++) {
        const struct edit *e = &inner_edits[i];
        if (e->cause != NULL || e->text != NULL) {
            run_edits(good, e, 1);
            continue;
        }
        struct porep_vanilla v;
        struct error err;
        size_t n;
        char *text = edited(&n, good, e);
        assert_int_equal(porep_vanilla_parse(&v, text, n, &err), 0);
        assert_int_equal(porep_vanilla_check(&v, NULL, NULL, &err), ERR_DATA);
        assert_string_equal(err.cause, "wrong-challenge");
        porep_vanilla_clean_up(&v);
        free(text);
    }
}

static const struct edit wrapper_edits[] = {
    {"\"Phase1Out\"", NULL, "\"phase1Out\"", "c1-missing-key", "key \"Phase1Out\" is missing"},
    {"\"SectorSize\"", NULL, "\"sectorSize\"", "c1-missing-key", "key \"SectorSize\" is missing"},
    {"\"SectorNum\"", NULL, "\"sector_num\"", "c1-missing-key", "key \"SectorNum\" is missing"},
    {"\"SectorSize\":2048", NULL, "\"SectorSize\":4096", "c1-sector-size",
     "4096 instead of the 2048"},
    {"\"SectorSize\":2048", NULL, "\"SectorSize\":0", "c1-sector-size", "0 instead of the 2048"},
    {"\"SectorNum\":1", NULL, "\"SectorNum\":\"1\"", "c1-type", "SectorNum: a string"},
    {"\"SectorNum\":1", NULL, "\"SectorNum\":-1", "c1-number", "SectorNum: \"-1\""},
    {"\"SectorNum\":1", NULL, "\"SectorNum\":1,\"SectorNum\":1", "c1-duplicate-key",
     "\"SectorNum\""},
    {"\"Phase1Out\":", NULL, "\"Phase1Out\":[],\"x\":", "c1-type", "Phase1Out: an array"},
    {"\"SectorNum\":", NULL, "\"comm_r\":{\"ignored\":1},\"SectorNum\":", NULL, ""},
    {"\"Phase1Out\":\"", "\"", "\"Phase1Out\":\"\"", "c1-truncated", "Phase1Out: ends before"},
    {"\"Phase1Out\":\"", "\"", "\"Phase1Out\":\"e30=\"", "c1-missing-key",
     "Phase1Out: key \"registered_proof\""},
    {"\"Phase1Out\":\"", "\"", "\"Phase1Out\":\"bnVsbA==\"", "c1-type",
     "Phase1Out: null instead of an object"},
    {"\"Phase1Out\":\"eyJy", NULL, "\"Phase1Out\":\"eyJ", "c1-base64", "are not a multiple of 4"},
    {"\"Phase1Out\":\"eyJy", NULL, "\"Phase1Out\":\"ey-_", "c1-base64",
     "Phase1Out: character 2 is"},
    {"\"Phase1Out\":\"eyJy", NULL, "\"Phase1Out\":\"ey\\n=", "c1-base64",
     "character 2 is not base64"},
    {"\"Phase1Out\":\"eyJy", NULL, "\"Phase1Out\":\"ey==eyJy", "c1-base64",
     "character 2 is not base64"},
    {"\"Phase1Out\":\"eyJy", NULL, "\"Phase1Out\":\"\\u0065yJ\\u0079", NULL, ""},
    {"0=\"", NULL, "0h\"", "c1-trailing-bytes", "Phase1Out: bytes behind the object (byte 100295)"},
    {"0=\"", NULL, "0g\"", NULL, ""},                     /* a space */
    {"0=\"", NULL, "1=\"", "c1-base64", "is not base64"}, /* bits behind the padding */
    {"0=\"", NULL, "0\"", "c1-base64", "are not a multiple of 4"},
    {"0=\"", NULL, "0==\"", "c1-base64", "are not a multiple of 4"},
};

static void test_wrapper_edits(void **state)
{
    (void)state;
    run_edits(good_wrapped, wrapper_edits, sizeof wrapper_edits / sizeof wrapper_edits[0]);
}

static void test_escaped_slashes(void **state)
{
    (void)state;
    char *text = malloc(2 * good_wrapped_len);
    assert_non_null(text);
    size_t n = 0, slashes = 0;
    for (size_t i = 0; i < good_wrapped_len; i++) {
        if (good_wrapped[i] == '/') {
            text[n++] = '\\';
            slashes++;
        }
        text[n++] = good_wrapped[i];
    }
    /* This text's base64 may have none: then the first character serves. */
    if (slashes > 0)
        expect_parse(text, n, NULL, NULL);
    free(text);
}

static void test_whole_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *cause, *message;
    } texts[] = {
        {"", "c1-truncated", "ends before its object does (byte 0); expected a C1 output: "},
        {"  \n", "c1-truncated", "ends before its object does (byte 3)"},
        {"{}", "c1-missing-key", "neither"},
        {"{\"phase1out\":\"\"}", "c1-missing-key", "neither"},
        {"{} {}", "c1-trailing-bytes", "bytes behind the object"},
        {"[]", "c1-type", "an array instead of an object (byte 1); expected a C1 output: "},
        {"\"x\"", "c1-type", "a string instead of an object"},
        {"7", "c1-type", "a number instead of an object"},
        {"7 ", "c1-type", "a number instead of an object"},
        {"null", "c1-type", "null instead of an object"},
        {"nul", "c1-truncated", ""},
        {"}", "c1-syntax", "no JSON"},
        {"{\"a\"}", "c1-syntax", "no JSON"},
        {"\xef\xbb\xbf{}", "c1-syntax", "no JSON"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_parse(texts[i].text, strlen(texts[i].text), texts[i].cause, texts[i].message);
    expect_parse("{\"a\":1}\0", 8, "c1-trailing-bytes", "(byte 7");
}

static void test_depth(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 16);
    assert_non_null(text);
    strcpy(text, "{\"unknown\":");
    size_t n = strlen(text);
    memset(text + n, '[', DEEP);
    expect_parse(text, n + DEEP, "c1-depth", "nested more than 128 deep");
    free(text);
}

/* R2: also the edits of the wrapper, above. */
static void test_cut(void **state)
{
    (void)state;
    for (size_t n = 0; n < good_len; n += 4096)
        expect_parse(good, n, "c1-truncated", "ends before its object does");
    expect_parse(good, good_len - 1, "c1-truncated", "ends before its object does");
    for (size_t n = 0; n < good_wrapped_len; n += 4096)
        expect_parse(good_wrapped, n, "c1-truncated", "ends before its object does");
    expect_parse(good_wrapped, good_wrapped_len - 1, "c1-truncated", "ends before its object does");
}

/* R1 */
static void test_trailing(void **state)
{
    (void)state;
    static const char *const tails[] = {"x", "{}", "0", "\"", "\"a", "]", "}", ",", "n", "\\"};
    char *text = malloc(good_wrapped_len + 16);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        sprintf(text, "%s%s", good, tails[i]);
        expect_parse(text, strlen(text), "c1-trailing-bytes", "bytes behind the object");
        sprintf(text, "%s\n%s", good_wrapped, tails[i]);
        expect_parse(text, strlen(text), "c1-trailing-bytes", "bytes behind the object");
    }
    sprintf(text, " \t\r\n%s \t\r\n", good);
    expect_parse(text, strlen(text), NULL, NULL);
    memcpy(text, good, good_len + 1); /* with the NUL behind it */
    expect_parse(text, good_len + 1, "c1-trailing-bytes", "bytes behind the object");
    free(text);
}

/* registered_proof behind vanilla_proofs: counts are settled when it comes. */
static void test_order_of_keys(void **state)
{
    (void)state;
    static const struct edit drop = {"\"registered_proof\":\"StackedDrg2KiBV1_1\",", NULL, "", NULL,
                                     NULL};
    size_t n;
    char *rest = edited(&n, good, &drop), *text = malloc(n + 128);
    assert_non_null(text);
    rest[n - 1] = 0;
    static const struct {
        const char *name, *cause, *message;
    } ends[] = {
        {"StackedDrg2KiBV1_1", NULL, NULL},
        {NI, "c1-length", "registered_proof: 1 partitions instead of the 13 of " NI},
        {"StackedDrg8MiBV1_1", "c1-registered-proof",
         "proofs for 2KiB sectors under registered proof"},
        {"StackedDrg2KiB", "c1-registered-proof", "unknown registered proof"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        sprintf(text, "%s,\"registered_proof\":\"%s\"}", rest, ends[i].name);
        expect_parse(text, strlen(text), ends[i].cause, ends[i].message);
    }
    free(rest);
    free(text);
}

/* ---- Faults that only the native check can see ---- */

#define P0(v) (&(v)->proofs[0][0])
#define P1(v) (&(v)->proofs[0][1])

/* clang-format off */
static void no_fault(struct porep_vanilla *v) { (void)v; }
static void zero_comm_d(struct porep_vanilla *v) { memset(v->comm_d.b, 0, 32); }
static void zero_comm_r(struct porep_vanilla *v) { memset(v->comm_r.b, 0, 32); }
static void zero_seed(struct porep_vanilla *v) { memset(v->seed, 0, 32); }
static void zero_ticket(struct porep_vanilla *v) { memset(v->ticket, 0, 32); }
static void other_seed(struct porep_vanilla *v) { v->seed[0] ^= 1; }
static void other_replica_id(struct porep_vanilla *v) { v->replica_id.b[0] ^= 1; }
static void other_comm_d(struct porep_vanilla *v) { v->comm_d.b[0] ^= 1; }
static void other_comm_r(struct porep_vanilla *v) { v->comm_r.b[0] ^= 1; }
static void challenge_node(struct porep_vanilla *v) { P0(v)->labeling[0].node ^= 1; }
static void second_node(struct porep_vanilla *v) { P1(v)->labeling[1].node = (uint64_t)1 << 40; }
static void encoding_node(struct porep_vanilla *v) { P0(v)->encoding.node++; }
static void label_layer(struct porep_vanilla *v) { P0(v)->labeling[1].layer_index = 1; }
static void encoding_layer(struct porep_vanilla *v) { P0(v)->encoding.layer_index = 1; }
static void d_index(struct porep_vanilla *v) { P0(v)->comm_d.index[0] ^= 1; }
static void d_sibling(struct porep_vanilla *v) { P0(v)->comm_d.siblings[5][0].b[3] ^= 4; }
static void d_leaf(struct porep_vanilla *v) { P0(v)->comm_d.leaf.b[0] ^= 1; }
static void d_root(struct porep_vanilla *v) { P0(v)->comm_d.root.b[0] ^= 1; }
static void r_index(struct porep_vanilla *v) { P0(v)->comm_r_last.index[1] ^= 3; }
static void r_sibling(struct porep_vanilla *v) { P1(v)->comm_r_last.siblings[1][6].b[9] ^= 1; }
static void r_root(struct porep_vanilla *v) { P1(v)->comm_r_last.root.b[9] ^= 1; }
static void x_index(struct porep_vanilla *v) { P0(v)->c_x.index++; }
static void x_path_index(struct porep_vanilla *v) { P0(v)->c_x.inclusion.index[0] ^= 1; }
static void x_row(struct porep_vanilla *v) { P0(v)->c_x.rows[1].b[0] ^= 1; }
static void x_leaf(struct porep_vanilla *v) { P0(v)->c_x.inclusion.leaf.b[0] ^= 1; }
static void drg_index(struct porep_vanilla *v) { P0(v)->drg_parents[3].index ^= 1; }
static void drg_sibling(struct porep_vanilla *v) { P0(v)->drg_parents[3].inclusion.siblings[0][2].b[0] ^= 1; }
static void drg_row(struct porep_vanilla *v) { P0(v)->drg_parents[5].rows[0].b[31] ^= 1; }
static void exp_index(struct porep_vanilla *v) { P1(v)->exp_parents[7].index = 0; }
static void exp_root(struct porep_vanilla *v) { P1(v)->exp_parents[7].inclusion.root.b[0] ^= 1; }
static void listed_parent(struct porep_vanilla *v) { P0(v)->labeling[1].parents[36].b[0] ^= 1; }
static void listed_key_parent(struct porep_vanilla *v) { P0(v)->encoding.parents[0].b[0] ^= 1; }
/* clang-format on */

static void drg_order(struct porep_vanilla *v)
{
    struct porep_column t = P0(v)->exp_parents[0];
    P0(v)->exp_parents[0] = P0(v)->exp_parents[1];
    P0(v)->exp_parents[1] = t;
}
static void two_faults(struct porep_vanilla *v)
{
    r_sibling(v);
    encoding_node(v);
}

/* clang-format off */
static const struct {
    void (*make)(struct porep_vanilla *v);
    const char *cause, *text;
} faults[] = {
    {no_fault, NULL, NULL},
    {zero_ticket, NULL, NULL},
    {zero_comm_d, "zero-comm-d", "comm_d is all zero"},
    {zero_comm_r, "zero-comm-r", "comm_r is all zero"},
    {zero_seed, "zero-seed", "seed is all zero"}, /* R6 */
    {other_seed, "wrong-challenge", "partition 0, challenge 0, labeling_proofs[0].node: 9 instead of challenge"},
    {other_replica_id, "wrong-challenge", "partition 0, challenge 0, labeling_proofs[0].node"},
    {other_comm_d, "wrong-root", "partition 0, challenge 0, comm_d_proofs: the root is not comm_d"},
    {other_comm_r, "wrong-comm-r", "partition 0, challenge 0, comm_r"},
    {challenge_node, "wrong-challenge", "labeling_proofs[0].node: 8 instead of challenge 9"},
    {second_node, "wrong-challenge", "partition 0, challenge 1, labeling_proofs[1].node: 1099511627776 instead"},
    {encoding_node, "wrong-challenge", "partition 0, challenge 0, encoding_proof.node: 10 instead of challenge 9"},
    {label_layer, "wrong-layer", "labeling_proofs[1].layer_index: 1 instead of 2"},
    {encoding_layer, "wrong-layer", "encoding_proof.layer_index: 1 instead of 2"},
    {d_index, "wrong-index", "comm_d_proofs: opens leaf 8 instead of 9"},
    {d_sibling, "wrong-path", "partition 0, challenge 0, comm_d_proofs: leaf and hashes"},
    {d_leaf, "wrong-path", "comm_d_proofs: leaf and hashes"},
    {d_root, "wrong-path", "comm_d_proofs: leaf and hashes"},
    {r_index, "wrong-index", "comm_r_last_proof: opens leaf 17 instead of 9"},
    {r_sibling, "wrong-path", "partition 0, challenge 1, comm_r_last_proof: leaf and hashes"},
    {r_root, "wrong-path", "partition 0, challenge 1, comm_r_last_proof: leaf and hashes"},
    {x_index, "wrong-index", "c_x.column.index: 10 instead of 9"},
    {x_path_index, "wrong-index", "c_x.inclusion_proof: opens leaf 8 instead of 9"},
    {x_row, "wrong-leaf", "c_x.inclusion_proof: the leaf is not the hash of the column"},
    {x_leaf, "wrong-leaf", "c_x.inclusion_proof: the leaf is not the hash of the column"},
    {drg_index, "wrong-parent", "drg_parents[3].column.index: 9 instead of 8"},
    {drg_sibling, "wrong-path", "partition 0, challenge 0, drg_parents[3].inclusion_proof: leaf and hashes"},
    {drg_row, "wrong-leaf", "drg_parents[5].inclusion_proof: the leaf"},
    {exp_index, "wrong-parent", "partition 0, challenge 1, exp_parents[7].column.index: 0 instead of"},
    {exp_root, "wrong-path", "partition 0, challenge 1, exp_parents[7].inclusion_proof: leaf and hashes"},
    {drg_order, "wrong-parent", "exp_parents[0].column.index: 19 instead of 38"},
    {listed_parent, "wrong-parents", "labeling_proofs[1].parents[36]: differs"},
    {listed_key_parent, "wrong-parents", "encoding_proof.parents[0]: differs"},
    {two_faults, "wrong-challenge", "partition 0, challenge 0, encoding_proof.node"},
};
/* clang-format on */

static void test_faults(void **state)
{
    (void)state;
    struct pool *pool;
    struct error err = {0};
    assert_int_equal(pool_new(&pool, 2, &err), 0);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct porep_vanilla v;
        assert_int_equal(porep_vanilla_parse(&v, good, good_len, &err), 0);
        faults[i].make(&v);
        int rc = porep_vanilla_check(&v, pool, NULL, &err);
        if (faults[i].cause == NULL) {
            if (rc != 0)
                fail_msg("fault %zu: refused: %s", i, err.text);
        } else if (rc != ERR_DATA || strcmp(err.cause, faults[i].cause) != 0 ||
                   strstr(err.text, faults[i].text) == NULL) {
            fail_msg("fault %zu: %d %s: %s; should be %s: %s", i, rc, rc != 0 ? err.cause : "",
                     err.text, faults[i].cause, faults[i].text);
        }
        porep_vanilla_clean_up(&v);
    }
    pool_destroy(pool);
}

/* Tree C of 64 leaves, 8 by 8: makes a path to another leaf (or to `node` itself) follow a changed leaf of `node`. */
static void follow_changed_leaf(struct merkle_path *p, unsigned node, const struct node *leaf,
                                const struct node *group)
{
    unsigned index = (unsigned)merkle_path_index(p), mine, other;
    unsigned level = index / 8 == node / 8 ? 0 : 1;
    mine = p->index[level];
    other = level == 0 ? node % 8 : node / 8;
    if (index == node)
        p->leaf = *leaf;
    else
        p->siblings[level][other < mine ? other : other - 1] = level == 0 ? *leaf : *group;
    merkle_path_root(&p->root, p);
}

static void hash_nodes(struct node *out, const struct node *a, const struct node *b)
{
    struct fr in[2], hash;
    assert_int_equal(fr_from_bytes(&in[0], a->b), 0);
    assert_int_equal(fr_from_bytes(&in[1], b->b), 0);
    poseidon_hash(&hash, poseidon_constants(2, POSEIDON_MERKLE), in);
    fr_to_bytes(out->b, &hash);
}

/* Changes the last row of challenge 0's own column and makes its tree and comm_r agree. */
static void forge_label(struct porep_vanilla *v)
{
    struct porep_challenge_proof *p = P0(v);
    struct node leaf;
    p->c_x.rows[1].b[0] ^= 1;
    hash_nodes(&leaf, &p->c_x.rows[0], &p->c_x.rows[1]);
    struct merkle_path group = p->c_x.inclusion; /* cut after the first level */
    group.levels = 1;
    group.leaf = leaf;
    struct node group_hash;
    merkle_path_root(&group_hash, &group);
    follow_changed_leaf(&p->c_x.inclusion, p->c_x.index, &leaf, &group_hash);
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        follow_changed_leaf(&p->drg_parents[i].inclusion, p->c_x.index, &leaf, &group_hash);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        follow_changed_leaf(&p->exp_parents[i].inclusion, p->c_x.index, &leaf, &group_hash);
    hash_nodes(&v->comm_r, &p->c_x.inclusion.root, &p->comm_r_last.root);
}

/* The same, but the parents stay in the old tree. */
static void forge_column_alone(struct porep_vanilla *v)
{
    struct porep_challenge_proof *p = P0(v);
    p->c_x.rows[1].b[0] ^= 1;
    hash_nodes(&p->c_x.inclusion.leaf, &p->c_x.rows[0], &p->c_x.rows[1]);
    merkle_path_root(&p->c_x.inclusion.root, &p->c_x.inclusion);
    hash_nodes(&v->comm_r, &p->c_x.inclusion.root, &p->comm_r_last.root);
}

/* Changes challenge 0's data and makes tree D and comm_d agree. */
static void forge_data(struct porep_vanilla *v)
{
    P0(v)->comm_d.leaf.b[0] ^= 1;
    merkle_path_root(&P0(v)->comm_d.root, &P0(v)->comm_d);
    v->comm_d = P0(v)->comm_d.root;
}

/* Openings that agree with one another: only labels and encoding give them away. */
static void test_forgeries(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct porep_vanilla *v);
        const char *cause, *text;
    } forgeries[] = {
        {forge_label, "wrong-label", "challenge 0, c_x.column.rows[1]: is not the label"},
        {forge_column_alone, "wrong-root",
         "challenge 0, drg_parents[0].inclusion_proof: the root differs"},
        {forge_data, "wrong-encoding",
         "challenge 0, comm_r_last_proof: the leaf is not data plus label"},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        struct porep_vanilla v;
        struct error err = {0};
        assert_int_equal(porep_vanilla_parse(&v, good, good_len, &err), 0);
        forgeries[i].make(&v);
        assert_int_equal(porep_vanilla_check(&v, NULL, NULL, &err), ERR_DATA);
        if (strcmp(err.cause, forgeries[i].cause) != 0 ||
            strstr(err.text, forgeries[i].text) == NULL)
            fail_msg("%s: %s; should be %s", err.cause, err.text, forgeries[i].text);
        porep_vanilla_clean_up(&v);
    }
}

static void test_unused_seed_and_first_fault(void **state)
{
    (void)state;
    struct porep_vanilla v;
    struct error err;
    size_t n;
    char *text = data_read(&n, "proofs/porep-2kib-ni-s7.c1out.json");
    assert_int_equal(porep_vanilla_parse(&v, text, n, &err), 0);
    memset(v.seed, 0, 32); /* which these proofs don't use */
    assert_int_equal(porep_vanilla_check(&v, NULL, NULL, &err), 0);
    /* A fault in the middle, found whichever thread meets it. */
    v.proofs[7][1].c_x.rows[0].b[5] ^= 1;
    v.proofs[9][0].c_x.rows[0].b[5] ^= 1;
    assert_int_equal(porep_vanilla_check(&v, NULL, NULL, &err), ERR_DATA);
    assert_non_null(strstr(err.text, "partition 7, challenge 1, c_x.inclusion_proof: the leaf"));
    porep_vanilla_clean_up(&v);
    free(text);
}

static void test_base64(void **state)
{
    (void)state;
    uint8_t out[64];
    size_t bad;
    assert_int_equal(base64_decode(out, "", 0, 1, &bad), 0);
    assert_int_equal(base64_decode(out, "Zm9vYmE=", 8, 1, &bad), 5);
    assert_memory_equal(out, "fooba", 5);
    assert_int_equal(base64_decode(out, "Zm9vYg==", 8, 1, &bad), 4);
    assert_memory_equal(out, "foob", 4);
    assert_int_equal(base64_decode(out, "+/+/", 4, 0, &bad), 3);
    assert_memory_equal(out, "\xfb\xff\xbf", 3);
    static const struct {
        const char *text;
        size_t bad;
        int last;
    } wrong[] = {{"Zm9vYh==", 5, 1}, {"Zm9vYmF=", 6, 1}, {"Zm9v====", 4, 1}, {"Zm9vY===", 5, 1},
                 {"Zm9vYmE", 7, 1},  {"Zm=v", 3, 1},     {"Zg==Zg==", 2, 1}, {"Zg==", 2, 0},
                 {"Zm 9", 2, 1},     {"Zm9\xff", 3, 1},  {"====", 0, 1},     {"Z", 1, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *t = wrong[i].text;
        assert_int_equal(base64_decode(out, t, strlen(t), wrong[i].last, &bad), -1);
        assert_int_equal(bad, wrong[i].bad);
    }
}

int main(void)
{
    good = data_read(&good_len, "proofs/porep-2kib-v1_1-s1.c1out.json");
    good_wrapped = data_read(&good_wrapped_len, "proofs/porep-2kib-v1_1-s1.c1.json");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inner_edits),
        cmocka_unit_test(test_wrapper_edits),
        cmocka_unit_test(test_escaped_slashes),
        cmocka_unit_test(test_whole_texts),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_trailing),
        cmocka_unit_test(test_order_of_keys),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_forgeries),
        cmocka_unit_test(test_unused_seed_and_first_fault),
        cmocka_unit_test(test_base64),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    free(good);
    free(good_wrapped);
    return rc;
}
