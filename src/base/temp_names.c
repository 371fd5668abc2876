#include "base/temp_names.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 32 };

/* Whoever takes a string out of its place owns it, so that a handler never sees one that is being freed. */
static _Atomic(char *) names[NAMES];

int temp_name_remember(const char *path)
{
    char *copy = strdup(path);
    for (int i = 0; i < NAMES && copy != NULL; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&names[i], &none, copy))
            return i;
    }
    free(copy);
    return -1;
}

void temp_name_forget(int name)
{
    if (name >= 0)
        free(atomic_exchange(&names[name], NULL));
}

void temp_names_unlink(void)
{
    for (int i = 0; i < NAMES; i++) {
        char *path = atomic_exchange(&names[i], NULL);
        if (path != NULL)
            unlink(path);
    }
}
