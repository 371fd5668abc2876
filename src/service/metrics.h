/* The engine's state as Prometheus text and as the reference's status JSON. */
#ifndef CUZK_SERVICE_METRICS_H
#define CUZK_SERVICE_METRICS_H

#include <stdio.h>

#include "cuzk/engine.h"

void metrics_write(FILE *f, const struct cuzk_view *view);
/* Fields and order of the reference's /status, then ours. */
void status_json_write(FILE *f, const struct cuzk_view *view);

/* The text of one of the two in memory: free() it; NULL without memory. */
char *view_text(void (*write)(FILE *f, const struct cuzk_view *view), const struct cuzk_view *view);

#endif
