/* Parameter files: what opens must fill its file exactly and let every point be looked at. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groth16/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_open(const struct params_file *p, size_t size)
{
    struct error err;
    struct g1_affine g1;
    struct g2_affine g2;
    if (p->offset[PARAMS_B_G2] + p->count[PARAMS_B_G2] * G2_UNCOMPRESSED_BYTES != size)
        abort();
    int bad = 0;
    for (enum params_section s = 0; s < PARAMS_SECTIONS; s++)
        for (size_t i = 0; i < p->count[s]; i++)
            if ((s == PARAMS_B_G2 ? params_g2(&g2, p, i, 1, &err)
                                  : params_g1(&g1, p, s, i, 1, &err)) != 0)
                bad = 1;
    if (params_check_points(p, NULL, NULL, &err) == 0 && bad)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct params_file p = {0};
    struct error err;
    char path[64];
    int fd = memfd_create("params", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (params_open(&p, path, &err) == 0) {
        check_open(&p, size);
        params_close(&p);
    } else if (p.vk.ic != NULL || err.code >= 0 || err.cause == NULL || err.text[0] == 0) {
        abort();
    }
    close(fd);
    return 0;
}
