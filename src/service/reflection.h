/* grpc.reflection, v1 and v1alpha: what the server offers, for clients without the .proto files. */
#ifndef CUZK_SERVICE_REFLECTION_H
#define CUZK_SERVICE_REFLECTION_H

#include "service/rpc.h"

extern const struct rpc_method reflection_v1, reflection_v1alpha;

#endif
