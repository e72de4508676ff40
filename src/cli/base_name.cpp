#include "cli/base_name.h"

namespace packfs::cli {

std::string_view base_name(std::string_view path) noexcept {
  path = path.substr(0, path.find_last_not_of('/') + 1);
  return path.substr(path.find_last_of('/') + 1);
}

bool names_itself(std::string_view name) noexcept { return !name.empty() && name != "." && name != ".."; }

}  // namespace packfs::cli
