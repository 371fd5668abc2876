#include "filecoin/c1_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/base64.h"

enum { PART = 48 * 1024 /* a multiple of three */, NODE_TEXT = 2 + 32 * 4 };

/* Text gathers in a part, which goes to the file as it is or as base64. An error is kept; what follows is dropped. */
struct writer {
    struct output_file file;
    struct c1_sizes sizes;
    int base64;
    size_t len; /* of text[] */
    struct error *err;
    int rc;
    char text[PART], encoded[PART / 3 * 4];
};

static void flush_part(struct writer *w)
{
    size_t n = w->len;
    const char *bytes = w->text;
    w->sizes.inner += w->len;
    if (w->base64) {
        n = base64_encode(w->encoded, w->text, w->len);
        bytes = w->encoded;
    }
    if (w->rc == 0)
        w->rc = output_file_write(&w->file, bytes, n, w->err);
    w->sizes.file += n;
    w->len = 0;
}

static void put(struct writer *w, const char *text, size_t n)
{
    while (n > 0) {
        size_t part = n < PART - w->len ? n : PART - w->len;
        memcpy(w->text + w->len, text, part);
        w->len += part;
        text += part;
        n -= part;
        if (w->len == PART)
            flush_part(w);
    }
}

static void put_text(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_u64(struct writer *w, uint64_t v)
{
    char text[24];
    put(w, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, v));
}

static void put_bytes32(struct writer *w, const uint8_t bytes[32])
{
    char text[NODE_TEXT], *p = text;
    for (unsigned i = 0; i < 32; i++) {
        unsigned b = bytes[i];
        *p++ = i == 0 ? '[' : ',';
        if (b >= 100)
            *p++ = (char)('0' + b / 100);
        if (b >= 10)
            *p++ = (char)('0' + b / 10 % 10);
        *p++ = (char)('0' + b % 10);
    }
    *p++ = ']';
    put(w, text, (size_t)(p - text));
}

static void put_nodes(struct writer *w, const struct node *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_text(w, i == 0 ? "[" : ",");
        put_bytes32(w, nodes[i].b);
    }
    put_text(w, "]");
}

/* begin: "{" or ",", or what else is in front of the key. */
static void put_key(struct writer *w, const char *begin, const char *key)
{
    put_text(w, begin);
    put_text(w, "\"");
    put_text(w, key);
    put_text(w, "\":");
}

/* ---- Merkle paths ---- */

/* {"path":[{"hashes":[...],"index":n},...]} of levels [first, end) */
static void put_levels(struct writer *w, const struct merkle_path *p, unsigned first, unsigned end)
{
    put_key(w, "{", "path");
    for (unsigned l = first; l < end; l++) {
        put_key(w, l == first ? "[{" : ",{", "hashes");
        put_nodes(w, p->siblings[l], p->arity[l] - 1u);
        put_key(w, ",", "index");
        put_u64(w, p->index[l]);
        put_text(w, "}");
    }
    put_text(w, "]}");
}

static void put_ends(struct writer *w, const char *begin, const struct merkle_path *p)
{
    put_key(w, begin, "root");
    put_bytes32(w, p->root.b);
    put_key(w, ",", "leaf");
    put_bytes32(w, p->leaf.b);
}

static void put_path(struct writer *w, const struct merkle_path *p, const struct sector_shape *s)
{
    /* Parts above the base tree; tree D has none. */
    unsigned upper = p->arity[0] == 2 ? 0 : (unsigned)(s->sub > 0) + (unsigned)(s->top > 0);
    unsigned base = p->levels - upper;
    static const char *const tags[] = {"Single", "Sub", "Top"};
    put_key(w, "{", "data");
    put_key(w, "{", tags[upper]);
    if (upper == 0) {
        put_ends(w, "{", p);
        put_key(w, ",", "path");
        put_levels(w, p, 0, base);
    } else {
        put_key(w, "{", "base_proof");
        put_levels(w, p, 0, base);
        put_key(w, ",", "sub_proof");
        put_levels(w, p, base, base + 1);
        if (upper == 2) {
            put_key(w, ",", "top_proof");
            put_levels(w, p, base + 1, base + 2);
        }
        put_ends(w, ",", p);
    }
    put_text(w, "}}}");
}

/* ---- One challenge's proof ---- */

static void put_column(struct writer *w, const struct porep_column *c, const struct sector_shape *s)
{
    put_key(w, "{", "column");
    put_key(w, "{", "index");
    put_u64(w, c->index);
    put_key(w, ",", "rows");
    put_nodes(w, c->rows, s->layers);
    put_key(w, ",", "_h");
    put_text(w, "null}");
    put_key(w, ",", "inclusion_proof");
    put_path(w, &c->inclusion, s);
    put_text(w, "}");
}

