#include "service/daemon.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "service/config_text.h"
#include "service/http.h"
#include "service/notify.h"
#include "service/rpc.h"
#include "service/service.h"
#include "service/tokens.h"

static const char target[] = "cuzk_daemon";

struct daemon {
    const struct daemon_sources *sources;
    struct config config;
    struct log log;
    struct string_list tokens;
    struct service service;
    struct rpc_server *rpc;
    struct http_server *http;
    uint64_t next_watchdog_ns;
};

static const char *environment(const char *name)
{
    return getenv(name);
}

int daemon_configure(struct config *out, const struct daemon_sources *sources, struct error *err)
{
    const char *rust_log = getenv("RUST_LOG");
    if (config_init(out, err) != 0)
        return err->code;
    int rc = config_init_environment(out, environment, err);
    if (rc == 0)
        rc = config_read_file(out, sources->config_path, sources->config_optional, err);
    if (rc == 0)
        rc = config_read_environment(out, environment, err);
    if (rc == 0 && sources->listen != NULL)
        rc = config_set(out, "daemon.listen", sources->listen, "--listen", err);
    if (rc == 0 && sources->log_level != NULL)
        rc = config_set(out, "logging.level", sources->log_level, "--log-level", err);
    if (rc == 0 && rust_log != NULL && *rust_log != '\0')
        rc = config_set(out, "logging.level", rust_log, "RUST_LOG", err);
    if (rc == 0)
        rc = config_check(out, err);
    if (rc != 0)
        config_clean_up(out);
    return rc;
}

static void signal_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
}

