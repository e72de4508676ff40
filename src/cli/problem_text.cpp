#include "cli/problem_text.h"

namespace packfs::cli {

std::string problem_text(std::string_view path, const Error& error, std::string_view pack) {
  const std::string_view shown = path.empty() ? "." : path;
  const Error located = error.offset() ? error.with_path(pack) : error.with_path(shown);
  if (located.path() == shown) return located.message();
  return std::string(shown) + ": " + located.message();
}

}  // namespace packfs::cli
