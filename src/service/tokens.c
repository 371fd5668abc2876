#include "service/tokens.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"

enum { TOKEN_SHORTEST = 16 };

static int add_lines(struct string_list *out, const char *text, const char *path, struct error *err)
{
    for (unsigned line = 1; *text != '\0'; line++) {
        size_t n = strcspn(text, "\n"), used = n;
        while (used > 0 && (text[used - 1] == ' ' || text[used - 1] == '\r'))
            used--;
        if (used > 0 && *text != '#') {
            if (used < TOKEN_SHORTEST)
                return error_set(err, ERR_CONFIG, "token-short",
                                 "%s line %u: a token has at least %d characters", path, line,
                                 TOKEN_SHORTEST);
            if (string_list_add(out, text, used, err) != 0)
                return err->code;
        }
        text += n + (text[n] == '\n');
    }
    return out->n > 0 ? 0 : error_set(err, ERR_CONFIG, "token-missing", "%s: holds no token", path);
}

int tokens_read(struct string_list *out, const char *path, struct error *err)
{
    uint8_t *text;
    size_t n;
    struct stat st;
    *out = (struct string_list){NULL, 0};
    if (stat(path, &st) == 0 && (st.st_mode & 007) != 0)
        return error_set(err, ERR_CONFIG, "token-file-open",
                         "%s: everybody may read or write it; chmod o= is needed", path);
    if (file_read(&text, &n, path, 1 << 16, err) != 0)
        return err->code;
    int rc = strlen((const char *)text) == n
                 ? add_lines(out, (const char *)text, path, err)
                 : error_set(err, ERR_CONFIG, "token-nul", "%s: holds a NUL byte", path);
    wipe(text, n);
    free(text);
    if (rc != 0)
        string_list_clean_up(out);
    return rc;
}
