#include <stdio.h>
#include <string.h>

#include "base/crash.h"
#include "cmd/cli.h"
#include "service/daemon.h"

static const char usage[] =
    "usage: cuzk-daemon [--config FILE] [--listen ADDR] [--log-level LEVEL]\n"
    "  -c, --config FILE    TOML; default /data/zk/cuzk.toml, which may be absent\n"
    "  -l, --listen ADDR    unix://PATH or IP:PORT, over the file's daemon.listen; commas between "
    "several\n"
    "      --log-level L    error, warn, info, debug, trace; RUST_LOG goes before it\n"
    "      --keys           all keys of the file with their defaults and variables\n"
    "  -h, --help\n"
    "  -V, --version\n";

static int print_keys(void)
{
    const struct config_key *key;
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++) {
        char variable[80];
        config_variable(variable, sizeof variable, key);
        if (key->note != NULL)
            printf("%-34s %-38s %s\n", key->name, variable, key->note);
        else
            printf("%-34s %-38s default \"%s\"%s%s%s\n", key->name, variable, key->fallback,
                   key->reload ? ", SIGHUP applies it" : "", key->also != NULL ? ", also " : "",
                   key->also != NULL ? key->also : "");
    }
    return cli_flush();
}

static int run(void *ctx)
{
    const struct daemon_sources *sources = ctx;
    struct error err;
    crash_thread();
    return daemon_run(sources, &err) == 0 ? 0 : cli_fail(&err);
}

enum { OPTION_LOG_LEVEL = 256, OPTION_KEYS };

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"listen", required_argument, NULL, 'l'},
        {"log-level", required_argument, NULL, OPTION_LOG_LEVEL},
        {"keys", no_argument, NULL, OPTION_KEYS},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    struct daemon_sources sources = {.config_path = "/data/zk/cuzk.toml", .config_optional = 1};
    int option;
    uint64_t seen = 0;
    daemon_block_signals(); /* before anything else: a SIGHUP now would be the end */
    while ((option = cli_option(argc, argv, "c:l:hV", options, &seen)) != -1) {
        switch (option) {
        case 'c':
            sources.config_path = optarg;
            sources.config_optional = 0;
            break;
        case 'l':
            sources.listen = optarg;
            break;
        case OPTION_LOG_LEVEL:
            sources.log_level = optarg;
            break;
        case OPTION_KEYS:
            return print_keys();
        case 'h':
            fputs(usage, stdout);
            return cli_flush();
        case 'V':
            puts("cuzk-daemon " CUZK_VERSION);
            return cli_flush();
        default:
            return cli_see_help("cuzk-daemon", "");
        }
    }
    if (optind < argc) {
        cli_usage("cuzk-daemon takes no argument \"%.40s\"", argv[optind]);
        return cli_see_help("cuzk-daemon", "");
    }
    int rc = cli_init();
    if (rc != 0)
        return rc;
    crash_install();
    return cli_run(run, &sources);
}