void daemon_block_signals(void)
{
    sigset_t set;
    signal_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void log_warnings(struct daemon *d, const struct config *config)
{
    for (size_t i = 0; i < config->warnings.n; i++)
        log_write(&d->log, LOG_WARN, target, config->warnings.items[i], NULL);
}

static int engine_refused(const struct config *config, const struct cuzk_error *why,
                          struct error *err)
{
    int code = why->status == CUZK_INTERNAL             ? ERR_SOFTWARE
               : why->status == CUZK_RESOURCE_EXHAUSTED ? ERR_TEMP_FAIL
                                                        : ERR_CONFIG;
    error_set(err, code, why->cause, "%s", why->message);
    return strncmp(why->cause, "journal-", 8) == 0 ? config_blame(config, "jobs.journal", err)
                                                   : code;
}

/* What is wrong with a file that the configuration names is wrong with the configuration. */
static int blame_file(const struct config *config, const char *key, struct error *err)
{
    if (err->code != ERR_OS)
        err->code = ERR_CONFIG;
    return config_blame(config, key, err);
}

static int check_readable(const struct config *config, const char *key, const char *path,
                          struct error *err)
{
    uint8_t *data;
    size_t n;
    if (*path == '\0')
        return 0;
    if (file_read(&data, &n, path, 1 << 20, err) != 0)
        return blame_file(config, key, err);
    wipe(data, n);
    free(data);
    return 0;
}

/* It is made if it is absent: that it cannot be written would else come out when it is needed. */
static int check_capsule_dir(const struct config *config, struct error *err)
{
    const char *path = config->capsule_dir;
    struct stat st;
    int rc = *path == '\0' || mkdir(path, 0700) == 0 ? 0 : errno;
    if (rc == EEXIST && stat(path, &st) == 0)
        rc = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
    if (rc == 0 && *path != '\0' && access(path, W_OK | X_OK) != 0)
        rc = errno;
    if (rc == 0)
        return 0;
    error_set(err, ERR_CONFIG, "capsule-dir", "%s: %s", path, strerror(rc));
    return config_blame(config, "jobs.capsule_dir", err);
}

/* Files and folders that are needed, or will be. */
static int check_files(struct daemon *d, struct error *err)
{
    const struct config *c = &d->config;
    if (*c->token_file != '\0' && tokens_read(&d->tokens, c->token_file, err) != 0)
        return blame_file(c, "auth.token_file", err);
    if (check_readable(c, "tls.cert", c->tls_cert, err) != 0 ||
        check_readable(c, "tls.key", c->tls_key, err) != 0 ||
        check_readable(c, "tls.client_ca", c->tls_client_ca, err) != 0)
        return err->code;
    return check_capsule_dir(c, err);
}

static int open_engine(struct daemon *d, struct error *err)
{
    struct cuzk_config config;
    struct cuzk_error why;
    config_engine(&config, &d->config);
    config.timeline = service_event;
    config.timeline_ctx = &d->service;
    log_write(&d->log, LOG_INFO, target, "starting cuzk engine", "param_cache",
              d->config.param_cache, NULL);
    if (cuzk_engine_open(&d->service.engine, &config, &why) != 0)
        return engine_refused(&d->config, &why, err);
    struct cuzk_view view;
    if (cuzk_view_take(d->service.engine, &view, &why) != 0)
        return engine_refused(&d->config, &why, err);
    uint64_t total = view.memory_total;
    log_write(&d->log, LOG_INFO, target, "memory budget initialized", "total_bytes", LOG_N(total),
              "threads", LOG_N(view.threads), NULL);
    cuzk_view_clean_up(&view);
    if (total == 0) {
        error_set(err, ERR_CONFIG, "memory-unknown",
                  "the machine's memory cannot be read from /proc/meminfo or is no more than the "
                  "safety margin: set a number of bytes");
        return config_blame(&d->config, "memory.total_budget", err);
    }
    service_warn_of_budget(&d->service);
    log_write(&d->log, LOG_INFO, target, "cuzk engine started", NULL);
    return 0;
}

static int listen_rpc(struct daemon *d, struct error *err)
{
    const struct config *c = &d->config;
    struct cuzk_view view;
    struct cuzk_error why;
    uint64_t budget = (uint64_t)1 << 30;
    if (cuzk_view_take(d->service.engine, &view, &why) == 0) {
        uint64_t least = (uint64_t)RPC_MESSAGE_MOST * 5 / 4;
        budget = view.memory_total / 4 > least ? view.memory_total / 4 : least;
        cuzk_view_clean_up(&view);
    }
    struct rpc_options options = {.methods = service_methods,
                                  .ctx = &d->service,
                                  .log = &d->log,
                                  .tokens = d->tokens.items,
                                  .tls_cert = c->tls_cert,
                                  .tls_key = c->tls_key,
                                  .tls_client_ca = c->tls_client_ca,
                                  .receive_budget = budget};
    if (rpc_server_new(&d->rpc, &options, err) != 0)
        return err->code;
    for (size_t i = 0; i < c->listen.n; i++) {
        int port;
        const char *text = c->listen.items[i];
        if (rpc_server_listen(d->rpc, &port, text, err) != 0)
            return config_blame(c, "daemon.listen", err);
        struct address a = text_address(text);
        if (a.type == ADDRESS_UNIX)
            log_write(&d->log, LOG_INFO, target, "listening on unix socket", "path", a.path, NULL);
        else
            log_write(&d->log, LOG_INFO, target, "listening on TCP", "addr", a.host_port, "port",
                      LOG_N((uint64_t)port), NULL);
    }
    return 0;
}

static int listen_http(struct daemon *d, struct error *err)
{
    const char *text = d->config.status_listen;
    int port;
    if (*text == '\0')
        return 0;
    struct address a = text_address(text);
    if (http_server_new(&d->http, &port, &d->service, text, a.loopback ? NULL : d->tokens.items,
                        err) != 0)
        return config_blame(&d->config, "daemon.status_listen", err);
    log_write(&d->log, LOG_INFO, target, "status HTTP server listening", "addr", text, "port",
              LOG_N((uint64_t)port), NULL);
    return 0;
}

/* Calls come last: see give_up_start. */
static int start(struct daemon *d, struct error *err)
{
    if (check_files(d, err) != 0)
        return err->code;
    if (timeline_new(&d->service.timeline, stderr, err) != 0)
        return err->code;
    d->service.log = &d->log;
    d->service.param_dir = d->config.param_cache;
    d->service.preload = d->config.preload.items;
    if (open_engine(d, err) != 0 || service_start(&d->service, err) != 0)
        return err->code;
    if (listen_rpc(d, err) != 0 || listen_http(d, err) != 0 || rpc_server_start(d->rpc, err) != 0)
        return err->code;
    char ready[160];
    snprintf(ready, sizeof ready, "cuzk-daemon ready, serving on %.100s",
             d->config.listen.items[0]);
    log_write(&d->log, LOG_INFO, target, ready, NULL);
    notify("READY=1\nSTATUS=serving");
    return 0;
}

/* What calls use: after the servers. */
static void clean_up(struct daemon *d)
{
    if (d->service.engine != NULL)
        cuzk_engine_close(d->service.engine);
    service_clean_up(&d->service);
    timeline_destroy(d->service.timeline);
    string_list_clean_up(&d->tokens);
}

static void stop(struct daemon *d)
{
    service_abandon(&d->service);
    rpc_server_stop(d->rpc, 2000);
    http_server_destroy(d->http);
    rpc_server_destroy(d->rpc);
    clean_up(d);
}

/* No call was taken yet. */
static void give_up_start(struct daemon *d)
{
    http_server_destroy(d->http);
    rpc_server_abandon(d->rpc);
    clean_up(d);
}

/* New limits and the log level; what else differs is named, and takes effect at the next start. */
static void reload(struct daemon *d)
{
    struct config next;
    struct cuzk_config limits;
    struct error err;
    struct cuzk_error why;
    char names[400];
    notify("RELOADING=1");
    if (daemon_configure(&next, d->sources, &err) != 0) {
        log_write(&d->log, LOG_ERROR, target, "configuration not reloaded", "error", err.text,
                  NULL);
        notify("READY=1");
        return;
    }
    config_restart_keys(names, sizeof names, &d->config, &next);
    config_engine(&limits, &next);
    if (cuzk_engine_reconfigure(d->service.engine, &limits, &why) != 0)
        log_write(&d->log, LOG_ERROR, target, "limits not changed", "error", why.message, NULL);
    service_warn_of_budget(&d->service);
    atomic_store(&d->log.level, (int)next.log_level);
    log_warnings(d, &next);
    if (*names != '\0')
        log_write(&d->log, LOG_WARN, target, "changes that need a restart", "keys", names, NULL);
    log_write(&d->log, LOG_INFO, target, "configuration reloaded", "level",
              log_level_name(next.log_level), NULL);
    config_clean_up(&next);
    notify("READY=1");
}

/* Shows that the engine answers: a thread that only counts time would hide a stuck one. */
static void beat(struct daemon *d)
{
    uint64_t interval = notify_watchdog_ms();
    uint64_t now = clock_monotonic_ns();
    struct cuzk_view view;
    struct cuzk_error err;
    char text[160];
    if (interval == 0 || now < d->next_watchdog_ns)
        return;
    if (cuzk_view_take(d->service.engine, &view, &err) != 0)
        return;
    unsigned pending = 0, running = 0;
    for (int k = 1; k < CUZK_KINDS; k++) {
        pending += view.kind[k].pending;
        running += view.kind[k].running;
    }
    cuzk_view_clean_up(&view);
    snprintf(text, sizeof text, "WATCHDOG=1\nSTATUS=%s%u running, %u waiting",
             atomic_load(&d->service.draining) ? "draining: " : "", running, pending);
    notify(text);
    d->next_watchdog_ns = now + interval * 1000000;
}

struct drain {
    struct cuzk_engine *engine;
    atomic_int done;
};

static void *run_drain(void *arg)
{
    struct drain *drain = arg;
    cuzk_engine_drain(drain->engine);
    atomic_store(&drain->done, 1);
    return NULL;
}

/* A signal, or 0 after at most ms milliseconds. */
static int next_signal(unsigned ms)
{
    sigset_t set;
    struct timespec wait = {ms / 1000, (long)(ms % 1000) * 1000000};
    signal_set(&set);
    int rc = sigtimedwait(&set, NULL, &wait);
    return rc < 0 ? 0 : rc;
}

static void drain(struct daemon *d, int first)
{
    struct drain drain = {.engine = d->service.engine};
    pthread_t thread;
    log_write(&d->log, LOG_INFO, target,
              first == SIGINT ? "received SIGINT, shutting down"
                              : "received SIGTERM, shutting down",
              NULL);
    notify("STOPPING=1\nSTATUS=draining");
    atomic_store(&d->service.draining, 1);
    if (pthread_create(&thread, NULL, run_drain, &drain) != 0) {
        cuzk_engine_stop(d->service.engine);
        cuzk_engine_drain(d->service.engine);
        return;
    }
    while (!atomic_load(&drain.done)) {
        int signal = next_signal(50);
        if (signal == SIGTERM || signal == SIGINT) {
            log_write(&d->log, LOG_WARN, target, "second signal: unfinished jobs are journalled",
                      NULL);
            cuzk_engine_stop(d->service.engine);
        }
        beat(d);
    }
    pthread_join(thread, NULL);
}

static void serve(struct daemon *d)
{
    for (;;) {
        int signal = next_signal(500);
        if (signal == SIGHUP)
            reload(d);
        else if (signal != 0)
            return drain(d, signal);
        beat(d);
    }
}

/* As many connections as the system allows: gRPC stops listening for good where it gets no descriptor for one. */
static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int daemon_run(const struct daemon_sources *sources, struct error *err)
{
    struct daemon d = {.sources = sources};
    raise_file_limit();
    if (daemon_configure(&d.config, sources, err) != 0)
        return err->code;
    log_init(&d.log, stdout, d.config.log_format, d.config.log_level);
    log_write(&d.log, LOG_INFO, target, "cuzk-daemon starting", "version", CUZK_VERSION, NULL);
    log_write(&d.log, LOG_INFO, target, "configuration loaded", "listen", d.config.listen.items[0],
              NULL);
    log_warnings(&d, &d.config);
    int rc = start(&d, err);
    if (rc == 0) {
        serve(&d);
        stop(&d);
        log_write(&d.log, LOG_INFO, target, "cuzk-daemon stopped", NULL);
    } else {
        log_write(&d.log, LOG_ERROR, target, "cannot start", "error", err->text, "cause",
                  err->cause, NULL);
        give_up_start(&d);
    }
    config_clean_up(&d.config);
    return rc;
}
