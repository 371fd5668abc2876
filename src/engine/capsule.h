/* What a proof that failed its check is made again from: its input in a file that "cuzk prove" takes, and that command in a text beside it.
 * Not the randomness of the proof: r and s are never written down. */
#ifndef CUZK_ENGINE_CAPSULE_H
#define CUZK_ENGINE_CAPSULE_H

#include <stdint.h>

#include "base/error.h"
#include "engine/request.h"

struct capsule {
    const char *dir;
    uint64_t seq;          /* of the job */
    unsigned partition;    /* of the job: files are DIR/SEQ-PARTITION.txt, ... */
    unsigned of_input;     /* the same, as the input counts them */
    const char *report;    /* lines that the text begins with, printable */
    const char *param_dir; /* where parameters were */
};

/* Files of mode 0600. path gets the text's. request: as the journal has it. */
int capsule_write(char path[4096], const struct capsule *c, const struct request_bytes *request,
                  struct error *err);

#endif
