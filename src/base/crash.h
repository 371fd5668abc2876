/* What a crash leaves on stderr before the process ends as it would have: signal, build, the work that was under way, a backtrace. */
#ifndef CUZK_BASE_CRASH_H
#define CUZK_BASE_CRASH_H

#include <stdatomic.h>

/* Once, by a program that wants it, before it makes threads. Nothing under address and thread sanitizers, which do the same. */
void crash_install(void);
/* A thread that calls this is reported too where its own stack has overflowed. Nothing without crash_install. */
void crash_thread(void);

/* A piece of work that a report names. Kept by who does it; what stays the same meanwhile. */
struct crash_note {
    const char *what;                    /* "job a, partition 3 of porep-32g" */
    _Atomic(const char *) stage;         /* static text */
    _Atomic(struct crash_note *) *place; /* NULL: there were too many to name this one */
};
void crash_note_begin(struct crash_note *note, const char *what);
void crash_note_end(struct crash_note *note);

/* The linker's build id in hex, or "unknown". */
const char *crash_build_id(void);

#endif
