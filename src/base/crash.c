#include "base/crash.h"

#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOTES = 128, FRAMES = 64, STACK_BYTES = 64 << 10 };

static _Atomic(struct crash_note *) notes[NOTES];
static char build_id[2 * 32 + 1];
static int installed;
static _Thread_local unsigned char signal_stack[STACK_BYTES];

void crash_note_begin(struct crash_note *note, const char *what)
{
    note->what = what;
    note->stage = "";
    note->place = NULL;
    for (int i = 0; i < NOTES && note->place == NULL; i++) {
        struct crash_note *none = NULL;
        if (atomic_compare_exchange_strong(&notes[i], &none, note))
            note->place = &notes[i];
    }
}

void crash_note_end(struct crash_note *note)
{
    if (note->place != NULL)
        atomic_store(note->place, NULL);
}

/* ---- The build id: a note in the program's own file ---- */

static int read_notes(const uint8_t *at, size_t size)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        size_t name = (note->n_namesz + 3u) & ~(size_t)3, desc = (note->n_descsz + 3u) & ~(size_t)3;
        const uint8_t *id = at + sizeof *note + name;
        if (size - sizeof *note < name + desc)
            return 0;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            2 * note->n_descsz < sizeof build_id && memcmp(at + sizeof *note, "GNU", 4) == 0) {
            for (size_t i = 0; i < note->n_descsz; i++)
                snprintf(build_id + 2 * i, 3, "%02x", id[i]);
            return 1;
        }
        at = id + desc;
        size -= sizeof *note + name + desc;
    }
    return 0;
}

/* The first object is the program itself. */
static int read_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE &&
            read_notes((const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz))
            break;
    }
    return 1;
}

const char *crash_build_id(void)
{
    if (build_id[0] == '\0')
        dl_iterate_phdr(read_program, NULL);
    return build_id[0] != '\0' ? build_id : "unknown";
}

/* ---- The report: only what a signal handler may call ---- */

static void put(const char *text)
{
    for (size_t n = strlen(text); n > 0;) {
        ssize_t written = write(STDERR_FILENO, text, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        n -= (size_t)written;
    }
}

static void put_number(uint64_t value, unsigned base)
{
    char text[24], *at = text + sizeof text - 1;
    *at = '\0';
    do
        *--at = "0123456789abcdef"[value % base];
    while (value /= base);
    put(at);
}

static const char *name_of(int signo)
{
    switch (signo) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGILL:
        return "SIGILL";
    case SIGFPE:
        return "SIGFPE";
    default:
        return "SIGABRT";
    }
}

static void put_notes(void)
{
    for (int i = 0; i < NOTES; i++) {
        const struct crash_note *note = atomic_load(&notes[i]);
        if (note == NULL)
            continue;
        put("  under way: ");
        put(note->what);
        put(", stage ");
        put(atomic_load(&note->stage));
        put("\n");
    }
}

static void report(int signo, const siginfo_t *info)
{
    void *frames[FRAMES];
    put("\n");
    put(program_invocation_short_name);
    put(" " CUZK_VERSION " crashed: ");
    put(name_of(signo));
    if (info->si_code > 0) {
        put(" at address 0x");
        put_number((uintptr_t)info->si_addr, 16);
    } else {
        put(" sent by process ");
        put_number((uint64_t)info->si_pid, 10);
    }
    put(", thread ");
    put_number((uint64_t)syscall(SYS_gettid), 10);
    put("\n  build id ");
    put(crash_build_id());
    put("\n");
    put_notes();
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
}

/* One thread reports; the signal is blocked in here, so a fault in here ends the process at once. Afterwards the faulting
 * instruction runs again, or for a sent signal this raise does, and the process ends, with a core where that is allowed. */
static void on_crash(int signo, siginfo_t *info, void *context)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    (void)context;
    while (atomic_flag_test_and_set(&taken))
        pause();
    report(signo, info);
    signal(signo, SIG_DFL);
    if (info->si_code <= 0)
        raise(signo);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

void crash_thread(void)
{
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    if (installed)
        sigaltstack(&stack, NULL);
}

void crash_install(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    void *frame[1];
    if (SANITIZED)
        return;
    crash_build_id();
    backtrace(frame, 1); /* the first call loads a library, which a signal handler must not */
    installed = 1;
    crash_thread();
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
