#include "service/toml.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <sstream>
#include <string>
#include <toml.hpp>
#include <vector>

namespace
{

struct converted {
    toml_item item{};
    std::vector<toml_item> items;
    std::deque<converted> children; /* what items point into */
};

void convert(converted &out, const toml::value &value)
{
    toml_item &it = out.item;
    it.line = static_cast<unsigned>(value.location().line());
    it.type = TOML_OTHER;
    it.string = "";
    if (value.is_string()) {
        const std::string &text = value.as_string().str;
        if (text.find('\0') == std::string::npos) {
            it.type = TOML_STRING;
            it.string = text.c_str();
        }
    } else if (value.is_integer()) {
        it.type = TOML_INTEGER;
        it.integer = value.as_integer();
    } else if (value.is_boolean()) {
        it.type = TOML_BOOLEAN;
        it.integer = value.as_boolean() ? 1 : 0;
    } else if (value.is_array()) {
        it.type = TOML_ARRAY;
        for (const toml::value &element : value.as_array()) {
            out.children.emplace_back();
            convert(out.children.back(), element);
            out.items.push_back(out.children.back().item);
        }
        it.items = out.items.data();
        it.items_n = out.items.size();
    }
}

int walk(const toml::value &value, const std::string &key,
         int (*item)(void *ctx, const toml_item *it), void *ctx)
{
    if (value.is_table() && (key.empty() || !value.as_table().empty())) {
        for (const auto &entry : value.as_table()) {
            const std::string name = key.empty() ? entry.first : key + "." + entry.first;
            if (int rc = walk(entry.second, name, item, ctx); rc != 0)
                return rc;
        }
        return 0;
    }
    converted out;
    convert(out, value);
    out.item.key = key.c_str();
    return item(ctx, &out.item);
}

/* The parser recurses: brackets nest no deeper than any configuration's. */
bool nests_too_deep(const char *text, size_t n)
{
    long depth = 0;
    for (size_t i = 0; i < n && depth <= 100; i++)
        depth += text[i] == '[' || text[i] == '{' ? 1 : text[i] == ']' || text[i] == '}' ? -1 : 0;
    return depth > 100;
}

} // namespace

extern "C" int toml_read(const char *text, size_t n, const char *name,
                         int (*item)(void *ctx, const toml_item *it), void *ctx, char *message,
                         size_t message_size)
{
    if (nests_too_deep(text, n)) {
        std::snprintf(message, message_size, "%s: nested too deep", name);
        return -1;
    }
    try {
        std::istringstream in(std::string(text, n));
        return walk(toml::parse(in, name), "", item, ctx);
    } catch (const std::exception &e) {
        std::snprintf(message, message_size, "%s", e.what());
    } catch (...) {
        std::snprintf(message, message_size, "%s: cannot be read as TOML", name);
    }
    if (std::strncmp(message, "[error] ", 8) == 0)
        std::memmove(message, message + 8, std::strlen(message + 8) + 1);
    for (size_t end = std::strlen(message); end > 0 && message[end - 1] == '\n';)
        message[--end] = '\0';
    return -1;
}
