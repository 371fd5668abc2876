#include "engine/capsule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/text.h"
#include "filecoin/base64.h"

enum { PATH_MOST = 4096, NAME_MOST = 48, COMMAND_MOST = 600 };

static void hex(char out[65], const struct cuzk_bytes *bytes)
{
    *out = '\0';
    if (bytes->n == 32)
        hex_encode(out, bytes->data, 32);
    out[64] = '\0';
}

/* For a shell in the capsule's folder. */
static void write_command(char out[COMMAND_MOST], const struct capsule *c,
                          const struct cuzk_request *r, const char *name)
{
    char a[65], b[65], d[65];
    int n;
    switch (r->kind) {
    case CUZK_POREP:
        n = snprintf(out, COMMAND_MOST, "cuzk prove porep --c1 %s --partition %u", name,
                     c->of_input);
        if (r->has_miner)
            snprintf(out + n, COMMAND_MOST - (size_t)n,
                     " --sector-num %" PRIu64 " --miner-id %" PRIu64, r->sector_number,
                     r->miner_id);
        return;
    case CUZK_SNAP:
        hex(a, &r->comm_r_old);
        hex(b, &r->comm_r_new);
        hex(d, &r->comm_d_new);
        snprintf(out, COMMAND_MOST,
                 "cuzk prove snap --vanilla %s --partition %u --registered-proof %" PRIu64
                 " --comm-r-old %s --comm-r-new %s --comm-d-new %s",
                 name, c->of_input, r->registered_proof, a, b, d);
        return;
    default:
        hex(a, &r->randomness);
        n = snprintf(out, COMMAND_MOST,
                     "cuzk prove %s --vanilla %s --registered-proof %" PRIu64 " --randomness %s",
                     r->kind == CUZK_WINDOW_POST ? "window" : "winning", name, r->registered_proof,
                     a);
        if (r->partition_index !=
            0) /* whose sectors alone are in the file; else all partitions' are */
            snprintf(out + n, COMMAND_MOST - (size_t)n, " --partition %" PRIu32,
                     r->partition_index);
    }
}

/* A JSON array of base64 strings. */
static int write_list(const char *path, const struct cuzk_request *r, struct error *err)
{
    size_t most = 3, n = 0;
    for (size_t i = 0; i < r->vanilla_proofs_n; i++)
        most += (r->vanilla_proofs[i].n + 2) / 3 * 4 + 4;
    char *text = malloc(most);
    if (text == NULL)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a capsule");
    for (size_t i = 0; i < r->vanilla_proofs_n; i++) {
        text[n++] = i == 0 ? '[' : ',';
        text[n++] = '"';
        n += base64_encode(text + n, r->vanilla_proofs[i].data, r->vanilla_proofs[i].n);
        text[n++] = '"';
    }
    text[n++] = ']';
    text[n++] = '\n';
    int rc = file_write_private(path, FILE_REPLACE, text, n, err);
    free(text);
    return rc;
}

static int write_text(const char *path, const struct capsule *c, const char *command,
                      struct error *err)
{
    char *text, params[PATH_MOST];
    text_printable(params, sizeof params, c->param_dir);
    int n =
        asprintf(&text,
                 "%s\nTo make the proof again, in this folder (parameters were those in %s):\n\n"
                 "    %s --param-cache DIR\n\n"
                 "The randomness of the proof, r and s, is drawn anew for each attempt and is not "
                 "kept: it would show what the\nproof hides. So it is the same statement that is "
                 "proven again, not the same bytes; a fault of the parameters or of\nthe program "
                 "comes back, one of the memory or the processor may not.\n",
                 c->report, params, command);
    if (n < 0)
        return error_set(err, ERR_OS, "out-of-memory", "no memory for a capsule");
    int rc = file_write_private(path, FILE_REPLACE, text, (size_t)n, err);
    free(text);
    return rc;
}

int capsule_write(char path[PATH_MOST], const struct capsule *c,
                  const struct request_bytes *request, struct error *err)
{
    char name[NAME_MOST], command[COMMAND_MOST];
    struct cuzk_request r;
    if (request_decode(&r, request->data, request->n, err) != 0)
        return err->code;
    int porep = r.kind == CUZK_POREP;
    snprintf(name, sizeof name, "%" PRIu64 "-%u.%s.json", c->seq, c->partition,
             porep ? "c1" : "vanilla");
    snprintf(path, PATH_MOST, "%s/%s", c->dir, name);
    int rc =
        porep ? file_write_private(path, FILE_REPLACE, r.vanilla_proof.data, r.vanilla_proof.n, err)
              : write_list(path, &r, err);
    if (rc == 0) {
        write_command(command, c, &r, name);
        snprintf(path, PATH_MOST, "%s/%" PRIu64 "-%u.txt", c->dir, c->seq, c->partition);
        rc = write_text(path, c, command, err);
    }
    request_clean_up(&r);
    return rc;
}
