/* The files of proto/ as server reflection hands them out, read from the FileDescriptorSet that protoc wrote. */
#ifndef CUZK_SERVICE_DESCRIPTORS_H
#define CUZK_SERVICE_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

struct descriptor {
    const uint8_t *data; /* a serialised google.protobuf.FileDescriptorProto */
    size_t n;
};

/* 1 and *out set, or 0: there is no such file ("cuzk/v1/proving.proto"). */
int descriptor_by_file(struct descriptor *out, const char *name);
/* The file that defines a message, enumeration, service or method of that full name ("cuzk.v1.ProvingEngine.Prove"). */
int descriptor_by_symbol(struct descriptor *out, const char *symbol);

#endif
