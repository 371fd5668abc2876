#include "curve/point.h"

const char *point_status_name(enum point_status status)
{
    switch (status) {
    case POINT_OK:
        return "point-ok";
    case POINT_INFINITY:
        return "point-at-infinity";
    case POINT_BAD_FLAGS:
        return "point-bad-flags";
    case POINT_NOT_CANONICAL:
        return "point-not-canonical";
    case POINT_NOT_ON_CURVE:
        return "point-not-on-curve";
    case POINT_NOT_IN_SUBGROUP:
        return "point-not-in-subgroup";
    }
    return "point-unknown";
}
