/* Errors: a code that becomes the process's exit status, a cause for machines, a sentence for people. */
#ifndef CUZK_BASE_ERROR_H
#define CUZK_BASE_ERROR_H

/* Negated, these are the exit codes of the commands (sysexits.h, except 1 and 2). */
enum error_code {
    ERR_INVALID_PROOF = -1, /* a proof was read and does not verify */
    ERR_USAGE = -2,         /* wrong command line */
    ERR_DATA = -65,         /* input data is malformed or contradicts itself */
    ERR_NO_INPUT = -66,     /* a file is absent or unreadable */
    ERR_UNAVAILABLE = -69,  /* asked for what this build or machine does not have */
    ERR_SOFTWARE = -70,     /* a self-check failed: a bug or broken hardware */
    ERR_OS = -71,           /* the system refused memory, threads, ... */
    ERR_CANT_CREATE = -73,  /* output file cannot be created */
    ERR_IO = -74,           /* reading or writing failed midway, e.g. disk full */
    ERR_TEMP_FAIL = -75,    /* try again later */
    ERR_NO_PERM = -77,      /* permission denied */
    ERR_CONFIG = -78,       /* configuration or parameter files do not fit */
};

struct error {
    int code;          /* 0 or an enum error_code */
    const char *cause; /* static, number-free, kebab-case: "c1-truncated", "params-absent" */
    char text[600];    /* the sentence, without trailing newline, printable (text_printable) */
};

/* Fills *err and returns code. */
int error_set(struct error *err, int code, const char *cause, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts "prefix: " before the text, e.g. the file's name. Returns err->code. */
int error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
