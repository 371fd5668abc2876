/* C1 JSON: what is expected where (spec: inputs §3.1, §3.2). */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mapped_file.h"
#include "filecoin/arena.h"
#include "filecoin/base64.h"
#include "filecoin/json_schema.h"
#include "filecoin/porep_vanilla.h"

enum {
    BASE64_PART = 64 * 1024, /* characters decoded at a time */
    MAX_BYTES = 1 << 30,     /* the largest there is: 126 partitions of 64 GiB, 0.9 GB */
};

struct c1 {
    struct porep_vanilla *v;
    const struct sector_shape *shape; /* of the tag of vanilla_proofs; NULL before it */
    struct json_reader outer, inner;  /* the file; what Phase1Out holds */
    uint8_t decoded[BASE64_PART / 4 * 3];
    const void *text;
    size_t text_len;
};

#define LEN(array) (sizeof(array) / sizeof((array)[0]))
#define OBJECT(table)                                                                              \
    {                                                                                              \
        .kind = JSON_OBJECT, .fields = table, .fields_len = LEN(table)                             \
    }
#define VARIANT(table)                                                                             \
    {                                                                                              \
        .kind = JSON_VARIANT, .fields = table, .fields_len = LEN(table)                            \
    }

static int no_memory(struct error *err)
{
    return error_set(err, ERR_OS, "out-of-memory", "no memory for the vanilla proofs");
}

static void *allocate(struct json_reader *r, size_t size)
{
    void *p = arena_alloc(((struct c1 *)r->ctx)->v->arena, size);
    if (p == NULL) {
        r->failed = 1;
        no_memory(r->err);
    }
    return p;
}

static const struct json_type node = {.kind = JSON_NODE}, raw32 = {.kind = JSON_BYTES32},
                              u32 = {.kind = JSON_U32}, u64 = {.kind = JSON_U64},
                              null = {.kind = JSON_NULL};

/* ---- Merkle paths; the target of all frames is the struct merkle_path ---- */

static int enter_hashes(struct json_reader *r, struct json_frame *f)
{
    struct merkle_path *p = (struct merkle_path *)f->target;
    f->len = p->arity[f->level] - 1u;
    p->siblings[f->level] = allocate(r, f->len * sizeof(struct node));
    f->target = (char *)p->siblings[f->level];
    return f->target != NULL;
}

static int set_index(struct json_reader *r, struct json_frame *f, uint64_t value)
{
    struct merkle_path *p = (struct merkle_path *)f->target;
    if (value >= p->arity[f->level])
        return json_fail(r, "c1-number", "index %" PRIu64 " among %u", value, p->arity[f->level]);
    p->index[f->level] = (uint8_t)value;
    return 1;
}

static int enter_level(struct json_reader *r, struct json_frame *f)
{
    (void)r;
    f->level = f[-1].level + f[-1].count - 1;
    return 1;
}

static int enter_levels(struct json_reader *r, struct json_frame *f)
{
    (void)r;
    f->len = f[-1].len;
    return 1;
}

static const struct json_type hashes = {
    .kind = JSON_ARRAY, .item = &node, .stride = sizeof(struct node), .enter = enter_hashes};
static const struct json_type level_index = {.kind = JSON_U64, .number = set_index};
static const struct json_field level_fields[] = {{"hashes", 0, &hashes},
                                                 {"index", 0, &level_index}};
static const struct json_type level = {.kind = JSON_OBJECT,
                                       .fields = level_fields,
                                       .fields_len = LEN(level_fields),
                                       .enter = enter_level};
static const struct json_type levels = {.kind = JSON_ARRAY, .item = &level, .enter = enter_levels};
static const struct json_field part_fields[] = {{"path", 0, &levels}};

/* A part of a path: its first level goes into f->level, its number of levels into f->len. */
static int enter_base(struct json_reader *r, struct json_frame *f)
{
    const struct merkle_path *p = (const struct merkle_path *)f->target;
    const struct sector_shape *shape = ((struct c1 *)r->ctx)->shape;
    int whole = f[-1].field->name[0] == 'p'; /* "path", not "base_proof" */
    f->level = 0;
    f->len = p->levels;
    if (!whole)
        f->len -= (unsigned)(shape->sub > 0) + (shape->top > 0);
    return 1;
}

