/* Files that are part of the program. */
#ifndef CUZK_SERVICE_EMBEDDED_H
#define CUZK_SERVICE_EMBEDDED_H

#include <stdint.h>

extern const uint8_t embedded_page[], embedded_page_end[]; /* src/service/page.html */
/* A google.protobuf.FileDescriptorSet of proto/. */
extern const uint8_t embedded_descriptors[], embedded_descriptors_end[];

#endif
