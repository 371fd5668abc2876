/* What reading a point's bytes can answer; the readers themselves stand in g1.h and g2.h.
 *
 * Encodings are Zcash's (spec of every Filecoin file): big-endian coordinates, the top three bits of byte 0 are flags: 0x80 compressed,
 * 0x40 infinity, 0x20 (compressed only) y is the larger of the two roots. Infinity has every other bit zero. */
#ifndef CUZK_CURVE_POINT_H
#define CUZK_CURVE_POINT_H

enum {
    POINT_FLAG_COMPRESSED = 0x80,
    POINT_FLAG_INFINITY = 0x40,
    POINT_FLAG_LARGER_Y = 0x20,
    POINT_FLAGS = 0xe0,
};

/* How far a reader looks. Flags and canonical coordinates are always checked. */
enum point_check {
    POINT_CHECK_NONE,     /* uncompressed bulk data whose origin is trusted */
    POINT_CHECK_CURVE,    /* compressed reading always implies it */
    POINT_CHECK_SUBGROUP, /* and in the subgroup of order r */
};

enum point_status {
    POINT_OK,
    POINT_INFINITY, /* a valid encoding of infinity, and the point was set: whether that is allowed is the caller's matter */
    POINT_BAD_FLAGS,
    POINT_NOT_CANONICAL,
    POINT_NOT_ON_CURVE,
    POINT_NOT_IN_SUBGROUP,
};

/* A short kebab-case name, fit for error_set's cause: "point-not-on-curve". */
const char *point_status_name(enum point_status status);

#endif