static int enter_sub(struct json_reader *r, struct json_frame *f)
{
    const struct merkle_path *p = (const struct merkle_path *)f->target;
    f->level = p->levels - 1u - (((struct c1 *)r->ctx)->shape->top > 0);
    f->len = 1;
    return 1;
}

static int enter_top(struct json_reader *r, struct json_frame *f)
{
    (void)r;
    f->level = ((const struct merkle_path *)f->target)->levels - 1u;
    f->len = 1;
    return 1;
}

#define PART(hook)                                                                                 \
    {                                                                                              \
        .kind = JSON_OBJECT, .fields = part_fields, .fields_len = LEN(part_fields), .enter = hook  \
    }
static const struct json_type base_part = PART(enter_base), sub_part = PART(enter_sub),
                              top_part = PART(enter_top);

static const struct json_field single_fields[] = {
    {"root", offsetof(struct merkle_path, root), &node},
    {"leaf", offsetof(struct merkle_path, leaf), &node},
    {"path", 0, &base_part},
};
static const struct json_field sub_fields[] = {
    {"base_proof", 0, &base_part},
    {"sub_proof", 0, &sub_part},
    {"root", offsetof(struct merkle_path, root), &node},
    {"leaf", offsetof(struct merkle_path, leaf), &node},
};
static const struct json_field top_fields[] = {
    {"base_proof", 0, &base_part},
    {"sub_proof", 0, &sub_part},
    {"top_proof", 0, &top_part},
    {"root", offsetof(struct merkle_path, root), &node},
    {"leaf", offsetof(struct merkle_path, leaf), &node},
};

/* Tree D is binary and always Single. */
static int is_tree_d(const struct merkle_path *p)
{
    return p->arity[0] == 2;
}

static int enter_shape(struct json_reader *r, struct json_frame *f)
{
    const struct sector_shape *s = ((struct c1 *)r->ctx)->shape;
    const char *got = f[-1].field->name, *want = s->top > 0 ? "Top" : s->sub > 0 ? "Sub" : "Single";
    if (is_tree_d((const struct merkle_path *)f->target))
        want = "Single";
    if (strcmp(got, want) != 0)
        return json_fail(r, "c1-tag", "path of kind %s instead of %s", got, want);
    return 1;
}

#define SHAPE(table)                                                                               \
    {                                                                                              \
        .kind = JSON_OBJECT, .fields = table, .fields_len = LEN(table), .enter = enter_shape       \
    }
static const struct json_type single = SHAPE(single_fields), sub = SHAPE(sub_fields),
                              top = SHAPE(top_fields);
static const struct json_field tree_fields[] = {
    {"Single", 0, &single}, {"Sub", 0, &sub}, {"Top", 0, &top}};
static const struct json_type tree = VARIANT(tree_fields);
static const struct json_field merkle_fields[] = {{"data", 0, &tree}};

static int enter_path_d(struct json_reader *r, struct json_frame *f)
{
    struct merkle_path *p = (struct merkle_path *)f->target;
    p->levels = (uint8_t)((struct c1 *)r->ctx)->shape->tree_d_levels;
    memset(p->arity, 2, p->levels);
    return 1;
}

static int enter_path_r(struct json_reader *r, struct json_frame *f)
{
    const struct sector_shape *s = ((struct c1 *)r->ctx)->shape;
    struct merkle_path *p = (struct merkle_path *)f->target;
    p->levels = (uint8_t)s->tree_r_levels;
    memcpy(p->arity, s->tree_r_arity, p->levels);
    return 1;
}

static const struct json_type path_d = {.kind = JSON_OBJECT,
                                        .fields = merkle_fields,
                                        .fields_len = LEN(merkle_fields),
                                        .enter = enter_path_d};
static const struct json_type path_r = {.kind = JSON_OBJECT,
                                        .fields = merkle_fields,
                                        .fields_len = LEN(merkle_fields),
                                        .enter = enter_path_r};

/* ---- One challenge's proof ---- */

static int enter_per_layer(struct json_reader *r, struct json_frame *f)
{
    f->len = ((struct c1 *)r->ctx)->shape->layers;
    return 1;
}

static const struct json_type rows = {
    .kind = JSON_ARRAY, .item = &node, .stride = sizeof(struct node), .enter = enter_per_layer};