static void put_columns(struct writer *w, const struct porep_column *c, size_t n,
                        const struct sector_shape *s)
{
    for (size_t i = 0; i < n; i++) {
        put_text(w, i == 0 ? "[" : ",");
        put_column(w, &c[i], s);
    }
    put_text(w, "]");
}

static void put_labeling(struct writer *w, const struct porep_labeling *l)
{
    put_key(w, "{", "parents");
    put_nodes(w, l->parents, POREP_LABEL_PARENTS);
    put_key(w, ",", "layer_index");
    put_u64(w, l->layer_index);
    put_key(w, ",", "node");
    put_u64(w, l->node);
    put_text(w, "}");
}

static void put_proof(struct writer *w, const struct porep_challenge_proof *p,
                      const struct sector_shape *s)
{
    put_key(w, "{", "comm_d_proofs");
    put_path(w, &p->comm_d, s);
    put_key(w, ",", "comm_r_last_proof");
    put_path(w, &p->comm_r_last, s);
    put_key(w, ",", "replica_column_proofs");
    put_key(w, "{", "c_x");
    put_column(w, &p->c_x, s);
    put_key(w, ",", "drg_parents");
    put_columns(w, p->drg_parents, POREP_DRG_PARENTS, s);
    put_key(w, ",", "exp_parents");
    put_columns(w, p->exp_parents, POREP_EXP_PARENTS, s);
    put_text(w, "}");
    put_key(w, ",", "labeling_proofs");
    for (unsigned l = 0; l < s->layers; l++) {
        put_text(w, l == 0 ? "[" : ",");
        put_labeling(w, &p->labeling[l]);
    }
    put_text(w, "]");
    put_key(w, ",", "encoding_proof");
    put_labeling(w, &p->encoding);
    put_text(w, "}");
}

/* ---- SealCommitPhase1Output and the wrapper ---- */

static void put_proofs(struct writer *w, const struct porep_vanilla *v)
{
    const struct sector_shape *s = v->seal->shape;
    put_text(w, "{\"StackedDrg"); /* the size alone names the type */
    put_text(w, s->name);
    put_text(w, "V1\":");
    for (size_t k = 0; k < v->partitions; k++) {
        put_text(w, k == 0 ? "[" : ",");
        for (size_t i = 0; i < v->challenges; i++) {
            put_text(w, i == 0 ? "[" : ",");
            put_proof(w, &v->proofs[k][i], s);
        }
        put_text(w, "]");
    }
    put_text(w, "]}");
}

static void put_output(struct writer *w, const struct porep_vanilla *v)
{
    put_key(w, "{", "registered_proof");
    put_text(w, "\"");
    put_text(w, v->seal->name);
    put_text(w, "\"");
    put_key(w, ",", "vanilla_proofs");
    put_proofs(w, v);
    put_key(w, ",", "comm_r");
    put_bytes32(w, v->comm_r.b);
    put_key(w, ",", "comm_d");
    put_bytes32(w, v->comm_d.b);
    put_key(w, ",", "replica_id");
    put_bytes32(w, v->replica_id.b);
    put_key(w, ",", "seed");
    put_bytes32(w, v->seed);
    put_key(w, ",", "ticket");
    put_bytes32(w, v->ticket);
    put_text(w, "}");
}

static void put_file(struct writer *w, const struct porep_vanilla *v)
{
    if (v->has_wrapper) {
        put_key(w, "{", "SectorNum");
        put_u64(w, v->sector_number);
        put_key(w, ",", "Phase1Out");
        put_text(w, "\"");
        flush_part(w);
    }
    w->base64 = v->has_wrapper;
    w->sizes.inner = 0;
    put_output(w, v);
    flush_part(w);
    w->base64 = 0;
    uint64_t inner = w->sizes.inner;
    if (v->has_wrapper) {
        put_text(w, "\"");
        put_key(w, ",", "SectorSize");
        put_u64(w, v->sector_size);
        put_text(w, "}");
        flush_part(w);
    }
    w->sizes.inner = inner;
}

int porep_vanilla_write(struct c1_sizes *out, const struct porep_vanilla *v, const char *path,
                        enum file_replace replace, struct error *err)
{
    struct writer *w = malloc(sizeof *w);
    if (w == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for writing %s", path);
    memset(w, 0, offsetof(struct writer, text));
    w->err = err;
    w->rc = output_file_init(&w->file, path, replace, err);
    if (w->rc == 0)
        put_file(w, v);
    if (w->rc == 0)
        w->rc = output_file_commit(&w->file, err);
    output_file_clean_up(&w->file);
    int rc = w->rc;
    *out = w->sizes;
    free(w);
    return rc;
}
