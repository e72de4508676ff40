#include "corpus/words.h"

#include <array>

namespace packfs::bench {

namespace {

constexpr std::array<std::string_view, 64> kWords{
    "array",   "async",  "await",   "buffer",  "button",  "cache",  "call",     "client",  "codec",    "color",
    "config",  "const",  "context", "core",    "create",  "data",   "default",  "delete",  "document", "editor",
    "emit",    "error",  "event",   "export",  "factory", "fetch",  "filter",   "format",  "from",     "function",
    "handler", "hash",   "if",      "import",  "index",   "input",  "iterator", "key",     "layout",   "list",
    "loader",  "logger", "map",     "module",  "node",    "number", "object",   "option",  "parse",    "path",
    "promise", "query",  "render",  "request", "return",  "router", "schema",   "session", "stream",   "string",
    "table",   "theme",  "token",   "value"};

}  // namespace

std::string_view random_word(Random& random) { return kWords[random.below(kWords.size())]; }

}  // namespace packfs::bench