static const struct json_field column_fields[] = {
    {"index", offsetof(struct porep_column, index), &u32},
    {"rows", offsetof(struct porep_column, rows), &rows},
    {"_h", 0, &null},
};
static const struct json_type column = OBJECT(column_fields);
static const struct json_field column_proof_fields[] = {
    {"column", 0, &column},
    {"inclusion_proof", offsetof(struct porep_column, inclusion), &path_r},
};
static const struct json_type column_proof = OBJECT(column_proof_fields);
static const struct json_type drg_parents = {.kind = JSON_ARRAY,
                                             .item = &column_proof,
                                             .stride = sizeof(struct porep_column),
                                             .len = POREP_DRG_PARENTS};
static const struct json_type exp_parents = {.kind = JSON_ARRAY,
                                             .item = &column_proof,
                                             .stride = sizeof(struct porep_column),
                                             .len = POREP_EXP_PARENTS};
static const struct json_field replica_fields[] = {
    {"c_x", offsetof(struct porep_challenge_proof, c_x), &column_proof},
    {"drg_parents", offsetof(struct porep_challenge_proof, drg_parents), &drg_parents},
    {"exp_parents", offsetof(struct porep_challenge_proof, exp_parents), &exp_parents},
};
static const struct json_type replica_columns = OBJECT(replica_fields);

static const struct json_type label_parents = {
    .kind = JSON_ARRAY, .item = &node, .stride = sizeof(struct node), .len = POREP_LABEL_PARENTS};
static const struct json_field labeling_fields[] = {
    {"parents", offsetof(struct porep_labeling, parents), &label_parents},
    {"layer_index", offsetof(struct porep_labeling, layer_index), &u32},
    {"node", offsetof(struct porep_labeling, node), &u64},
};
static const struct json_type labeling = OBJECT(labeling_fields);
static const struct json_type labelings = {.kind = JSON_ARRAY,
                                           .item = &labeling,
                                           .stride = sizeof(struct porep_labeling),
                                           .enter = enter_per_layer};

static const struct json_field proof_fields[] = {
    {"comm_d_proofs", offsetof(struct porep_challenge_proof, comm_d), &path_d},
    {"comm_r_last_proof", offsetof(struct porep_challenge_proof, comm_r_last), &path_r},
    {"replica_column_proofs", 0, &replica_columns},
    {"labeling_proofs", offsetof(struct porep_challenge_proof, labeling), &labelings},
    {"encoding_proof", offsetof(struct porep_challenge_proof, encoding), &labeling},
};
static const struct json_type proof = OBJECT(proof_fields);

/* ---- SealCommitPhase1Output; the target is the struct porep_vanilla ---- */

static int enter_challenges(struct json_reader *r, struct json_frame *f)
{
    struct porep_vanilla *v = (struct porep_vanilla *)f->target;
    f->len = (unsigned)v->challenges;
    f->target = allocate(r, v->challenges * sizeof(struct porep_challenge_proof));
    v->proofs[v->partitions++] = (struct porep_challenge_proof *)f->target;
    return f->target != NULL;
}

/* The size in a name, "StackedDrg2KiBV1": the same for the tag and the registered proof. */
static const struct sector_shape *shape_of_tag(const char *tag)
{
    for (unsigned i = 0; i < SECTOR_SIZES; i++) {
        const struct sector_shape *s = sector_shape((enum sector_size)i);
        size_t n = strlen(s->name);
        if (strncmp(tag + strlen("StackedDrg"), s->name, n) == 0)
            return s;
    }
    return NULL;
}

static int sizes_disagree(struct json_reader *r)
{
    struct c1 *c = r->ctx;
    return json_fail(r, "c1-registered-proof", "proofs for %s sectors under registered proof %s",
                     c->shape->name, c->v->seal->name);
}

/* How many there must be is known when registered_proof is; until then up to as many as any proof of this size has. */
static int enter_partitions(struct json_reader *r, struct json_frame *f)
{
    struct c1 *c = r->ctx;
    struct porep_vanilla *v = c->v;
    c->shape = shape_of_tag(f[-1].field->name);
    assert(c->shape != NULL);
    if (v->seal != NULL && v->seal->shape != c->shape)
        return sizes_disagree(r);
    v->challenges = c->shape->challenges;
    f->len = v->seal != NULL ? registered_seal_partitions(v->seal) : c->shape->ni_partitions;
    f->at_most = v->seal == NULL;
    v->proofs = allocate(r, f->len * sizeof *v->proofs);
    return v->proofs != NULL;
}

