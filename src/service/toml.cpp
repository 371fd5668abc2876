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

/* Bytes of the well-formed UTF-8 sequence (RFC 3629) at text[0 .. n), n > 0; 0 if there is none. */
size_t utf8_sequence(const char *text, size_t n)
{
    const auto *b = reinterpret_cast<const unsigned char *>(text);
    const size_t len = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;
    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xf0 && b[1] < 0x90);
    const bool surrogate = b[0] == 0xed && b[1] > 0x9f, beyond = b[0] == 0xf4 && b[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : len;
}

/* The offset of the first byte that is no UTF-8 or NUL; n if there is none. */
size_t first_bad_byte(const char *text, size_t n)
{
    size_t at = 0;
    while (at < n && text[at] != '\0') {
        const size_t len = utf8_sequence(text + at, n - at);
        if (len == 0)
            return at;
        at += len;
    }
    return at;
}

/* The parser's message has its function in front and a picture of the place behind: "[error] toml::parse_table: what is wrong\n --> ...". */
void print_error(char *message, size_t size, const char *name, const toml::exception &e)
{
    std::string what = e.what();
    what.resize(std::min(what.find('\n'), what.size()));
    if (const size_t at = what.rfind("toml::", what.find(": ")); at != what.npos)
        what.erase(0, what.find(": ", at) + 2);
    std::snprintf(message, size, "%s line %lu: %s", name,
                  static_cast<unsigned long>(e.location().line()), what.c_str());
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
    /* The packaged parser reads out of bounds where it reports wrong UTF-8, so it never sees any. */
    if (const size_t bad = first_bad_byte(text, n); bad < n) {
        std::snprintf(message, message_size, "%s: byte %zu is not UTF-8 text", name, bad);
        return -1;
    }
    try {
        std::istringstream in(std::string(text, n));
        return walk(toml::parse(in, name), "", item, ctx);
    } catch (const toml::exception &e) {
        print_error(message, message_size, name, e);
    } catch (const std::exception &e) {
        std::snprintf(message, message_size, "%s", e.what());
    } catch (...) {
        std::snprintf(message, message_size, "%s: cannot be read as TOML", name);
    }
    return -1;
}
