/* A gRPC client for unary calls over the same C core as the server. Calls may come from several threads at once. */
#ifndef CUZK_SERVICE_CLIENT_H
#define CUZK_SERVICE_CLIENT_H

#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

#include "base/error.h"

struct client;

/* address: http://HOST:PORT, HOST:PORT, unix://PATH, or https://HOST:PORT. ca_file (PEM) may be NULL; it makes any address but a unix
 * socket's TLS. token may be NULL. Connecting waits for the first call. */
int client_new(struct client **out, const char *address, const char *ca_file, const char *token,
               struct error *err);
void client_destroy(struct client *client); /* NULL is harmless */

/* Calls METHOD of cuzk.v1.ProvingEngine; *out is of the type given and freed with protobuf_c_message_free_unpacked. timeout_ms 0: none.
 * A status other than OK is an error: ERR_TEMP_FAIL for UNAVAILABLE, RESOURCE_EXHAUSTED and DEADLINE_EXCEEDED, ERR_NO_INPUT for
 * NOT_FOUND, ERR_DATA for INVALID_ARGUMENT, else ERR_UNAVAILABLE; the text is the server's. */
int client_call(struct client *client, ProtobufCMessage **out,
                const ProtobufCMessageDescriptor *type, const char *method,
                const ProtobufCMessage *request, uint64_t timeout_ms, struct error *err);

#endif
