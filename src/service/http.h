/* /status, /metrics, /healthz, /readyz, /trace and the page, over HTTP/1.1 by libmicrohttpd. Reading only. */
#ifndef CUZK_SERVICE_HTTP_H
#define CUZK_SERVICE_HTTP_H

#include "base/error.h"
#include "service/service.h"

struct http_server;

/* address: IP:PORT. tokens (ends with NULL, may be NULL): asked for as bearer tokens. port gets the port taken; may be NULL. */
int http_server_new(struct http_server **out, int *port, struct service *service,
                    const char *address, char *const *tokens, struct error *err);
void http_server_destroy(struct http_server *server); /* NULL is harmless */

#endif
