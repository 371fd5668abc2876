/* grpc.health.v1: the daemon as a whole (""), the service's name, and each kind by its name on the wire. */
#ifndef CUZK_SERVICE_HEALTH_H
#define CUZK_SERVICE_HEALTH_H

#include "service/rpc.h"

struct service;
struct health;

int health_new(struct health **out, struct service *service, struct error *err);
void health_end_watches(struct health *health);
void health_destroy(struct health *health); /* its server has stopped; NULL is harmless */

extern const struct rpc_method health_check, health_watch;

#endif
