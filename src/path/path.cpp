#include "path/path.h"

namespace packfs::path {

std::optional<ErrorCode> check_component(std::string_view name) noexcept {
  if (name.size() > kMaxComponent) return ErrorCode::name_too_long;
  if (name.empty() || name == "." || name == "..") return ErrorCode::invalid;
  for (const char byte : name) {
    if (byte == '/' || byte == '\0') return ErrorCode::invalid;
  }
  return std::nullopt;
}

std::optional<ErrorCode> Splitter::error_ahead() const noexcept {
  Splitter rest = *this;
  while (rest.next()) {
  }
  return rest.error();
}

}  // namespace packfs::path