static int set_registered_proof(struct json_reader *r, struct json_frame *f, const char *text,
                                size_t len)
{
    (void)f;
    struct c1 *c = r->ctx;
    struct porep_vanilla *v = c->v;
    char quoted[72];
    v->seal = registered_seal_by_name(text, len);
    if (v->seal == NULL)
        return json_fail(r, "c1-registered-proof", "unknown registered proof %s",
                         json_quote(quoted, text, len));
    if (c->shape == NULL)
        return 1; /* vanilla_proofs are still to come */
    if (v->seal->shape != c->shape)
        return sizes_disagree(r);
    if (v->partitions != registered_seal_partitions(v->seal))
        return json_fail(r, "c1-length", "%zu partitions instead of the %u of %s", v->partitions,
                         registered_seal_partitions(v->seal), v->seal->name);
    return 1;
}

static const struct json_type challenges = {.kind = JSON_ARRAY,
                                            .item = &proof,
                                            .stride = sizeof(struct porep_challenge_proof),
                                            .enter = enter_challenges};
static const struct json_type partitions = {
    .kind = JSON_ARRAY, .item = &challenges, .enter = enter_partitions};
static const struct json_field proofs_fields[] = {
    {"StackedDrg2KiBV1", 0, &partitions},   {"StackedDrg8MiBV1", 0, &partitions},
    {"StackedDrg512MiBV1", 0, &partitions}, {"StackedDrg32GiBV1", 0, &partitions},
    {"StackedDrg64GiBV1", 0, &partitions},
};
static const struct json_type vanilla_proofs = VARIANT(proofs_fields);
static const struct json_type registered_proof = {.kind = JSON_STRING,
                                                  .string = set_registered_proof};
static const struct json_field output_fields[] = {
    {"registered_proof", 0, &registered_proof},
    {"vanilla_proofs", 0, &vanilla_proofs},
    {"comm_r", offsetof(struct porep_vanilla, comm_r), &node},
    {"comm_d", offsetof(struct porep_vanilla, comm_d), &node},
    {"replica_id", offsetof(struct porep_vanilla, replica_id), &node},
    {"seed", offsetof(struct porep_vanilla, seed), &raw32},
    {"ticket", offsetof(struct porep_vanilla, ticket), &raw32},
};
static const struct json_type output = OBJECT(output_fields);

/* ---- Curio's wrapper ---- */

/* Decodes the string, part by part, into the inner reader. */
static int read_phase1_out(struct json_reader *r, struct json_frame *f, const char *text,
                           size_t len)
{
    (void)f;
    struct c1 *c = r->ctx;
    if (len % 4 != 0) /* first, because a lost character makes nonsense of what follows */
        return json_fail(r, "c1-base64", "%zu characters of base64 are not a multiple of 4", len);
    r->failed = 1;
    if (json_reader_init(&c->inner, &output, c->v, c, "Phase1Out", r->err) != 0)
        return 0;
    for (size_t at = 0, n; at < len; at += n) {
        n = len - at < BASE64_PART ? len - at : BASE64_PART;
        size_t bad;
        ptrdiff_t got = base64_decode(c->decoded, text + at, n, at + n == len, &bad);
        if (got < 0)
            return json_fail(r, "c1-base64",
                             "character %zu is not base64 (standard alphabet, padded)", at + bad);
        if (json_reader_feed(&c->inner, c->decoded, (size_t)got) != 0)
            return 0;
    }
    if (json_reader_finish(&c->inner) != 0)
        return 0;
    r->failed = 0;
    return 1;
}

static const struct json_type phase1_out = {.kind = JSON_STRING, .string = read_phase1_out};
static const struct json_field wrapper_fields[] = {
    {"SectorNum", offsetof(struct porep_vanilla, sector_number), &u64},
    {"Phase1Out", 0, &phase1_out},
    {"SectorSize", offsetof(struct porep_vanilla, sector_size), &u64},
};
static const struct json_type wrapper = OBJECT(wrapper_fields);

