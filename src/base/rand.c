#include "base/rand.h"

#include <errno.h>
#include <sys/random.h>

#include "base/error.h"

int rand_fill(void *out, size_t n)
{
    unsigned char *p = out;
    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return ERR_OS;
        p += got;
        n -= (size_t)got;
    }
    return 0;
}
