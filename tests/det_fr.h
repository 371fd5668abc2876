/* det_fr(tag): the field element that the fixtures derive from a tag: SHA-256, two top bits cleared, little-endian. */
#ifndef CUZK_TESTS_DET_FR_H
#define CUZK_TESTS_DET_FR_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <openssl/sha.h>

#include "field/fr.h"

__attribute__((format(printf, 2, 3))) static inline void det_fr(struct fr *r, const char *fmt, ...)
{
    char tag[128];
    uint8_t digest[32];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(tag, sizeof tag, fmt, args);
    va_end(args);
    SHA256((const unsigned char *)tag, (size_t)n, digest);
    digest[31] &= 0x3f;
    assert_int_equal(fr_from_bytes(r, digest), 0);
}

#endif