static int has_field(const struct json_type *t, const char *key, size_t len)
{
    for (unsigned i = 0; i < t->fields_len; i++)
        if (strlen(t->fields[i].name) == len && memcmp(t->fields[i].name, key, len) == 0)
            return 1;
    return 0;
}

/* The first key that one of the two forms has decides which form it is. */
static int choose_form(struct json_reader *r, struct json_frame *f, const char *key, size_t len)
{
    struct c1 *c = r->ctx;
    if (has_field(&wrapper, key, len)) {
        f->type = &wrapper;
        c->v->has_wrapper = 1;
    } else if (has_field(&output, key, len)) {
        f->type = &output;
    }
    return 1;
}

static const struct json_type any_form = {
    .kind = JSON_OBJECT,
    .key = choose_form,
    .expected = "a C1 output: Curio's wrapper with Phase1Out, or a SealCommitPhase1Output"};

/* ---- Reading ---- */

static void parse_text(void *ctx)
{
    struct c1 *c = ctx;
    if (json_reader_feed(&c->outer, c->text, c->text_len) == 0)
        json_reader_finish(&c->outer);
}

/* Parses text; file is NULL, or what text is mapped from. */
static int parse(struct porep_vanilla *v, const void *text, size_t n,
                 const struct mapped_file *file, struct error *err)
{
    memset(v, 0, sizeof *v);
    if (n > MAX_BYTES)
        return error_set(err, ERR_DATA, "c1-too-large", "%zu bytes are more than a C1 output has",
                         n);
    struct c1 *c = calloc(1, sizeof *c);
    v->arena = arena_new();
    if (c == NULL || v->arena == NULL) {
        free(c);
        porep_vanilla_clean_up(v);
        return no_memory(err);
    }
    c->v = v;
    c->text = text;
    c->text_len = n;
    err->code = 0;
    int rc = json_reader_init(&c->outer, &any_form, v, c, "", err);
    if (rc == 0 && file != NULL)
        rc = mapped_file_guard(file, parse_text, c, err);
    else if (rc == 0)
        parse_text(c);
    if (rc == 0 && c->outer.failed)
        rc = err->code;
    if (rc == 0 && v->seal == NULL)
        rc = error_set(err, ERR_DATA, "c1-missing-key",
                       "neither key \"Phase1Out\" nor key \"vanilla_proofs\" is there");
    if (rc == 0 && v->has_wrapper && v->sector_size != v->seal->shape->bytes)
        rc = error_set(err, ERR_DATA, "c1-sector-size",
                       "SectorSize: %" PRIu64 " instead of the %" PRIu64 " of %s", v->sector_size,
                       v->seal->shape->bytes, v->seal->name);
    json_reader_clean_up(&c->inner);
    json_reader_clean_up(&c->outer);
    free(c);
    if (rc != 0)
        porep_vanilla_clean_up(v);
    return rc;
}

int porep_vanilla_parse(struct porep_vanilla *out, const void *json, size_t n, struct error *err)
{
    return parse(out, json, n, NULL, err);
}

static int read_mapped(struct porep_vanilla *out, const char *path, struct error *err)
{
    struct mapped_file file;
    if (mapped_file_init(&file, path, err) != 0)
        return err->code;
    int rc = parse(out, file.data, file.size, &file, err);
    mapped_file_clean_up(&file);
    return rc;
}

static int read_stream(struct porep_vanilla *out, const char *path, struct error *err)
{
    uint8_t *text;
    size_t n;
    if (file_read_stream(&text, &n, path, MAX_BYTES, err) != 0)
        return err->code;
    int rc = parse(out, text, n, NULL, err);
    free(text);
    return rc;
}

int porep_vanilla_read(struct porep_vanilla *out, const char *path, struct error *err)
{
    memset(out, 0, sizeof *out);
    int rc = file_is_regular(path) ? read_mapped(out, path, err) : read_stream(out, path, err);
    if (rc != 0)
        return rc == ERR_DATA ? file_blame(err, path) : rc;
    out->path = arena_strdup(out->arena, path);
    if (out->path != NULL)
        return 0;
    porep_vanilla_clean_up(out);
    return no_memory(err);
}

void porep_vanilla_clean_up(struct porep_vanilla *v)
{
    arena_destroy(v->arena);
    memset(v, 0, sizeof *v);
}
