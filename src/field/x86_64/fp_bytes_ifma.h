#ifndef CUZK_FIELD_X86_64_FP_BYTES_IFMA_H
#define CUZK_FIELD_X86_64_FP_BYTES_IFMA_H

#include <stdint.h>

#include "field/fp.h"

/* Eight elements of 48 bytes, big-endian. Returns 0, or a bit for each that is not below p; then r is not set. */
unsigned fp_from_bytes_8_ifma(struct fp r[8], const uint8_t in[8 * 48]);

#endif
