/* Configuration files: anything is read or refused with a message. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "service/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config;
    struct cuzk_config engine;
    struct error err = {.cause = NULL};
    memset(&engine, 0, sizeof engine);
    if (config_init(&config, &err) != 0)
        return 0;
    if (config_read(&config, (const char *)data, size, "fuzz.toml", &err) != 0)
        assert(err.code == ERR_CONFIG && err.cause != NULL && err.text[0] != '\0');
    else if (config_check(&config, &err) == 0)
        assert(config.listen.n > 0);
    config_clean_up(&config);
    return 0;
}
